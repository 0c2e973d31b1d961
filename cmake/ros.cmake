# Sets FLEETWEAVE_WITH_ROS, from the option FLEETWEAVE_ROS and the ROS 2 packages that are found.

set(fleetweave_ros_libraries rcutils rmw rcl rcl_action rcl_lifecycle rcl_yaml_param_parser)
set(fleetweave_ros_messages
  builtin_interfaces std_msgs geometry_msgs nav_msgs std_srvs visualization_msgs diagnostic_msgs rcl_interfaces rosgraph_msgs
  tf2_msgs map_msgs unique_identifier_msgs action_msgs nav2_msgs lifecycle_msgs bond)

set(FLEETWEAVE_WITH_ROS OFF)
if(NOT FLEETWEAVE_ROS STREQUAL "OFF")
  set(missing)
  foreach(package ament_cmake ${fleetweave_ros_libraries} ${fleetweave_ros_messages})
    find_package(${package} QUIET)
    if(NOT ${package}_FOUND)
      list(APPEND missing ${package})
      break()  # the first one tells enough, and the others would only take time
    endif()
  endforeach()
  if(NOT missing)
    set(FLEETWEAVE_WITH_ROS ON)
  elseif(FLEETWEAVE_ROS STREQUAL "ON")
    message(FATAL_ERROR "FLEETWEAVE_ROS is ON but the ROS 2 package ${missing} was not found: source a ROS 2 set-up, or use ./run shell")
  else()
    message(STATUS "ROS 2 not found (${missing}): building the core and the command line only")
  endif()
endif()

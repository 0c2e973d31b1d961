# The ROS 2 nodes, and rclc: the installed one if there is one, otherwise src/ros/rclc, which has the calls that we use.

find_package(rclc QUIET)
if(rclc_FOUND)
  message(STATUS "rclc: the installed one, ${rclc_VERSION}")
  set(fleetweave_rclc rclc::rclc)
  if(NOT TARGET rclc::rclc)
    set(fleetweave_rclc ${rclc_TARGETS})
  endif()
else()
  message(STATUS "rclc: not installed, using src/ros/rclc")
  file(GLOB rclc_sources CONFIGURE_DEPENDS src/ros/rclc/*.c)
  if(rclc_sources)
    add_library(fleetweave_rclc STATIC ${rclc_sources})
    fleetweave_compile(fleetweave_rclc)
    target_include_directories(fleetweave_rclc PUBLIC ${PROJECT_SOURCE_DIR}/src/ros/rclc)
    target_link_libraries(fleetweave_rclc PUBLIC rcl::rcl rcutils::rcutils)
    set(fleetweave_rclc fleetweave_rclc)
  endif()
endif()

# Only the C halves of the message packages: the whole package would bring C++ and Python along.
set(fleetweave_ros_targets rcl::rcl rcl_action::rcl_action rcl_lifecycle::rcl_lifecycle rmw::rmw rcutils::rcutils rcl_yaml_param_parser::rcl_yaml_param_parser)
foreach(package ${fleetweave_ros_messages})
  list(APPEND fleetweave_ros_targets ${package}::${package}__rosidl_generator_c ${package}::${package}__rosidl_typesupport_c)
endforeach()

function(fleetweave_node name)
  add_executable(${name} ${ARGN})
  fleetweave_compile(${name})
  target_link_libraries(${name} PRIVATE
    fleetweave_motion fleetweave_map_files fleetweave_internal ${fleetweave_rclc} ${fleetweave_ros_targets}
    Threads::Threads m)
endfunction()

foreach(node planner_node fleet_sim path_follower)
  file(GLOB shared CONFIGURE_DEPENDS src/ros/*.c)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS src/ros/${node}/*.c)
  fleetweave_node(${node} ${shared} ${sources})
  install(TARGETS ${node} DESTINATION lib/${PROJECT_NAME})
endforeach()

# `ros2 run fleetweave fleetweave` finds programs here.
install(TARGETS fleetweave_cli fleetweave_bench DESTINATION lib/${PROJECT_NAME})

install(PROGRAMS examples/nav2_bridge.py DESTINATION lib/${PROJECT_NAME})

foreach(folder launch config)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${folder})
    install(DIRECTORY ${folder} DESTINATION share/${PROJECT_NAME} PATTERN __pycache__ EXCLUDE)
  endif()
endforeach()

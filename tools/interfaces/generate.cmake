# Generates the C and Python halves of an interface package. For the wheels only: a ROS 2 that is installed has the package.

list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/cmake)
find_package(ament_cmake REQUIRED)
find_package(rosidl_default_generators REQUIRED)

# generate("FILE ..." "PACKAGE ...")
macro(generate files packages)
  separate_arguments(interface_files UNIX_COMMAND "${files}")
  separate_arguments(interface_packages UNIX_COMMAND "${packages}")
  foreach(package ${interface_packages})
    find_package(${package} REQUIRED)
  endforeach()
  # The C++ half would take two thirds of the time, and nothing here uses it.
  list(FILTER AMENT_EXTENSIONS_rosidl_generate_idl_interfaces EXCLUDE REGEX "_cpp:")
  rosidl_generate_interfaces(${PROJECT_NAME} ${interface_files} DEPENDENCIES ${interface_packages})
endmacro()

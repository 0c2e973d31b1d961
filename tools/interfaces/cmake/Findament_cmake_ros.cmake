# The generators for Fast DDS ask for ament_cmake_ros, of which they use only this option.
option(BUILD_SHARED_LIBS "Build shared libraries" ON)
set(ament_cmake_ros_FOUND TRUE)

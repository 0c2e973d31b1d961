# The GPU side of the library where a CUDA compiler is found, otherwise a stub with the same header.

set(with_cuda OFF)
target_include_directories(fleetweave PRIVATE ${PROJECT_SOURCE_DIR}/cuda)
target_sources(fleetweave PRIVATE cuda/stub.c)

# What tests and programs that ask for the GPU's status include.
add_library(fleetweave_cuda INTERFACE)
target_include_directories(fleetweave_cuda INTERFACE ${PROJECT_SOURCE_DIR}/cuda)
target_link_libraries(fleetweave_cuda INTERFACE fleetweave)

# The kernels are one loop nest per robot: worth the compiler's effort.
file(GLOB kernel_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/kernel/*.c)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set_source_files_properties(${kernel_sources} PROPERTIES COMPILE_OPTIONS -O3)
endif()

# The GPU side of the library (cuda/) where there is a CUDA compiler, else a stub with the same header.
#
#   OFF    the stub
#   AUTO   CUDA where nvcc is found: CUDACXX, PATH, /usr/local/cuda
#   ON     the same, and where there is none the toolkit's wheels (cuda/requirements.txt) in the build folder
#
# Only the kernels are compiled by nvcc, by a command of our own, and so that they need no C++ library; the launch code is
# C. A kernel that spills registers fails the build. What ptxas says of each kernel is in <build>/cuda/ptxas.txt.

set(fleetweave_cuda_architectures 75 80 86 89 90 100 120)  # and PTX of the last, for devices to come

# Sets `nvcc` to a compiler, or to NOTFOUND.
function(fleetweave_find_nvcc)
  find_program(FLEETWEAVE_NVCC nvcc HINTS ENV CUDACXX ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
  set(wheels ${PROJECT_BINARY_DIR}/cuda/wheels)
  if(NOT FLEETWEAVE_NVCC AND FLEETWEAVE_CUDA STREQUAL "ON")
    find_package(Python3 COMPONENTS Interpreter REQUIRED)
    message(STATUS "CUDA: no nvcc, getting the toolkit's wheels")
    execute_process(COMMAND ${Python3_EXECUTABLE} -m pip install --quiet --no-deps --target ${wheels}
        -r ${PROJECT_SOURCE_DIR}/cuda/requirements.txt RESULT_VARIABLE failed)
    if(failed)
      message(FATAL_ERROR "FLEETWEAVE_CUDA is ON, there is no nvcc and its wheels cannot be had: put nvcc on the PATH")
    endif()
    find_program(FLEETWEAVE_NVCC nvcc PATHS ${wheels}/nvidia/cu13/bin NO_DEFAULT_PATH REQUIRED)
  endif()
  set(nvcc ${FLEETWEAVE_NVCC} PARENT_SCOPE)
endfunction()

set(with_cuda OFF)
if(NOT FLEETWEAVE_CUDA STREQUAL "OFF")
  fleetweave_find_nvcc()
  if(nvcc)
    get_filename_component(cuda_root ${nvcc} REALPATH)
    get_filename_component(cuda_root ${cuda_root} DIRECTORY)
    get_filename_component(cuda_root ${cuda_root} DIRECTORY)
    find_library(FLEETWEAVE_CUDART cudart_static PATHS ${cuda_root}/lib64 ${cuda_root}/lib ${cuda_root}/targets/x86_64-linux/lib
      NO_DEFAULT_PATH)
    find_path(FLEETWEAVE_CUDA_INCLUDE cuda_runtime_api.h PATHS ${cuda_root}/include ${cuda_root}/targets/x86_64-linux/include
      NO_DEFAULT_PATH)
    include(CheckLanguage)
    check_language(CXX)  # nvcc compiles the host's part of a kernel with it
    if(FLEETWEAVE_CUDART AND FLEETWEAVE_CUDA_INCLUDE AND CMAKE_CXX_COMPILER)
      set(with_cuda ON)
    endif()
  endif()
  if(NOT with_cuda AND FLEETWEAVE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "FLEETWEAVE_CUDA is ON but the CUDA toolkit at '${nvcc}' has no static runtime, or there is no C++ compiler")
  endif()
endif()

set(launch_sources cuda/rtaa_device.c cuda/rtaa_slice.c)
target_include_directories(fleetweave_objects PRIVATE ${PROJECT_SOURCE_DIR}/cuda)

if(with_cuda)
  message(STATUS "CUDA: ${nvcc}")
  set(codes)
  foreach(architecture ${fleetweave_cuda_architectures})
    list(APPEND codes -gencode arch=compute_${architecture},code=sm_${architecture})
    set(last ${architecture})
  endforeach()
  list(APPEND codes -gencode arch=compute_${last},code=compute_${last})
  set(kernels ${PROJECT_BINARY_DIR}/cuda/rtaa_kernels.o)
  file(GLOB kernel_headers CONFIGURE_DEPENDS src/kernel/*.h cuda/*.h)
  add_custom_command(OUTPUT ${kernels}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/cuda
    COMMAND sh -c "log=$1; shift; \"$@\" >\"$log\" 2>&1 || { cat \"$log\"; exit 1; }" sh
      ${PROJECT_BINARY_DIR}/cuda/ptxas.txt ${nvcc} -ccbin ${CMAKE_CXX_COMPILER} -std=c++17 -O3 ${codes}
      -Xptxas -v,-warn-spills,-Werror -Xcompiler -fPIC,-fvisibility=hidden,-fno-exceptions,-fno-threadsafe-statics
      -I${FLEETWEAVE_CUDA_INCLUDE} -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/cuda
      -c ${PROJECT_SOURCE_DIR}/cuda/rtaa_kernels.cu -o ${kernels}
    DEPENDS ${PROJECT_SOURCE_DIR}/cuda/rtaa_kernels.cu ${kernel_headers}
    COMMENT "Compiling the CUDA kernels" VERBATIM)
  set_source_files_properties(${kernels} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  target_sources(fleetweave_objects PRIVATE ${launch_sources} cuda/built_in.c)
  target_include_directories(fleetweave_objects SYSTEM PRIVATE ${FLEETWEAVE_CUDA_INCLUDE})
  add_custom_target(fleetweave_kernels DEPENDS ${kernels})
  foreach(library fleetweave fleetweave_internal)
    add_dependencies(${library} fleetweave_kernels)
    target_sources(${library} PRIVATE ${kernels})
    target_link_libraries(${library} PRIVATE ${FLEETWEAVE_CUDART} ${CMAKE_DL_LIBS} rt)
  endforeach()
else()
  target_sources(fleetweave_objects PRIVATE cuda/stub.c)
endif()

# What programs that ask for the GPU's status link; for tests, the launch code once more with a double of the runtime.
add_library(fleetweave_cuda INTERFACE)
target_include_directories(fleetweave_cuda INTERFACE ${PROJECT_SOURCE_DIR}/cuda)
target_link_libraries(fleetweave_cuda INTERFACE fleetweave_internal)
if(BUILD_TESTING)
  add_library(fleetweave_cuda_double STATIC ${launch_sources} cuda/rtaa_kernels.cu test/cuda/double.c)
  fleetweave_compile(fleetweave_cuda_double)
  target_include_directories(fleetweave_cuda_double BEFORE PRIVATE test/cuda/double cuda PUBLIC test/cuda)
  # Under names of its own, so that it can be linked beside the real one.
  foreach(name cuda_device cuda_lanes_bytes cuda_slice_bytes cuda_slice_pack cuda_slice_unpack cuda_slice_view
      rtaa_kernels rtaa_shared rtaa_kernel_initialize_array rtaa_kernel_initialize_search rtaa_kernel_search_episode
      rtaa_kernel_update_and_check rtaa_kernel_fused)
    target_compile_definitions(fleetweave_cuda_double PRIVATE fw__${name}=fw_double_${name})
  endforeach()
  set_source_files_properties(cuda/rtaa_kernels.cu PROPERTIES LANGUAGE C
    COMPILE_OPTIONS "-include;${PROJECT_SOURCE_DIR}/test/cuda/double/cuda_keywords.h;-Wno-pedantic;-Wno-missing-prototypes")
  target_link_libraries(fleetweave_cuda INTERFACE fleetweave_cuda_double)
endif()

# The kernels on the CPU are one loop nest per robot: worth the compiler's effort.
file(GLOB kernel_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/kernel/*.c)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set_source_files_properties(${kernel_sources} PROPERTIES COMPILE_OPTIONS -O3)
endif()

# The GPU side of the library (cuda/) where there is a CUDA compiler that works, else a stub with the same header.
#
#   OFF    the stub
#   AUTO   CUDA where an nvcc is found (CUDACXX, PATH, /usr/local/cuda) that can compile a kernel; else one line says why not
#   ON     the same, and where there is none the toolkit's wheels (cuda/requirements.txt) in the build folder; else an error
#
# Only the kernels are compiled by nvcc, by a command of our own, and so that they need no C++ library; the launch code is
# C. A kernel that spills registers fails the build. What ptxas says of each kernel is in <build>/cuda/ptxas.txt.

# Code for those of these that the compiler knows, and PTX of the first and the last of them. CMAKE_CUDA_ARCHITECTURES
# overrides it.
set(fleetweave_cuda_architectures 75 80 86 87 89 90 100 110 120)

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

# Sets `codes` to nvcc's options for the user's CMAKE_CUDA_ARCHITECTURES: numbers, alone or with -real or -virtual, and the
# words that nvcc knows, too.
function(fleetweave_codes_of_the_user)
  set(codes)
  foreach(entry ${CMAKE_CUDA_ARCHITECTURES})
    if(entry MATCHES "^([0-9]+[a-z]?)(-real|-virtual)?$")
      set(number ${CMAKE_MATCH_1})
      if(NOT CMAKE_MATCH_2 STREQUAL "-virtual")
        list(APPEND codes -gencode arch=compute_${number},code=sm_${number})
      endif()
      if(NOT CMAKE_MATCH_2 STREQUAL "-real")
        list(APPEND codes -gencode arch=compute_${number},code=compute_${number})
      endif()
    elseif(entry MATCHES "^(native|all|all-major)$")
      list(APPEND codes -arch=${entry})
    else()
      message(FATAL_ERROR "CMAKE_CUDA_ARCHITECTURES: '${entry}' is none of: a number, a number with -real or -virtual, "
        "native, all, all-major")
    endif()
  endforeach()
  set(codes ${codes} PARENT_SCOPE)
endfunction()

# Sets `codes` to nvcc's options for our architectures, as far as this compiler lists them; empty if it lists none.
function(fleetweave_codes_of_the_compiler)
  set(codes)
  set(known)
  execute_process(COMMAND ${nvcc} --list-gpu-arch OUTPUT_VARIABLE listed ERROR_QUIET RESULT_VARIABLE failed)
  foreach(architecture ${fleetweave_cuda_architectures})
    if(NOT failed AND listed MATCHES "compute_${architecture}[^0-9a-z]")
      list(APPEND known ${architecture})
      list(APPEND codes -gencode arch=compute_${architecture},code=sm_${architecture})
    endif()
  endforeach()
  if(known)
    list(GET known 0 first)
    list(GET known -1 last)
    set(ptx ${first} ${last})
    list(REMOVE_DUPLICATES ptx)
    foreach(architecture ${ptx})
      list(APPEND codes -gencode arch=compute_${architecture},code=compute_${architecture})
    endforeach()
  endif()
  set(codes ${codes} PARENT_SCOPE)
endfunction()

# Sets `problem` to why this toolkit cannot be used, "" if it can. Compiles a kernel: an nvcc may be too old for the C++
# compiler beside it, or lack parts. The answer is kept as long as compilers and options stay the same.
function(fleetweave_try_nvcc)
  set(problem)
  string(MD5 key "${nvcc} ${CMAKE_CXX_COMPILER} ${codes}")
  if(NOT FLEETWEAVE_NVCC_TRIED STREQUAL key)
    set(folder ${PROJECT_BINARY_DIR}/cuda/try)
    file(WRITE ${folder}/try.cu "#include <stdint.h>\nextern \"C\" __global__ void fill(int32_t * to) { *to = 1; }\n")
    execute_process(COMMAND ${nvcc} -ccbin ${CMAKE_CXX_COMPILER} -std=c++17 ${codes} -c try.cu -o try.o
      WORKING_DIRECTORY ${folder} OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE failed)
    if(failed)
      string(REGEX MATCH "[^\n]*(error|fatal|rror:)[^\n]*" said "${said}")
      set(problem "it cannot compile a kernel: ${said}")
    else()
      set(FLEETWEAVE_NVCC_TRIED ${key} CACHE INTERNAL "nvcc with these compilers and options works")
    endif()
  endif()
  set(problem ${problem} PARENT_SCOPE)
endfunction()

set(with_cuda OFF)
if(NOT FLEETWEAVE_CUDA STREQUAL "OFF")
  fleetweave_find_nvcc()
  set(problem)
  if(nvcc)
    get_filename_component(cuda_root ${nvcc} REALPATH)
    get_filename_component(cuda_root ${cuda_root} DIRECTORY)
    get_filename_component(cuda_root ${cuda_root} DIRECTORY)
    file(GLOB cuda_targets ${cuda_root}/targets/*-linux)  # x86_64-linux, sbsa-linux, aarch64-linux
    set(cuda_roots ${cuda_root} ${cuda_targets} /usr)  # /usr: the toolkit of a distribution
    find_library(FLEETWEAVE_CUDART cudart_static PATHS ${cuda_roots} PATH_SUFFIXES lib64 lib NO_DEFAULT_PATH)
    if(NOT FLEETWEAVE_CUDART AND nvcc STREQUAL "/usr/bin/nvcc")
      find_library(FLEETWEAVE_CUDART cudart_static)
    endif()
    find_path(FLEETWEAVE_CUDA_INCLUDE cuda_runtime_api.h PATHS ${cuda_roots} PATH_SUFFIXES include NO_DEFAULT_PATH)
    include(CheckLanguage)
    check_language(CXX)  # nvcc compiles the host's part of a kernel with it
    if(DEFINED CMAKE_CUDA_ARCHITECTURES)
      fleetweave_codes_of_the_user()
    else()
      fleetweave_codes_of_the_compiler()
    endif()
    if(NOT FLEETWEAVE_CUDART OR NOT FLEETWEAVE_CUDA_INCLUDE)
      set(problem "it has no static runtime (libcudart_static.a) or no headers")
    elseif(NOT CMAKE_CXX_COMPILER)
      set(problem "there is no C++ compiler")
    elseif(NOT codes)
      set(problem "it lists none of the architectures ${fleetweave_cuda_architectures}")
    else()
      fleetweave_try_nvcc()
    endif()
    if(problem)
      set(problem "the toolkit of ${nvcc} cannot be used: ${problem}")
    else()
      set(with_cuda ON)
    endif()
  endif()
  if(NOT with_cuda AND FLEETWEAVE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "FLEETWEAVE_CUDA is ON, but ${problem}")
  elseif(problem)
    message(STATUS "CUDA: built without, ${problem}")
  endif()
endif()

set(launch_sources cuda/rtaa_device.c cuda/rtaa_pack.c)
target_include_directories(fleetweave_objects PRIVATE ${PROJECT_SOURCE_DIR}/cuda)

if(with_cuda)
  string(REGEX MATCHALL "code=[a-z0-9_]+|-arch=[a-z-]+" built "${codes}")
  string(REGEX REPLACE "code=|-arch=" "" built "${built}")
  string(REPLACE ";" " " built "${built}")
  message(STATUS "CUDA: ${nvcc} for ${built}")
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
  # Who links the static library needs the runtime as well: it is installed beside it, so that the export names no folder
  # of this machine.
  set(runtime $<BUILD_INTERFACE:${FLEETWEAVE_CUDART}>)
  if(NOT BUILD_SHARED_LIBS)
    set(runtime_folder ${CMAKE_INSTALL_LIBDIR}/${PROJECT_NAME}/cuda)
    install(FILES ${FLEETWEAVE_CUDART} DESTINATION ${runtime_folder} COMPONENT library)
    list(APPEND runtime $<INSTALL_INTERFACE:$<INSTALL_PREFIX>/${runtime_folder}/libcudart_static.a>)
  endif()
  foreach(library fleetweave fleetweave_internal)
    add_dependencies(${library} fleetweave_kernels)
    target_sources(${library} PRIVATE ${kernels})
    target_link_libraries(${library} PRIVATE ${runtime} ${CMAKE_DL_LIBS} rt)
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
  target_include_directories(fleetweave_cuda_double BEFORE PRIVATE test/cuda/double cuda include PUBLIC test/cuda)
  # Under names of its own, so that it can be linked beside the real one.
  foreach(name cuda_device cuda_lanes_bytes cuda_pack cuda_unpack cuda_unpack_report cuda_unpack_windows rtaa_kernels
      rtaa_shared rtaa_kernel_initialize_array rtaa_kernel_initialize_search rtaa_kernel_search_episode
      rtaa_kernel_update_and_check rtaa_kernel_fused rtaa_kernel_fused_3_8 rtaa_kernel_fused_8_8
      rtaa_kernel_fused_8_4 rtaa_kernel_apply rtaa_kernel_initialize_search_regions
      rtaa_kernel_search_episode_regions rtaa_kernel_update_and_check_regions rtaa_kernel_fused_regions
      rtaa_kernel_fused_regions_8_8 rtaa_kernel_fused_regions_8_4 rtaa_kernel_apply_regions)
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

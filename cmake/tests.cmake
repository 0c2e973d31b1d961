# The tests that `ctest` and `colcon test` run.
#
#   test/unit/test_*.c    C with cmocka, one program per file; test/support/*.c is shared by all of them
#   test/fuzz/fuzz_*.c    fuzz targets, one program per file: here a number of inputs each, with `./run fuzz` many
#   include/**/*.h        each compiled alone, as C and as C++
#   test/cli/test_*.py    pytest: the programs, run as a user runs them
#   test/repo/test_*.py   pytest: the repository itself: include order, names, install, consumers
#   test/ros/test_*.py    pytest with rclpy in the same ROS graph (only with ROS 2); test/ros/*.c are their C programs
#
# Labels: the folder's name. Also `nodes` for the ROS tests that are run once more with the address and
# undefined-behaviour sanitizers, and `threads` for what is run with the thread sanitizer: few, chosen so that together they
# use every source file of the nodes, and every thread of ours.
set(node_tests
  test_actions test_executor test_follower test_lifecycle test_markers test_node_closed_paths test_node_flood test_node_get_plan test_node_life
  test_node_parameters test_node_record test_node_robots test_parameter_table test_restart test_sim_bodies
  test_qos test_sim_counts test_sim_life test_sim_topics test_two_planners)
set(thread_tests
  test_controller test_controller_thread test_auto test_distance test_improve test_parallel test_rtaa_batch
  test_executor test_node_flood test_node_life test_sim_drive test_sim_life test_transport)

# fleetweave_label NAME TEST LABEL: label a test, with those above.
function(fleetweave_label name test label)
  set(labels ${label})
  if(label STREQUAL "ros" AND name IN_LIST node_tests)
    list(APPEND labels nodes)
  endif()
  if(name IN_LIST thread_tests)
    list(APPEND labels threads)
  endif()
  # What computes takes two places of those that ctest fills: `./run test` has eight on two cores.
  set_tests_properties(${test} PROPERTIES LABELS "${labels}" PROCESSORS 2)
endfunction()

# What the tests with the label `threads` need: the rest need not be built with the thread sanitizer.
add_custom_target(fleetweave_thread_tests)

# ---- C
find_path(CADICAL_INCLUDE_DIR ccadical.h)
find_library(CADICAL_LIBRARY cadical)
find_path(CMOCKA_INCLUDE_DIR cmocka.h)
find_library(CMOCKA_LIBRARY cmocka)
file(GLOB unit_tests CONFIGURE_DEPENDS test/unit/test_*.c)
if(unit_tests AND NOT (CMOCKA_INCLUDE_DIR AND CMOCKA_LIBRARY))
  message(STATUS "cmocka not found (Debian: libcmocka-dev; ./run test installs it): the C tests are left out")
elseif(unit_tests)
  file(GLOB support_sources CONFIGURE_DEPENDS test/support/*.c)
  if(support_sources)
    add_library(fleetweave_test_support STATIC ${support_sources})
    fleetweave_compile(fleetweave_test_support)
    target_include_directories(fleetweave_test_support PUBLIC test ${CMOCKA_INCLUDE_DIR})
    target_link_libraries(fleetweave_test_support PUBLIC fleetweave_internal)
  endif()
  if(NOT (CADICAL_INCLUDE_DIR AND CADICAL_LIBRARY))
    message(STATUS "CaDiCaL not found (Debian: libcadical-dev; ./run test installs it): the SAT solver is not compared with it")
    list(FILTER unit_tests EXCLUDE REGEX "test_sat_cadical")
  endif()
  foreach(source ${unit_tests})
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    fleetweave_compile(${name})
    target_include_directories(${name} PRIVATE test ${CMOCKA_INCLUDE_DIR})
    target_link_libraries(${name} PRIVATE
      $<TARGET_NAME_IF_EXISTS:fleetweave_test_support> fleetweave_motion fleetweave_internal fleetweave_cuda
      ${CMOCKA_LIBRARY} Threads::Threads m)
    if(name STREQUAL "test_sat_cadical")
      target_include_directories(${name} SYSTEM PRIVATE ${CADICAL_INCLUDE_DIR})
      target_link_libraries(${name} PRIVATE ${CADICAL_LIBRARY} stdc++)
    endif()
    add_test(NAME unit.${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(unit.${name} PROPERTIES TIMEOUT 900 ENVIRONMENT "FLEETWEAVE_SOURCE_DIR=${PROJECT_SOURCE_DIR}")
    fleetweave_label(${name} unit.${name} unit)
    if(name IN_LIST thread_tests)
      add_dependencies(fleetweave_thread_tests ${name})
    endif()
  endforeach()
endif()

# ---- fuzz targets (test/fuzz/fuzz.h); those of test/fuzz/ros need ROS 2's messages, but no graph
file(GLOB fuzz_targets CONFIGURE_DEPENDS test/fuzz/fuzz_*.c)
if(NOT (CADICAL_INCLUDE_DIR AND CADICAL_LIBRARY))
  list(FILTER fuzz_targets EXCLUDE REGEX "fuzz_cadical")
endif()
if(FLEETWEAVE_WITH_ROS)
  file(GLOB ros_fuzz_targets CONFIGURE_DEPENDS test/fuzz/ros/fuzz_*.c)
  list(APPEND fuzz_targets ${ros_fuzz_targets})
  add_library(fleetweave_fuzz_ros STATIC test/fuzz/ros/silent_graph.c
    src/ros/log.c src/ros/messages.c src/ros/parameters.c src/ros/transforms.c src/ros/planner_node/settings.c
    src/ros/planner_node/subscriptions.c src/ros/planner_node/transforms.c src/ros/planner_node/unassigned_goals.c)
  fleetweave_compile(fleetweave_fuzz_ros)
  target_include_directories(fleetweave_fuzz_ros PUBLIC test)
  # Only the headers of rclc: the rest is in silent_graph.c.
  if(rclc_FOUND)
    target_include_directories(fleetweave_fuzz_ros PUBLIC ${rclc_INCLUDE_DIRS})
  else()
    target_include_directories(fleetweave_fuzz_ros PUBLIC src/ros/rclc)
  endif()
  target_link_libraries(fleetweave_fuzz_ros PUBLIC fleetweave_motion fleetweave_map_files fleetweave_internal ${fleetweave_ros_targets})
endif()
add_custom_target(fleetweave_fuzzers)
foreach(source ${fuzz_targets})
  get_filename_component(name ${source} NAME_WE)
  set(programs ${name})
  add_executable(${name} ${source} test/fuzz/fuzz.c test/fuzz/driver.c test/support/digest.c)
  if(FLEETWEAVE_FUZZ)
    add_executable(lib${name} ${source} test/fuzz/fuzz.c test/support/digest.c)
    target_link_options(lib${name} PRIVATE -fsanitize=fuzzer)
    list(APPEND programs lib${name})
  endif()
  foreach(program ${programs})
    fleetweave_compile(${program})
    target_include_directories(${program} PRIVATE test)
    if(source MATCHES "/fuzz/ros/")
      target_link_libraries(${program} PRIVATE fleetweave_fuzz_ros)
    elseif(name STREQUAL "fuzz_cadical")
      target_include_directories(${program} SYSTEM PRIVATE ${CADICAL_INCLUDE_DIR})
      target_link_libraries(${program} PRIVATE ${CADICAL_LIBRARY} stdc++)
    endif()
    target_link_libraries(${program} PRIVATE fleetweave_map_files fleetweave_internal fleetweave_cuda Threads::Threads m)
    add_dependencies(fleetweave_fuzzers ${program})
  endforeach()
  string(REPLACE fuzz_ fuzz. test ${name})
  set(runs 2000)
  if(name MATCHES "view|execution")
    set(runs 400)  # their inputs take milliseconds
  endif()
  add_test(NAME ${test} COMMAND ${name} --runs ${runs} WORKING_DIRECTORY ${PROJECT_BINARY_DIR})
  set_tests_properties(${test} PROPERTIES TIMEOUT 900 LABELS fuzz PROCESSORS 2
    ENVIRONMENT "ASAN_OPTIONS=abort_on_error=1:allocator_may_return_null=1;UBSAN_OPTIONS=abort_on_error=1")
endforeach()

# ---- each public header alone, twice for its include guard
file(GLOB_RECURSE public_headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include include/*.h)
include(CheckLanguage)
check_language(CXX)  # looks for a compiler without using C++ in the build
foreach(language C CXX)
  string(TOLOWER ${language} extension)
  set(sources)
  foreach(header ${public_headers})
    string(MAKE_C_IDENTIFIER ${header} name)
    set(source ${PROJECT_BINARY_DIR}/headers/${name}.${extension})
    file(CONFIGURE OUTPUT ${source} CONTENT "#include <${header}>\n#include <${header}>\nextern int ${name};\n")
    list(APPEND sources ${source})
  endforeach()
  if(sources AND CMAKE_${language}_COMPILER)
    add_test(NAME headers.${extension} COMMAND ${CMAKE_${language}_COMPILER} -std=$<IF:$<STREQUAL:${language},C>,c11,c++11>
      -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I${PROJECT_SOURCE_DIR}/include ${sources})
    set_tests_properties(headers.${extension} PROPERTIES LABELS unit)
  endif()
endforeach()

# ---- pytest
find_package(Python3 COMPONENTS Interpreter QUIET)
if(Python3_FOUND)
  execute_process(COMMAND ${Python3_EXECUTABLE} -c "import pytest" RESULT_VARIABLE no_pytest OUTPUT_QUIET ERROR_QUIET)
else()
  set(no_pytest TRUE)
endif()
if(no_pytest)
  message(STATUS "pytest not found: the tests in Python are left out")
  return()
endif()

set(pytest_environment
  FLEETWEAVE_SOURCE_DIR=${PROJECT_SOURCE_DIR}
  FLEETWEAVE_BUILD_DIR=${PROJECT_BINARY_DIR}
  FLEETWEAVE_WITH_ROS=${FLEETWEAVE_WITH_ROS}
  FLEETWEAVE_SANITIZE=${FLEETWEAVE_SANITIZE}
  ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST
  PYTHONDONTWRITEBYTECODE=1)
foreach(program CLI:fleetweave_cli PLANNER_NODE:planner_node FLEET_SIM:fleet_sim PATH_FOLLOWER:path_follower RCLC_PROBE:rclc_probe)
  string(REPLACE ":" ";" program ${program})
  list(GET program 0 variable)
  list(GET program 1 target)
  # Named even while its folder is still empty: a test that needs it then says so.
  list(APPEND pytest_environment
    FLEETWEAVE_${variable}=$<$<TARGET_EXISTS:${target}>:$<TARGET_FILE:$<IF:$<TARGET_EXISTS:${target}>,${target},fleetweave>>>)
endforeach()

# Tests of one build run side by side and other checkouts may be testing too, so each file has its own ROS domain:
# consecutive numbers from a start that depends on where the build is. 1 to 100 is what Linux's port range allows. If
# another run has that domain already, test/ros/domain.py takes the next free one.
string(MD5 place ${PROJECT_BINARY_DIR})
string(SUBSTRING ${place} 0 4 place)
math(EXPR domain "0x${place} % 100")

function(fleetweave_pytest folder timeout)
  file(GLOB files CONFIGURE_DEPENDS test/${folder}/test_*.py)
  foreach(file ${files})
    get_filename_component(name ${file} NAME_WE)
    math(EXPR domain "(${domain} + 1) % 100")
    math(EXPR id "${domain} + 1")
    add_test(NAME ${folder}.${name}
      COMMAND ${Python3_EXECUTABLE} -m pytest -p no:cacheprovider -q --tb=short ${file}
        --junitxml ${PROJECT_BINARY_DIR}/test_results/${PROJECT_NAME}/${folder}.${name}.xunit.xml
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${folder}.${name} PROPERTIES TIMEOUT ${timeout}
      ENVIRONMENT "${pytest_environment};ROS_DOMAIN_ID=${id}")
    fleetweave_label(${name} ${folder}.${name} ${folder})
    if(folder STREQUAL "ros")
      # Six fleets at a time, since they watch the clock; first, since they mostly wait and others can use the cores.
      math(EXPR lane "${domain} % 6")
      set_tests_properties(${folder}.${name} PROPERTIES RESOURCE_LOCK ros_${lane} COST 1000 PROCESSORS 1)
    endif()
  endforeach()
  set(domain ${domain} PARENT_SCOPE)
endfunction()

fleetweave_pytest(cli 900)
fleetweave_pytest(repo 1500)
if(FLEETWEAVE_WITH_ROS)
  file(GLOB programs CONFIGURE_DEPENDS test/ros/*.c)
  foreach(source ${programs})
    get_filename_component(name ${source} NAME_WE)
    fleetweave_node(${name} ${source})
    add_dependencies(fleetweave_thread_tests ${name})
  endforeach()
  add_dependencies(fleetweave_thread_tests planner_node fleet_sim path_follower)
  fleetweave_pytest(ros 900)
endif()

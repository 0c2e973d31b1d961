# Everything `ctest` and `colcon test` run.
#
#   test/unit/test_*.c    C with cmocka, one program per file; test/support/*.c is shared by all of them
#   include/**/*.h        each compiled alone, as C and as C++
#   test/cli/test_*.py    pytest, the command line from outside
#   test/repo/test_*.py   pytest, the repository itself: include order, install, consumers
#   test/ros/test_*.py    pytest with rclpy as the other side (only with ROS 2); test/ros/*.c are their C programs

# ---- C
find_path(CMOCKA_INCLUDE_DIR cmocka.h)
find_library(CMOCKA_LIBRARY cmocka)
file(GLOB unit_tests CONFIGURE_DEPENDS test/unit/test_*.c)
if(unit_tests AND NOT (CMOCKA_INCLUDE_DIR AND CMOCKA_LIBRARY))
  message(WARNING "cmocka not found (Debian: libcmocka-dev): the C tests are left out")
elseif(unit_tests)
  file(GLOB support_sources CONFIGURE_DEPENDS test/support/*.c)
  if(support_sources)
    add_library(fleetweave_test_support STATIC ${support_sources})
    fleetweave_compile(fleetweave_test_support)
    target_include_directories(fleetweave_test_support PUBLIC test ${CMOCKA_INCLUDE_DIR})
    target_link_libraries(fleetweave_test_support PUBLIC fleetweave)
  endif()
  foreach(source ${unit_tests})
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    fleetweave_compile(${name})
    target_include_directories(${name} PRIVATE test ${CMOCKA_INCLUDE_DIR})
    target_link_libraries(${name} PRIVATE
      $<TARGET_NAME_IF_EXISTS:fleetweave_test_support> fleetweave fleetweave_cuda ${CMOCKA_LIBRARY} Threads::Threads m)
    add_test(NAME unit.${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(unit.${name} PROPERTIES LABELS unit TIMEOUT 300
      ENVIRONMENT "FLEETWEAVE_SOURCE_DIR=${PROJECT_SOURCE_DIR}")
  endforeach()
endif()

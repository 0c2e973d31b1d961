# The linters of ROS packages, as tests, where they are installed (package.xml names them as test dependencies).
#
# They get paths, since their defaults check everything below the source folder, and ./run builds there. What is not
# among them, and why: C is formatted by clang-format (./run format, test/repo/test_format.py), which cpplint and
# uncrustify contradict; ament_cppcheck does nothing with the cppcheck of Ubuntu 24.04, and finds nothing true here
# where it is told to; docstrings and the heads of files are not in the forms of pep257 and copyright.

find_package(ament_lint_auto QUIET)
if(NOT ament_lint_auto_FOUND)
  message(STATUS "ament_lint_auto not found: the linters are left out")
  return()
endif()
ament_lint_auto_find_test_dependencies()
set(AMENT_LINT_AUTO_EXCLUDE ament_cmake_flake8 ament_cmake_lint_cmake ament_cmake_xmllint)  # ament_package would add them

# fleetweave_lint NAME ARGUMENTS...: the test that ament_cmake_NAME defines, if its program is there too.
function(fleetweave_lint name)
  find_program(ament_${name}_BIN NAMES ament_${name})
  if(NOT ament_cmake_${name}_FOUND OR NOT ament_${name}_BIN)
    message(STATUS "ament_${name} not found: left out")
    return()
  endif()
  cmake_language(CALL ament_${name} ${ARGN})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300)
endfunction()

fleetweave_lint(flake8 CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/flake8.ini examples launch test tools)
fleetweave_lint(lint_cmake MAX_LINE_LENGTH 140 CMakeLists.txt cmake test/consumer)
fleetweave_lint(xmllint package.xml test/consumer)

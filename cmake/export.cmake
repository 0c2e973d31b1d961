# Installs the library so that find_package(fleetweave) provides fleetweave::fleetweave, and pkg-config fleetweave, with or
# without ROS 2. `cmake --install FOLDER --component library` installs this alone, without programs.

# Programs that were linked against one version run with later ones of the same series: as long as the major version is 0, a
# series is a minor version (tools/abi.py, docs/releasing.md).
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(fleetweave_series ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  set(fleetweave_compatibility SameMinorVersion)
else()
  set(fleetweave_series ${PROJECT_VERSION_MAJOR})
  set(fleetweave_compatibility SameMajorVersion)
endif()
set_target_properties(fleetweave PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${fleetweave_series})

# Not the argument COMPONENT of install(): with that, ament's symlink install would copy the headers.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME library)
install(DIRECTORY include/ DESTINATION include/${PROJECT_NAME})
install(TARGETS fleetweave EXPORT fleetweave_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

if(FLEETWEAVE_WITH_ROS)
  ament_export_targets(fleetweave_targets)
  ament_export_dependencies(Threads)
else()
  include(CMakePackageConfigHelpers)
  set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/${PROJECT_NAME})
  install(EXPORT fleetweave_targets NAMESPACE fleetweave:: DESTINATION ${config_dir})
  configure_package_config_file(cmake/fleetweaveConfig.cmake.in ${PROJECT_BINARY_DIR}/fleetweaveConfig.cmake
    INSTALL_DESTINATION ${config_dir})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/fleetweaveConfigVersion.cmake
    COMPATIBILITY ${fleetweave_compatibility})
  install(FILES ${PROJECT_BINARY_DIR}/fleetweaveConfig.cmake ${PROJECT_BINARY_DIR}/fleetweaveConfigVersion.cmake
    DESTINATION ${config_dir})
endif()

# pkg-config. The prefix is told relative to the file, so that an installed tree can be moved. A static library's own needs
# are in Libs, since there is no shared one that would have them: `pkg-config --libs` is enough for both.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  set(pkgconfig_prefix ${CMAKE_INSTALL_PREFIX})
  set(pkgconfig_libdir ${CMAKE_INSTALL_LIBDIR})
else()
  file(RELATIVE_PATH pkgconfig_up /prefix/${pkgconfig_dir} /prefix)
  string(REGEX REPLACE "/$" "" pkgconfig_up ${pkgconfig_up})
  set(pkgconfig_prefix "\${pcfiledir}/${pkgconfig_up}")
  set(pkgconfig_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
get_target_property(library_type fleetweave TYPE)
set(pkgconfig_needs "-lm ${CMAKE_THREAD_LIBS_INIT}")
if(runtime_folder)  # with kernels: the CUDA runtime that cuda.cmake installs beside the library
  string(PREPEND pkgconfig_needs "\${prefix}/${runtime_folder}/libcudart_static.a -l${CMAKE_DL_LIBS} -lrt ")
endif()
if(library_type STREQUAL "STATIC_LIBRARY")
  set(pkgconfig_libs ${pkgconfig_needs})
  set(pkgconfig_libs_private "")
else()
  set(pkgconfig_libs "")
  set(pkgconfig_libs_private ${pkgconfig_needs})
endif()
configure_file(cmake/fleetweave.pc.in ${PROJECT_BINARY_DIR}/fleetweave.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/fleetweave.pc DESTINATION ${pkgconfig_dir})
unset(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME)

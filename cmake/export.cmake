# Installs the library so that find_package(fleetweave) provides fleetweave::fleetweave, with or without ROS 2.

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
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/fleetweaveConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/fleetweaveConfig.cmake ${PROJECT_BINARY_DIR}/fleetweaveConfigVersion.cmake
    DESTINATION ${config_dir})
endif()

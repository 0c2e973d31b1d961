# Installs the shell completion, which the program prints, where bash-completion looks for it.

if(NOT CMAKE_CROSSCOMPILING)
  set(completion ${PROJECT_BINARY_DIR}/completion/bash/fleetweave)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/completion/bash)
  add_custom_command(OUTPUT ${completion} COMMAND fleetweave_cli completion bash > ${completion}
    DEPENDS fleetweave_cli fleetweave_bench VERBATIM)
  add_custom_target(fleetweave_completion ALL DEPENDS ${completion})
  install(FILES ${completion} DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions)
endif()

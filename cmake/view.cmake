# The HTML player as C source, generated at build time by CMake alone: no generated file is in the repository.

set(player ${PROJECT_BINARY_DIR}/generated/view/player.inc)
file(GLOB player_pages CONFIGURE_DEPENDS src/view/player/*)
add_custom_command(OUTPUT ${player}
  COMMAND ${CMAKE_COMMAND} -DFOLDER=${PROJECT_SOURCE_DIR}/src/view/player -DOUTPUT=${player}
    -P ${PROJECT_SOURCE_DIR}/cmake/embed_player.cmake
  DEPENDS ${player_pages} cmake/embed_player.cmake
  COMMENT "Embedding the HTML player" VERBATIM)
target_sources(fleetweave_objects PRIVATE ${player})
set_source_files_properties(src/view/player.c PROPERTIES OBJECT_DEPENDS ${player})
target_include_directories(fleetweave_objects PRIVATE ${PROJECT_BINARY_DIR}/generated)

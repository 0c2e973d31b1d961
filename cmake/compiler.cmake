# Compiler settings of all targets.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")

set(fleetweave_warnings -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes)

if(FLEETWEAVE_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:C>:-fsanitize=${FLEETWEAVE_SANITIZE}>
    $<$<COMPILE_LANGUAGE:C>:-fno-sanitize-recover=all> $<$<COMPILE_LANGUAGE:C>:-fno-omit-frame-pointer> -g)
  add_link_options(-fsanitize=${FLEETWEAVE_SANITIZE})
endif()

if(FLEETWEAVE_FUZZ)
  add_compile_options($<$<COMPILE_LANGUAGE:C>:-fsanitize=fuzzer-no-link>)
endif()

# Strict C11 with POSIX 2008 and our warnings; "base/arena.h" resolves in src/.
function(fleetweave_compile target)
  set_target_properties(${target} PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  set_target_properties(${target} PROPERTIES C_VISIBILITY_PRESET hidden)
  target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L $<$<BOOL:${FLEETWEAVE_ASSERTS}>:FLEETWEAVE_ASSERTS>)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(${target} PRIVATE ${fleetweave_warnings} $<$<BOOL:${FLEETWEAVE_WERROR}>:-Werror>)
endfunction()

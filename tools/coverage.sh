# Sourced by ./run: which lines and branches of the library the C tests execute.

coverage_usage() {
  cat <<'END'
./run coverage [ctest options]

Builds the core without optimisation and with counters (build/coverage), runs the unit and fuzz tests, and reports lines and branches of
the library, by folder and for all: out/coverage.txt, and out/coverage/index.html with the sources. Assertions are off, since their
branches are meant never to be taken. `ctest options` choose tests, for example -R controller; FLEETWEAVE_JOBS is how many run at once.
END
}

# report_coverage "COMPONENT..." [gcovr options]: what the counters say of these folders of src.
report_coverage() {
  local env=$top/build/coverage-tool/bin/python filter=() folder
  for folder in $1; do filter+=(--filter "$top/src/$folder/"); done
  (cd "$top/build/coverage" && env -u PYTHONPATH -u LD_LIBRARY_PATH "$env" -m gcovr --root "$top" --object-directory "$top/build/coverage" "${filter[@]}" \
    --exclude-unreachable-branches --exclude-throw-branches --gcov-ignore-errors=no_working_dir_found \
    --gcov-ignore-parse-errors=negative_hits.warn_once_per_file --gcov-exclude-directories '.*CompilerId.*' "${@:2}")
}

run_coverage() {
  local components="base sat world search spacetime kernel planner plan execution controller simulation view" component status=0
  case ${1:-} in -h | --help) coverage_usage; return ;; esac
  need_build_tools
  has_cmocka || install_packages libcmocka-dev
  make_tool coverage-tool "$top/tools/coverage-requirements.txt"
  AMENT_PREFIX_PATH='' CMAKE_C_COMPILER_LAUNCHER='' build coverage "Building with counters" -DFLEETWEAVE_ROS=OFF -DFLEETWEAVE_CUDA=OFF \
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O0 -g" -DCMAKE_C_FLAGS="--coverage -fprofile-update=atomic" -DCMAKE_EXE_LINKER_FLAGS="--coverage" || return
  find "$top/build/coverage" -name '*.gcda' -delete
  (cd "$top/build/coverage" && FLEETWEAVE_SHORT=1 ctest --no-label-summary --parallel "${FLEETWEAVE_JOBS:-$(nproc)}" -L '^(unit|fuzz)$' "$@") >&2 || status=1
  mkdir -p "$top/out/coverage"
  report_coverage "$components" --txt "$top/out/coverage.txt" --txt-summary --html-nested "$top/out/coverage/index.html" || return
  for component in $components; do
    printf '%-12s ' "$component"
    report_coverage "$component" --txt-summary | sed -nE 's/^(lines|branches): ([0-9.]+)%.*/\1 \2 %/p' | paste -sd ' '
  done
  return "$status"
}

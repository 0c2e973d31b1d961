# Sourced by ./run: static analysis of the C sources.

lint_usage() {
  cat <<'END'
./run lint [--clang-tidy | --cppcheck] [FILE...]

Runs clang-tidy (checks in .clang-tidy) over the sources that need no ROS 2, and cppcheck over all of src, or both over the
given files. Prints what they find, and ends with 1 if that is anything. All of it takes about ten minutes of processor time,
a file a few seconds.
END
}

# What cppcheck 2.10 says that is wrong here. uninitvar: arrays that a loop fills and structs that a call fills; gcc, clang's
# analyzer and the sanitizers look for the same. internalAstError, preprocessorErrorDirective: C11 that it cannot parse
# (_Generic, designated initialisers of macros). negativeIndex: it takes an assertion for a doubt.
cppcheck_suppressions=(uninitvar legacyUninitvar internalAstError preprocessorErrorDirective negativeIndex arrayIndexThenCheck
  returnDanglingLifetime objectIndex missingIncludeSystem)

# The compile commands of the core, and the page that the build embeds, without building anything.
prepare_lint() {
  local folder=$top/build/lint
  AMENT_PREFIX_PATH='' cmake -S "$top" -B "$folder" -DFLEETWEAVE_ROS=OFF -DFLEETWEAVE_CUDA=OFF -DBUILD_TESTING=OFF -DFLEETWEAVE_ASSERTS=ON \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON || return
  mkdir -p "$folder/generated/view"
  cmake -DFOLDER="$top/src/view/player" -DOUTPUT="$folder/generated/view/player.inc" -P "$top/cmake/embed_player.cmake"
}

run_clang_tidy() {
  step lint-prepare "Preparing build/lint" prepare_lint || return
  printf '%s\0' "$@" | xargs -0 -n 4 -P "${FLEETWEAVE_JOBS:-$(nproc)}" clang-tidy -p "$top/build/lint" --quiet 2>/dev/null
}

run_cppcheck() {
  cppcheck --quiet --std=c11 --language=c --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
    -j "${FLEETWEAVE_JOBS:-$(nproc)}" -I "$top/src" -I "$top/include" -I "$top/cuda" "${cppcheck_suppressions[@]/#/--suppress=}" \
    --template='{file}:{line}: {severity}: {message} [{id}]' "$@"
}

run_lint() {
  local tidy=yes check=yes files=() core=() status=0 missing=()
  while (($#)); do
    case $1 in
      --clang-tidy) check='' ;;
      --cppcheck) tidy='' ;;
      -h | --help) lint_usage; return ;;
      -*) lint_usage >&2; return 2 ;;
      *) files+=("$(realpath "$1")") ;;
    esac
    shift
  done
  need_build_tools
  [[ -z $tidy ]] || command -v clang-tidy >/dev/null || missing+=(clang-tidy)
  [[ -z $check ]] || command -v cppcheck >/dev/null || missing+=(cppcheck)
  install_packages ${missing[@]+"${missing[@]}"}
  ((${#files[@]})) || mapfile -t files < <(find "$top/src" -name '*.c' | sort)
  mapfile -t core < <(printf '%s\n' "${files[@]}" | grep -v "^$top/src/ros/")
  if [[ -n $tidy ]] && ((${#core[@]})); then
    say "clang-tidy, ${#core[@]} files:"
    run_clang_tidy "${core[@]}" || status=1
  fi
  if [[ -n $check ]]; then
    say "cppcheck, ${#files[@]} files:"
    run_cppcheck "${files[@]}" || status=1
  fi
  ((status == 0)) && say "nothing found"
  return "$status"
}

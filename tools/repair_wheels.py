"""Make the ROS 2 wheels usable for building C: run once, by the environment's own python, after pip.

The wheels were built on other machines and still name their places. Each repair looks for what is wrong
and leaves alone what is right, so running this again, or after an interruption, does no harm.
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
        whole.replace(path)  # in one go: an interruption leaves the old file or the new one


def repair_cmake_files():
    """Builder's Python prefix -> ours; a library of the builder's system that the wheel already carries -> nothing."""
    for path in PREFIX.glob('share/*/cmake/*.cmake'):
        rewrite(path, r'/opt/python/cp\d+-cp\d+', str(PREFIX))
    rewrite(PREFIX / 'share/fastrtps/cmake/fastrtps-shared-targets.cmake', r'/usr/lib64/libtinyxml2\.so;?', '')


def repair_libraries():
    """rcl's libraries ask for Python extension libraries, which a C program cannot load."""
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
        sys.exit('repair_wheels.py: to be run by the python of a virtual environment')
    repair_cmake_files()
    repair_libraries()

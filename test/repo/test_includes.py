"""Includes point one way, as in the table of docs/design.md. The checker (plan), the execution and the pictures know
nothing of the planners, and nothing outside src/ros knows ROS."""
import os
import pathlib
import re

import pytest

SOURCE = pathlib.Path(os.environ.get('FLEETWEAVE_SOURCE_DIR', pathlib.Path(__file__).parents[2])) / 'src'

ROW = ['base', 'sat', 'world', 'search', 'spacetime', 'kernel', 'plan', 'planner']
ALLOWED = {folder: set(ROW[:i]) for i, folder in enumerate(ROW)}
ALLOWED.update({folder: {'base', 'world'} for folder in ('plan', 'execution', 'kernel', 'view')})
ALLOWED['sat'] = {'base'}
ALLOWED['world'] = {'base'}
ALLOWED['motion'] = {'base'}
ALLOWED['controller'] = {'base', 'world', 'search', 'plan', 'planner', 'execution'}
ALLOWED['simulation'] = {'base', 'world', 'execution', 'controller'}
ALLOWED['map_files'] = {'base', 'world', 'controller'}
ALLOWED['cli'] = set(ALLOWED)
ALLOWED['bench'] = set(ALLOWED)
ALLOWED['ros'] = set(ALLOWED) - {'cli', 'bench'}
WITH_ROS = {'ros'}

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
ROS = re.compile(
    r'^(rcl|rclc|rcutils|rmw|rosidl\w*|rcl_\w+|rosgraph_msgs|builtin_interfaces|std_srvs|\w+_msgs|\w+_interfaces)/')


def complaint(folder, line):
    """What is wrong with a line of a file in src/<folder>, None if nothing is."""
    found = INCLUDE.match(line)
    if found is None:
        return None
    target = found.group(1)
    if ROS.match(target):
        return None if folder in WITH_ROS else f'{folder} includes {target}, which is ROS'
    first = target.split('/')[0]
    if '..' in target.split('/'):
        return f'{folder} includes {target}: say it from src/'
    if '/' in target and first in ALLOWED and first != folder and first not in ALLOWED[folder]:
        return f'{folder} includes {target}; it may use {", ".join(sorted(ALLOWED[folder])) or "itself"}'
    return None


def complaints(root):
    files = sorted(p for p in root.rglob('*') if p.suffix in ('.c', '.h', '.cu'))
    for path in files:
        folder = path.relative_to(root).parts[0]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            wrong = complaint(folder, line) if folder in ALLOWED else f'src/{folder} is not a folder of the design'
            if wrong:
                yield f'{path.relative_to(root)}:{number}: {wrong}'


def test_includes_point_left():
    assert (SOURCE / 'base').is_dir()
    assert list(complaints(SOURCE)) == []


@pytest.mark.parametrize('folder, line', [
    ('base', '#include "world/grid.h"'),
    ('world', '#include "search/distance/distance.h"'),
    ('search', '  #  include  "spacetime/reservations.h"'),
    ('spacetime', '#include <planner/fleet.h>'),
    ('planner', '#include "cli/options.h"'),
    ('ros', '#include "cli/options.h"'),
    ('planner', '#include "execution/graph.h"'),
    ('plan', '#include "search/distance/distance.h"'),
    ('plan', '#include "spacetime/reservations.h"'),
    ('execution', '#include "plan/check.h"'),
    ('view', '#include "planner/planner.h"'),
    ('kernel', '#include "search/distance/distance.h"'),
    ('cli', '#include "ros/session.h"'),
    ('base', '#include <rcl/rcl.h>'),
    ('cli', '#include <rclc/rclc.h>'),
    ('planner', '#include "nav_msgs/msg/path.h"'),
    ('world', '#include "rosidl_runtime_c/string.h"'),
    ('sat', '#include "world/grid.h"'),
    ('world', '#include "../base/arena.h"'),
])
def test_the_checker_finds_what_is_wrong(folder, line):
    assert complaint(folder, line)


@pytest.mark.parametrize('folder, line', [
    ('world', '#include "base/arena.h"'),
    ('world', '#include "world/moves.h"'),
    ('planner', '#include "plan/metrics.h"'),
    ('ros', '#include <rclc/executor.h>'),
    ('ros', '#include <nav_msgs/msg/odometry.h>'),
    ('cli', '#include "planner/fleet.h"'),
    ('base', '#include "fleetweave/fleetweave.h"'),
    ('base', '#include <sys/stat.h>'),
    ('base', '// #include "world/grid.h"'),
    ('view', '#include <stdio.h>'),
])
def test_the_checker_lets_the_rest_be(folder, line):
    assert complaint(folder, line) is None


def test_a_bad_file_is_named_with_its_line(tmp_path):
    (tmp_path / 'base').mkdir()
    (tmp_path / 'base/arena.c').write_text('// An arena.\n#include "planner/fleet.h"\n')
    assert [c.split(': ')[0] for c in complaints(tmp_path)] == ['base/arena.c:2']

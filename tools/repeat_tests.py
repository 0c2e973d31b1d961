#!/usr/bin/env python3
"""Runs chosen tests again and again beside busy loops, and says which ones failed how often: a test that fails only on a
busy machine depends on the machine's speed. Called by ./run test --repeat."""
import argparse
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys

# Ordinary load, at ordinary priority. It ends when this process does, however that ends.
BUSY_LOOP = 'while kill -0 $PPID 2>/dev/null; do i=0; while [ $i -lt 10000 ]; do i=$((i+1)); done; done'
RESULT = re.compile(r'^ *\d+/\d+ Test +#\d+: (\S+) \.* *(Passed|\*\*\*\S+).*?([\d.]+) sec')


def run_round(folder, options, log):
    """Runs the tests once. Returns (name, has passed, seconds) of each; skipped tests are left out."""
    command = ['ctest', '--output-on-failure', '--no-label-summary', *options]
    with open(log, 'w', buffering=1) as file, subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as ctest:
        results = []
        try:
            for line in ctest.stdout:
                file.write(line)
                match = RESULT.match(line)
                if match and 'Skipped' not in match[2]:
                    results.append((match[1], match[2] == 'Passed', float(match[3])))
        except BaseException:
            ctest.send_signal(signal.SIGINT)  # it would run on, and leaving waits for its end
            raise
    return results


def print_table(seconds, failures):
    width = max(map(len, seconds))
    print(f'{"test":{width}}  passed   median     max')
    for name in sorted(seconds):
        times = seconds[name]
        passed = f'{len(times) - failures.get(name, 0)}/{len(times)}'
        print(f'{name:{width}}  {passed:>6}  {statistics.median(times):5.1f} s {max(times):5.1f} s')


def main():
    parser = argparse.ArgumentParser(prog='./run test', description=__doc__)
    parser.add_argument('--repeat', type=int, required=True, metavar='N', help='rounds')
    parser.add_argument('--busy', type=int, default=0, metavar='K', help='busy loops beside the tests')
    parser.add_argument('--folder', required=True, type=pathlib.Path, help='build folder')
    parser.add_argument('--logs', required=True, type=pathlib.Path, help='folder for the output of each round')
    arguments, options = parser.parse_known_args()
    if arguments.repeat < 1 or arguments.busy < 0:
        parser.error('--repeat wants 1 or more, --busy 0 or more')
    arguments.logs.mkdir(parents=True, exist_ok=True)
    seconds, failures = {}, {}
    loops = [subprocess.Popen(['sh', '-c', BUSY_LOOP]) for _ in range(arguments.busy)]
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))
    try:
        for number in range(1, arguments.repeat + 1):
            log = arguments.logs / f'repeat-{number}.log'
            for name, has_passed, taken in run_round(arguments.folder, options, log):
                seconds.setdefault(name, []).append(taken)
                if not has_passed:
                    failures[name] = failures.get(name, 0) + 1
                    print(f'round {number}: {name} failed: {os.path.relpath(log)}', flush=True)
            print(f'round {number} of {arguments.repeat}: {sum(failures.values())} failures so far', flush=True)
    except KeyboardInterrupt:
        print('interrupted')
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    if not seconds:
        print('no test was run: see ctest -N for the names')
        return 1
    print_table(seconds, failures)
    runs = sum(map(len, seconds.values()))
    print(f'{runs - sum(failures.values())} passed, {sum(failures.values())} failed')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())

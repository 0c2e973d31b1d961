"""The executor of the nodes (src/ros/executor.h): executor_probe.c holds the cases and what must hold in each."""
import os
import subprocess

import pytest

PROBE = os.path.join(os.environ['FLEETWEAVE_BUILD_DIR'], 'executor_probe')

BOTH = [
    'no_message_is_lost',
    'what_arrived_before_is_taken',
    'a_message_ends_the_wait',
    'a_removed_entity_is_silent',
    'the_last_entity_may_be_removed',
    'a_callback_may_remove_and_add',
    'no_number_of_entities_is_too_large',
    'entities_come_and_go_in_a_flood',
    'requests_are_answered',
    'a_service_may_remove_itself',
    'a_guard_condition_ends_the_wait',
    'a_wake_without_work_is_harmless',
    'a_waitable_is_run',
    'a_context_that_is_shut_down_ends_the_spin',
]
EVENTS = [
    'what_arrived_before_is_taken_unannounced',
    'what_was_overwritten_is_not_waited_for',
    'work_per_spin_is_bounded',
]
WITH_LOG = ['a_failing_take_is_not_repeated_for_ever', 'without_announcements_a_wait_set_does']


def run(*arguments):
    """What a case that must pass has logged."""
    done = subprocess.run([PROBE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize('case', BOTH + EVENTS)
def test_with_events(case):
    run(case)


@pytest.mark.parametrize('case', BOTH)
def test_with_a_wait_set(case):
    run(case, 'wait_set')


def test_a_failing_take_is_logged_once_a_second():
    log = run('a_failing_take_is_not_repeated_for_ever')
    assert log.count('[ERROR] ') == log.count('[probe]: cannot take a message of /a') == 3
    assert log.count('(0 more failures since the last report)') == 2
    assert log.count('(4 more failures since the last report)') == 1


def test_a_middleware_without_announcements_is_reported_once():
    log = run('without_announcements_a_wait_set_does')
    assert log.count('[probe]: the middleware does not announce messages') == 1


def test_all_cases_are_run():
    assert sorted(run().split()) == sorted(BOTH + EVENTS + WITH_LOG)

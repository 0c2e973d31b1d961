import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from domain import take_domain  # noqa: E402

DOMAIN_LOCK = take_domain()  # before anything starts ROS; held until this process ends

from graph import Graph  # noqa: E402
from sanitizers import Reports  # noqa: E402
from sim import Sim  # noqa: E402


@pytest.fixture(scope='session')
def sanitizer_reports():
    reports = Reports()
    yield reports
    reports.close()


@pytest.fixture(autouse=True)
def nothing_reported(sanitizer_reports):
    """Ends last, when the processes of the test have ended."""
    yield
    texts = sanitizer_reports.take()
    assert not texts, 'a sanitizer reports:\n' + '\n'.join(texts)


@pytest.fixture
def graph():
    """A graph whose node, if the test has not ended it, must end cleanly."""
    graph = Graph()
    yield graph
    had_ended = graph.process is not None and graph.process.poll() is not None
    code = graph.close()
    assert had_ended or code in (None, 0), f'the node ended with {code}'


@pytest.fixture
def sim_graph():
    graph = Graph(sim_time=True)
    yield graph
    code = graph.close()
    assert code in (None, 0), f'the node ended with {code}'


@pytest.fixture
def start(tmp_path):
    """Starts simulators."""
    sims = []

    def begin(parameters, names=(), **options):
        sims.append(Sim(tmp_path / f'sim{len(sims)}.log', parameters, names, **options))
        return sims[-1]

    yield begin
    codes = [sim.close() for sim in sims]
    assert all(code in (None, 0) for code in codes), f'simulators ended with {codes}'

"""Where rtaa computes: a GPU that is required and not there is refused; diagnostics and log say what runs."""
from graph import grid_map


def place(x, y):
    return 0.5 * x + 0.25, 0.5 * y + 0.25


def plan(graph, robot):
    graph.map_publisher.publish(grid_map(['......', '......']))
    robot.stand(*place(0, 0))
    graph.until(lambda: robot.path, 'a first path')
    robot.send_goal(*place(5, 1))
    graph.until(lambda: robot.reaches(*place(5, 1)), 'a path')
    graph.pass_diagnostics()


def test_a_gpu_that_is_required_and_not_there_is_refused(graph):
    robot, = graph.start('a', planner='rtaa')
    assert graph.set_parameters(rtaa__backend='auto')[0].successful
    result, = graph.set_parameters(rtaa__backend='cuda')
    if not result.successful:
        assert 'backend cuda: ' in result.reason
        assert 'there is no' in result.reason or 'built without CUDA' in result.reason, result.reason
    plan(graph, robot)
    assert graph.planner('plan_by') == 'rtaa'
    backend, device, note = (graph.planner(key) for key in ('backend', 'device', 'backend_note'))
    if result.successful:
        assert (backend, note) == ('cuda', '') and device
    else:  # `auto` says why it is not the GPU
        assert (backend, device) == ('cpu', '') and note
        assert f'plans are computed on cpu: {note}' in graph.output()


def test_other_planners_have_no_backend(graph):
    robot, = graph.start('a', planner='hca')
    plan(graph, robot)
    assert [graph.planner(key) for key in ('backend', 'device', 'backend_note')] == ['', '', '']
    assert 'plans are computed on' not in graph.output()

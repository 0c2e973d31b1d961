"""As much of `launch` and `launch_ros` as our launch files use, where these packages cannot be imported.

Actions keep what they are given, so that a test can look at it. Arguments are checked as launch does: unknown values of
arguments with choices are refused. test/ros/test_launch.py runs the same files with the real packages where they are.
"""
import importlib.util
import sys
import types


class Action:
    def __init__(self, *positional, **named):
        self.positional = positional
        self.named = named
        self.kind = type(self).__name__

    def __getattr__(self, name):
        try:
            return self.__dict__['named'][name]
        except KeyError:
            raise AttributeError(name) from None


KINDS = {
    'launch': ['LaunchDescription'],
    'launch.actions': [
        'DeclareLaunchArgument', 'ExecuteProcess', 'IncludeLaunchDescription', 'OpaqueFunction', 'RegisterEventHandler',
        'Shutdown'],
    'launch.conditions': ['IfCondition'],
    'launch.event_handlers': ['OnShutdown'],
    'launch.launch_description_sources': ['PythonLaunchDescriptionSource'],
    'launch.substitutions': [],
    'launch_ros': [],
    'launch_ros.actions': ['Node'],
    'launch_ros.substitutions': [],
}


class LaunchConfiguration(Action):
    def perform(self, context):
        return context[self.positional[0]]


class FindPackagePrefix(Action):
    def perform(self, context):
        return context['prefix']


def modules():
    made = {}
    for name, kinds in KINDS.items():
        made[name] = types.ModuleType(name)
        for kind in kinds:
            setattr(made[name], kind, type(kind, (Action,), {}))
    made['launch.substitutions'].LaunchConfiguration = LaunchConfiguration
    made['launch_ros.substitutions'].FindPackagePrefix = FindPackagePrefix
    return made


def load(path, monkeypatch):
    """The launch file as a module."""
    for name, module in modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    spec = importlib.util.spec_from_file_location('launch_file', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def arguments(module):
    """The declared arguments by name, in their order."""
    found = module.generate_launch_description().positional[0]
    return {action.positional[0]: action for action in found if action.kind == 'DeclareLaunchArgument'}


def perform(module, context=None, **given):
    """The actions that the file starts with these arguments; ValueError for a value that is no choice."""
    context = dict(context or {})
    for name, argument in arguments(module).items():
        context[name] = given.pop(name, argument.default_value)
        choices = argument.named.get('choices')
        if choices is not None and context[name] not in choices:
            raise ValueError(f'{name}:={context[name]} is none of {choices}')
    assert not given, f'not declared: {list(given)}'
    opaque, = [a for a in module.generate_launch_description().positional[0] if a.kind == 'OpaqueFunction']
    return opaque.function(context)

"""What the sanitizers report of the nodes. CTest sets FLEETWEAVE_SANITIZE in a build with sanitizers; then every
process that a test starts writes its reports into one folder, and a test in which there is one fails, however the
process ended.

The nodes are instrumented, the middleware is not (docs/contributing.md says what that hides).
"""
import os
import pathlib
import shutil
import tempfile

# A report of TSan or LSan does not end the process, so it goes by the exit code; those of ASan and UBSan end it.
OPTIONS = {
    'ASAN_OPTIONS': {'detect_leaks': 1, 'detect_stack_use_after_return': 1, 'strict_string_checks': 1},
    'LSAN_OPTIONS': {},
    'UBSAN_OPTIONS': {'print_stacktrace': 1},
    # Fast DDS is not instrumented: TSan does not see its atomic operations, so what they order would be reported.
    'TSAN_OPTIONS': {'ignore_noninstrumented_modules': 1, 'second_deadlock_stack': 1},
}


class Reports:
    """Sets the sanitizers' environment variables for all processes that are started from here."""

    def __init__(self):
        self.folder = None
        if not os.environ.get('FLEETWEAVE_SANITIZE'):
            return
        self.folder = tempfile.mkdtemp(prefix='fleetweave-sanitizers-')
        for variable, options in OPTIONS.items():
            given = os.environ.get(variable)
            words = [f'{name}={value}' for name, value in {**options, 'log_path': f'{self.folder}/report'}.items()]
            os.environ[variable] = ':'.join(words + ([given] if given else []))

    def take(self):
        """The texts of the reports since the last call."""
        texts = []
        for file in sorted(pathlib.Path(self.folder).iterdir()) if self.folder else []:
            texts.append(f'{file.name}:\n{file.read_text(errors="replace")}')
            file.unlink()
        return texts

    def close(self):
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)

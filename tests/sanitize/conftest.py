# tests/sanitize/conftest.py: what `make sanitize` has built, and Python in which all that is compiled has the sanitizers.
import pytest

from support import sanitized


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    """(script, *arguments) -> what became of the script in a process where all that is built has the sanitizers."""
    preload = map(sanitized.run_time, ("libasan.so", "libubsan.so", "libstdc++.so"))
    options = "detect_leaks=0:allocator_may_return_null=1"  # a test asks for more than there is
    folder = tmp_path_factory.mktemp("sanitized")
    return sanitized.python(folder, "sanitize", sanitized.ADDRESS, preload, ASAN_OPTIONS=options)

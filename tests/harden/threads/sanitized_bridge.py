"""tests/harden/threads/sanitized_bridge.py: calls from many Python threads, under ThreadSanitizer.

    python -m pytest tests/harden/threads/sanitized_bridge.py

The bridge, libmy_lib, libth and the extensions have the sanitizer; Python and PyTorch do not. LLVM's OpenMP stands in
for the libgomp.so.1 of PyTorch and of gcc, so that the process has one runtime, of which ThreadSanitizer knows what it
waits for. Needs what `cmake --preset threads` has built.
"""

import os
import re

import pytest

from support import ROOT, TESTS, sanitized
from support.sanitized import OTHER_TESTS, PRELUDE, RUN, run_time

pytestmark = pytest.mark.timeout(1200)  # each runs many tests, at a fraction of the speed

BUILD = ROOT / "build" / "threads"
HERE = TESTS / "harden" / "threads"
# LLVM's OpenMP waits for ever in a later such loop when an error has left one: docs/reference/error-messages.md.
WITH_LIBOMP = f"{OTHER_TESTS} and not fail_in_dynamic_region"

THREADS = (
    PRELUDE
    + """
import threading
import torch
from support import th_probe
from torchthaw import portable
probe = th_probe.probe()
print("one", flush=True)

def in_two_threads(work):
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""
)

# What is planted, and what the report must name.
PLANTED = {
    "two threads write one tensor": ("""
shared = torch.ones(200_000)
in_two_threads(lambda: probe.fill(shared, 2))
""", "libth.so"),
    "the threads of a region write one place": ("""
import torchthaw
source = '''long last(long n) {
    long last = 0;
    #pragma omp parallel for num_threads(2)
    for (long i = 0; i < n; i++) last = i;
    return last;
}'''
racing = torchthaw.load_inline("racing", cpp_sources=source, functions=["last"], extra_cflags=["-fopenmp"])
racing.last(1000)
""", "last"),
    "two threads add to one number of a portable extension": ("""
source = '''static volatile long sum = 0;
void add(long n) {
    py::gil_scoped_release release;
    for (long i = 0; i < n; i++) sum = sum + i;
}'''
adding = portable.load_inline("adding", source, functions=["add"])
in_two_threads(lambda: adding.add(1_000_000))
""", "add"),
}  # fmt: skip


def openmp():
    """(libomp.so, libarcher.so), as CMake found them."""
    cache = BUILD / "CMakeCache.txt"
    found = dict(re.findall(r"^torchthaw_(openmp|archer):\w+=(.+)$", cache.read_text() if cache.exists() else "", re.M))
    if len(found) != 2 or not (BUILD / "lib" / "libmy_lib.so.1").exists():
        raise FileNotFoundError(f"{BUILD}: expected the build of `cmake --preset threads`, got none")
    return found["openmp"], found["archer"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """(script, *arguments) -> what became of the script in a process where all that is built has the sanitizer."""
    libomp, archer = openmp()
    folder = tmp_path_factory.mktemp("sanitized")
    (folder / "first").mkdir()
    (folder / "first" / "libgomp.so.1").symlink_to(os.path.realpath(libomp))
    return sanitized.python(
        folder, "threads", ["-fsanitize=thread"], [run_time("libtsan.so"), "libgomp.so.1"],
        LD_LIBRARY_PATH=f"{folder / 'first'}:{BUILD / 'lib'}",
        OMP_TOOL_LIBRARIES=archer,
        KMP_BLOCKTIME="0",
        TSAN_OPTIONS="halt_on_error=1:ignore_noninstrumented_modules=1",
    )  # fmt: skip


@pytest.mark.parametrize("file", [HERE / "test_calls_at_once.py", TESTS / "bridge" / "test_bridge_faults_threads.py"])
def test_no_race_is_reported(run, file):
    done = run(RUN, file, "-k", WITH_LIBOMP)
    print(done.stdout)
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr


def test_no_race_is_reported_in_a_portable_extension(run):
    """Its runtime has the sanitizer too."""
    file = TESTS / "portable" / "test_portable_safety.py"
    done = run(RUN, file, "-k", "threads_at_once", THAW_HOST_PRELOAD=run.preload, ROUNDS="10")
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("name", PLANTED)
def test_planted_races_are_reported(run, name):
    script, place = PLANTED[name]
    done = run(THREADS + script)
    assert done.stdout == "one\n" and done.returncode == 66, done.stdout + done.stderr
    assert re.search(f"ThreadSanitizer: data race.*{place}.*Previous .*{place}", done.stderr, re.S), done.stderr


def test_one_runtime_shares_the_loops(run):
    """Else the sanitizer would not see what waits for what, in loops that PyTorch's libgomp shares."""
    done = run(
        THREADS
        + """
import os
from _ext import my_lib
torch.set_num_threads(3)
assert my_lib.my_lib_get_num_threads() == 3
mapped = {os.path.realpath(line.split()[-1]) for line in open("/proc/self/maps") if ".so" in line}
print(*sorted(path for path in mapped if any(name in path for name in ("gomp", "libomp", "archer", "libmy_lib.", "libth."))))
"""
    )
    assert done.returncode == 0, done.stderr
    libomp, archer = openmp()
    libraries = [BUILD / "lib" / f"{name}.so.1" for name in ("libmy_lib", "libth")]
    assert done.stdout.splitlines()[1].split() == sorted(map(os.path.realpath, [libomp, archer, *libraries])), (
        done.stdout
    )

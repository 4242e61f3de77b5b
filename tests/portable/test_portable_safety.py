"""tests/portable/test_portable_safety.py: forks, threads, a second interpreter, and two versions of the runtime in one process."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from support import SRC, table_host
from support.messages import names

pytestmark = pytest.mark.slow

# What a script of a test has: its modules, x, and used(), which calls all that boundaries.cpp has.
LOAD = """
import faulthandler, importlib.util, os, signal, sys, threading, time
import torch
faulthandler.dump_traceback_later(300, exit=True)

def load(path):
    spec = importlib.util.spec_from_file_location("boundaries", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

modules = [load(path) for path in sys.argv[1:]]
x = torch.arange(3.0, dtype=torch.float64)
expected = x * x + 2 * x - 3

def raised(call, *arguments):
    try:
        call(*arguments)
    except Exception as error:
        return error

def used(module, with_gradient=True):
    library = os.path.basename(module.__file__).split(".")[0]
    ops, box = getattr(torch.ops, library), getattr(torch.classes, library).Box("")
    assert module.polynomial(x).equal(expected) and ops.polynomial(x).equal(expected) and ops.polynomial(x=x).equal(expected)
    assert module.busy(x, 3) == 3 * expected.sum()
    for call in (module.throws, module.throws_without_gil, box.method, lambda kind: ops.throws(x, kind), module.to_word):
        assert type(raised(call, "check_index")) is IndexError and type(raised(call, "python")) is LookupError
    counter = module.Counter()
    assert [counter.add(n) for n in (1, 2)] == [1, 3] and counter.count == module.count_of(counter) == 3
    if with_gradient:
        leaf = x.clone().requires_grad_()
        module.failing(leaf, "", "").sum().backward()
        assert leaf.grad.tolist() == [2, 2, 2]
        assert type(raised(module.failing, leaf, "check_value", "")) is ValueError
        assert type(raised(module.failing(leaf, "", "check_type").sum().backward)) is TypeError
"""


def run(script, *paths, code=0, **variables):
    done = subprocess.run(
        [sys.executable, "-c", LOAD + script, *paths],
        capture_output=True,
        text=True,
        env={**table_host.of_a_host(SRC), **variables},
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.fixture(params=["0", "1"], ids=["by C++ names", "by Python"])
def by_python(request):
    """TORCHTHAW_NO_MANGLED_NAMES: how operators are called."""
    return request.param


# ---- forks

FORK = """
module, = modules
used(module, with_gradient=False)  # PyTorch refuses gradients in a child of a process that had some
thread = threading.Thread(target=module.stay)
thread.start()
while not module.is_inside():
    time.sleep(.001)
for _ in range(10):
    child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(100)
            used(module)
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
module.leave()
thread.join()
used(module)
"""
WORKERS = """
from torch.utils.data import DataLoader, Dataset
module, = modules

class Squares(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        used(module)
        return module.polynomial(x + i)

if __name__ == "__main__":
    used(module, with_gradient=False)
    for _ in range(2):
        batches = [*DataLoader(Squares(), batch_size=2, num_workers=2, multiprocessing_context="fork", timeout=200)]
        assert torch.cat(batches).equal(torch.stack([module.polynomial(x + i) for i in range(8)]))
    used(module)
"""


def test_a_child_calls_what_another_thread_is_inside_of(binary, by_python):
    run(FORK, binary("boundaries"), TORCHTHAW_NO_MANGLED_NAMES=by_python)


def test_workers_of_a_data_loader_call_the_extension(binary, by_python):
    run(WORKERS, binary("boundaries"), TORCHTHAW_NO_MANGLED_NAMES=by_python)


# ---- threads

THREADS = """
module, = modules
sys.setswitchinterval(1e-6)
together, failed = threading.Barrier(6), []

def work(k):
    try:
        together.wait()
        for i in range(int(os.environ.get("ROUNDS", 60))):
            used(module)
    except BaseException as error:
        failed.append(error)
        raise

threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert not failed
"""


def test_threads_at_once(binary, by_python):
    """The first calls too, which fill the tables of what is made once."""
    for _ in range(3):
        run(THREADS, binary("boundaries"), TORCHTHAW_NO_MANGLED_NAMES=by_python)


# Each import of another file lets the loader of libraries in, which lets one thread in at a time.
IMPORTS = """
import glob, shutil, sysconfig, tempfile
extension = glob.glob(os.path.join(sysconfig.get_config_var("DESTSHARED"), "_bisect*.so"))[0]
with tempfile.TemporaryDirectory() as folder:
    paths = [shutil.copy(extension, os.path.join(folder, f"{i}.so")) for i in range(300)]
    has_begun = threading.Event()

    def others():
        for path in paths:
            spec = importlib.util.spec_from_file_location("_bisect", path)
            importlib.util.module_from_spec(spec)
            has_begun.set()

    thread = threading.Thread(target=others)
    sys.setswitchinterval(1e-4)
    thread.start()
    has_begun.wait()
    module = load(os.environ["BINARY"])
    thread.join()
used(module)
"""


def test_an_import_beside_imports_of_other_threads(binary):
    run(IMPORTS, BINARY=binary("boundaries"))


# ---- errors that PyTorch's own build ends the process for

BACKWARD = """
module, = modules
for kind in ("number", "text", "plain"):
    loss = module.failing(x.clone().requires_grad_(), "", kind).sum()
    assert type(raised(loss.backward)) is RuntimeError
used(module)
"""
BODIES = """
for variable in ("BOUNDARIES_IN_MODULE", "BOUNDARIES_IN_LIBRARY"):
    for kind in ("out_of_range", "check_index", "operator_index", "python", "number"):
        child = os.fork()
        if child == 0:
            os.environ[variable] = kind
            error = raised(load, os.environ["BINARY"])
            print(variable, kind, type(error).__name__, type(error.__cause__).__name__, flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
"""
BODY_ERRORS = """
BOUNDARIES_IN_MODULE out_of_range ImportError NoneType
BOUNDARIES_IN_MODULE check_index ImportError NoneType
BOUNDARIES_IN_MODULE operator_index ImportError NoneType
BOUNDARIES_IN_MODULE python ImportError LookupError
BOUNDARIES_IN_MODULE number RuntimeError NoneType
BOUNDARIES_IN_LIBRARY out_of_range IndexError NoneType
BOUNDARIES_IN_LIBRARY check_index IndexError NoneType
BOUNDARIES_IN_LIBRARY operator_index IndexError NoneType
BOUNDARIES_IN_LIBRARY python LookupError NoneType
BOUNDARIES_IN_LIBRARY number RuntimeError NoneType
"""


def test_what_is_no_exception_of_std_leaves_backward(binary):
    run(BACKWARD, binary("boundaries"))


def test_errors_in_the_bodies_of_module_and_library_end_the_import(binary):
    assert run(BODIES, BINARY=binary("boundaries")).stdout.split("\n") == BODY_ERRORS.strip().split("\n") + [""]


def test_a_library_that_is_not_imported_prints_its_error(binary):
    """As of torch.ops.load_library, which knows of none."""
    done = run(
        'torch.ops.load_library(os.environ["BINARY"])', BINARY=binary("boundaries"), BOUNDARIES_IN_LIBRARY="check_index"
    )
    assert re.search(names("IndexError", "text"), done.stderr)


# ---- interpreters

SECOND = """
module, = modules
try:
    import _interpreters
    number = _interpreters.create("legacy")
except ImportError:
    import _xxsubinterpreters as _interpreters
    number = _interpreters.create(isolated=False)
text = '''
import importlib.util
spec = importlib.util.spec_from_file_location("boundaries", {path!r})
try:
    importlib.util.module_from_spec(spec)
except ImportError as error:
    print(type(error).__name__, error, flush=True)
'''
found = _interpreters.run_string(number, text.format(path=sys.argv[1]))
assert not found, found
_interpreters.destroy(number)
used(module, with_gradient=False)  # PyTorch thinks that the GIL is held in backward, after another interpreter
"""


def test_a_second_interpreter_is_refused(binary):
    done = run(SECOND, binary("boundaries"))
    assert re.search(names("ImportError", "boundaries", "one interpreter"), done.stdout), done.stdout


def test_a_python_without_a_gil_is_refused(binary, tmp_path):
    """It says so in Py_GetVersion(). Here the binary takes the beginning of this Python's version for those words."""
    words = b"free-threading"
    content = Path(binary("boundaries")).read_bytes()
    assert content.count(words + b"\0") == 1
    path = tmp_path / "boundaries.so"
    path.write_bytes(content.replace(words + b"\0", sys.version[: len(words)].encode() + b"\0"))
    done = run("", path, code=1)
    assert re.search(names("ImportError", "boundaries", "a GIL", sys.version), done.stderr)


# ---- two versions

TWO = """
one, two = modules
for module in (one, two, one):
    used(module)
assert type(raised(one.throws_in_callback, "check_index", two.throws)) is IndexError
assert type(raised(two.throws_in_callback, "operator", one.throws)) is RuntimeError
assert type(raised(one.throws_in_callback, "plain", two.throws)) is RuntimeError
assert str(raised(two.throws_in_callback, "python", one.throws)) == "text"
leaf = x.clone().requires_grad_()
two.polynomial(one.failing(two.failing(leaf, "", ""), "", "")).sum().backward()
assert leaf.grad.tolist() == (4 * (8 * x + 2 - 3)).tolist()
assert type(raised(one.failing(two.failing(leaf, "", "check_index"), "", "").sum().backward)) is IndexError
counter = two.Counter()
counter.add(5)
assert one.count_of_any(counter) == 5 and type(raised(one.count_of, counter)) is TypeError and two.count_of(counter) == 5
assert one.Counter is not two.Counter
"""


@pytest.fixture(scope="module")
def of_another_version(binary, tmp_path_factory):
    """A copy of the binary in which the names of the runtime's types are those of another version, and so is its library."""
    content = Path(binary("boundaries")).read_bytes()
    assert content.count(b"torchthaw_1") > 20
    content = re.sub(rb"(?<!PyInit_)boundaries(?=\0)", b"borderline", content.replace(b"torchthaw_1", b"torchthaw_2"))
    path = tmp_path_factory.mktemp("another") / "borderline.so"
    path.write_bytes(content)
    return str(path)


def shown(path):
    """The names that others see."""
    listed = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    return [line.split()[-1] for line in listed.splitlines()]


def test_two_versions_in_one_process(binary, of_another_version):
    paths = binary("boundaries"), of_another_version
    run(TWO, *paths)
    run(TWO, *reversed(paths))


def test_no_name_of_one_version_is_used_by_the_other(binary, of_another_version):
    paths = list(map(str, (binary("boundaries"), of_another_version)))
    assert list(map(shown, paths)) == [["PyInit_boundaries"]] * 2
    bound = run(TWO, *paths, LD_DEBUG="bindings", LD_BIND_NOW="1").stderr
    pairs = set(re.findall(r"binding file (\S+) \[\d+\] to (\S+) \[", bound))
    assert {paths[0], paths[1]} <= {one for one, _ in pairs}
    assert not pairs & {(paths[0], paths[1]), (paths[1], paths[0])}

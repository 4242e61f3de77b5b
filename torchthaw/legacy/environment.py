"""torchthaw/legacy/environment.py: the commands run, enable and disable."""

import os
import runpy
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from .. import config

PTH = "torchthaw-enable.pth"
# .pth files take one line of code. A torchthaw that was removed since is no error at every start of Python.
LINE = (
    "import os; f = {path!r}; "
    "os.path.exists(f) and exec(open(f).read(), {{'__file__': f, '__name__': 'activate'}})\n"
)


def add_run(subcommands):
    parser = subcommands.add_parser("run", help="run a legacy project's script with torch.utils.ffi importable")
    parser.add_argument("script", metavar="FILE", help="a Python file such as build.py, or a shell script")
    parser.add_argument("arguments", metavar="ARGUMENT", nargs="...", help="what the script gets")
    parser.set_defaults(run=lambda options: run(options.script, options.arguments))


def add_enable(subcommands):
    parser = subcommands.add_parser("enable", help="make torch.utils.ffi importable in this environment for good")
    parser.set_defaults(run=lambda options: enable())


def add_disable(subcommands):
    parser = subcommands.add_parser("disable", help="undo enable")
    parser.set_defaults(run=lambda options: disable())


def run(script, arguments):
    """Runs a file as ``python FILE ARGUMENTS…`` would; the Python processes that it starts see torch.utils.ffi too.

    A ``.sh`` file runs in bash, or sh, where ``python`` is this Python. Where there is a CUDA toolkit, what is started
    finds ``torchthaw nvcc`` under the name of nvcc.
    """
    from . import loading, nvcc

    if not os.path.isfile(script):
        raise FileNotFoundError(f"run: expected a Python file or a shell script, got {script!r}")
    children = os.fspath(Path(__file__).with_name("children"))
    given = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([children, given] if given else [children])
    loading.point_compilers_at_headers()
    if script.endswith(".sh"):
        os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)])
        nvcc.put_on_path()
        return subprocess.call([shutil.which("bash") or "sh", script, *arguments])
    nvcc.put_on_path()
    sys.argv[:] = [script, *arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    runpy.run_path(script, run_name="__main__")
    return 0


def pth_file():
    return Path(sysconfig.get_path("purelib")) / PTH


def enable():
    """Registers the import finder at every start of this environment's Python."""
    path = pth_file()
    path.write_text(LINE.format(path=os.fspath(config.PACKAGE / "activate.py")))
    print(f"torch.utils.ffi can be imported from now on ({path})")
    return 0


def disable():
    path = pth_file()
    found = path.exists()
    path.unlink(missing_ok=True)
    print(f"{path} removed" if found else "torch.utils.ffi was not enabled here")
    return 0

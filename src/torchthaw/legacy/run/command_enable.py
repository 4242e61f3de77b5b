"""torchthaw/legacy/run/command_enable.py: the commands enable and disable."""

import os
import sysconfig
from pathlib import Path

from ...base import config, printing, writing

PTH = "torchthaw-enable.pth"
# .pth files take one line of code. A torchthaw that was removed since is no error at every start of Python.
LINE = (
    "import os; f = {path!r}; os.path.exists(f) and exec(open(f).read(), {{'__file__': f, '__name__': 'activate'}})\n"
)


def add_enable(subcommands, help):
    parser = subcommands.add_parser(
        "enable", help=help,
        description=f"Writes {PTH} into this environment's site-packages: plain `python` then finds torch.utils.ffi, "
        "without `torchthaw run`. Nothing else changes until something imports it.",
    )  # fmt: skip
    parser.set_defaults(run=lambda options: enable())


def add_disable(subcommands, help):
    parser = subcommands.add_parser("disable", help=help, description=f"Removes {PTH}, which `enable` wrote.")
    parser.set_defaults(run=lambda options: disable())


def pth_file():
    return Path(sysconfig.get_path("purelib")) / PTH


def enable():
    """Registers the import finder at every start of this environment's Python."""
    path = pth_file()
    path.unlink(missing_ok=True)  # whatever it is: a write may wait for the other end of a pipe
    writing.write(path, LINE.format(path=os.fspath(config.PACKAGE / "activate.py")))
    printing.show(printing.one_line(f"torch.utils.ffi can be imported from now on ({path})"))
    return 0


def disable():
    path = pth_file()
    found = path.exists()
    path.unlink(missing_ok=True)
    printing.show(printing.one_line(f"{path} removed" if found else "torch.utils.ffi was not enabled here"))
    return 0

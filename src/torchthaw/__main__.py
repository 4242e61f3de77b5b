"""torchthaw/__main__.py: `python -m torchthaw`, and the script `torchthaw` that pip installs."""

import os
import sys


def leave_out(project):
    """Takes what Python was given by the command and by PYTHONPATH out of sys.path, where that is the current folder,
    or in one of the folders ``project``: its modules are never taken for those that torchthaw imports.
    """
    given = "" if sys.flags.ignore_environment else os.environ.get("PYTHONPATH", "")
    read = [os.path.join(os.path.realpath(folder), "") for folder in project]
    for folder in [sys.path[0], *map(os.path.abspath, given.split(os.pathsep) if given else ())]:
        real = os.path.realpath(folder)
        if folder in sys.path and (real == os.getcwd() or os.path.join(real, "").startswith(tuple(read))):
            sys.path.remove(folder)


def main():
    """Runs the command line; returns its exit status."""
    leave_out(sys.argv[2:] if sys.argv[1:2] in (["doctor"], ["modernize"]) else ())
    from . import cli  # which imports modules that a project may have too

    return cli.main()


if __name__ == "__main__":
    raise SystemExit(main())

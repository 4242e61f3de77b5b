"""torchthaw/base/isolated.py: runs a module of torchthaw as a program that stands before another one, such as nvcc.

The text of launcher() starts it in the folder of somebody's project. So Python's own modules come first, then torchthaw:
no file of the project is taken for one of theirs. Only then comes what PYTHONPATH names, for the PyTorch that it may have.
"""

import importlib
import os
import runpy
import shlex
import site
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec, spec_from_file_location

TEXT = """#!/bin/sh
# Made by torchthaw.
exec {python} -I {file} {module} "$0" "$@"
"""


def launcher(module):
    """The text of a program that calls ``torchthaw.<module>.run(arguments)`` and exits with what that returns.

    The module finds the program's own path in sys.argv[0].
    """
    file = os.path.realpath(__file__)
    return TEXT.format(python=shlex.quote(sys.executable), file=shlex.quote(file), module=module)


def add_given():
    """Puts what Python's option -I left out of sys.path there again, behind Python's own modules."""
    own = next((i for i, folder in enumerate(sys.path) if folder in site.getsitepackages()), len(sys.path))
    # A relative one, or "", is the project's folder.
    sys.path[own:own] = filter(os.path.isabs, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    if sys.prefix == sys.base_prefix and "PYTHONNOUSERSITE" not in os.environ:
        site.addsitedir(site.getusersitepackages())
    # That of an isolated build: it names the folders of the packages that the build asked for.
    found = PathFinder.find_spec("sitecustomize", sys.path[own:])
    if found is not None and found.origin:
        runpy.run_path(found.origin)


def add_torchthaw(package):
    """Makes this torchthaw importable, whatever else has its name; what it requires may be installed beside it."""
    spec = spec_from_file_location(
        "torchthaw", os.path.join(package, "__init__.py"), submodule_search_locations=[package]
    )
    sys.modules["torchthaw"] = module = module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.path.append(os.path.dirname(package))


def main():
    """The program: arguments are the module, the launcher's path, and what the launcher got."""
    name, *sys.argv = sys.argv[1:]
    add_torchthaw(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    add_given()
    return importlib.import_module(f"torchthaw.{name}").run(sys.argv[1:])


if __name__ == "__main__":
    raise SystemExit(main())

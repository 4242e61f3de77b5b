"""tests/support/wheel_builder.py: builds the wheel as pip builds it, and finds the Pythons that it can be installed
for."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from support import ROOT

# For tests of packaging: compiled for speed, or for a GPU, the libraries take many times as long.
QUICK = {
    "build-dir": ROOT / "build" / "wheel", "cmake.build-type": "Debug", "cmake.define.CMAKE_CXX_FLAGS_DEBUG": "-O0",
    "cmake.define.CMAKE_C_FLAGS_DEBUG": "-O0", "cmake.define.TORCHTHAW_CUDA": "OFF",
}  # fmt: skip
# As users get it, without the CUDA half. CMake's build folder stays, so that only the first build compiles everything.
RELEASE = {"build-dir": ROOT / "build" / "compat" / "cmake", "cmake.define.TORCHTHAW_CUDA": "OFF"}


def build(folder, settings):
    """The path of the wheel, made in the empty ``folder`` with these settings of scikit-build-core.

    RuntimeError carries what pip printed.
    """
    result = subprocess.run(
        [
            sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--disable-pip-version-check",
            *(f"--config-settings={name}={value}" for name, value in settings.items()), "--wheel-dir", folder, ROOT,
        ],
        capture_output=True, text=True,
    )  # fmt: skip
    if result.returncode:
        raise RuntimeError(f"the wheel could not be built:\n{result.stdout}{result.stderr}")
    (path,) = Path(folder).glob("*.whl")
    return path


def interpreter(version):
    """A Python of that version, such as ``"3.12"``, on PATH or installed by pyenv; None without one."""
    pyenv = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()
    for path in (shutil.which(f"python{version}"), *sorted(pyenv.glob(f"versions/{version}.*/bin/python"))):
        asked = "import sys; print('{}.{}'.format(*sys.version_info))"
        if path and subprocess.run([path, "-c", asked], capture_output=True, text=True).stdout.strip() == version:
            return path
    return None

# tests/legacy/modernize/test_modernize_python_missing.py: what is said where LibCST is not installed.
import subprocess
import sys

from support import ROOT, SRC

PROGRAM = """
import sys
sys.path.insert(0, {root!r})
sys.modules["libcst"] = None  # importing it fails
from torchthaw.cli import main
sys.exit(main(["modernize", "--check", "examples/legacy/script"]))
"""
EXPECTED = (
    "torchthaw: modernize: expected the package libcst, found none; pip install 'torchthaw[modernize]' installs it\n"
)


def test_without_libcst():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(root=str(SRC))], capture_output=True, text=True, timeout=200, cwd=ROOT
    )
    assert (done.returncode, done.stderr) == (2, EXPECTED)

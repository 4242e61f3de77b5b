# tests/legacy/modernize/test_modernize_python_missing.py: what is said where LibCST is not installed.
import subprocess
import sys

from support import ROOT

PROGRAM = """
import sys
sys.path.insert(0, {root!r})
sys.modules["libcst"] = None  # importing it fails
try:
    from torchthaw.legacy.modernize.python import convert
except ImportError as error:
    assert "pip install torchthaw[modernize]" in str(error), error
    print("said")
"""


def test_without_libcst():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(root=str(ROOT))], capture_output=True, text=True, timeout=200
    )
    assert done.stdout == "said\n", done.stderr

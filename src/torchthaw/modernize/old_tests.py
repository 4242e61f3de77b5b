"""torchthaw/modernize/old_tests.py: tests/test_scripts.py, which runs the test scripts of the old project."""

import os
import re

# What pytest collects by itself: a file of such a name with such a definition.
COLLECTED_NAME = re.compile(r"(?:test_\w+|\w+_test)\.py$")
COLLECTED = re.compile(r"^(?:def test|class \w*Test)", re.MULTILINE)
USES_CUDA = re.compile(r"\.cuda\(|\bcuda\.\w*Tensor\b")
TEXT = '''"""tests/test_scripts.py: runs the test scripts of the old project, which pytest does not collect."""

import subprocess
import sys
from pathlib import Path

import pytest
{torch}
HERE = Path(__file__).parent


@pytest.mark.parametrize("script", {scripts})
def test_script(script):
    done = subprocess.run([sys.executable, HERE / script], cwd=HERE.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
'''
MARK = 'needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="it asks for a GPU")\n'


def scripts(project, layout):
    """{path below tests/: whether it needs a GPU} of the old tests that pytest does not collect."""
    found = {}
    for old in layout.tests:
        new, text = layout.files[old], project.text(old).text
        if not (COLLECTED_NAME.match(os.path.basename(new)) and COLLECTED.search(text)):
            found[new.removeprefix("tests/")] = bool(USES_CUDA.search(text)) and "is_available" not in text
    return found


def text(scripts):
    """The text of tests/test_scripts.py."""
    items = [f'pytest.param("{name}", marks=needs_cuda)' if needs else f'"{name}"' for name, needs in scripts.items()]
    line = f"[{', '.join(items)}]"
    if len(line) > 80:
        line = "[\n" + "".join(f"    {item},\n" for item in items) + "]"
    torch = f"import torch\n\n{MARK}" if any(scripts.values()) else ""
    return TEXT.format(scripts=line, torch=torch)

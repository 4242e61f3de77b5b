"""tests/portable/record.py: builds the sources of this folder with PyTorch's own headers, and records what their calls give.

    python tests/portable/record.py

Writes expected/NAME.json. The tests compare with these, since such a build takes minutes. Run it after a change of a
source or of its calls.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from torch.utils import cpp_extension

HERE = Path(__file__).resolve().parent
SCRIPTS = {"tensors": "tensor_calls.py", "functions": "function_calls.py", "library": "library_calls.py"}


def main():
    for name, script in SCRIPTS.items():
        with tempfile.TemporaryDirectory() as folder:
            cpp_extension.load(
                name, [str(HERE / f"{name}.cpp")], build_directory=folder, extra_cflags=["-O1"], is_python_module=False
            )
            command = [sys.executable, HERE / script, Path(folder, f"{name}.so")]
            found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        text = json.dumps({"torch": torch.__version__, "calls": found}, indent=1)
        (HERE / "expected" / f"{name}.json").write_text(text + "\n")
        print(f"{name}: {len(found)} calls")


if __name__ == "__main__":
    main()

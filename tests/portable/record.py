"""tests/portable/record.py: builds the sources of this folder with PyTorch's own headers, and records what their calls give.

    python tests/portable/record.py [NAME …]

Writes expected/NAME.json, of all names where none is given. The tests compare with these, since such a build takes
minutes. Run it after a change of a source or of its calls.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPTS = {
    "tensors": "tensor_calls.py", "functions": "function_calls.py", "library": "library_calls.py", "classes": "class_calls.py",
    "names": "name_calls.py", "boundaries": "boundary_calls.py",
}  # fmt: skip

# What a portable extension serves that PyTorch's own build refuses, or says in other words.
BETTER = {
    ("tensors", "grad_of "): "PyTorch refuses backward where the GIL is held",
    ("functions", "grad of C++"): "PyTorch refuses grad where the GIL is held",
    ("classes", "read-only property"): "the error is Python's own",
    ("classes", "no such method"): "the error is Python's own",
    ("classes", "wrong argument"): "a TypeError, as of any function",
    ("classes", "wrong class"): "a TypeError, as of any function",
    ("classes", "wrong constructor"): "a TypeError, as of any function",
    ("classes", "merged, wrong"): "a TypeError, as of any function",
    ("names", "same generator"): "the object that was given, not a new one of the same generator",
    ("tensors", "check_without_words 0"): "PyTorch asks for a better message",
    ("boundaries", "vmap: first"): "the words of the error",
    ("boundaries", "vmap: memory"): "the words of the error",
    ("boundaries", "sparse: memory"): "the words of the error",
    ("boundaries", "dual: forward"): "the words of the error",
    ("boundaries", "nested: forward"): "PyTorch refuses nested tensors, whose sizes it asks for",
    **{
        ("boundaries", f"class, method: {kind}"): "as of any function; PyTorch makes all of std:: a RuntimeError"
        for kind in (
            "bad_alloc",
            "domain_error",
            "invalid_argument",
            "length_error",
            "out_of_range",
            "range_error",
            "overflow_error",
        )
    },
}


def is_better(name, call):
    """Whether a call is not compared, for a reason in BETTER, or since PyTorch does not convert to c10::Scalar."""
    return (name, call) in BETTER or name == "tensors" and call.startswith("scalar")


def text_of(version, calls):
    """The recorded calls as JSON, one in each line."""
    lines = ",\n".join(f"{json.dumps(call)}: {json.dumps(given)}" for call, given in calls.items())
    return f'{{"torch": {json.dumps(version)}, "calls": {{\n{lines}\n}}}}\n'


def main(names):
    import torch
    from torch.utils import cpp_extension

    for name in names or SCRIPTS:
        with tempfile.TemporaryDirectory() as folder:
            cpp_extension.load(
                name, [str(HERE / f"{name}.cpp")], build_directory=folder, extra_cflags=["-O1"], is_python_module=False
            )
            command = [sys.executable, HERE / SCRIPTS[name], Path(folder, f"{name}.so")]
            found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        (HERE / "expected" / f"{name}.json").write_text(text_of(torch.__version__, found))
        print(f"{name}: {len(found)} calls")


if __name__ == "__main__":
    main(sys.argv[1:])

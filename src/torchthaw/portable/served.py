"""torchthaw/portable/served.py: whether torchthaw's headers have a name, asked of a compiler.

It sees torchthaw's headers and a line or two for each name, nothing of the project that uses the names.
"""

import os
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path

from ..base import child, toolchain, writing
from ..base.errors import BuildError
from ..extension import cuda, nvidia_packages
from . import flags, headers, operators, unserved

ASKED = "asked"  # the name of the file in the compiler's messages
OF_CUDA = re.compile("cuda|CUDA|^THC")  # names that headers for CUDA alone have
STEP = 10  # of line numbers from name to name
# A name of C++20 in a using-declaration may also be an enumerator.
STANDARD = "-std=c++20"
SECONDS = 120
FORMS = {
    "macro": "#ifndef {name}\n#error '{name}' was not declared\n#endif",
    "name": "namespace n{number} {{ using {name}; }}",
    "member": "struct n{number} : {scope} {{ using {scope}::{last}; }};",
}
# The scope is a class, of which a namespace has no names.
OF_A_CLASS = ("for member at non-class scope", "cannot refer to class member")


def missing(names: Iterable[str]) -> set[str]:
    """Those of ``names`` that torchthaw's headers do not have.

    names: headers such as ``torch/extension.h``, macros, and names of C++ with their namespace, such as ``at::sum``. Those
        of ``at::cuda`` and the like are known where a toolkit of CUDA is found; else none of them is missing. Raises
    BuildError where the compiler fails otherwise, ImportError without a PyTorch whose headers can be used.
    """
    names = list(dict.fromkeys(names))
    folders = headers.include_paths()
    if not toolkit():
        names = [name for name in names if "/" in name or not OF_CUDA.search(name)]
    absent = {name for name in names if "/" in name and not any((folder / name).is_file() for folder in folders)}
    errors = _errors({name: "name" if "::" in name else "macro" for name in names if "/" not in name})
    members = [name for name, texts in errors.items() if any(form in text for form in OF_A_CLASS for text in texts)]
    errors |= _errors(dict.fromkeys(members, "member"))
    return absent | {name for name, texts in errors.items() if any(map(unserved.names_something, texts))}


def toolkit():
    """The folders of CUDA's headers; none without a toolkit."""
    try:
        found = cuda.toolkit()
    except FileNotFoundError:
        return []
    return [found.include, *nvidia_packages.headers(found)]


def _errors(forms):
    """{name: what the compiler says of its lines}; ``forms``: {name: its form in FORMS}."""
    if not forms:
        return {}
    of_cuda = toolkit()
    known = [header for header in headers.NAMES if of_cuda or not header.startswith("cuda/")]
    lines = [*(f"#include <portable/{header}>" for header in known), "namespace torchthaw_asks {"]
    for number, (name, form) in enumerate(forms.items()):
        scope, _, last = name.rpartition("::")
        text = FORMS[form].format(name=name, number=number, scope=scope, last=last)
        lines += [f'#line {number * STEP + 1} "{ASKED}"', text]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "names.cpp")
        writing.write(source, "\n".join([*lines, "}", ""]))
        operators.write(folder, [source])
        includes = [f"-I{path}" for path in (folder, *headers.include_paths(), *of_cuda)]
        command = [*toolchain.cxx_compiler(), "-fsyntax-only", "-w", *flags.common(), STANDARD, *includes, source]
        answer = child.answer(command, check=False, seconds=SECONDS, env={**os.environ, "LC_ALL": "C"})
    found, asked = {name: [] for name in forms}, list(forms)
    for error in unserved.ERROR.finditer(answer.err):
        if error["file"] != ASKED:
            raise BuildError(f"torchthaw's headers do not compile:\n{answer.err}")
        found[asked[int(error["line"]) // STEP]].append(error["text"])
    return found

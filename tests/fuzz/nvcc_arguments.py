"""tests/fuzz/nvcc_arguments.py: the arguments that `torchthaw nvcc` gets, an input of which has one on each line.

Any of them give a command for nvcc or a ValueError that begins with its subject. What nvcc still knows stands in the
command in the same order; what does not is named in a change.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import guided
from hypothesis import example, given, strategies as st

from torchthaw.base import isolated
from torchthaw.extension import cuda
from torchthaw.legacy.cpp import nvcc
from torchthaw.modernize.packaging import scripts

WORDS = sorted({
    *nvcc.TAKES_NEXT, *nvcc.HOST, *nvcc.REMOVED, *nvcc.RENAMED, *nvcc.ARCHITECTURE, *nvcc.ONE_ARCHITECTURE, "-std",
    "--std", "-std=", "c++11", "c++20", "-ccbin", "-ccbin=", "sh", "-m", "32", "--machine", "--machine=32", "x.cu",
    "-x", "cu", "-dlink", "-dc", "sm_20", "sm_90", "=sm_20", "arch=compute_30,code=sm_30", "compute_90", "-lcuda",
    "-l", "cuda", "-", "=", "\n", "-DTHC_NO_REMOVED_CALLS", "lto_52", "--options-file", "native", "all",
})  # fmt: skip
# Others whose value may be the next word.
TAKE_VALUES = ("-ccbin", "--compiler-bindir", "-std", "--std")


class Toolkit(cuda.Toolkit):
    """One that this machine need not have."""

    version = "13.0"
    architectures = ["75", "80", "90", "100"]


TOOLKIT = Toolkit(Path("/nowhere/bin/nvcc"), Path("/nowhere"))


def architectures_of(words):
    """The words that choose architectures and those that follow them, as nvcc itself would read them."""
    found, words = [], list(words)
    while words:
        word = words.pop(0)
        if word in nvcc.TAKES_NEXT or nvcc.REMOVED.get(word) or word in TAKE_VALUES:
            del words[:1]
        elif word in nvcc.ARCHITECTURE:
            found += [word, *words[:1]]
            del words[:1]
        elif word.partition("=")[0] in nvcc.ARCHITECTURE:
            found.append(word)
    return found


def examine(words):
    """The properties of a list of arguments."""
    before = list(words)
    try:
        made, changes = nvcc.rewrite(words, TOOLKIT)
    except ValueError as error:
        if not re.match(r"[\w-]+: expected ", str(error)):
            raise guided.Broken(f"expected an error that says what was expected, got {error!r}") from error
        return
    if words != before:
        raise guided.Broken(f"expected arguments that stay as they are, got {words}")
    if not all(isinstance(word, str) for word in made):
        raise guided.Broken(f"expected a command of texts, got {made}")
    # Nothing is lost: every word is in the command, or a change names it.
    asked = architectures_of(words)
    lost = Counter(word for word in words if word not in asked) - Counter(made)
    for word in lost:
        flag, _, value = word.partition("=")
        if not any(word in change or flag in change and value in change for change in changes):
            raise guided.Broken(f"expected {word!r} in the command or among the changes, got {made} and {changes}")
    # Order: what is kept is kept as it stood, architectures apart.
    kept = [word for word in words if word not in asked and word not in lost]
    rest = iter(made)
    if not all(word in rest for word in kept):
        raise guided.Broken(f"expected the order of {kept}, got {made}")
    # All architectures that are named stay, or those that the toolkit lacks are named and others stand for them.
    numbers = nvcc._numbers(asked)
    missing = [number for number in numbers if number not in TOOLKIT.architectures]
    if missing:
        if not any(all(f"sm_{number}" in change for number in missing) for change in changes):
            raise guided.Broken(f"expected a change that names {missing}, got {changes}")
    elif Counter(asked) - Counter(made):
        raise guided.Broken(f"expected {asked} in the command, got {made}")


def check(data):
    words = data.decode("utf-8", "surrogateescape").replace("\0", "").split("\n")
    os.environ["TORCH_CUDA_ARCH_LIST"] = "9.0"
    examine(words)
    for text in (" ".join(words), shlex.join(words)):
        examine_script(f"nvcc {text}\n")


def examine_script(text):
    """What modernize reads of a call of nvcc in a script."""
    words = scripts._own_flags(shlex.split(text)[1:]) if _splits(text) else []
    if not all(isinstance(word, str) for word in words):
        raise guided.Broken(f"expected flags as texts, got {words}")
    scripts.not_understood(text)


def _splits(text):
    try:
        return bool(shlex.split(text))
    except ValueError:
        return False


# ---- Lists that are sensible ----------------------------------------------------------------------------------------

PLAIN = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8).filter(
    lambda text: not text.startswith("-")
)
# `-x cu` apart: that is CUDA code, which gets an architecture where none is named.
PAIRS = st.tuples(st.sampled_from(sorted(nvcc.TAKES_NEXT)), st.one_of(PLAIN, st.sampled_from(WORDS))).filter(
    lambda pair: pair[0] not in nvcc.LANGUAGE or pair[1] != "cu"
)
CURRENT = st.one_of(
    PAIRS.map(list),
    st.sampled_from(["-O2", "-c", "-lineinfo", "-G", "--use_fast_math", "x.cpp", "x.o"]).map(lambda word: [word]),
    st.tuples(st.sampled_from(["-D", "-I", "-L", "-l", "-DA="]), PLAIN).map(lambda pair: ["".join(pair)]),
    st.sampled_from([["-std", "c++20"], ["-std=c++20"], ["--std", "c++17"]]),
)
ARCHITECTURES = st.sampled_from([
    ["-arch", "sm_90"], ["-arch=sm_90"], ["-gencode", "arch=compute_90,code=sm_90"], ["--gpu-code=sm_80,sm_90"],
])  # fmt: skip


@example([["-Ix.cu"]], [])
@given(st.lists(CURRENT, max_size=8), st.lists(ARCHITECTURES, max_size=3))
def generated(groups, architectures):
    """What is right today is left as it is, architectures last, and survives the launcher's quoting."""
    os.environ["TORCH_CUDA_ARCH_LIST"] = "9.0"
    words = [word for group in groups for word in group]
    asked = [word for group in architectures for word in group]
    examine([*asked, *words])
    made, changes = nvcc.rewrite([*asked, *words], TOOLKIT)
    expected = [*words, *asked]
    if made[: len(expected)] != expected or changes:
        raise guided.Broken(f"expected {expected} as they are, got {made} and {changes}")
    if shlex.split(shlex.join(words)) != words:
        raise guided.Broken(f"expected words that survive quoting, got {words}")


def through_the_launcher(words, folder):
    """The arguments that the launcher's program gets of ``words``, through its shell."""
    package = folder / "torchthaw"  # in place of the one of this environment
    for path in (package, package / "base", package / "legacy"):
        path.mkdir(parents=True, exist_ok=True)
        (path / "__init__.py").touch()
    program = shutil.copy(isolated.__file__, package / "base")
    text = isolated.TEXT.format(
        python=shlex.quote(sys.executable), file=shlex.quote(os.fspath(program)), module="legacy.nvcc"
    )
    (package / "legacy" / "nvcc.py").write_text(
        "import os, shutil\ndef run(words):\n    os.write(1, '\\0'.join(words).encode())\n"
    )
    script = folder / "nvcc"
    script.write_text(text)
    done = subprocess.run(["sh", script, *words], capture_output=True, check=True)
    return done.stdout.decode().split("\0") if done.stdout else []


if __name__ == "__main__":
    sys.exit(guided.main(__file__))

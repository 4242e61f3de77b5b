"""torchthaw/doctor/shared_objects/report.py: the answers as text for people and JSON for programs."""

import json
import os
import re
from collections.abc import Iterable, Iterator

from ...base import printing
from ...base.errors import BuildError
from ...base.printing import one_line
from . import compare, pytorch_table
from .compare import Whole
from .needs import read

MOST = 5  # names that are printed
KINDS = "GLIBC", "GLIBCXX", "CXXABI"
STRING = re.compile(r"std::(__cxx11::)?basic_string<char, std::char_traits<char>, std::allocator<char> >")
STRINGS = {
    "old": "names with std::string of the old C++ ABI, as in PyPI's PyTorch up to 2.6",
    "new": "names with std::string of the new C++ ABI, as in PyPI's PyTorch from 2.7 on",
}
AGAIN = "build it again beside this PyTorch: python -m torchthaw run -m pip install --no-build-isolation --no-deps ."
INSTALL = "or install a PyTorch that has all names: pip install torch=={version}.*"
PORTABLE = "its publisher can build one file for every PyTorch: python -m torchthaw run --portable -m pip wheel ."
LIBRARIES = "install the libraries that are not found, or name their folders in LD_LIBRARY_PATH"


def run(path: str, as_json: bool) -> int:
    """Prints what is said of a file. The exit status: 0 nothing is missing here, 1 something is, 2 it cannot be read."""
    try:
        with read(path) as (python, files):
            whole = compare.compare(python, files)
    except (OSError, BuildError) as error:
        printing.complain(f"--so: {error}")
        return 2
    if not files:
        printing.complain(f"--so: expected a wheel that holds shared objects, got {path!r}")
        return 2
    for line in [_json(path, whole)] if as_json else map(one_line, lines(os.path.basename(path), whole)):
        printing.show(line)
    return 1 if is_wrong(whole) else 0


def is_wrong(whole: Whole) -> bool:
    return bool(whole.wrong) or any(answer.wrong for answer in whole.files)


def _json(path, whole):
    files = []
    for answer in whole.files:
        needs, said = answer.needs, answer._asdict()
        said["needs"] = needs.versions
        files.append({key: getattr(needs, key) for key in ("name", "machine", "libraries", "folders")} | said)
    said = {"path": path, "python": whole.python, "versions": whole.versions, "wrong": whole.wrong, "files": files}
    return json.dumps(said, indent=2)


def lines(name: str, whole: Whole) -> Iterator[str]:
    """What is said of a file of this name."""
    yield f"{name}: {'does not load here' if is_wrong(whole) else 'nothing that it needs is missing here'}"
    yield f"  built for Python: {whole.python or 'its name does not say which'}"
    yield from (f"  wrong: {why}" for why in whole.wrong.values())
    if [answer.needs.name for answer in whole.files] == [name]:
        yield from _of_file(whole.files[0], "  ")
    else:
        yield from _of_wheel(whole)
    yield from (f"  to do: {advice}" for advice in _to_do(whole))


def _of_wheel(whole):
    using = [answer for answer in whole.files if answer.names]
    if len(using) > 1:
        are = "has all names of its" if len(whole.versions) == 1 else "have all names of its"
        yield f"  PyTorch: {ranges(whole.versions) or 'no version'} {are} {len(using)} files that need PyTorch"
    shown = [answer for answer in whole.files if answer.names or answer.wrong]
    for answer in shown:
        yield f"  {answer.needs.name}"
        yield from _of_file(answer, "    ")
    if len(whole.files) > len(shown):
        yield f"  and {_counted(len(whole.files) - len(shown), 'file')} more, without PyTorch and with nothing missing"


def _of_file(answer, indent):
    yield f"{indent}PyTorch: {_pytorch(answer)}"
    yield from _names(answer.lacking, indent)
    if answer.strings:
        yield f"{indent}strings: {STRINGS[answer.strings]}"
    if answer.cuda:
        yield f"{indent}CUDA: {answer.cuda}"
    if any(kind in answer.needs.versions for kind in KINDS):
        versions = answer.needs.versions
        yield f"{indent}C and C++: {', '.join(f'{kind} {versions[kind]}' for kind in KINDS if kind in versions)}"
    for what, why in answer.wrong.items():
        yield f"{indent}wrong: {why}"
        if what == "pytorch":
            yield from _names(answer.absent, indent)


def _pytorch(answer):
    if not answer.names:
        return "it needs no name of PyTorch"
    table = pytorch_table.read().versions
    count = f"its {answer.names} names of PyTorch" if answer.names > 1 else "its one name of PyTorch"
    if answer.versions:
        return f"{ranges(answer.versions)} {'have' if len(answer.versions) > 1 else 'has'} all of {count}"
    if not answer.nearest:
        return f"the table has none of {count}: it is that of wheels for {pytorch_table.MACHINE}, without at::native"
    return (
        f"no version from {_minor(table[0])} to {_minor(table[-1])} has all of {count}; {ranges(answer.nearest)} "
        f"{'lack' if len(answer.nearest) > 1 else 'lacks'} {len(answer.lacking)}"
    )


def _names(names, indent):
    shown = (STRING.sub(r"std::\1string", name) for name in names[:MOST])
    yield from (f"{indent}  {name}" for name in shown)
    if len(names) > MOST:
        yield f"{indent}  and {len(names) - MOST} more"


def _to_do(whole):
    wrong = {what for answer in whole.files for what in answer.wrong} | set(whole.wrong)
    if wrong - {"libraries"}:
        yield AGAIN
    if "pytorch" in wrong and whole.versions and not wrong & {"python", "machine", "glibc"}:
        yield INSTALL.format(version=_minor(whole.versions[-1]))
    if wrong & {"pytorch", "python"} and any(answer.names for answer in whole.files):
        yield PORTABLE
    if "libraries" in wrong:
        yield LIBRARIES


def _counted(count, thing):
    return f"{count} {thing}{'' if count == 1 else 's'}"


def _minor(version):
    return ".".join(version.split(".")[:2])


def ranges(versions: Iterable[str]) -> str:
    """Such as "1.13, 2.1 to 2.3"."""
    table = pytorch_table.read().versions
    places = [table.index(version) for version in versions]
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return ", ".join(_run(_minor(table[run[0]]), _minor(table[run[-1]]), len(run)) for run in runs)


def _run(first, last, count):
    return first if count == 1 else f"{first}{' and ' if count == 2 else ' to '}{last}"

"""torchthaw/modernize/report.py: what was done and what is left, as text, as JSON and as MODERNIZED.md."""

import json
from collections import Counter

from .. import __version__
from ..base.printing import one_line, shell_word
from .packaging.requirements import SETUPTOOLS
from .remarks import Remark
from .writing import changed_lines

KINDS = ("look", "done", "hint")
PAGE = """# {package}

For the owners of {project}: this page says what `python -m torchthaw modernize` (torchthaw {version}) did to it, what
you must look at, and how to build and test the result. The old project was only read.

## Build and test

PyTorch, torchthaw, a C and a C++ compiler must be installed; `--no-build-isolation` builds with these. An environment of
Python 3.10 or 3.11 has an older setuptools at first.

```sh
pip install "{setuptools}"
pip install --no-build-isolation --editable .
python -m pytest
pip wheel --no-build-isolation --no-deps .
```
"""


def exit_status(is_check, remarks, rows):
    """0; 1 where a person must look at something and only a report was asked for, or where results differ."""
    if is_check:
        return int(any(remark.kind == "look" for remark in remarks))
    return int(any(row.outcome == "different" for row in rows))


def as_json(conversion, rows, status, is_written):
    result = conversion.result
    return json.dumps(
        {
            "project": str(result.project),
            "folder": str(result.folder) if is_written else None,
            "package": result.package,
            "extensions": list(result.extensions),
            "build_files": list(result.build_files),
            "files": {content.old: new for new, content in conversion.contents.items() if content.old},
            "added": [new for new, content in conversion.contents.items() if not content.old],
            "changed": {path: changed_lines(*texts) for path, texts in conversion.changed.items()},
            "functions": [function._asdict() for function in result.functions],
            "remarks": [remark._asdict() for remark in result.remarks],
            "comparison": [row._asdict() for row in rows],
            "plain_c": [function._asdict() for function in conversion.plain_c],
            "counts": _counts(result.remarks),
            "exit_status": status,
        },
        indent=2,
    )


def needs_run(project, error, is_json):
    """What ``--check`` says where a build file would have to be run. error: the literal.NeedsRun."""
    message = f"its arguments are computed ({error}): needs a run, which modernize without --check does in a copy"
    remark = Remark(error.path, error.line, "needs-run", message, "look")
    if is_json:
        counts = _counts([remark])
        found = {"project": str(project), "remarks": [remark._asdict()], "counts": counts, "exit_status": 1}
        return json.dumps(found, indent=2)
    return "to look at:\n" + one_line(f"  {_place(remark)}: {remark.rule}: {remark.message}")


def as_text(conversion, rows, is_written):
    """For a terminal: a line for each file, what is left, what to do next."""
    result, lines = conversion.result, []
    for new, content in conversion.contents.items():
        if content.old in conversion.changed:
            removed, added = changed_lines(*conversion.changed[content.old])
            moved = f"{content.old} -> {new}" if content.old != new else new
            lines.append(f"{moved}: {_many(removed, 'line')} become{'s' * (removed == 1)} {added}")
        elif content.old is None:
            lines.append(f"{new}: new")
        elif content.old != new:
            lines.append(f"{content.old} -> {new}")
    for kind, title in (("look", "to look at:"), ("hint", "hints:")):
        found = [remark for remark in result.remarks if remark.kind == kind]
        lines += (
            ["", title, *(f"  {_place(remark)}: {remark.rule}: {remark.message}" for remark in found)] if found else []
        )
    if rows:
        lines += [
            "",
            "old and new on the same inputs:",
            *(f"  {row.function}: {row.outcome}{_detail(row)}" for row in rows),
        ]
    lines += ["", summary(conversion)]
    if is_written:
        folder = shell_word(result.folder)
        lines.append(f"written: {folder}; MODERNIZED.md there lists everything")
        build = f'pip install "{SETUPTOOLS}" && pip install --no-build-isolation --editable .'
        lines.append(f"next: cd {folder} && {build} && python -m pytest")
    return "\n".join(map(one_line, lines))


def summary(conversion):
    """One line with the counts."""
    result, changed = conversion.result, [changed_lines(*texts) for texts in conversion.changed.values()]
    counts = _counts(result.remarks)
    old = sum(removed for removed, _ in changed)
    return (
        f"package {result.package}: {_many(old, 'line')} in {_many(len(changed), 'file')} changed, "
        f"{counts['look']} to look at, {_many(counts['hint'], 'hint')}"
    )


def page(conversion, rows):
    """The text of MODERNIZED.md."""
    result = conversion.result
    parts = [
        PAGE.format(
            package=result.package, project=one_line(result.project.name), version=__version__, setuptools=SETUPTOOLS
        )
    ]
    parts.append(_section("Look at these", [_item(each) for each in result.remarks if each.kind == "look"],
                          "Nothing is left that modernize could not decide."))  # fmt: skip
    if rows:
        table = ["| function | old and new | |", "| --- | --- | --- |"]
        table += [f"| `{row.function}` | {row.outcome} | {_cell(row.detail)} |" for row in rows]
        text = (
            "Both projects were built here and called with the same random inputs; outputs and gradients were compared."
            if any(row.outcome != "not compared" for row in rows)
            else "No function was compared."
        )
        parts.append(_section("The old project and this one", [text, "", *table]))
    moved = [(each.old, new) for new, each in conversion.contents.items() if each.old and each.old != new]
    if moved:
        table = ["| in the old project | here |", "| --- | --- |", *(f"| `{old}` | `{new}` |" for old, new in moved)]
        parts.append(_section("Files that moved", table))
    parts.append(_section("What was done", _by_file([each for each in result.remarks if each.kind == "done"])))
    hints = [_item(each) for each in result.remarks if each.kind == "hint"]
    parts += [_section("Hints", hints)] if hints else []
    if conversion.plain_c:
        parts.append(_plain_c(conversion.plain_c))
    return "\n".join(parts)


def _plain_c(functions):
    """The section about C functions that could do without TH."""
    text = [
        "These functions read only sizes and elements of their tensors, so they can take pointers and sizes in",
        "place of TH tensors, and need neither TH nor `th=True` then. The prototype has the words of",
        "torchthaw/annotate.h, by which torchthaw checks each call. The caller allocates the outputs, and tensors must",
        "be contiguous. What is to be decided by hand is marked in a comment.",
    ]
    for each in functions:
        text += ["", f"`{each.path}:{each.line}`", "", "```c", *each.prototype.split("\n"), "```"]
    return _section("C functions that can leave TH", text)


def _section(title, lines, otherwise=""):
    return f"## {title}\n\n" + "\n".join(map(one_line, lines or [otherwise])) + "\n"


def _item(remark):
    return f"- `{_place(remark)}`: {remark.message} ({remark.rule})"


def _by_file(remarks):
    """A list with each file once, and each message with the lines that it is about."""
    lines, files = [], {}
    for remark in remarks:
        files.setdefault(remark.path, {}).setdefault((remark.rule, remark.message), []).append(remark.line)
    for path, messages in files.items():
        lines.append(f"- `{path or 'the project'}`")
        for (rule, message), numbers in messages.items():
            numbers = sorted({number for number in numbers if number})
            where = f"line{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}: " if numbers else ""
            lines.append(f"  - {where}{message} ({rule})")
    return lines


def _place(remark):
    return f"{remark.path}:{remark.line}" if remark.line else remark.path or "the project"


def _detail(row):
    return f": {row.detail}" if row.detail else ""


def _cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def _counts(remarks):
    counts = Counter(remark.kind for remark in remarks)
    return {kind: counts[kind] for kind in KINDS}


def _many(count, noun):
    return f"{count} {noun}{'' if count == 1 else 's'}"

"""torchthaw/modernize/python: the Python files of an old project, as PyTorch alone runs them today.

Each file goes through the same steps: Python 3 by what the doctor is certain of (python3.py), tensors that are resized
through ``.data`` (owners.py), Variables and renamed names (variables.py, names.py, values.py), autograd Functions and
their calls (supers.py, outputs.py, functions.py), imports (imports.py); last come comments beside what a person must
look at (marks.py).

ImportError where LibCST is not installed.
"""

from ...base import extras

extras.require("libcst", "modernize")

from ...extension.progress import Progress  # noqa: E402
from ..imports import old_name_of  # noqa: E402
from ..remarks import FunctionClass  # noqa: E402
from . import classes, functions, imports, marks, names, outputs, owners, python3, supers, values, variables  # noqa: E402
from .calls import find_sites  # noqa: E402
from .project import Project  # noqa: E402

MANY = 100  # files; converting more takes so long that a pipe is told, too


def convert(texts, modules, resized=None):
    """({path: new text}, [Remark], [FunctionClass]) of a project's Python files, all of them at once.

    texts: {path in the old project: its text}. modules: {old dotted module name: new dotted module name}; what it
    names and ``texts`` lacks is an extension. resized: what c_resizes.find gives. The lines of remarks are those of the
    old texts.
    """
    project = Project(texts, modules)
    with Progress(text="modernize: converting Python files", tells_pipes=len(texts) >= MANY) as progress:
        found = _converted(project, resized or {}, progress)
    remarks = [remark for file in project.files.values() for remark in sorted(file.remarks, key=lambda each: each.line)]
    return {path: file.text for path, file in project.files.items()}, remarks, found


def _converted(project, resized, progress):
    """The FunctionClass of each Function; changes the files of ``project``."""

    def files():
        """Each file that may be changed, counted for the progress."""
        count = len(project.changeable)
        for index, file in enumerate(project.changeable, 1):
            progress.read(f"[{index}/{count}] ")
            yield file

    python3.change(project)
    for file in files():
        owners.change(project, file, resized)
    for file in files():
        variables.change(project, file)
        names.change(file)
        values.change(file)
    supers.change(project)
    outputs.change(project)
    definitions = classes.find_definitions(project)
    found = [_described(project, each) for each in definitions.values()
             if not (each.problem or each.scope) and each.method("forward")[1] is not None]  # fmt: skip
    sites = {file.path: find_sites(project, definitions, file) for file in project.changeable}
    changes = [
        functions.FunctionChange(file, [each for each in definitions.values() if each.file is file], sites[file.path])
        for file in project.changeable
    ]
    # Each is made from the texts as they are before all of them.
    for file, text in [(change.file, change.changed()) for _, change in zip(files(), changes)]:
        file.update(text)
    for file in files():
        imports.change(project, file)
    python3.look(project)
    for file in project.changeable:
        marks.write(file)
    return found


def _described(project, definition):
    return FunctionClass(
        project.new_name(old_name_of(definition.file.path)),
        definition.name,
        tuple(each.name for each in definition.tensors),
        tuple(each.star + each.name for each in definition.constants),
        definition.calls,
        definition.file.path,
        definition.file.old_line(definition.line),
    )

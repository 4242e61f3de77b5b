"""torchthaw/modernize/conversion.py: from an old project, read, to the contents of the new one, in memory."""

import os
import re
from pathlib import Path
from typing import NamedTuple

from ..doctor.examine import Examination
from ..doctor.project import is_python, kind
from ..doctor.rules import C
from . import c_functions, c_resizes, old_tests, recording
from .built import extensions
from .layout import plan
from .packaging import pyproject, scripts, setup_file
from .packaging.package import MANIFEST, READMES, Package
from .project import Project, Refused
from .remarks import Remark
from .result import Result
from .writing import Content

# A build file with extensions of torch.utils.cpp_extension: its import, and setup.
CPP_SETUP = [re.compile(word) for word in (r"\bcpp_extension\b", r"\b(?:Cpp|CUDA)Extension\b", r"\bsetup\s*\(")]


class Conversion(NamedTuple):
    """contents: {path in the new project: writing.Content}. plain_c: the c_functions.Plain functions.

    changed: {path in the old project: (its text, the new one)} of the files that were edited.
    result: the Result; its folder is where the contents are to be written.
    """

    project: Project
    contents: dict
    changed: dict
    plain_c: list
    result: Result


def convert(path, folder, chosen=(), limit=60, may_run=True):
    """The Conversion of the project at ``path`` for the result ``folder``. Refused; literal.NeedsRun if a build file
    must be run and may not be.
    """
    project = Project(path)
    remarks = list(project.remarks)
    build_files = recording.find(project, chosen)
    recordings = [recording.record(project, name, remarks, limit, may_run) for name in build_files]
    setup_path, setup = _setup(project, recordings, remarks, limit, may_run)
    texts = {name: project.text(name).text for name in project.files if scripts.is_script(name) and project.text(name)}
    commands = [(each.path, command) for each in recordings for command in each.commands]
    compiled = scripts.compiled(project, texts, commands, remarks)
    found = extensions(project, recordings, compiled, remarks)
    dropped = _dropped(project, build_files, setup_path, texts, remarks)
    owner = pyproject.of(project)
    name = (owner.name if owner else "") or (setup or {}).get("name")
    layout = plan(project, found, name if isinstance(name, str) else "", dropped, remarks)
    needs_torch = any(each.is_optional for each in found)
    package = Package(project, layout, setup, setup_path or build_files[0], owner, needs_torch, remarks)
    contents = {path: Content(text.encode()) for path, text in layout.added.items()}
    contents["setup.py"] = Content(setup_file.text(found, layout.extensions).encode())
    made_of = {}
    for path, text in {pyproject.NAME: package.pyproject(), MANIFEST: package.manifest()}.items():
        contents[path] = _made_of(project, path, text, made_of, remarks)
    run_as_scripts = old_tests.scripts(project, layout)
    if run_as_scripts:
        contents["tests/test_scripts.py"] = Content(old_tests.text(run_as_scripts).encode())
    _name_old_commands(project, layout, dropped, remarks)
    _name_cpp_extensions(project, dropped, remarks)
    changed, functions = _carried(project, layout, contents, c_resizes.find(project, found), remarks)
    changed.update(made_of)
    remarks.sort(key=lambda remark: (remark.path, remark.line))
    result = Result(
        project.root, Path(folder), layout.package, layout.extensions, tuple(each.name for each in found),
        tuple(build_files), layout.modules, functions, remarks, c_functions.of_gpus(project, found),
        layout.roots,
    )  # fmt: skip
    return Conversion(project, contents, changed, c_functions.find(project, found), result)


def _made_of(project, path, text, changed, remarks):
    """The Content of a new file that has the text of the old one of its name in it, where there is one: then ``changed``
    has both texts."""
    source = project.text(path) if path in project.files else None
    if source is None:
        return Content(text.encode())
    changed[path] = source.text, text
    return Content(_encoded(path, source, text, remarks), False, path)


def _setup(project, recordings, remarks, limit, may_run):
    """(path, keywords) of the setup.py; (None, None) without one."""
    for each in recordings:
        if each.setup is not None:
            return each.path, each.setup
    folders = dict.fromkeys(["", *(os.path.dirname(each.path) for each in recordings)])
    for folder in folders:
        path = os.path.join(folder, "setup.py")
        if path in project.files:
            try:
                keywords = recording.record(project, path, remarks, limit, may_run).setup
            except Refused as error:
                remarks.append(Remark(path, 0, "setup", f"it was not read: {error}; see pyproject.toml", "look"))
                keywords = None
            return path, _complete(project, path, keywords, remarks, limit, may_run)
    return None, None


def _complete(project, path, keywords, remarks, limit, may_run):
    """The keywords of setup, where its file must be run for name or version that are not literal."""
    text = project.text(path).text
    if (
        keywords is not None
        and ("name" in keywords or "name" not in text)
        and ("version" in keywords or "version" not in text)
    ):
        return keywords
    if not may_run:
        remarks.append(Remark(path, 0, "needs-run", "its name or version is computed: needs a run", "look"))
        return keywords or {}
    try:
        ran = recording.run(project, path, limit).setup
    except Refused as error:
        remarks.append(Remark(path, 0, "setup", f"name and version are not known: {error}", "look"))
        return keywords or {}
    message = "what it tells setup is computed: it was run in a copy, with a setup that only records"
    remarks.append(Remark(path, 0, "build-run", message, "done"))
    return ran or {}


def _dropped(project, build_files, setup_path, texts, remarks):
    """The paths of files that the new build replaces."""
    dropped = [*build_files, *([setup_path] if setup_path else []), MANIFEST]
    for path in dict.fromkeys(dropped[:-1]):
        remarks.append(Remark(path, 0, "build-file", "replaced by setup.py and pyproject.toml", "done"))
    if pyproject.NAME in project.files:  # the new one is made of it
        dropped.append(pyproject.NAME)
    if "setup.cfg" in project.files:
        remarks.append(
            Remark("setup.cfg", 0, "package", "it stays, and setuptools reads it beside pyproject.toml", "look")
        )
    if "setup.py" in project.files and "setup.py" not in dropped:
        dropped.append("setup.py")
    for path, text in texts.items():
        if scripts.builds(text, build_files):
            others = scripts.not_understood(text)
            if others:
                line, command = others[0]
                message = f"left out: pip builds the extension now; this line and perhaps others do more: {command}"
                remarks.append(Remark(path, line, "build-script", message, "look"))
            else:
                remarks.append(Remark(path, 0, "build-script", "left out: pip builds the extension now", "done"))
            dropped.append(path)
    return dropped


def _name_cpp_extensions(project, dropped, remarks):
    """Says which build files make C++ extensions, of which the new setup.py has none."""
    for path in project.files:
        text = project.text(path) if is_python(path) else None
        if text and all(word.search(text.text) for word in CPP_SETUP):
            message = "builds C++ extensions, and the new setup.py does not: run it too"
            if path in dropped:
                message = (
                    "built C++ extensions by torch.utils.cpp_extension, and the new setup.py does not: put what it "
                    "built in a setup.py of its own, in another folder"
                )
            remarks.append(Remark(path, 0, "cpp-extension", message, "look"))


def _name_old_commands(project, layout, dropped, remarks):
    """Says where a README names files that the result does not have any more."""
    names = (os.path.basename(path) for path in dropped)
    gone = "|".join(re.escape(name) for name in names if name not in ("setup.py", pyproject.NAME))
    for path in layout.files:
        text = project.text(path) if os.path.basename(path) in READMES else None
        for number, line in enumerate(text.text.split("\n"), 1) if text else ():
            found = re.search(rf"(?<![\w.-])(?:{gone})(?![\w-])", line)
            if found:
                message = f"it names {found[0]}, which is no more; pip builds the extension: see MODERNIZED.md"
                remarks.append(Remark(path, number, "old-commands", message, "look"))


def _carried(project, layout, contents, resized, remarks):
    """Adds the files of the old project to ``contents``; returns ({path: (old text, new text)}, functions)."""
    texts = {old: project.text(old) for old in layout.files if is_python(old)}
    texts = {old: source for old, source in texts.items() if source is not None}
    converted, found, functions = _converter()(
        {old: each.text for old, each in texts.items()}, dict(layout.modules), resized
    )
    remarks += found
    edited = {**converted, **_edited_c(project, layout, remarks)}
    changed = {}
    for old, new in layout.files.items():
        file, source = project.files[old], project.text(old) if old in edited else None
        data = file.data()
        if source is not None and (edited[old] != source.text or not source.declared):
            data = _encoded(old, source, edited[old], remarks)
            if edited[old] != source.text:
                changed[old] = source.text, edited[old]
        contents[new] = Content(data, file.is_program, old)
    return changed, functions


def _converter():
    try:
        from .python import convert
    except ImportError as error:
        raise Refused(str(error)) from None
    return convert


def _encoded(path, source, text, remarks):
    """The bytes of an edited text: as it was encoded, and UTF-8 where nothing said how that is."""
    message, kind = "its bytes are no UTF-8 and it names no encoding: Latin-1, now UTF-8", "done"
    if source.declared or not is_python(path):
        try:
            return source.encoded(text)
        except UnicodeEncodeError:
            message = f"it is UTF-8 now, since {source.encoding} has no such character"
            message, kind = message + "; see its first lines" * is_python(path), "look"
    remarks.append(Remark(path, 0, "encoding", message, kind))
    return text.encode()


def _edited_c(project, layout, remarks):
    """{path: text} of C and CUDA files with the edits that the doctor demands; what it cannot edit is said."""
    found = {}
    for report in Examination(project.root).reports:
        if report.path not in layout.files or kind(report.path) != C or report.text is None:
            continue
        for finding in report.findings:
            is_done = finding.certain and finding.effect == "edit"
            asks = {"edit": "done" if is_done else "look", "check": "hint"}.get(finding.effect)
            if asks:
                remarks.append(Remark(report.path, finding.line, finding.rule, finding.message, asks))
        if report.edited != report.text and any(each.effect == "edit" and each.certain for each in report.findings):
            found[report.path] = report.edited
    return found

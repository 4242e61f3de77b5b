"""torchthaw/doctor/reading/commands.py: the command that builds a project."""

import re
from pathlib import Path

from ...base.printing import shell_word
from ..project import kind, named_files
from ..rules import PYTHON

RUN, ALONE = "python -m torchthaw run", "python"
LOAD = re.compile(r"\bload(?:_inline)?\(")


def build_command(examination, run=RUN):
    """The command line that builds every extension of the project; empty where nothing builds one.

    run: RUN, or ALONE where PyTorch builds all without torchthaw.
    SCRIPT stands for what a user runs, where extensions are compiled as they are loaded.
    """
    project = examination.project
    scripts = []
    for build_file in examination.build_files:
        setup = _setup_of(project, build_file)
        scripts.append((setup, " build_ext --inplace") if setup else (build_file.file, ""))
    scripts += [
        (file, " build_ext --inplace") for file in sorted(examination.builds.of_torch) if file.name == "setup.py"
    ]
    commands = list(dict.fromkeys(_command(file, arguments, run) for file, arguments in scripts))
    if len(commands) > 1:
        commands = [f"({command})" if command.startswith("cd ") else command for command in commands]
    loading = [file.name for file in sorted(examination.builds.of_torch) if LOAD.search(project.python[file])]
    if not commands and loading:
        return f"{run} SCRIPT, which imports {' or '.join(loading)}"
    return " && ".join(commands)


def _setup_of(project, build_file):
    """The setup.py whose cffi_modules name the build file, or that builds it where it does not do that itself."""
    builds_itself = re.search(r"\.build\(", build_file.tree.code)
    for file, text in project.texts.items():
        if kind(file) != PYTHON or file == build_file.file:
            continue
        named = re.findall(r"['\"]([^'\":]+\.py):\w+['\"]", text) if "cffi_modules" in text else []
        if build_file.file.resolve() in named_files(file.parent, named):
            return file
        if not builds_itself and file.name == "setup.py" and re.search(rf"\b{build_file.file.stem}\b", text):
            return file
    return None


def _command(file, arguments, run):
    """Runs ``file`` in its own folder, which relative paths in build files start from."""
    folder = "" if file.parent.resolve() == Path.cwd() else f"cd {shell_word(file.parent)} && "
    return f"{folder}{run} {shell_word(file.name)}{arguments}"

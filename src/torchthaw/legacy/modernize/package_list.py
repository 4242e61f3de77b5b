"""torchthaw/legacy/modernize/package_list.py: the packages that an old setup.py installs besides those of extensions."""

import ast
import fnmatch
import os

from ..doctor.tree import TooDeep, parse
from .layout import TEST_FOLDERS
from .recording import python3


def packages_of(package):
    """{top-level package: the folder of the new project that it is in} of setup()'s ``packages``, for a Package."""
    setup, files = package.setup, package.layout.files
    folders = setup.get("package_dir") or {}
    if not isinstance(folders, dict) or set(folders) - {""}:
        package.say(f"package_dir={folders!r}: see whether pyproject.toml names all packages", "look")
        folders = {}
    base = os.path.normpath(os.path.join(os.path.dirname(package.path), folders.get("", "")))
    prefix = "" if base == "." else f"{base}/"
    given = setup.get("packages")
    if isinstance(given, (list, tuple)):
        tops = dict.fromkeys(str(name).partition(".")[0] for name in given)
    else:
        tops = _found(package.project, package.path, prefix)
    made = {}
    for top in (each for each in tops if each not in TEST_FOLDERS):
        new = files.get(f"{prefix}{top}/__init__.py")
        if new and not new.startswith("tests/"):
            folder = os.path.dirname(new)
            made[os.path.basename(folder)] = os.path.dirname(folder) or "."
        elif not new and isinstance(given, (list, tuple)) and package.project.has_folder(f"{prefix}{top}"):
            package.say(f"packages: {top} has no __init__.py, so it is not installed", "look")
    return made


def _found(project, path, prefix):
    """The names that ``find_packages(exclude=...)`` of a setup.py finds at the top, as far as it can be read."""
    source = project.text(path) if path in project.files else None
    try:
        tree = parse(python3(source.text) or "") if source else ast.Module([], [])
    except (SyntaxError, TooDeep):
        return ()
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _last(node.func) == "find_packages"]
    excluded = [_texts(each.value) for call in calls for each in call.keywords if each.arg == "exclude"]
    if not calls or any(call.args for call in calls) or None in excluded:
        return ()
    tops = {name[len(prefix) :].partition("/")[0] for name in project.below(prefix.rstrip("/"))
            if name.endswith("/__init__.py") and name[len(prefix) :].count("/") == 1}  # fmt: skip
    patterns = [pattern for each in excluded for pattern in each]
    return [top for top in sorted(tops) if not any(fnmatch.fnmatchcase(top, each) for each in patterns)]


def _last(node):
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)


def _texts(node):
    """The texts of a literal list; None for anything else."""
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    value = [value] if isinstance(value, str) else value
    return value if isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value) else None

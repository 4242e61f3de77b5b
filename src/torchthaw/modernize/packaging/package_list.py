"""torchthaw/modernize/packaging/package_list.py: the packages that an old setup.py installs besides those of extensions."""

import ast
import fnmatch
import os

from ...doctor.reading.tree import TooDeep, parse
from ..layout import TEST_FOLDERS
from ..recording import python3

FINDERS = ("find_packages", "find_namespace_packages")
ARGUMENTS = ("where", "exclude", "include")


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
        tops, prefix = _found(package, prefix)
    made = {}
    for top in (each for each in tops if each not in TEST_FOLDERS):
        new = files.get(f"{prefix}{top}/__init__.py")
        if new and not new.startswith("tests/"):
            folder = os.path.dirname(new)
            made[os.path.basename(folder)] = os.path.dirname(folder) or "."
        elif not new and isinstance(given, (list, tuple)) and package.project.has_folder(f"{prefix}{top}"):
            package.say(f"packages: {top} has no __init__.py, so it is not installed", "look")
    return made


def _found(package, prefix):
    """(the names that ``find_packages(...)`` of a setup.py finds at the top, the folder where), as far as it says.

    What cannot be read is remarked.
    """
    project, path = package.project, package.path
    source = project.text(path) if path in project.files else None
    try:
        tree = parse(python3(source.text) or "") if source else ast.Module([], [])
    except (SyntaxError, TooDeep):
        return (), prefix
    stated = _stated(tree)
    call = next((node for node in ast.walk(tree) if isinstance(node, ast.Call) and _last(node.func) in FINDERS), None)
    named = dict(zip(ARGUMENTS, call.args)) | {each.arg: each.value for each in call.keywords} if call else {}
    given = {name: _texts(value) for name, value in named.items()}
    is_read = call is not None and None not in given.values() and given.keys() <= set(ARGUMENTS)
    if stated is not None and not (is_read and stated is call):
        package.say(f"packages={ast.unparse(stated)}: see whether pyproject.toml names all packages", "look")
    if not is_read:
        return (), prefix
    if "where" in given:
        where = os.path.normpath(os.path.join(os.path.dirname(path), given["where"][0]))
        prefix = "" if where == "." else f"{where}/"
    tops = {name[len(prefix) :].partition("/")[0] for name in project.below(prefix.rstrip("/"))
            if name.endswith("/__init__.py") and name[len(prefix) :].count("/") == 1}  # fmt: skip
    included, excluded = ["*"] if "include" not in given else given["include"], given.get("exclude", ())
    return [top for top in sorted(tops) if _fits(top, included) and not _fits(top, excluded)], prefix


def _fits(name, patterns):
    return any(fnmatch.fnmatchcase(name, each) for each in patterns)


def _stated(tree):
    """The expression that setup() is given as ``packages``, also by a variable that is assigned once; None without."""
    found = [each.value for node in ast.walk(tree) if isinstance(node, ast.Call) and _last(node.func) == "setup"
             for each in node.keywords if each.arg == "packages"]  # fmt: skip
    if len(found) == 1 and isinstance(found[0], ast.Name):
        made = [node.value for node in ast.walk(tree) if isinstance(node, ast.Assign)
                and any(getattr(target, "id", None) == found[0].id for target in node.targets)]  # fmt: skip
        return made[0] if len(made) == 1 else found[0]
    return found[0] if found else None


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

"""torchthaw/modernize/layout.py: where each file of an old project goes, and what its modules are called."""

import keyword
import os
import re
import sys
from typing import NamedTuple

from ..doctor.project import is_python
from .imports import WRAPPER, Module, closure, old_name_of
from .project import Refused
from .remarks import Remark

COMPILED = (".o", ".obj", ".so", ".pyd", ".dylib", ".cuo")
TEST = re.compile(r"(?:tests?|test_\w+|\w+_tests?)\.py$")
TEST_FOLDERS = {"test", "tests"}
TAKEN = {"torch", "torchthaw", "torchvision", "numpy", "tests", "test", "setup", "build", "src"}


class Layout(NamedTuple):
    """package: the import name. extensions: their dotted names, in order. roots: the folders that packages start in.

    files: {path in the old project: in the new one} of all that is carried over. added: {path: text} of new files.
    modules: as in Result. tests: the paths of the Python files in the old project that are tests.
    """

    package: str
    extensions: tuple
    roots: tuple
    files: dict
    added: dict
    modules: dict
    tests: list


def plan(project, extensions, setup_name, dropped, remarks):
    """The Layout. setup_name: what setup.py calls the project, or "". dropped: paths that have no place in it."""
    return Planner(project, extensions, setup_name, dropped, remarks).layout()


class Planner:
    def __init__(self, project, extensions, setup_name, dropped, remarks):
        self.project, self.given, self.dropped, self.remarks = project, extensions, set(dropped), remarks
        self.setup_name = setup_name
        self.modules = {}
        for name in project.files:
            if is_python(name) and name not in self.dropped and project.text(name):
                self.modules[name] = Module(project.text(name).text)
        self.linked = {name for extension in extensions for name in extension.files("extra_objects")}
        self.linked |= {
            name for extension in extensions for folder in extension.files("library_dirs")
            for flag in extension.files("extra_link_args") for name in project.files
            if flag.startswith("-l:") and name == os.path.normpath(os.path.join(folder, flag[3:]))
        }  # fmt: skip
        self.linked |= {
            name for extension in extensions for folder in extension.files("library_dirs")
            for library in extension.files("libraries") for name in project.files
            if name.startswith(f"{'' if folder == '.' else folder + '/'}lib{library}.")
        }  # fmt: skip

    def layout(self):
        self.moves = {}  # {folder or file of the old project: its place in the new one}
        self.added, self.names, loose = {}, {}, {}
        for extension in self.given:
            if self.is_in_a_package(extension):
                self.names[extension.key] = self.dotted(extension.base) + extension.name
            else:
                loose.setdefault(extension.base, []).append(extension)
        for base, extensions in loose.items():
            self.gather(base, extensions)
        self.check_names()
        tests = self.tests()
        self.generated = {path for each in self.given for path in self.of_extension(each)}
        files = {name: self.place(name) for name in self.project.files if self.is_kept(name)}
        roots = tuple(dict.fromkeys(self.root_of(extension) for extension in self.given))
        names = tuple(self.names[extension.key] for extension in self.given)
        self.add_inits(files, names, roots)
        package = names[0].partition(".")[0]
        tests = [name for name in tests if name in files and name in self.modules]
        return Layout(package, names, roots, files, self.added, self.module_names(files, roots), tests)

    # Packages

    def has_init(self, folder):
        return f"{folder}/__init__.py" in self.project.files

    def import_root(self, folder):
        """The nearest folder above that is no package."""
        while folder and self.has_init(folder):
            folder = os.path.dirname(folder)
        return folder

    def dotted(self, folder):
        """``model.roi_align.`` for the folder lib/model/roi_align, where lib is no package; "" for lib."""
        inside = os.path.relpath(folder or ".", self.import_root(folder) or ".")
        return "" if inside == "." else inside.replace("/", ".") + "."

    def is_in_a_package(self, extension):
        """Whether an extension goes into a package that is there."""
        if extension.base and self.has_init(extension.base):
            return True
        first, *rest = extension.name.split(".")
        folder = os.path.join(extension.base, first)
        own = os.path.join(extension.base, *extension.name.split("."))
        return bool(rest) and not first.startswith("_") and any(
            is_python(name) and os.path.dirname(name) != own and not name.startswith(f"{folder}/_ext/")
            for name in self.project.below(folder)
        )  # fmt: skip

    def check_names(self):
        """Refuses two packages of one name, of which one alone could be imported."""
        owners = {}
        for each in self.given:
            name, root = self.names[each.key].partition(".")[0], self.root_of(each)
            first, owner = owners.setdefault(name, (root, each))
            if first != root or self.names[owner.key] == self.names[each.key] and owner is not each:
                raise Refused(
                    f"PROJECT: expected packages of different names, got {name} of {owner.path} and of {each.path}; "
                    "--build chooses one"
                )

    def root_of(self, extension):
        base = self.import_root(extension.base)
        return base or "."

    def gather(self, base, extensions):
        """Plans a package for what uses the extensions of one build folder outside of any package."""
        prefix = f"{base}/" if base else ""
        units = self.units(prefix)
        tops = {extension.name.partition(".")[0] for extension in extensions}
        seeds = [
            unit
            for unit, modules in units.items()
            if any(module.needs(top) or module.needs_below("_ext") for module in modules for top in tops)
        ]
        libraries = [
            unit
            for unit, modules in units.items()
            if f"{prefix}{unit}.py" not in self.modules or modules[0].only_defines
        ]
        together = closure(units, seeds, libraries)
        package = self.package_name(extensions, {unit for unit in units if unit not in together}, prefix)
        for unit in together:
            is_folder = f"{prefix}{unit}.py" not in self.modules
            old = prefix + unit + ("" if is_folder else ".py")
            self.moves[old] = f"{prefix}{package}/{unit}" + ("" if is_folder else ".py")
        if f"{prefix}__init__.py" in self.modules:
            self.moves[f"{prefix}__init__.py"] = f"{prefix}{package}/__init__.py"
        for extension in extensions:
            self.names[extension.key] = f"{package}._ext.{extension.name.rpartition('.')[2]}"
            if self.names[extension.key] != extension.name:
                message = f"the extension {extension.name} is {self.names[extension.key]} in the new package"
                self.remarks.append(Remark(extension.path, extension.line, "layout", message, "done"))
        self.say_moved(base, together, package)

    def say_moved(self, base, together, package):
        if together:
            names = ", ".join(sorted(together))
            self.remarks.append(Remark(base, 0, "layout", f"{names}: moved into the package {package}", "done"))

    def units(self, prefix):
        """{top-level package or module below ``prefix``: [Module of each file]}, without scripts and tests."""
        found = {}
        for name, module in self.modules.items():
            if not name.startswith(prefix):
                continue
            first, _, rest = name[len(prefix) :].partition("/")
            if first in TEST_FOLDERS or first.startswith("_") or not first.removesuffix(".py").isidentifier():
                continue
            if rest or not (TEST.match(first) or module.is_script or not module.has_names):
                found.setdefault(first.removesuffix(".py"), []).append(module)
        return found

    def package_name(self, extensions, staying, prefix):
        """What the new package is called: as in setup.py, as the extension, or as the folder."""
        last = [extension.name.rpartition(".")[2] for extension in extensions]
        folder = os.path.basename(prefix.rstrip("/")) or self.project.root.name
        named = {each.partition(".")[0] for each in self.names.values()}
        of_all = last if len(last) == 1 else [folder, *last]
        for name in [self.setup_name, *of_all, f"{last[0]}_package"]:
            name = re.sub(r"\W+", "_", name)
            is_free = name not in TAKEN | staying | named | set(sys.stdlib_module_names) and not keyword.iskeyword(name)
            if name.isidentifier() and is_free:
                return name
        return f"{last[0]}_extension"

    # Files

    def tests(self):
        """The paths of old tests, with the moves of all that belongs to them planned."""
        found = []
        for name in sorted(self.project.files, key=lambda name: (name.count("/"), name)):
            folder, base = os.path.split(name)
            first, _, rest = name.partition("/")
            is_test = name in self.modules and TEST.match(base) and not self.modules[name].takes_arguments
            if first in TEST_FOLDERS and rest:
                self.move_test(name, rest)
            elif is_test and not (folder and self.has_init(folder)):
                self.move_test(name, base)
            else:
                continue
            found += [name] if is_test else []
        return found

    def move_test(self, name, rest):
        place, taken = f"tests/{rest}", set(self.moves.values())
        if place in taken:
            folder, base = os.path.split(name)
            folder = folder.removeprefix("tests/")
            stem = f"{base.removesuffix('.py')}_{re.sub(r'[^A-Za-z0-9]', '_', folder)}"
            # Where pytest collects it, names of files must differ; else it must find no name that it collects.
            place = f"tests/{stem}.py" if re.match(r"test_\w+\.py$", base) else f"tests/{folder}/{base}"
        self.moves[name] = place

    def place(self, name):
        """The path of a file in the new project."""
        if name in self.moves:
            return self.moves[name]
        parts = name.split("/")
        for count in range(len(parts) - 1, 0, -1):
            folder = "/".join(parts[:count])
            if folder in self.moves:
                return "/".join([self.moves[folder], *parts[count:]])
        return name

    def of_extension(self, extension):
        """The paths of what an earlier build made of an extension."""
        folder = os.path.join(extension.base, *extension.name.split("."))
        source = self.project.text(f"{folder}/__init__.py") if self.has_init(folder) else None
        if source and WRAPPER.search(source.text):
            found = [f"{folder}/{name}" for name in ("__init__.py", "__init__.pyi")]
            parent = os.path.dirname(folder)
            if os.path.basename(parent) == "_ext" and self.has_init(parent):
                found.append(f"{parent}/__init__.py")
            return found
        return []

    def is_kept(self, name):
        if name in self.dropped:
            return False
        if name in self.generated:
            return False
        if name.endswith(COMPILED) and name not in self.linked:
            self.remarks.append(Remark(name, 0, "compiled-file", "compiled for another time; left out", "done"))
            return False
        return True

    def add_inits(self, files, names, roots):
        """Plans an ``__init__.py`` for each folder of the new packages that has none."""
        there, folders = set(files.values()), set()
        for extension, name in zip(self.given, names):
            parts, root = name.split("."), self.root_of(extension)
            prefix = "" if root == "." else f"{root}/"
            folders |= {prefix + "/".join(parts[:count]) for count in range(1, len(parts))}
        for new in self.moves.values():
            if not new.startswith("tests/"):
                folders |= {os.path.dirname(path) for path in there if path.startswith(f"{new}/") and is_python(path)}
        for folder in sorted(folders):
            path = f"{folder}/__init__.py"
            if path not in there:
                what = "extensions, which the build puts here" if folder.endswith("_ext") else "see MODERNIZED.md"
                self.added[path] = f'"""{os.path.basename(folder)}: {what}."""\n'

    # Names

    def module_names(self, files, roots):
        """{old dotted name: new dotted name} of every module, its packages and the extensions."""
        found, relative = {}, {}
        for old, new in files.items():
            if not is_python(old) or new.startswith("tests/"):
                continue
            new_name = _module(new, self.new_root(new, roots))
            own = self.import_root(os.path.dirname(old))
            for root in dict.fromkeys([own, *self.bases(old), ""]):
                name = _module(old, root) or (old_name_of(old) if not root else "")
                if name and new_name:
                    (found if root == own else relative).setdefault(name, new_name)
        for extension in self.given:
            for prefix in self.prefixes(extension):
                for name, new in self.parts(extension):
                    found[prefix + name] = new
        for extension in self.given:  # from a folder between: imports start there where a script of it is run
            base = extension.base.split("/")
            for start in range(1, len(base)):
                for name, new in self.parts(extension):
                    found.setdefault(".".join([*base[start:], name]), new)
        return {**relative, **found}

    def parts(self, extension):
        """(old name, new name) of an extension and of the package that it is in."""
        new = self.names[extension.key]
        parents = extension.name.rpartition(".")[0], new.rpartition(".")[0]
        return [(extension.name, new), *([parents] if parents[0] else [])]

    def prefixes(self, extension):
        """What stands before the name of an extension in imports: "" only where this name means no other one."""
        same = [each for each in self.given if each.name == extension.name]
        path = extension.base.replace("/", ".") + "." if extension.base else ""
        plain = "" if len(same) == 1 else path
        return dict.fromkeys([plain, self.dotted(extension.base) or plain, path])

    def bases(self, name):
        """The folders of build files above a file: scripts there import by names that start in them."""
        return [each.base for each in self.given if each.base and name.startswith(f"{each.base}/")]

    def new_root(self, name, roots):
        """The folder that the dotted name of a file in the new project starts in."""
        inside = [root for root in roots if root != "." and name.startswith(f"{root}/")]
        return max(inside, key=len) if inside else ""


def _module(path, root):
    """The dotted name of the file ``path`` for imports that start in the folder ``root``; "" for what has none."""
    inside = path[len(root) + 1 :] if root else path
    parts = inside.removesuffix(".py").split("/")
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    return ".".join(parts) if all(part.isidentifier() for part in parts) else ""

"""torchthaw/modernize/python/project.py: the Python files of a project, and what their imports stand for."""

import ast
import re
import sys
from functools import cached_property

from ...doctor.reading.textfile import opcodes
from ...doctor.reading.tree import Tree, parse
from ..imports import WRAPPER, old_name_of
from ..remarks import Remark

# Top-level names that never mean a module of the project that lies in some other folder.
LIBRARIES = {"torch", "torchvision", "numpy", "scipy", "cv2", "PIL", "matplotlib", "six", "tqdm", "yaml", "cffi"}
IMPORTED = re.compile(r"^\s*(?:from|import)\s+(\w+)", re.MULTILINE)


class File:
    """A Python file while it is converted.

    text: as it is by now. lines: [the line of the old file, from 1, that each line of ``text`` was].
    remarks: what was said about it, with lines of the old file. stays: whether nothing of it may be changed.
    is_python2: whether Python 3 could not run it.
    """

    def __init__(self, path, text):
        self.path, self.original, self.text = path, text, text
        self.lines = list(range(1, text.count("\n") + 2))
        self._origins = {}
        self.remarks, self.stays, self.is_python2, self._tree = [], False, False, None

    @property
    def tree(self):
        """The doctor's Tree of ``text``."""
        if self._tree is None or self._tree.text != self.text:
            self._tree = Tree(self.text)
        return self._tree

    def update(self, text):
        """``text`` is what the file holds from now on."""
        if text == self.text:
            return
        lines = []
        for what, first, last, new_first, new_last in opcodes(self.text.split("\n"), text.split("\n")):
            count = new_last - new_first
            if what == "equal" or last - first == count:
                lines += self.lines[first:last]
            else:
                lines += [self.lines[min(first + min(n, max(last - first - 1, 0)), len(self.lines) - 1)]
                          for n in range(count)]  # fmt: skip
        self.text, self.lines, self._origins = text, lines, {}

    def old_line(self, line):
        """The line of the old file, from 1, that a line of ``text`` was, from 1."""
        return self.lines[min(line, len(self.lines)) - 1]

    def remark(self, line, rule, message, kind):
        """About a line of ``text``, from 1; 0: the whole file."""
        remark = Remark(self.path, self.old_line(line) if line else 0, rule, message, kind)
        if remark not in self.remarks:
            self.remarks.append(remark)

    def origin(self, dotted):
        """``torch.autograd.Function`` for ``Function`` as this file imports it; None where it binds it otherwise."""
        if dotted and dotted not in self._origins:
            self._origins[dotted] = self.tree.origin(ast.parse(dotted, mode="eval").body)
        return self._origins.get(dotted)


class Project:
    """All files of a project. modules: {old dotted module name: new dotted module name}."""

    def __init__(self, texts, modules):
        self.files = {path: File(path, text) for path, text in texts.items()}
        self.modules, self._found = modules, {}
        self.by_name = {old_name_of(path): file for path, file in self.files.items()}
        self.extensions = set(modules) - set(self.by_name)
        self.extensions |= {name.rpartition(".")[0] for name in self.extensions} - {""}
        self._known = set(modules) | set(self.by_name)
        self._known |= {
            ".".join(name.split(".")[:end]) for name in self._known for end in range(1, name.count(".") + 1)
        }

    @property
    def changeable(self):
        return [file for file in self.files.values() if not file.stays]

    def old_name(self, file, name):
        """The old dotted name of what ``name`` means in an import of ``file``, which may begin with dots.

        As Python 2 looked for it: beside the file, then from the project's folder, then in any other folder where one
        module alone has this name; before the project's folder in those above the file that are no package, where
        ``sys.path`` may begin, and for an extension in those where it was built. A module has the name of its path.
        None for what is no module of the project, nor inside of one.
        """
        folder = package_of(file.path)
        level = len(name) - len(name.lstrip("."))
        name = name.lstrip(".")
        if level:
            return ".".join([*folder[: len(folder) - level + 1], *([name] if name else [])])
        root, _, _ = name.partition(".")
        if root in LIBRARIES:
            return None
        built = [folder[:end] for end in range(len(folder) - 1, 0, -1)
                 if ".".join([*folder[:end], root]) in self.extensions]  # fmt: skip
        begins = [folder[:end] for end in range(len(folder) - 1, 0, -1)
                  if "/".join([*folder[:end], "__init__.py"]) not in self.files]  # fmt: skip
        for above in (folder, *built, *begins, []):
            if ".".join([*above, root]) in self._known:
                return self._by_path(".".join([*above, name]))
        ends = {known for known in self._known if known.endswith(f".{root}")}
        if len(ends) != 1 or root in sys.stdlib_module_names:
            return None
        return ends.pop() + name[len(root) :]

    def _by_path(self, old):
        """An old name that starts in some folder of the project, by the path of its module."""
        module = self._longest(old, self.modules)
        if module is None or module in self.by_name:
            return old
        return self._of_new.get(self.modules[module], module) + old[len(module) :]

    @cached_property
    def _of_new(self):
        """{new dotted name: the old one of its path}"""
        return {self.modules[name]: name for name in self.by_name if name in self.modules}

    @staticmethod
    def _longest(name, names):
        parts = name.split(".")
        return next((".".join(parts[:end]) for end in range(len(parts), 0, -1) if ".".join(parts[:end]) in names), None)

    def new_name(self, old):
        """The new dotted name of an old one, which may go on inside of a module."""
        module = self._longest(old, self.modules)
        return self.modules[module] + old[len(module) :] if module else old

    def has_moved(self, old):
        """Whether ``modules`` says where it is now."""
        return bool(old) and self._longest(old, self.modules) is not None

    def is_loose(self, old, path):
        """Whether imports in the file ``path`` find it as they did, by ``sys.path``.

        It is where it was, in a folder that is none of the result's packages with an extension.
        """
        new = self.new_name(old)
        first, dot, _ = new.partition(".")
        if not dot or first in self._with_extension or self._longest(new, self.by_name) is None:
            return False
        is_package = f"{first}/__init__.py" in self.files
        return not is_package or not path.startswith(f"{first}/") or first in self._on_path

    @cached_property
    def _with_extension(self):
        """The packages of the result that have an extension."""
        made = {self.modules.get(name, name) for name in self.extensions} - set(self.by_name)
        return {name.partition(".")[0] for name in made}

    @cached_property
    def _on_path(self):
        """The folders whose modules files elsewhere import without the folder's name: they put it on ``sys.path``."""
        found = set()
        for file in self.files.values():
            for name in set(IMPORTED.findall(file.original)):
                first, dot, _ = self.new_name(self.old_name(file, name) or "").partition(".")
                if dot and first != name and not file.path.startswith(f"{first}/"):
                    found.add(first)
        return found

    def module_of(self, old):
        """(the File, the rest) of a dotted name; (None, name) where no file has it."""
        module = self._longest(old, self.by_name)
        return (self.by_name[module], old[len(module) + 1 :]) if module else (None, old)

    def extension_function(self, file, dotted):
        """What ``dotted`` names of an extension in ``file``: "" for the module itself, None for anything else."""
        origin = file.origin(dotted)
        old = origin and self.old_name(file, origin)
        if not old:
            return None
        parts = old.split(".")
        for end in range(len(parts), 0, -1):
            name = ".".join(parts[:end])
            own = self.by_name.get(name)
            if own and not WRAPPER.search(own.original):
                return None
            if name in self.modules and not own or own or parts[max(0, end - 2)] == "_ext" and end > 1:
                return ".".join(parts[end:])
        return None

    def find(self, file, dotted):
        """(File, name) of the top-level definition that ``dotted`` names in ``file``, also through imports of imports.

        None for what no file of the project defines. Definitions keep their names while files change.
        """
        key = file.path, dotted
        if key not in self._found:
            self._found[key] = self._find(file, dotted)
        return self._found[key]

    def _find(self, file, dotted, seen=()):
        if not dotted or (file.path, dotted) in seen:
            return None
        seen = (*seen, (file.path, dotted))
        root, _, rest = dotted.partition(".")
        if not rest and root in defined(file.tree):
            return file, root
        for origin in sorted(file.tree.imports.get(root, ())):
            old = self.old_name(file, origin + (f".{rest}" if rest else ""))
            other, inside = self.module_of(old) if old else (None, None)
            if other and not other.stays and inside:
                found = self._find(other, inside, seen)
                if found:
                    return found
        for node in file.tree.all(ast.ImportFrom):
            if node.names[0].name == "*":
                old = self.old_name(file, "." * node.level + (node.module or ""))
                other, inside = self.module_of(old) if old else (None, None)
                found = other and not other.stays and not inside and self._find(other, dotted, seen)
                if found:
                    return found
        return None


def package_of(path):
    """["functions"] of ``functions/add.py``."""
    return path.split("/")[:-1]


def defined(tree):
    """{name: node} of the classes and functions of a module, also those under ``if`` and ``try``."""
    return {
        node.name: node for node in tree.all(ast.ClassDef, ast.FunctionDef)
        if not any(isinstance(each, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
                   for each in tree.ancestors(node))
    }  # fmt: skip


def parses(text):
    try:
        parse(text)
    except SyntaxError:
        return False
    return True

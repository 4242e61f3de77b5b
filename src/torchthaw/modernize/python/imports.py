"""torchthaw/modernize/python/imports.py: imports of the project's modules by their new names."""

import ast
import re

import libcst as cst
import libcst.matchers as m

from ..imports import old_name_of
from .editing import Change, dotted, expression
from .project import package_of

RULE = "import"
DYNAMIC = re.compile(r"\b(?:import_module|__import__)\b")
IMPORTERS = {"importlib.import_module", "__import__"}


def change(project, file):
    """Gives imports the new names."""
    nodes = file.tree.all(ast.ImportFrom, ast.Import)
    made = ImportChange(project, file)
    for node in nodes:
        _look_at_unknown(project, file, made, node)
    if any(map(made.has_moved, nodes)) or DYNAMIC.search(file.text):
        made.run()


def _look_at_unknown(project, file, made, node):
    """Remarks an import of an extension that may be one of several, or none of the project's."""
    modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
    extensions = [old for old in project.extensions if old in project.modules]
    for name in modules:
        named = [old for old in extensions if old.endswith(f".{name.partition('.')[0]}")]
        is_absolute = not getattr(node, "level", 0)
        is_one_of_several = is_absolute and len(named) > 1 and project.old_name(file, name) is None
        is_unknown = "_ext" in name.split(".") and made.old("." * getattr(node, "level", 0) + name) is None
        if is_unknown or is_one_of_several:
            new = sorted({project.modules[old] for old in extensions if "._ext." in project.modules[old]})
            message = f"which extension {name} means is not known; those of today: {', '.join(new)}"
            file.remark(node.lineno, RULE, message, "look")


class ImportChange(Change):
    """The imports of a file, and the uses of ``a.b.c`` after ``import a.b``."""

    def __init__(self, project, file):
        super().__init__(file)
        self.project = project
        self.roots = {}  # {name bound by a plain import: {old dotted name: new dotted name}}

    def visit_Import(self, node):
        for alias in node.names:
            old = dotted(alias.name)
            new = self._new(old)
            if new and new != old and alias.asname is None:
                self.roots.setdefault(old.partition(".")[0], {})[old] = new

    def _new(self, name):
        """The new dotted name of what an import names; None for what is none of the project's."""
        old = self.old(name)
        return self.project.new_name(old) if old else None

    def old(self, name):
        """Its old dotted name. What lies beside a script or is found by ``sys.path`` stays, unless it has moved."""
        old = self.project.old_name(self.file, name)
        if old and not name.startswith(".") and self.project.is_loose(old, self.file.path):
            return None
        folder = self.file.path.rpartition("/")[0]
        in_package = f"{folder}/__init__.py" in self.project.files
        return old if in_package or old == name or self.project.has_moved(old) else None

    def has_moved(self, node):
        """Whether an import names what has another name today."""
        if isinstance(node, ast.Import):
            return any(self._new(alias.name) not in (None, alias.name) for alias in node.names)
        module = "." * node.level + (node.module or "")
        old = self.old(module)
        if old is None:
            return False
        names = [f"{old}.{alias.name}" if old else alias.name for alias in node.names if alias.name != "*"] or [old]
        return module.startswith(".") or module != old or any(self.project.new_name(name) != name for name in names)

    def leave_Import(self, original, updated):
        aliases, changed = [], False
        for alias, before in zip(updated.names, original.names):
            old = dotted(before.name)
            new = self._new(old)
            if new and new != old:
                changed = True
                alias = alias.with_changes(name=expression(new))
                if before.asname is None and "." not in old:
                    # The name that the file uses stays; a dotted one is written out where it is used.
                    as_name = cst.AsName(name=cst.Name(old), whitespace_before_as=cst.SimpleWhitespace(" "))
                    alias = alias.with_changes(asname=as_name)
            aliases.append(alias)
        if not changed:
            return updated
        self.done(original, RULE, f"{cst.Module([]).code_for_node(original)}: the module's new name")
        return updated.with_changes(names=aliases)

    def leave_Attribute(self, original, updated):
        """``functions.add`` after ``import functions.add``."""
        name = dotted(original)
        root = name.partition(".")[0] if name else None
        known = self.roots.get(root, {})
        if name in known and "." in name and not isinstance(self.parent(original), cst.ImportAlias):
            if not self._in_import(original):
                return expression(known[name]).with_changes(lpar=updated.lpar, rpar=updated.rpar)
        return updated

    def leave_Call(self, original, updated):
        """``import_module("functions.add")`` and ``__import__``, which take absolute names."""
        importer = self.file.origin(dotted(original.func))
        if importer not in IMPORTERS or not updated.args:
            return updated
        arguments = [
            updated.args[0],
            *(each for each in updated.args[1:] if m.matches(each.keyword, m.Name("package"))),
        ]
        if importer != "__import__" and len(arguments) == 1:
            arguments += updated.args[1:2]
        for argument in arguments:
            if m.matches(argument, m.Arg(m.SimpleString(), star="")):
                updated = self._of_literal(original, updated, argument, importer)
            elif argument is updated.args[0]:
                self._look_at_computed(original, argument.value)
        return updated

    def _of_literal(self, original, call, argument, importer):
        old = argument.value.evaluated_value
        new = self.project.new_name(old) if isinstance(old, str) and self.project.has_moved(old) else old
        if new == old:
            return call
        if importer == "__import__":
            names = [*call.args[3:4], *(each for each in call.args if m.matches(each.keyword, m.Name("fromlist")))]
            if not names and ("." in old or len(call.args) > 1):
                message = f"{old} is {new} now, whose first package __import__ gives; import_module gives the module"
                self.look(original, RULE, message)
                return call
            if not names:
                self.needed.add(("importlib", None))
                call = call.with_changes(func=expression("importlib.import_module"))
        literal = argument.value
        literal = literal.with_changes(value=f"{literal.prefix}{literal.quote}{new}{literal.quote}")
        self.done(original, RULE, f"{old}: the module's new name")
        arguments = [each.with_changes(value=literal) if each is argument else each for each in call.args]
        return call.with_changes(args=arguments)

    def _look_at_computed(self, original, value):
        """Remarks a name that is not written out, where it may be that of a module that has moved."""
        package = _beginning(value).rpartition(".")[0]
        moved = {old: new for old, new in self.project.modules.items() if old != new}
        if package and package not in moved or not moved or _beginning(value) and not package:
            return
        now = f"{package} is {moved[package]} now" if package else "modules of the project have other names now"
        self.look(original, RULE, f"the name of the module is computed; {now}")

    def _in_import(self, node):
        while node is not None and not isinstance(node, cst.BaseSmallStatement):
            node = self.parent(node)
        return isinstance(node, (cst.Import, cst.ImportFrom))

    def leave_SimpleStatementLine(self, original, updated):
        """What one import was made of stands on lines of their own."""
        if len(updated.body) == len(original.body):
            return updated
        lines = [cst.SimpleStatementLine([each.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)])
                 for each in updated.body]  # fmt: skip
        lines[0] = lines[0].with_changes(leading_lines=updated.leading_lines)
        lines[-1] = lines[-1].with_changes(trailing_whitespace=updated.trailing_whitespace)
        return cst.FlattenSentinel(lines)

    def leave_ImportFrom(self, original, updated):
        level = len(original.relative)
        module = "." * level + (dotted(original.module) if original.module else "")
        old = self.old(module)
        if old is None:
            return updated
        if isinstance(original.names, cst.ImportStar):
            places = {self._place(module, old, self.project.new_name(old)): None}
        else:
            places = {}
            for alias in updated.names:
                name = alias.name.value
                target = self.project.new_name(f"{old}.{name}" if old else name)
                folder, _, last = target.rpartition(".")
                if last != name:
                    asname = alias.asname or cst.AsName(cst.Name(name))
                    alias = alias.with_changes(name=cst.Name(last), asname=asname)
                places.setdefault(self._place(module, old, folder), []).append(alias)
        if list(places) == [module]:
            return updated
        self.done(original, RULE, f"from {module}: the module's new name")
        made = [self._from(updated, place, aliases) for place, aliases in places.items()]
        return made[0] if len(made) == 1 else cst.FlattenSentinel(made)

    def _place(self, module, old, new):
        """What an import says for the module ``new``: relative names stay where they lead to the same."""
        if module.startswith("."):
            package = package_of(self.project.new_name(self._own_module()).replace(".", "/"))
            level = len(module) - len(module.lstrip("."))
            rest = module.lstrip(".")
            above = package[: len(package) - level + 1]
            return module if ".".join([*above, *([rest] if rest else [])]) == new else new
        return module if new == old == module else new

    def _own_module(self):
        """The old dotted name of the file, by which its package is known; that of a package has one part more."""
        name = old_name_of(self.file.path)
        return f"{name}.__init__" if self.file.path.endswith("__init__.py") else name

    @staticmethod
    def _from(node, place, aliases):
        level = len(place) - len(place.lstrip("."))
        name = place.lstrip(".")
        node = node.with_changes(module=expression(name) if name else None, relative=[cst.Dot()] * level)
        if aliases is None:
            return node
        last = aliases[-1]
        if node.lpar is None:
            last = last.with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return node.with_changes(names=[*aliases[:-1], last])


def _beginning(node):
    """The text that a computed text surely begins with."""
    if isinstance(node, cst.BinaryOperation):
        found = _beginning(node.left)
        return found.partition("%")[0] if isinstance(node.operator, cst.Modulo) else found
    if isinstance(node, cst.Call) and m.matches(node.func, m.Attribute(attr=m.Name("format") | m.Name("join"))):
        return _beginning(node.func.value).partition("{")[0] if node.func.attr.value == "format" else ""
    if isinstance(node, cst.FormattedString):
        return node.parts[0].value if isinstance(node.parts[0], cst.FormattedStringText) else ""
    return node.evaluated_value if isinstance(node, cst.SimpleString) else ""

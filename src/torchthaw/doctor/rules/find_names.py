"""torchthaw/doctor/rules/find_names.py: finds names of Python 2 and of old libraries by what they stand for."""

import ast
import builtins

from .. import kinds
from ..findings import Edit
from .rule import CHECK, Found


def replaced(tree, node, new):
    return (Edit(tree.start(node), tree.end(node), new),)


def put_import(tree, line):
    """The edit that puts an import before the first statement."""
    position = tree.first_statement()
    at_start = position == tree.text.rfind("\n", 0, position) + 1
    return Edit(position, position, line + ("\n" if at_start else "; "))


def is_builtin(tree, name):
    return hasattr(builtins, name.partition("(")[0]) and name not in tree.bound


def is_of_star(tree, project, name):
    """Whether ``name`` may come from ``from six.moves import *`` or a module of the project that binds it."""
    return any(
        star.startswith(("six", "builtins", "past", "future")) or star.rpartition(".")[2] in project.modules
        for star in tree.stars
    )


def builtin_names(table):
    """Names that were built in. table: {name: the built-in name of today, or the import that brings it back}."""

    def find(tree, project):
        imported = set()
        for node in tree.all(ast.Name):
            new = table.get(node.id)
            if new is None or node.id in tree.bound or is_of_star(tree, project, node.id):
                continue
            if tree.is_guarded(node, "name"):
                continue
            if not new.startswith("from "):
                whole = _int_and_long(tree, node)
                yield Found(node, replaced(tree, whole or node, new), is_builtin(tree, new))
            elif node.id not in imported:
                imported.add(node.id)
                edit = put_import(tree, new)
                yield Found(edit.start, (edit,))

    return find


def _int_and_long(tree, node):
    """The tuple ``(int, long)`` that ``node`` stands in."""
    tuple = tree.parents[node]
    if node.id == "long" and isinstance(tuple, ast.Tuple) and tree.source(tuple).startswith("("):
        if [tree.dotted(each) for each in tuple.elts] == ["int", "long"]:
            return tuple


def modules(table, unsure):
    """``import`` of modules with another name. table: {name: the name of today}."""

    def find(tree, project):
        for node in tree.all(ast.Import):
            for alias in node.names:
                new = table.get(alias.name)
                if new is None or alias.name in project.modules or tree.is_guarded(node, "import"):
                    continue
                name = alias.asname or alias.name
                edit = replaced(tree, alias, new if name == new else f"{new} as {name}")
                yield Found(alias, edit, alias.name not in unsure)
        for node in tree.all(ast.ImportFrom):
            new = table.get(node.module)
            if new is None or node.level or node.module in project.modules or tree.is_guarded(node, "import"):
                continue
            start = tree.code.index(node.module, tree.start(node))
            yield Found(node, (Edit(start, start + len(node.module), new),), node.module not in unsure)

    return find


def members(table):
    """``from module import name``, where the name has moved.

    table: {(module, name): another module, ``=builtin``, ``+another name`` in the same module, or None: it is gone}.
    """

    def find(tree, project):
        for node in tree.all(ast.ImportFrom):
            moved = {alias: table.get((node.module, alias.name), "") for alias in node.names}
            if node.level or not any(new != "" for new in moved.values()) or tree.is_guarded(node, "import"):
                continue
            certain = None not in moved.values() and node.lineno == node.end_lineno
            parts = _imports(node, moved) if certain else ()
            yield Found(node, replaced(tree, node, "; ".join(parts)) if certain else ())

    return find


def _imports(node, moved):
    """The statements that import, or define, what ``node`` did."""
    modules, defined = {}, []
    for alias, new in moved.items():
        name = alias.asname or alias.name
        if new.startswith("="):
            if name != new[1:]:
                defined.append(f"{name} = {new[1:]}")
            continue
        old = new[1:] if new.startswith("+") else alias.name
        module = node.module if new == "" or new.startswith("+") else new
        modules.setdefault(module, []).append(old if name == old else f"{old} as {name}")
    return [*(f"from {module} import {', '.join(names)}" for module, names in modules.items()), *defined] or ["pass"]


def attributes(table):
    """Attributes of modules. table: {"module.name": "module.another", "another" of the same module or ``=builtin``}."""

    def find(tree, project):
        for node in tree.all(ast.Attribute):
            new = table.get(tree.origin(node))
            root = tree.dotted(node)
            if new is None or tree.is_guarded(node, "name") or root.partition(".")[0] in project.modules:
                continue
            if new.startswith("="):
                yield Found(node, replaced(tree, node, new[1:]), is_builtin(tree, new[1:]))
            else:
                end = tree.end(node)
                yield Found(node, (Edit(end - len(node.attr), end, new),))

    return find


def urllib(table):
    """``urllib.urlopen``, with the import of its module of today. table: {name: that module}."""

    def find(tree, project):
        used = {node: table[node.attr] for node in tree.all(ast.Attribute)
                if node.attr in table and tree.origin(node) == f"urllib.{node.attr}"
                and not tree.is_guarded(node, "name")}  # fmt: skip
        imports = [alias for node in tree.all(ast.Import) for alias in node.names
                   if alias.name == "urllib" and not alias.asname]  # fmt: skip
        known = {alias.name for node in tree.all(ast.Import) for alias in node.names}
        needed = sorted(set(used.values()) - known)
        if used and needed and imports:
            yield Found(imports[0], replaced(tree, imports[0], ", ".join(needed)))
        for node, module in used.items():
            yield Found(node, replaced(tree, node, f"{module}.{node.attr}"), bool(imports) or module in known)

    return find


def methods(table):
    """Calls of methods with another name. table: {name: the name of today}."""

    def find(tree, project):
        for node in tree.all(ast.Attribute):
            call = tree.parents[node]
            if node.attr not in table or not isinstance(call, ast.Call) or call.func is not node:
                continue
            if tree.origin(node.value) in ("six", "future.utils"):
                continue
            edit = Edit(tree.end(node) - len(node.attr), tree.end(node), table[node.attr])
            yield from of_method(tree, project, node, (edit,))

    return find


def of_method(tree, project, node, edits):
    """A Found for the method ``node``; one to check where a class of the project has such a method itself."""
    if node.attr not in project.methods and node.attr not in tree.bound:
        yield Found(node, edits)
    elif not is_own(tree, node.value, node.attr):
        message = f"a class of the project has {node.attr} itself; other objects have it no more"
        yield Found(node, (), effect=CHECK, message=message)


def is_own(tree, node, method):
    """Whether ``node`` is ``self`` in a class with this method, or assigned such an object only."""
    if isinstance(node, ast.Name) and node.id == "self":
        return method in tree.bound
    own = {
        each.name for each in tree.all(ast.ClassDef) if any(getattr(part, "name", "") == method for part in each.body)
    }
    values = [node] if isinstance(node, ast.Call) else kinds.of(tree).values(node)
    created = [value.func for value in values if isinstance(value, ast.Call)]
    return (
        bool(values)
        and len(created) == len(values)
        and all(
            (tree.dotted(func) or "").rpartition(".")[2] in own or _is_class_of_project(tree, func) for func in created
        )
    )


def _is_class_of_project(tree, func):
    """Whether what is called has a class's name and comes from an import, or is defined here."""
    name = (tree.dotted(func) or "").rpartition(".")[2]
    return name[:1].isupper() and name in tree.bound and name not in ("OrderedDict", "Counter", "Variable")


def has_key(tree, project):
    for node in tree.all(ast.Call):
        if not isinstance(node.func, ast.Attribute) or node.func.attr != "has_key" or len(node.args) != 1:
            continue
        parent, whole, word = tree.parents[node], node, "in"
        if isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not):
            parent, whole, word = tree.parents[parent], parent, "not in"
        key = tree.source(node.args[0])
        if not isinstance(node.args[0], (ast.Name, ast.Constant, ast.Attribute, ast.Call, ast.Subscript)):
            key = f"({key})"
        new = f"{key} {word} {_receiver(tree, node.func)}"
        if isinstance(parent, (ast.Compare, ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Subscript, ast.Starred)):
            new = f"({new})"
        if whole.lineno != whole.end_lineno:
            new = f"({new})"
        if kinds.of(tree)(node.func.value) == "dict":
            yield Found(node, replaced(tree, whole, new))
        else:
            yield from of_method(tree, project, node.func, replaced(tree, whole, new))


def _receiver(tree, attribute):
    """The text before ``.name``, with the parentheses around it."""
    end = tree.code.rindex(".", tree.end(attribute.value), tree.end(attribute))
    return tree.text[tree.start(attribute) : end].rstrip()


def next_method(tree, project):
    for node in tree.all(ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr == "next" and not node.args and not node.keywords:
            if isinstance(node.func.value, ast.Call) and tree.dotted(node.func.value.func) == "super":
                continue
            new = f"next({_receiver(tree, node.func)})"
            yield from of_method(tree, project, node.func, replaced(tree, node, new))


def lists(tree, project):
    """What gave a list, and is indexed or measured: ``d.keys()[0]``, ``len(zip(a, b))``."""
    for node in tree.all(ast.Call):
        parent = tree.parents[node]
        is_view = isinstance(node.func, ast.Attribute) and node.func.attr in ("keys", "values", "items")
        is_view = is_view and not node.args and node.func.attr not in project.methods
        is_iterator = isinstance(node.func, ast.Name) and node.func.id in ("zip", "map", "filter")
        is_iterator = is_iterator and node.func.id not in tree.bound
        indexed = isinstance(parent, ast.Subscript) and parent.value is node
        measured = is_iterator and isinstance(parent, ast.Call) and tree.dotted(parent.func) == "len"
        if (is_view or is_iterator) and (indexed or measured):
            opening = Edit(tree.start(node), tree.start(node), "list(")
            yield Found(node, (opening, Edit(tree.end(node), tree.end(node), ")")))


def execfile(tree, project):
    for node in tree.all(ast.Call):
        if tree.dotted(node.func) == "execfile" and "execfile" not in tree.bound and node.args:
            file, *spaces = map(tree.source, node.args)
            new = f"exec({', '.join([f'open({file}).read()', *spaces])})"
            yield Found(node, replaced(tree, node, new), sure=not node.keywords)


def getargspec(tree, project):
    for node in tree.all(ast.Attribute):
        if tree.origin(node) == "inspect.getargspec" and not tree.is_guarded(node, "name"):
            end = tree.end(node)
            call = tree.parents[node]
            used = tree.parents.get(call)
            named = isinstance(used, ast.Attribute) and used.attr in ("args", "varargs", "defaults")
            named |= isinstance(used, ast.Subscript) and tree.source(used.slice) in ("0", "1", "3")
            yield Found(node, (Edit(end - len(node.attr), end, "getfullargspec"),), named)


def yaml_load(tree, project):
    for node in tree.all(ast.Call):
        if tree.origin(node.func) == "yaml.load" and len(node.args) == 1 and not node.keywords:
            end = tree.end(node.func)
            yield Found(node, (Edit(end - len("load"), end, "safe_load"),))


def gone(table):
    """Modules that are no more, imported or used as ``module.name``. table: {module: the names; none: every one}."""

    def find(tree, project):
        for node in tree.all(ast.ImportFrom):
            if node.module in table and not node.level and not tree.is_guarded(node, "import"):
                yield Found(node)
        for node in tree.all(ast.Attribute):
            module, _, name = (tree.origin(node) or "").rpartition(".")
            if module in table and name in table[module] and not tree.is_guarded(node, "name"):
                yield Found(node)

    return find

"""torchthaw/modernize/python/names.py: names and arguments of PyTorch that have others today."""

import ast
import re

import libcst as cst
import libcst.matchers as m

from .editing import COMMA, Change, dotted, expression, statement

RULE = "renamed"
IN_PLACE = (
    "uniform normal constant eye dirac xavier_uniform xavier_normal kaiming_uniform kaiming_normal orthogonal sparse"
).split()
RENAMED = {
    **{f"torch.nn.init.{name}": f"{name}_" for name in IN_PLACE},
    **{f"{module}.{name}": f"{name}_" for name in ("clip_grad_norm", "clip_grad_value")
       for module in ("torch.nn.utils", "torch.nn.utils.clip_grad")},
}  # fmt: skip
# Functions whose place in torch.nn.functional only warns.
OF_TORCH = {f"torch.nn.functional.{name}": f"torch.{name}" for name in ("tanh", "sigmoid")}
REDUCTIONS = {("size_average", "True"): "mean", ("size_average", "False"): "sum", ("reduce", "False"): "none"}

# torch._six: what stands for a name of it, and what that must import.
SIX = {
    "inf": ("math.inf", "from math import inf"),
    "nan": ("math.nan", "from math import nan"),
    "container_abcs": ("collections.abc", "import collections.abc as container_abcs"),
    "queue": ("queue", "import queue"),
    "builtins": ("builtins", "import builtins"),
    "StringIO": ("io.StringIO", "from io import StringIO"),
    "string_classes": ("(str, bytes)", "string_classes = (str, bytes)"),
    "int_classes": ("int", "int_classes = int"),
    "PY2": ("False", "PY2 = False"),
    "PY3": ("True", "PY3 = True"),
    "PY37": ("True", "PY37 = True"),
    "FileNotFoundError": ("FileNotFoundError", ""),
    "imap": ("map", "imap = map"),
}

# Without one of these words there is nothing to change.
WORDS = re.compile(
    r"\b(?:_six|retain_variables|grid_sample|affine_grid|torch\.utils\.ffi|size_average|reduce|tanh|sigmoid|"
    + "|".join({name.rpartition(".")[2] for name in RENAMED}) + r")\b"
)  # fmt: skip


def change(file):
    """Renames what has another name today."""
    if WORDS.search(file.text):
        NameChange(file).run()


class NameChange(Change):
    """Renames in one file."""

    def leave_Attribute(self, original, updated):
        name = dotted(original)
        origin = self.file.origin(name) if name else None
        if origin in RENAMED:
            self.done(original, RULE, f"{original.attr.value} is {RENAMED[origin]}")
            return updated.with_changes(attr=cst.Name(RENAMED[origin]))
        if origin in OF_TORCH:
            self.done(original, RULE, f"{name} is {OF_TORCH[origin]}")
            self.needed.add(("torch", None))
            return expression(OF_TORCH[origin])
        root, _, member = (origin or "").rpartition(".")
        if root == "torch._six" and member in SIX:
            self.done(original, "torch-six", f"torch._six is gone; {member} is {SIX[member][0]}")
            module = SIX[member][0].rpartition(".")[0] if SIX[member][0] != "collections.abc" else "collections.abc"
            if module or member in ("queue", "builtins"):
                self.needed.add((module or member, None))
            self.unused.add(("torch", "_six", None))
            return expression(SIX[member][0])
        return updated

    def leave_Name(self, original, updated):
        """A renamed function that was imported by its name."""
        parent = self.parent(original)
        if getattr(parent, "attr", None) is original or isinstance(parent, (cst.Param, cst.AsName)):
            return updated
        if isinstance(parent, cst.Arg) and parent.keyword is original:
            return updated
        origins = self.file.tree.imports.get(original.value, ())
        origin = next(iter(origins), None) if len(origins) == 1 else None
        if isinstance(parent, cst.ImportAlias):
            return updated
        if origin in RENAMED and origin.endswith(f".{original.value}") and not self._is_local(original):
            return updated.with_changes(value=RENAMED[origin])
        return updated

    def _is_local(self, name):
        """Whether a function around it has a parameter or a variable of this name."""
        node = name
        while node := self.parent(node):
            bound = m.Param(name=m.Name(name.value)) | m.AssignTarget(m.Name(name.value))
            if isinstance(node, (cst.FunctionDef, cst.Lambda)) and m.findall(node, bound):
                return True
        return False

    def leave_ImportFrom(self, original, updated):
        module = dotted(original.module) if original.module and not original.relative else None
        if module == "torch.utils.ffi":
            self.look(
                original, "torch-utils-ffi", "it is gone; the new extension gives its functions without a wrapper"
            )
        if isinstance(updated.names, cst.ImportStar) or module is None:
            return updated
        aliases = []
        for alias in updated.names:
            new = RENAMED.get(f"{module}.{alias.name.value}")
            if new:
                self.done(original, RULE, f"{alias.name.value} is {new}")
                alias = alias.with_changes(name=cst.Name(new))
            aliases.append(alias)
        return updated.with_changes(names=aliases)

    def leave_SimpleStatementLine(self, original, updated):
        """``from torch._six import ...``."""
        node = updated.body[0]
        if len(updated.body) == 1 and isinstance(node, cst.Import) and len(node.names) == 1:
            alias = node.names[0]
            if dotted(alias.name) == "torch._six" and alias.asname is None and self._only_known():
                self.done(original, "torch-six", "torch._six is gone")
                if "torch" in self._plain_imports():
                    return cst.RemoveFromParent()
                return updated.with_changes(body=[node.with_changes(names=[cst.ImportAlias(cst.Name("torch"))])])
            return updated
        if len(updated.body) > 1 or not isinstance(node, cst.ImportFrom) or isinstance(node.names, cst.ImportStar):
            return updated
        if node.relative or dotted(node.module) != "torch._six":
            return updated
        lines, left = [], []
        for alias in node.names:
            name = alias.name.value
            if (
                name not in SIX
                or alias.asname
                and SIX[name][1].startswith(("from", "import"))
                and " as " in SIX[name][1]
            ):
                left.append(alias)
                continue
            text = SIX[name][1]
            if alias.asname and text:
                own = dotted(alias.asname.name)
                text = f"{text} as {own}" if text.startswith(("from", "import")) else text.replace(name, own, 1)
            lines += [statement(f"{text}\n")] if text else []
        if left:
            self.look(original, "torch-six", "torch._six is gone; " + ", ".join(each.name.value for each in left)
                      + " needs another way")  # fmt: skip
            left[-1] = left[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
            lines.append(updated.with_changes(body=[node.with_changes(names=left)], leading_lines=[]))
        else:
            self.done(original, "torch-six", "torch._six is gone")
        lines = lines or [statement("pass\n")]
        lines[0] = lines[0].with_changes(leading_lines=updated.leading_lines)
        return cst.FlattenSentinel(lines)

    def _plain_imports(self):
        nodes = self.file.tree.all(ast.Import)
        return {alias.name for node in nodes for alias in node.names if alias.asname is None}

    def _only_known(self):
        """Whether the file uses nothing of torch._six but what SIX has."""
        names = {self.file.tree.dotted(node) for node in self.file.tree.all(ast.Attribute)}
        members = {name.split(".")[2] for name in names if name and name.startswith("torch._six.")}
        return members <= SIX.keys()

    def leave_Call(self, original, updated):
        name = dotted(original.func) or ""
        origin = self.file.origin(name) if name else None
        if (name or "").rpartition(".")[2] == "backward" or _is_method(original, "backward"):
            updated = self._retain(original, updated)
        if origin and origin.startswith("torch.nn."):
            updated = self._reduction(original, updated)
        places = {"torch.nn.functional.grid_sample": 4, "torch.nn.functional.affine_grid": 2}
        given = {each.keyword.value for each in updated.args if each.keyword}
        starred = any(each.star for each in updated.args)
        if origin in places and not starred and "align_corners" not in given and len(updated.args) <= places[origin]:
            self.done(original, "align-corners", "the corners were aligned before 1.3, and no argument said so")
            return updated.with_changes(args=[*_with_comma(updated.args), _keyword("align_corners", "True")])
        return updated

    def _retain(self, original, updated):
        arguments = []
        for each in updated.args:
            if each.keyword and each.keyword.value == "retain_variables":
                self.done(original, "retain-graph", "retain_variables is retain_graph")
                each = each.with_changes(keyword=cst.Name("retain_graph"))
            arguments.append(each)
        return updated.with_changes(args=arguments)

    def _reduction(self, original, updated):
        """``size_average`` and ``reduce``, where both are literals."""
        said = {each.keyword.value: cst.Module([]).code_for_node(each.value) for each in updated.args if each.keyword}
        asked = {name: said[name] for name in ("size_average", "reduce") if name in said}
        if not asked or "reduction" in said or not set(asked.values()) <= {"True", "False"}:
            return updated
        by_reduce = REDUCTIONS.get(("reduce", asked.get("reduce")))
        new = by_reduce or REDUCTIONS[("size_average", asked.get("size_average", "True"))]
        arguments, placed = [], False
        for each in updated.args:
            if each.keyword and each.keyword.value in asked:
                if placed:
                    continue
                placed = True
                each = each.with_changes(keyword=cst.Name("reduction"), value=cst.SimpleString(f'"{new}"'))
            arguments.append(each)
        if not isinstance(updated.args[-1].comma, cst.Comma):
            arguments[-1] = arguments[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        self.done(original, RULE, f"{' and '.join(asked)} is reduction")
        return updated.with_changes(args=arguments)


def _is_method(call, name):
    return isinstance(call.func, cst.Attribute) and call.func.attr.value == name


def _with_comma(arguments):
    *others, last = arguments
    return [*others, last if isinstance(last.comma, cst.Comma) else last.with_changes(comma=COMMA)]


def _keyword(name, value):
    tight = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    return cst.Arg(expression(value), keyword=cst.Name(name), equal=tight)

"""torchthaw/modernize/python/editing.py: a change of a file's syntax tree that keeps its comments and layout."""

import libcst as cst
from libcst.codemod import CodemodContext
from libcst.codemod.visitors import AddImportsVisitor, ImportItem, RemoveImportsVisitor
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider


class Change(cst.CSTTransformer):
    """One pass over a file. Subclasses have LibCST's ``leave_...`` methods.

    needed: {(module, name or None)} to import. unused: {(module, name, name in the file or None)} to drop where the
    file no longer uses them.
    """

    METADATA_DEPENDENCIES = (PositionProvider, ParentNodeProvider)

    def __init__(self, file):
        super().__init__()
        self.file, self.needed, self.unused = file, set(), set()

    def run(self):
        """Changes the file."""
        self.file.update(self.changed())

    def changed(self):
        """What the text of the file becomes."""
        try:
            wrapper = MetadataWrapper(cst.parse_module(self.file.text), unsafe_skip_copy=True)
        except cst.ParserSyntaxError as error:
            self.file.remark(error.raw_line, "syntax", f"LibCST cannot parse this: {error.message}", "look")
            return self.file.text
        module = wrapper.visit(self)
        context = CodemodContext()
        for name, member, own in sorted(self.unused, key=str):
            RemoveImportsVisitor.remove_unused_import(context, name, member, own)
        if self.unused:
            module = RemoveImportsVisitor(context).transform_module(module)
        imports = self.file.tree.imports
        there = {(name, None) for name, _ in self.needed if imports.get(name) == {name}}
        items = [ImportItem(name, member) for name, member in sorted(self.needed - there, key=str)]
        if items:
            module = AddImportsVisitor(CodemodContext(), items).transform_module(module)
        return module.code

    def place(self, node):
        """Where a node begins in the text."""
        start = self.get_metadata(PositionProvider, node).start
        return self._line_starts[start.line - 1] + start.column

    @property
    def _line_starts(self):
        if not hasattr(self, "_starts"):
            self._starts = [0]
            for line in self.file.text.split("\n"):
                self._starts.append(self._starts[-1] + len(line) + 1)
        return self._starts

    def line(self, node):
        return self.get_metadata(PositionProvider, node).start.line

    def parent(self, node):
        return self.get_metadata(ParentNodeProvider, node, None)

    def say(self, kind, node, rule, message):
        self.file.remark(self.line(node), rule, message, kind)

    def done(self, node, rule, message):
        self.say("done", node, rule, message)

    def look(self, node, rule, message):
        self.say("look", node, rule, message)


def dotted(node):
    """``a.b.c`` of a Name or an Attribute; None where the node is something else."""
    parts = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    return ".".join([node.value, *reversed(parts)]) if isinstance(node, cst.Name) else None


def expression(text):
    return cst.parse_expression(text)


def statement(text):
    return cst.parse_statement(text)


COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
# What may stand before a dot or a bracket as it is.
ATOMS = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.List, cst.Dict, cst.SimpleString)


def in_parentheses(node):
    """``node`` so that it may stand anywhere."""
    if isinstance(node, ATOMS) or node.lpar:
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def joined(first, second):
    """Arguments one after the other, with a comma between them and their own layout kept."""
    arguments = [*first, *second]
    for index, argument in enumerate(arguments[:-1]):
        if isinstance(argument.comma, cst.MaybeSentinel):
            whitespace = argument.whitespace_after_arg
            arguments[index] = argument.with_changes(comma=COMMA, whitespace_after_arg=cst.SimpleWhitespace(""))
            if not whitespace.empty and first and index == len(first) - 1 and not second:
                arguments[index] = argument
    if arguments and not isinstance(arguments[-1].comma, cst.MaybeSentinel):
        if not isinstance(arguments[-1].comma.whitespace_after, cst.ParenthesizedWhitespace):
            arguments[-1] = arguments[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return arguments

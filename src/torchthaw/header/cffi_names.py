"""torchthaw/header/cffi_names.py: every name of cffi that its documentation does not have.

No other file of the package touches one: they ask here, also for ``model``, the classes of C types.
"""

import io
import warnings

from cffi import cparser, model, recompiler

__all__ = [
    "VERSIONS",
    "assigned",
    "constants",
    "enumerators",
    "functions",
    "model",
    "module_source",
    "read_only",
    "syntax_tree",
]

# The versions of cffi that have these names; pyproject.toml requires the same.
VERSIONS = ">=1.16,<3"


def functions(ffi):
    """(name, type) of each function that ``ffi`` declares, in order of name; types are those of ``model``."""
    declared = ((key.split(" ", 1), type) for key, (type, _) in sorted(ffi._parser._declarations.items()))
    return [(name, type) for (role, name), type in declared if role == "function"]


def constants(ffi):
    """(name, type in Python) of all else that ``ffi``'s lib has: integer macros, enumerators and variables."""
    found = {}
    for key, (type, _) in sorted(ffi._parser._declarations.items()):
        role, name = key.split(" ", 1)
        if isinstance(type, model.EnumType):
            found.update(dict.fromkeys(type.enumerators, "int"))
        elif role in ("macro", "constant", "variable"):
            is_integer = role == "macro" or isinstance(type, model.PrimitiveType) and type.is_integer_type()
            found[name] = "int" if is_integer else "Any"
    return sorted(found.items())


def read_only(ffi):
    """The names of the const arrays that ``ffi`` declares, in order; other constants are values, not variables."""
    declared = ((key.split(" ", 1), quals) for key, (_, quals) in sorted(ffi._parser._declarations.items()))
    return [name for (role, name), quals in declared if role == "variable" and quals & model.Q_CONST]


def enumerators(ffi):
    """The names of all enumerators that ``ffi`` declares, in order."""
    enums = [type for type, _ in ffi._parser._declarations.values() if isinstance(type, model.EnumType)]
    return [name for enum in dict.fromkeys(enums) for name in enum.enumerators]


def syntax_tree(declarations):
    """pycparser's tree of C declarations, among them those that only cffi reads, such as ``int f(...);``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about #pragma and literals, which no declaration depends on
        return cparser.Parser()._parse(declarations)[0]


def module_source(ffi, name, preamble):
    """The C file of cffi's module ``name``; ``preamble``: the C text that it begins with."""
    text = io.StringIO()
    generator = recompiler.Recompiler(ffi, name)
    generator.collect_type_table()
    generator.collect_step_tables()
    generator.write_source_to_f(text, preamble)
    return text.getvalue()


def assigned(ffi):
    """(module name, preamble, suffix of the generated file, arguments of Extension): what ``set_source`` was given."""
    return ffi._assigned_source

"""torchthaw/declarations/language.py: Language: the templates and tables of one language; Spelling: its types."""

import re
from typing import Any, NamedTuple

from .lines import filled

ANY_NAME = re.compile(r"\w+")


class Spelling(NamedTuple):
    """A template for each form of a type. Fields: {scalar}, its spelling, and {name}, of what has the type."""

    scalars: dict
    scalar: str = "{scalar}"
    pointer: str = ""
    const_pointer: str = ""
    any: str = ""  # void *
    const_any: str = ""
    text: str = ""  # const char *
    void: str = ""


POINTERS = ("pointer", "const_pointer", "any", "const_any", "text")


def address(scalars, spelling, **others):
    """The Spelling where all pointers are of one type."""
    return Spelling(scalars)._replace(**dict.fromkeys(POINTERS, spelling), **others)


class Language(NamedTuple):
    """How declarations are written in a language. Its templates have the fields that render.py gives them.

    file, function, procedure, without_pointers: the latter two are for a function without a result, and for one that
        takes numbers only, where they differ.
    columns, results: by field, the Spelling of a parameter and of a result.
    lists: by field, (item, separator, *what is before them) of a list of parameters; an item has the fields of the
        columns, and {name}; what is before them has {name} and those of the results.
    constants, constant, long_constant: around all, for one that is an int, and for one that is an int64_t.
    comment: what is before a comment, before each line of it, and behind it; escapes: what must not be in it.
    says_prototype: whether the comment begins with the C declaration, because all pointers are of one type.
    remark: begins a comment of one line. no_parameters: what a list says that is empty.
    reserved: the language in emitter.RESERVED; ``quoted`` makes a name of such a word, but of those in ``unquotable``.
    folds_case: whether names that differ in capitals only are the same. longest: how many characters the name of a
        parameter has at most. *_name: which names there are: see but();
        module_name is of the module or class, which nothing in it may have.
    default_name, package, library: the name that follows from the header's; the line of a file's package; the library's
        name, which is made of the header's.
    breaks, width: how lists in lines longer than that are broken: see lines.py.
    """

    title: str
    file: str
    function: str
    columns: dict
    results: dict
    lists: dict
    comment: tuple
    remark: str
    constant: str
    long_constant: str = ""
    constants: str = "{constants}"
    procedure: str = ""
    without_pointers: str = ""
    says_prototype: bool = False
    no_parameters: str = ""
    escapes: dict = {}
    reserved: str = ""
    quoted: str = ""
    unquotable: frozenset = frozenset()
    folds_case: bool = False
    longest: int = 10_000
    module_name: Any = None
    function_name: Any = ANY_NAME
    constant_name: Any = ANY_NAME
    parameter_name: Any = ANY_NAME
    default_name: Any = str
    package: str = ""
    library: str = "{}"
    breaks: Any = filled()
    width: int = 100


def camel(stem):
    """``my_lib`` as MyLib."""
    return "".join(word[:1].upper() + word[1:] for word in stem.split("_"))


def but(words, pattern=r"\w+"):
    """Names of the pattern, but these words, separated by blanks: a file has them for itself, or its language has."""
    return re.compile(rf"(?!(?:{'|'.join(words.split())})\Z){pattern}")

"""torchthaw/base/emitter.py: what all generated text is written with: names, comments and strings; and Python that is run.

Names and comments of C are somebody else's. None of them may hide a name that a text itself uses, nor end a comment or
a string of it. So the names that generated Python has for itself, those of Python's built-in functions among them, begin
with OWN, and no name of C becomes one that begins so.
"""

import builtins
import keyword
import linecache
import re
import textwrap

OWN = "_thaw_"
# What functions of a generated module must not hide, whatever that module calls.
BUILT_IN = frozenset(dir(builtins))
# What PyTorch's schemas have for themselves, besides Python's keywords.
OF_SCHEMAS = frozenset({"Ellipsis", "NoneType"})
# What no operator can be called: keywords, and torch.ops.<namespace>.name is the namespace's own.
OF_OPERATORS = OF_SCHEMAS | {"name", *keyword.kwlist}
# What ends a comment of C, or begins another one in it.
_C_MARKS = re.compile(r"\*(?=/)|/(?=\*)")


def python_name(name, taken=()):
    """A name of C as Python has it: the same, with _ behind it where it is a keyword or in ``taken``."""
    if name.startswith(OWN):
        name = f"c{name}"
    while keyword.iskeyword(name) or name in taken:
        name += "_"
    return name


def python_names(names, reserved=()):
    """{name of C: the name in Python} of the parameters of one function; no two are the same."""
    found = {name: name for name in names if python_name(name, reserved) == name}
    for name in names:
        if name not in found:
            found[name] = python_name(name, {*found.values(), *reserved})
    return {name: found[name] for name in names}


def c_identifier(text):
    """A file's name, or other text, as a part of names of C: such as ``2d-ops`` as _2d_ops."""
    name = re.sub(r"\W", "_", text, flags=re.ASCII)
    return f"_{name}" if name[:1].isdigit() or not name else name


def enumerators(names):
    """The names in capitals; no two are the same, as ``a`` and ``A`` would be."""
    found = {}
    for name in names:
        upper = name.upper()
        while upper in found:
            upper += "_"
        found[upper] = name
    return [*found]


def docstring(text, indentation=""):
    """The literal of a text, which reads as the text does; lines behind the first are indented."""
    shown = re.sub(r'"(?="|\Z)', r"\"", "".join(map(_shown, text)))
    lines = textwrap.indent(shown, indentation).strip()
    return f'"""{lines}{chr(10) + indentation if chr(10) in shown else ""}"""'


def _shown(character):
    if character == "\\":
        return r"\\"
    if character == "\n" or character.isprintable():
        return character
    return character.encode("unicode_escape", "surrogatepass").decode()


def c_comment(text):
    """A text as a comment of C may have it, on one line or several."""
    return _C_MARKS.sub(r"\g<0> ", plain(text)).replace("\\\n", "\\ \n")


def plain(text):
    """A text without what no editor shows as it is: control characters, and those that change the direction of others."""
    return "".join(each if each == "\n" or each.isprintable() else " " for each in text)


def c_string(text):
    """The literal of a text, in ASCII."""
    return '"' + "".join(map(_c_byte, text.encode("utf-8", "surrogateescape"))) + '"'


def _c_byte(byte):
    character = chr(byte)
    return character if " " <= character <= "~" and character not in '"\\?' else f"\\{byte:03o}"


def run(file, text, given, wanted):
    """The values of the names ``wanted``, which a text of Python defines; ``given``: the names that it uses.

    These are variables around the text and no globals, because Dynamo looks for globals in a module. ``file``: what
    tracebacks call the text, of which they show the lines.
    """
    file = f"<torchthaw: {file}>"
    body = textwrap.indent(text, "    ")
    whole = f"def {OWN}make({', '.join(given)}):\n{body}\n    return {', '.join(wanted)},\n"
    linecache.cache[file] = len(whole), None, whole.splitlines(keepends=True), file
    made = {"__name__": __name__}
    exec(compile(whole, file, "exec"), made)
    return made[f"{OWN}make"](*given.values())


def own(**names):
    """The names with OWN before each."""
    return {f"{OWN}{name}": value for name, value in names.items()}

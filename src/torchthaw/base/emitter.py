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
# The words of each language that are no names in what is written in it, besides those that a file has for itself.
RESERVED = {language: frozenset(words.split()) for language, words in {
    "csharp":
        "abstract as base bool break byte case catch char checked class const continue decimal default delegate do "
        "double else enum event explicit extern false finally fixed float for foreach goto if implicit in int "
        "interface internal is lock long namespace new null object operator out override params private protected "
        "public readonly ref return sbyte sealed short sizeof stackalloc static string struct switch this throw true "
        "try typeof uint ulong unchecked unsafe ushort using virtual void volatile while "
        "__arglist __makeref __reftype __refvalue",
    # Fortran has no reserved words, but iso_c_binding's names are in every interface.
    "fortran":
        "iso_c_binding c_int c_short c_long c_long_long c_signed_char c_size_t c_int8_t c_int16_t c_int32_t c_int64_t "
        "c_int128_t c_int_least8_t c_int_least16_t c_int_least32_t c_int_least64_t c_int_least128_t c_int_fast8_t "
        "c_int_fast16_t c_int_fast32_t c_int_fast64_t c_int_fast128_t c_intmax_t c_intptr_t c_ptrdiff_t c_float "
        "c_double c_long_double c_float128 c_float_complex c_double_complex c_long_double_complex c_float128_complex "
        "c_bool c_char c_null_char c_alert c_backspace c_form_feed c_new_line c_carriage_return c_horizontal_tab "
        "c_vertical_tab c_null_ptr c_null_funptr c_ptr c_funptr c_associated c_loc c_funloc c_f_pointer "
        "c_f_procpointer c_sizeof c_f_strpointer f_c_string",
    "java":
        "abstract assert boolean break byte case catch char class const continue default do double else enum extends "
        "false final finally float for goto if implements import instanceof int interface long native new null package "
        "private protected public return short static strictfp super switch synchronized this throw throws transient "
        "true try void volatile while _",
    # LuaJIT and PHP read C themselves: words of C++, of compilers and of C's headers are keywords or types there.
    "c_text":
        "alignas alignof asm bool complex false true nullptr static_assert typeof va_list wchar_t "
        "__alignof __alignof__ __asm __asm__ __attribute __attribute__ __builtin_va_list __cdecl __complex __complex__ "
        "__const __const__ __declspec __extension__ __fastcall __gnuc_va_list __inline __inline__ __int8 __int16 "
        "__int32 __int64 __ptr32 __ptr64 __restrict __restrict__ __signed __signed__ __stdcall __thiscall __typeof "
        "__typeof__ __vector __vectorcall __volatile __volatile__ "
        "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t ptrdiff_t size_t ssize_t "
        "off_t",
    "python": " ".join([*keyword.kwlist, "__debug__"]),
    "ruby": "BEGIN END",
    "rust":
        "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod "
        "move mut pub ref return self Self static struct super trait true type unsafe use where while abstract become "
        "box do final gen macro override priv try typeof unsized virtual yield _",
    "zig":
        "addrspace align allowzero and anyframe anytype asm async await break callconv catch comptime const continue "
        "defer else enum errdefer error export extern fn for if inline linksection noalias noinline nosuspend opaque "
        "or orelse packed pub resume return struct suspend switch test threadlocal try union unreachable "
        "usingnamespace var volatile while _ anyerror anyopaque bool comptime_float comptime_int f16 f32 f64 f80 f128 "
        "false isize noreturn null true type undefined usize void c_char c_short c_ushort c_int c_uint c_long c_ulong "
        "c_longlong c_ulonglong c_longdouble",
}.items()}  # fmt: skip
# Reserved words of a pattern: Zig's integers of any size.
RESERVED_FORMS = {"zig": re.compile(r"[iu]\d+")}
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


def is_reserved(language, name):
    """Whether a language of RESERVED has a name for itself."""
    form = RESERVED_FORMS.get(language)
    return name in RESERVED[language] or bool(form and form.fullmatch(name))


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

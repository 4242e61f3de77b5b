"""torchthaw/declarations/languages/csharp.py: C#: a static partial class of DllImport functions with unsafe pointers."""

from ..language import Language, Spelling, camel, words
from ..types import CSHARP

SPELLING = Spelling(
    CSHARP, pointer="{scalar}*", const_pointer="{scalar}*", any="void*", const_any="void*", text="byte*", void="void"
)

FILE = """
// {generated}
using System;
using System.Runtime.InteropServices;

namespace {package}
{{
    /// <summary>The functions of {header}.</summary>
    internal static unsafe class {name}
    {{
        private const string Library = "{library}";

        {constants}

        {functions}

        {left_out}
    }}
}}
"""

FUNCTION = """
{comment}
[DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
internal static extern {result} {name}({parameters});
"""

LANGUAGE = Language(
    title="C#",
    file=FILE,
    function=FUNCTION,
    columns={"type": SPELLING},
    results={"result": SPELLING},
    lists={"parameters": ("{type} {name}", ", ")},
    comment=("/// <summary>", "/// ", "/// </summary>"),
    escapes={"&": "&amp;", "<": "&lt;", ">": "&gt;"},
    remark="//",
    constant="internal const int {name} = {value};",
    long_constant="internal const long {name} = {value};",
    keywords=words(
        "abstract as base bool break byte case catch char checked class const continue decimal default delegate do "
        "double else enum event explicit extern false finally fixed float for foreach goto if implicit in int "
        "interface internal is lock long namespace new null object operator out override params private protected "
        "public readonly ref return sbyte sealed short sizeof stackalloc static string struct switch this throw true "
        "try typeof uint ulong unchecked unsafe ushort using virtual void volatile while"
    ),
    quoted="@{}",
    default_name=lambda stem: f"{camel(stem)}.Native",
    package="{}",
)

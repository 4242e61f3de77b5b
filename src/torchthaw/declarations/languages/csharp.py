"""torchthaw/declarations/languages/csharp.py: C#: a static partial class of DllImport functions with unsafe pointers."""

from ..language import Language, Spelling, but, camel
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
    reserved="csharp",
    quoted="@{}",
    function_name=but("CallingConvention Library"),
    constant_name=but("CallingConvention Library"),
    module_name=but("CallingConvention DllImport IntPtr Library System UIntPtr"),
    default_name=lambda stem: f"{camel(stem)}.Native",
    package="{}",
)

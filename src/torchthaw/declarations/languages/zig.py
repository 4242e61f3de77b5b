"""torchthaw/declarations/languages/zig.py: Zig: extern functions, without translate-c; build.zig says what to link."""

from ..language import Language, Spelling, words
from ..lines import each_on_a_line
from ..types import ZIG

SPELLING = Spelling(
    ZIG, pointer="?[*]{scalar}", const_pointer="?[*]const {scalar}", any="?*anyopaque", const_any="?*const anyopaque",
    text="?[*:0]const u8", void="void",
)  # fmt: skip

FILE = """
// {generated}

{constants}

{functions}

{left_out}
"""

LANGUAGE = Language(
    title="Zig",
    file=FILE,
    function="{comment}\npub extern fn {name}({parameters}) {result};",
    columns={"type": SPELLING},
    results={"result": SPELLING},
    lists={"parameters": ("{name}: {type}", ", ")},
    comment=("", "/// ", ""),
    remark="//",
    constant="pub const {name}: c_int = {value};",
    long_constant="pub const {name}: i64 = {value};",
    keywords=words(
        "addrspace align allowzero and anyframe anytype asm async await break callconv catch comptime const continue "
        "defer else enum errdefer error export extern fn for if inline linksection noalias noinline nosuspend opaque "
        "or orelse packed pub resume return struct suspend switch test threadlocal try union unreachable "
        "usingnamespace var volatile while _ anyerror anyopaque bool comptime_float comptime_int f16 f32 f64 f80 f128 "
        "false isize noreturn null true type undefined usize void c_char c_short c_ushort c_int c_uint c_long c_ulong "
        "c_longlong c_ulonglong c_longdouble i8 i16 i32 i64 i128 u8 u16 u32 u64 u128"
    ),
    quoted='@"{}"',
    breaks=each_on_a_line,
)

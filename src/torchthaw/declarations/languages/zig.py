"""torchthaw/declarations/languages/zig.py: Zig: extern functions, without translate-c; build.zig says what to link."""

from ..language import Language, Spelling
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
    reserved="zig",
    quoted='@"{}"',
    breaks=each_on_a_line,
)

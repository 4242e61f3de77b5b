"""torchthaw/declarations/languages/rust.py: Rust: an extern block; the crate's build.rs says what to link."""

from ..language import Language, Spelling
from ..lines import each_on_a_line
from ..types import RUST

POINTERS = {
    "pointer": "*mut {scalar}", "const_pointer": "*const {scalar}", "any": "*mut c_void", "const_any": "*const c_void",
    "text": "*const c_char",
}  # fmt: skip

FILE = """
// {generated}

use std::os::raw::*;

{constants}

extern "C" {{
    {functions}
}}

{left_out}
"""


def breaks(width, base, head, items, tail):
    """As rustfmt does, which counts a result's line as one longer than it is."""
    whole = head + " ".join(items) + tail
    if len(whole) > width + 1:
        return each_on_a_line(width, base, head, items, tail)
    before, arrow, result = whole.partition(" -> ")
    return [before, f"{base}    -> {result}"] if arrow else [whole]


LANGUAGE = Language(
    title="Rust",
    file=FILE,
    function="{comment}\npub fn {name}({parameters}){result};",
    columns={"type": Spelling(RUST, **POINTERS)},
    results={"result": Spelling(RUST, " -> {scalar}", **{form: f" -> {each}" for form, each in POINTERS.items()})},
    lists={"parameters": ("{name}: {type}", ", ")},
    comment=("/// ```text", "/// ", "/// ```"),
    escapes={"```": "` ` `"},
    remark="//",
    constant="pub const {name}: c_int = {value};",
    long_constant="pub const {name}: i64 = {value};",
    reserved="rust",
    quoted="r#{}",
    unquotable=frozenset({"self", "Self", "super", "crate", "_"}),
    breaks=breaks,
    width=99,
)

"""torchthaw/declarations/languages/c_text.py: LuaJIT and PHP, whose FFI reads C declarations without a preprocessor."""

from ..language import Language, Spelling, but
from ..lines import filled
from ..types import C

SPELLING = Spelling(
    C, scalar="{scalar} {name}", pointer="{scalar} *{name}", const_pointer="const {scalar} *{name}", any="void *{name}",
    const_any="const void *{name}", text="const char *{name}", void="void {name}",
)  # fmt: skip

LUA_FILE = """
-- {generated}
-- Constants and functions are fields of what ffi.load() returns.
local ffi = require("ffi")

ffi.cdef [==[
{constants}

{functions}
]==]

{left_out}
"""

PHP_FILE = """
<?php

// {generated}
// What this file returns is for FFI::cdef(), whose object has the functions and constants.

{left_out}

return <<<'CDEF'
{constants}

{functions}
CDEF;
"""

LUAJIT = Language(
    title="LuaJIT",
    file=LUA_FILE,
    function="{comment}\n{result}({parameters});",
    columns={"declaration": SPELLING},
    results={"result": SPELLING},
    lists={"parameters": ("{declaration}", ", ")},
    comment=("/*", " * ", " */"),
    escapes={"]==]": "] == ]", "*/": "* /"},
    remark="--",
    reserved="c_text",
    constants="enum {{\n{constants}\n}};",
    constant="    {name} = {value},",
    no_parameters="void",
    breaks=filled(more="    "),
)

PHP = LUAJIT._replace(
    title="PHP", file=PHP_FILE, remark="//", escapes={"CDEF": "C DEF", "*/": "* /"},
    constant_name=but("CDEF"),  # it would be the end of the text
)  # fmt: skip

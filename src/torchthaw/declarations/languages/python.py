"""torchthaw/declarations/languages/python.py: Python: the types of a ctypes.CDLL's functions. Arrays are addresses."""

import ctypes

from ..language import Language, address, but
from ..lines import each_on_a_line
from ..types import PYTHON

SPELLING = address(PYTHON, "ctypes.c_void_p", void="None")._replace(text="ctypes.c_char_p")

FILE = """
# {generated}
\"\"\"The constants of {header}, and the types of its functions. Arrays are addresses.\"\"\"

import ctypes

{constants}


def declare(library):
    \"\"\"Gives the functions of ``library``, a ctypes.CDLL, their types; returns it.\"\"\"
    {functions}
    return library


{left_out}
"""

FUNCTION = """
{comment}
library.{name}.restype = {result}
library.{name}.argtypes = [{types}]
"""

LANGUAGE = Language(
    title="Python",
    file=FILE,
    function=FUNCTION,
    columns={"type": SPELLING},
    results={"result": SPELLING},
    lists={"types": ("{type}", ", ")},
    comment=("", "# ", ""),
    says_prototype=True,
    remark="#",
    constant="{name} = {value}",
    long_constant="{name} = {value}",
    reserved="python",
    # A CDLL has attributes of its own, and none whose name begins and ends with __.
    function_name=but(f"__\\w*__ ___? _name _handle _FuncPtr {' '.join(dir(ctypes.CDLL))}"),
    constant_name=but("ctypes declare"),
    breaks=each_on_a_line,
)

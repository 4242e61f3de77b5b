"""torchthaw/bindings/languages/fortran.py: Fortran 2018: a module with the interfaces of the functions.

An array is assumed-size: elements lie as C has them, so that C's last dimension is Fortran's first one. An argument that
may be NULL is optional: absent is NULL. Text is a c_ptr, which is made with c_loc of a text that ends with c_null_char.
"""

import re

from ..language import Language, Spelling
from ..lines import filled
from ..types import FORTRAN

# Outputs are inout: a call that fails leaves them as they are.
PARAMETER = Spelling(
    FORTRAN,
    scalar="{scalar}, value :: {name}",
    pointer="{scalar}, intent(inout){optional} :: {name}(*)",
    const_pointer="{scalar}, intent(in){optional} :: {name}(*)",
    any="type(c_ptr), value :: {name}",
    const_any="type(c_ptr), value :: {name}",
    text="type(c_ptr), value :: {name}",
)
RESULT = Spelling(
    FORTRAN, "{scalar} :: {name}", *["type(c_ptr) :: {name}"] * 5,
)  # fmt: skip

FILE = """
! {generated}
module {name}
  use, intrinsic :: iso_c_binding
  implicit none

  {constants}

  interface
    {functions}
  end interface

  {left_out}
end module {name}
"""

FUNCTION = """
{comment}
function {name}({names}) bind(c, name="{name}")
  import
  {declarations}
  {result}
end function {name}
"""

PROCEDURE = """
{comment}
subroutine {name}({names}) bind(c, name="{name}")
  import
  {declarations}
end subroutine {name}
"""

LETTER_FIRST = re.compile(r"[A-Za-z]\w{0,62}")

LANGUAGE = Language(
    title="Fortran",
    file=FILE,
    function=FUNCTION,
    procedure=PROCEDURE,
    columns={"declaration": PARAMETER},
    results={"result": RESULT},
    lists={"names": ("{name}", ", "), "declarations": ("{declaration}", "\n")},
    comment=("", "!> ", ""),
    remark="!",
    constant="integer(c_int), parameter :: {name} = {value}",
    long_constant="integer(c_int64_t), parameter :: {name} = {value}_c_int64_t",
    folds_case=True,
    function_name=LETTER_FIRST,
    constant_name=LETTER_FIRST,
    parameter_name=LETTER_FIRST,
    optional=", optional",
    breaks=filled(" &", "  "),
)

"""torchthaw/declarations/languages/fortran.py: Fortran 2003: a module with the interfaces of the functions.

Every pointer is a c_ptr by value, so that no array is copied on its way: c_loc(array), or c_null_ptr.
"""

import re

from ..language import Language, address
from ..lines import filled
from ..types import FORTRAN

PARAMETER = address(FORTRAN, "type(c_ptr), value :: {name}", scalar="{scalar}, value :: {name}")
RESULT = address(FORTRAN, "type(c_ptr) :: {name}", scalar="{scalar} :: {name}")

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
    reserved="fortran",
    folds_case=True,
    longest=63,
    module_name=LETTER_FIRST,
    function_name=LETTER_FIRST,
    constant_name=LETTER_FIRST,
    parameter_name=LETTER_FIRST,
    says_prototype=True,
    default_name="{}_c".format,
    breaks=filled(" &", "  "),
)

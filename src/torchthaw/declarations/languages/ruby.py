"""torchthaw/declarations/languages/ruby.py: Ruby: the types of the functions for Fiddle, and what makes them callable."""

from ..language import Language, address, but, camel
from ..types import RUBY

SPELLING = address(RUBY, "Fiddle::TYPE_VOIDP", void="Fiddle::TYPE_VOID")

FILE = """
# {generated}
require "fiddle"

module {name}
  {constants}

  # name => [types of the parameters, type of the result]
  FUNCTIONS = {{
    {functions}
  }}.freeze

  # name => Fiddle::Function, of a Fiddle::Handle.
  def self.declare(handle)
    FUNCTIONS.to_h {{ |name, types| [name, Fiddle::Function.new(handle[name], *types, name: name)] }}
  end

  {left_out}
end
"""

FUNCTION = """
{comment}
"{name}" => [[{types}], {result}],
"""

LANGUAGE = Language(
    title="Ruby",
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
    reserved="ruby",
    constant_name=but("FUNCTIONS Fiddle", r"[A-Z]\w*"),
    module_name=but("Fiddle", r"[A-Z]\w*"),
    default_name=camel,
)

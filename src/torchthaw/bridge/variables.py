"""torchthaw/bridge/variables.py: the global variables of C as attributes of a module: values stay where C has them."""

import json
import types


class Variable:
    """An attribute that is read from C each time, and written to C. A constant array cannot be assigned to."""

    def __init__(self, name, lib, is_read_only):
        self.name, self.lib, self.is_read_only = name, lib, is_read_only

    def __get__(self, module, kind=None):
        return self if module is None else getattr(self.lib, self.name)

    def __set__(self, module, value):
        if self.is_read_only:
            raise AttributeError(f"{self.name}: expected a variable that is not const, got a const array")
        try:
            setattr(self.lib, self.name, value)
        except (TypeError, OverflowError, IndexError, ValueError) as error:
            raise type(error)(f"{self.name}: {error}") from None

    def __delete__(self, module):
        raise AttributeError(f"{self.name}: expected a value, since it is C's variable; got del")


def expose(module, extension):
    """Makes the global variables of an extension's module attributes of ``module``; returns their names.

    What the extension has besides, functions and constants, is left alone.
    """
    ffi, lib = extension.ffi, extension.lib
    names = [name for name in dir(lib) if _is_variable(ffi, lib, name)]
    if names:
        read_only = json.loads(extension.description).get("read_only", ())
        members = {name: Variable(name, lib, name in read_only) for name in names}
        members["__dir__"] = lambda self: sorted({*types.ModuleType.__dir__(self), *names})
        module.__class__ = type("module", (types.ModuleType,), members)
    return names


def _is_variable(ffi, lib, name):
    if isinstance(getattr(lib, name), types.BuiltinFunctionType):
        return False
    try:
        return ffi.typeof(ffi.addressof(lib, name)).kind == "pointer"  # of a variadic function it is "function"
    except AttributeError:
        return False  # a constant has no address

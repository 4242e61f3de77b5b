"""torchthaw/bridge/cffi_arguments.py: what cffi gets for the arguments that it converts."""

import gc

import _cffi_backend as cffi

from . import _bridge, cffi_numbers, errors

FROM_BUFFER = type(cffi.FFI().from_buffer(b""))

# Kinds of ctypes.
FUNCTION, POINTER = "function", "pointer"


def may_call_back(types):
    """Whether one of the parameters' ctypes is a function, or points to some. What structs hold is not looked at."""
    return any(map(_is_function, types))


def _is_function(ctype):
    while ctype.kind == POINTER:
        ctype = ctype.item
    return ctype.kind == FUNCTION


def prepare(name, kind, flags, code, bits, argument, ctype, as_cffi):
    """``argument`` as a value of cffi, or itself where cffi runs no code of its author: the conversion happens here.

    as_cffi: bytes and read-only buffers for a pointer without const are copied; otherwise they are refused, as are
    numbers that cffi would cut.
    """
    type_of_argument = type(argument)
    written = flags & _bridge.THAW_WRITTEN
    if issubclass(type_of_argument, cffi._CDataBase):
        if type_of_argument is not FROM_BUFFER:
            return argument
        exporters = gc.get_referents(argument)
        if not exporters:
            raise ValueError(f"{name}: expected memory, got a buffer that was released")
        if not written or not any(map(_is_read_only, exporters)):
            return argument
        if as_cffi:
            return _copy(cffi.typeof(argument), argument)
        raise ValueError(f"{name}: expected {errors.expected(kind, flags, code, bits)}, got a read-only buffer")
    is_pointer = ctype.kind == POINTER
    if is_pointer and issubclass(type_of_argument, bytearray) and _takes_bytes(ctype.item):
        return cffi.from_buffer(_array(ctype), argument, True)
    if is_pointer and issubclass(type_of_argument, bytes) and written:
        if not as_cffi:
            want, got = errors.expected(kind, flags, code, bits), f"{type_of_argument.__name__}, which does not change"
            raise ValueError(f"{name}: expected {want}, got {got}; pass a bytearray, or declare the parameter const")
        return _copy(_array(ctype), argument) if _takes_bytes(ctype.item) else argument
    is_array = is_pointer and ctype.item.kind != "void" and issubclass(type_of_argument, (list, tuple))
    if type_of_argument in (str, bytes, bytearray):
        return argument
    try:
        value = _snapshot(argument)
        made = cffi.newp(_array(ctype), value) if is_array else cffi.newp(cffi.new_pointer_type(ctype), value)[0]
        if not as_cffi:
            cffi_numbers.check(ctype, value)
        return made
    except Exception as error:
        errors.name_argument(name, error, as_cffi, error)


def _takes_bytes(ctype):
    """Whether any bytes are values of this type; ``void`` stands for all of them."""
    return ctype.kind == "void" or ctype.kind == "primitive" and cffi.sizeof(ctype) == 1 and ctype.cname != "_Bool"


def _array(ctype):
    """The array type that becomes this pointer; of char for ``void *``."""
    item = cffi.new_primitive_type("char") if ctype.item.kind == "void" else ctype.item
    return cffi.new_array_type(cffi.new_pointer_type(item), None)


def _copy(ctype, memory):
    """The array's memory, or bytes with the zero behind them, as an array of cffi's own."""
    buffer = memory if isinstance(memory, bytes) else cffi.buffer(memory)[:]
    count = len(memory) + isinstance(memory, bytes)
    copy = cffi.newp(cffi.new_array_type(cffi.new_pointer_type(ctype.item), count))
    cffi.buffer(copy)[: len(buffer)] = buffer
    return copy


def _snapshot(value):
    """Lists as tuples and dicts as new ones, at any depth: code of their items may change them meanwhile."""
    if issubclass(type(value), (list, tuple)):
        return tuple(map(_snapshot, value))
    if issubclass(type(value), dict):
        return {key: _snapshot(item) for key, item in value.items()}
    return value


# What is known of an array that cffi converts, as in check.h: how many elements it has, no more than its address, NULL.
COUNTED, UNKNOWN, NOTHING = -1, -2, -3


def extent(name, kind, flags, code, bits, argument):
    """(COUNTED, UNKNOWN or NOTHING, elements, address or 0 for a copy, bytes) of what cffi makes a pointer of.

    Raises ValueError for an output that C must not write to, or whose memory nobody would see.
    """
    written = flags & _bridge.THAW_WRITTEN
    if flags & _bridge.THAW_SIZES:  # they are read before cffi would refuse them
        _check_sizes(name, errors.expected(kind, flags, code, bits), argument)
    if isinstance(argument, (list, tuple, bytes, str)):
        if written:
            got = f"{type(argument).__name__}, which does not change"
            raise ValueError(f"{name}: expected {errors.expected(kind, flags, code, bits)}, got {got}")
        return COUNTED, len(argument), 0, 0
    if isinstance(argument, bytearray):
        argument = cffi.FFI().from_buffer(argument)
    ctype = cffi.typeof(argument)
    if ctype.kind not in ("array", "pointer"):
        return UNKNOWN, 0, 0, 0  # and cffi's TypeError
    address = int(cffi.cast(cffi.new_primitive_type("uintptr_t"), argument))
    if ctype.kind == "pointer":
        return UNKNOWN if address else NOTHING, 0, address, min(address, 1)
    if written and any(map(_is_read_only, gc.get_referents(argument))):
        raise ValueError(f"{name}: expected {errors.expected(kind, flags, code, bits)}, got a read-only buffer")
    return COUNTED, len(argument), address, cffi.sizeof(argument)


def _check_sizes(name, want, argument):
    """TypeError for what neither holds nor points to numbers of int64_t, as far as its type tells."""
    if isinstance(argument, (bytes, bytearray, str)):
        raise TypeError(f"{name}: expected {want}, got {type(argument).__name__}")
    ctype = cffi.typeof(argument)
    item = ctype.item if ctype.kind in ("array", "pointer") else ctype
    integers = item.kind == "primitive" and item.cname != "double" and cffi.sizeof(item) == 8
    if item is ctype or not (integers or item.kind == "void"):
        raise TypeError(f"{name}: expected {want}, got a cffi value of type {ctype.cname}")


def _is_read_only(exporter):
    """Whether a cffi array over the memory of this object must not be written to."""
    try:
        return memoryview(exporter).readonly
    except TypeError:
        return False


def name_culprit(error, names, ctypes, values, as_cffi):
    """Raises ``error``, which cffi raised for one of ``values``, with that parameter's name as errors.name_argument().

    Returns where no argument is to blame: then the error is what the call itself gave.
    """
    if not isinstance(error, (TypeError, OverflowError, ValueError)):
        return
    for name, ctype, value in zip(names, ctypes, values):
        try:
            _convert(ctype, value)
        except (TypeError, OverflowError, ValueError):
            errors.name_argument(name, error, as_cffi, None)


def _convert(ctype, value):
    """Converts ``value`` as cffi does for a parameter of type ``ctype``."""
    if ctype.kind == "pointer" and isinstance(value, (list, tuple, bytes, str)):
        cffi.newp(cffi.new_array_type(ctype, None), value)
    else:
        cffi.newp(cffi.new_array_type(cffi.new_pointer_type(ctype), 1), (value,))

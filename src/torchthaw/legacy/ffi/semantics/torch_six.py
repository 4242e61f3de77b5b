"""torchthaw/legacy/ffi/semantics/torch_six.py: the module torch._six: what Python 2 and 3 called differently."""

import builtins  # noqa: F401
import collections.abc as container_abcs  # noqa: F401
import queue  # noqa: F401
import types
from io import StringIO  # noqa: F401
from math import inf, nan  # noqa: F401

PY2, PY3, PY37 = False, True, True
string_classes = (str, bytes)
int_classes = int
FileNotFoundError = builtins.FileNotFoundError
imap = map


def with_metaclass(meta, *bases):
    return types.new_class("with_metaclass", bases, {"metaclass": meta})


def raise_from(value, from_value):
    raise value from from_value


def istuple(value):
    return isinstance(value, tuple)

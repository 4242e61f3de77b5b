"""The operators of libmy_lib on NumPy arrays, without PyTorch.

Arrays are C-contiguous and of one type: numpy.float32, numpy.float64 or, but for add, numpy.float16. They are passed as
they are, never copied. An output is an array to write to, or None for a new one; one that backward need not compute is
False. What does not fit is an error that names the argument: TypeError for a type, MyLibError for shapes and for what
the library refuses, ValueError for an array that is not contiguous or cannot be written to.
"""

from .add import add_backward, add_forward
from .library import MyLibError, build_info, get_num_threads, set_num_threads, version
from .linear import linear_backward, linear_forward
from .lltm import lltm_backward, lltm_forward, lltm_sequence_backward, lltm_sequence_forward
from .workspace import Workspace

__all__ = [
    "MyLibError",
    "Workspace",
    "add_backward",
    "add_forward",
    "build_info",
    "get_num_threads",
    "linear_backward",
    "linear_forward",
    "lltm_backward",
    "lltm_forward",
    "lltm_sequence_backward",
    "lltm_sequence_forward",
    "set_num_threads",
    "version",
]

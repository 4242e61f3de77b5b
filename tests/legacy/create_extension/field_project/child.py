# tests/legacy/create_extension/field_project/child.py: run by build.py in an interpreter of its own.
from torch.utils.ffi import _wrap_function, create_extension

print("child", create_extension.__name__, _wrap_function.__name__)

# tests/legacy/create_extension/field_project/setup.py: a plain name with package=True, put into the package by the name
# of its extension.
from setuptools import setup
from torch.utils.ffi import create_extension

ffi = create_extension(
    "plain", headers=["native/plain.h"], sources=["native/plain_source.c"], package=True, relative_to=__file__
)
extension = ffi.distutils_extension()
extension.name = "plain._plain"
setup(name="plain", version="1.0", packages=["plain"], ext_modules=[extension])

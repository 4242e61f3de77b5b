"""setup.py: the package my_package with its C and CUDA extension."""

from setuptools import find_packages, setup

setup(
    name="my_package",
    version="0.1",
    packages=find_packages(),
    setup_requires=["cffi>=1.0.0"],
    install_requires=["cffi>=1.0.0"],
    cffi_modules=["build.py:ffi"],
)

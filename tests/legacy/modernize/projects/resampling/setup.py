#!/usr/bin/env python
from setuptools import find_packages, setup

setup(
    name="resampling",
    version="0.3.1",
    description="Layers that repeat, weight and shift the columns of a signal",
    author="A. Author",
    author_email="author@example.org",
    license="MIT",
    install_requires=["cffi>=1.0.0", "torch"],
    setup_requires=["cffi>=1.0.0"],
    packages=find_packages(exclude=["test", "build"]),
    ext_package="",
    cffi_modules=["build.py:ffi"],
)

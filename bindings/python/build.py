"""bindings/python/build.py: builds the package my_lib for NumPy's arrays from the header of the installed library.

python build.py FOLDER        PREFIX is the folder in which the library is installed
"""

import os
import sys
from pathlib import Path

import torchthaw

prefix = Path(os.environ["PREFIX"])
libraries = next(path.parent for path in prefix.glob("lib*/**/libmy_lib.so.1"))
torchthaw.create_extension(
    "my_lib",
    headers=[prefix / "include" / "my_lib.h"],
    include_dirs=[prefix / "include"],
    libraries=["my_lib"],
    library_dirs=[libraries],
    runtime_library_dirs=[libraries],
    relative_to=Path(sys.argv[1]).resolve() / "build.py",
).build()

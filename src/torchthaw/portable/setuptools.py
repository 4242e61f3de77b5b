"""torchthaw/portable/setuptools.py: for setup.py: CppExtension, and BuildExtension, the command that builds it.

Both have the arguments of their namesakes in torch.utils.cpp_extension. The functions below are also for the command of
PyTorch, which ``python -m torchthaw run --portable`` has build in this way.
"""

import os
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

from setuptools import Extension
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError

from ..base.errors import BuildError
from ..extension import ninja
from . import build, project_flags

TAG = "cp310"  # the oldest CPython that the wheel is for
WHEEL = "bdist_wheel"


class CppExtension(Extension):
    """The extension module ``name`` of C and C++ ``sources``, as one file ``name.abi3.so``.

    Arguments are those of setuptools.Extension. ``extra_compile_args`` may also be a dict with ``"cxx"``. Folders and
    libraries of PyTorch among them are not used.
    """

    def __init__(self, name: str, sources: list[Any], *args: Any, **kwargs: Any) -> None:
        build.refuse_cuda("sources", project_flags.cuda_of(sources, ()))
        super().__init__(name, sources, *args, **{**kwargs, "language": "c++", "py_limited_api": True})


class BuildExtension(build_ext):
    """The command ``build_ext`` for projects with a CppExtension: ``cmdclass={"build_ext": BuildExtension}``.

    The project's wheel is for every CPython from 3.10 on where all of its extensions are: ``cp310-abi3``. Other
    extensions are built as setuptools does.

    use_ninja: as PyTorch's; files are compiled with ninja in any case. ``MAX_JOBS`` bounds how many at once.
    no_python_abi_suffix: leaves ``.abi3`` out of the file's name.
    ``with_options(no_python_abi_suffix=True)`` is a class with that option.
    """

    chosen: dict[str, bool] = {}  # by with_options()

    @classmethod
    def with_options(cls, **options: bool) -> "type[BuildExtension]":
        """This class with other options."""
        return type(cls.__name__, (cls,), {"chosen": {**cls.chosen, **options}})

    def __init__(self, *args: Any, **options: bool) -> None:
        super().__init__(*args)
        self.set_options(**{**self.chosen, **options})

    def set_options(self, use_ninja: bool = True, no_python_abi_suffix: bool = False) -> None:
        """Takes the options above. TypeError for others."""
        self.use_ninja, self.no_python_abi_suffix = use_ninja, no_python_abi_suffix

    def get_ext_filename(self, fullname):
        path = super().get_ext_filename(fullname)
        return re.sub(r"\.[^./]+(\.\w+)$", r"\1", path) if self.no_python_abi_suffix else path

    def build_extension(self, ext):
        if not isinstance(ext, CppExtension):
            super().build_extension(ext)
            return
        try:
            make(self, ext, force=self.force)
        except BuildError as error:
            raise CompileError(str(error)) from None  # setup() prints it without a traceback

    def run(self):
        super().run()
        tag(self.distribution)


def make(command, ext, force=False):
    """Builds an extension to where setuptools expects its file. Raises BuildError, or ValueError for CUDA code.

    command: a build_ext that runs; its folders of headers and libraries are those of all extensions.
    """
    build.refuse_cuda(f"ext_modules: {ext.name}", project_flags.cuda_of(ext.sources, ext.libraries))
    folder = Path(command.build_temp).absolute() / "portable" / ext.name
    if force:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    args = ext.extra_compile_args
    cxx = [*_words("CPPFLAGS", "CFLAGS", "CXXFLAGS"), *((args.get("cxx") or ()) if isinstance(args, dict) else args)]
    made = build.Portable(ext.name, folder, **build.options(
        ext.sources,
        [*ext.include_dirs, *_paths(command.include_dirs)],
        [*ext.define_macros, *(command.define or ())],
        [*ext.undef_macros, *(command.undef or ())],
        [*ext.library_dirs, *_paths(command.library_dirs)],
        [*ext.libraries, *(command.libraries or ())],
        [*ext.runtime_library_dirs, *_paths(command.rpath)],
        ext.extra_objects,
        [*cxx, *(["-g"] if command.debug else [])],
        [*_words("LDFLAGS"), *ext.extra_link_args],
        verbose=command.verbose > 1,
    ))  # fmt: skip
    made.make(keep_intermediates=True)
    target = Path(command.get_ext_fullpath(ext.name))
    target.parent.mkdir(parents=True, exist_ok=True)
    ninja.install(made.target, target)


def tag(distribution):
    """Has the wheel say that its files are for every CPython from 3.10 on, where all extensions are."""
    extensions = distribution.ext_modules or ()
    if not extensions or not all(ext.py_limited_api for ext in extensions):
        return
    known = distribution.get_option_dict(WHEEL)
    command = distribution.get_command_obj(WHEEL, create=False)
    chosen = (command and command.py_limited_api) or known.get("py_limited_api", ("", ""))[1]
    newer = re.fullmatch(r"cp3(\d+)", chosen or "")
    if newer and int(newer[1]) > int(TAG[3:]):
        return  # the project asks for a later Python
    known["py_limited_api"] = ("torchthaw", TAG)
    if command:
        command.py_limited_api = TAG


def _words(*variables):
    """The words of environment variables, as setuptools reads them for its compilers."""
    return [word for name in variables for word in shlex.split(os.environ.get(name, ""))]


def _paths(value):
    """Folders of a command's option, a list or a text with separators."""
    return value.split(os.pathsep) if isinstance(value, str) else list(value or ())

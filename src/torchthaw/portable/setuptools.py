"""torchthaw/portable/setuptools.py: for setup.py: CppExtension, CUDAExtension, and BuildExtension, the command that builds them.

All have the arguments of their namesakes in torch.utils.cpp_extension. The functions below are also for the command of
PyTorch, which ``python -m torchthaw run --portable`` has build in this way.
"""

import os
import re
import shlex
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from setuptools import Extension
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError

from ..base.errors import BuildError
from ..extension import cuda, ninja
from . import build, project_flags

TAG = "cp310"  # the oldest CPython that the wheel is for
WHEEL = "bdist_wheel"


class CppExtension(Extension):
    """The extension module ``name`` of C, C++ and CUDA ``sources``, as one file ``name.abi3.so``.

    Arguments are those of setuptools.Extension. ``extra_compile_args`` may also be a dict with ``"cxx"``, ``"nvcc"`` and
    ``"nvcc_dlink"``. Folders and libraries of PyTorch among them are not used.
    """

    with_cuda = False  # the headers and the runtime of CUDA for C++; sources of CUDA have them in any case

    def __init__(self, name: str, sources: list[Any], *args: Any, **kwargs: Any) -> None:
        super().__init__(name, sources, *args, **{**kwargs, "language": "c++", "py_limited_api": True})


class CUDAExtension(CppExtension):
    """A CppExtension whose C++ may call CUDA's runtime, which is linked statically.

    The toolkit is that of ``torchthaw.create_extension``; ``TORCH_CUDA_ARCH_LIST`` says for which GPUs. With
    ``TORCHTHAW_CUDA=cpu`` it is built for torchthaw's device on the CPU.

    dlink: links device code of several sources. dlink_libraries: libraries of device code, which ask for that.
    """

    with_cuda = True

    def __init__(
        self, name: str, sources: list[Any], *args: Any, dlink: bool = False, dlink_libraries: Iterable[str] = (),
        **kwargs: Any,
    ) -> None:  # fmt: skip
        self.dlink, self.dlink_libraries = bool(dlink), list(dlink_libraries)
        super().__init__(name, sources, *args, **kwargs)


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
        except (BuildError, FileNotFoundError) as error:  # of a source, or of a toolkit of CUDA
            raise CompileError(str(error)) from None  # setup() prints it without a traceback

    def run(self):
        super().run()
        tag(self.distribution)


def make(command, ext, force=False):
    """Builds an extension to where setuptools expects its file. Raises BuildError, and FileNotFoundError for CUDA code
    without a toolkit.

    command: a build_ext that runs; its folders of headers and libraries are those of all extensions. ext: ours or PyTorch's.
    """
    folder = Path(command.build_temp).absolute() / "portable" / ext.name
    if force:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    args = cuda.compile_args(ext.extra_compile_args)
    cxx = [*_words("CPPFLAGS", "CFLAGS", "CXXFLAGS"), *args["cxx"], *(["-g"] if command.debug else [])]
    dlink = [word for word in args["nvcc_dlink"] if word != "-dlink"]  # PyTorch's CUDAExtension puts it there
    made = build.Portable(ext.name, folder, **build.options(
        ext.sources,
        [*ext.include_dirs, *_paths(command.include_dirs)],
        [*ext.define_macros, *(command.define or ())],
        [*ext.undef_macros, *(command.undef or ())],
        [*ext.library_dirs, *_paths(command.library_dirs)],
        [*ext.libraries, *(command.libraries or ())],
        [*ext.runtime_library_dirs, *_paths(command.rpath)],
        ext.extra_objects,
        {**args, "cxx": cxx, "nvcc_dlink": dlink},
        [*_words("LDFLAGS"), *ext.extra_link_args],
        verbose=command.verbose > 1,
        with_cuda=getattr(ext, "with_cuda", False) or project_flags.names_cuda(ext.libraries),
        dlink=getattr(ext, "dlink", False) or bool(args["nvcc_dlink"]),
        dlink_libraries=getattr(ext, "dlink_libraries", ()),
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

"""torchthaw/extension/build_ext.py: for setup.py: FFIExtension, and BuildExtension, the command that builds it."""

import inspect
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from setuptools import Extension
from setuptools.command.build_ext import build_ext

from ..base import requirement, toolchain
from . import create, cuda
from .arguments import ExtensionOptions, Paths

if TYPE_CHECKING:
    from typing_extensions import Unpack  # of typing from Python 3.11 on


class FFIExtension(Extension):
    """The package ``name`` of what C ``headers`` declare, for ``ext_modules`` of a setup.py with BuildExtension.

    Arguments are those of torchthaw.create_extension, ``th=True`` among them; relative paths start in the folder of
    setup.py.
    """

    def __init__(self, name: str, headers: Paths, sources: Paths = (), **options: "Unpack[ExtensionOptions]") -> None:
        inspect.signature(create.create_extension).bind(name, headers, sources, **options)
        self.given = {"name": name, "headers": headers, "sources": sources, **options}
        super().__init__(
            f"{name}._{name.rpartition('.')[2]}",
            [os.fspath(source) for source in create.paths(sources)],
            depends=[os.fspath(header) for header in create.paths(headers)],
            py_limited_api=True,
        )

    def made(self):
        """What torchthaw.create_extension makes of it."""
        return create.create_extension(**self.given)


class BuildExtension(build_ext):
    """The command ``build_ext`` for projects with an FFIExtension: ``cmdclass={"build_ext": BuildExtension}``.

    use_ninja: False compiles one file after the other, as setuptools does. So it is where there is no ninja.
    ``with_options(use_ninja=False)`` is a class with that option.

    Of every Extension ``extra_compile_args`` may be a list or a dict with ``"cxx"`` and ``"nvcc"``. ``MAX_JOBS`` bounds
    the number of compilers that run at once.
    """

    use_ninja = True

    @classmethod
    def with_options(cls, *, use_ninja: bool = True) -> "type[BuildExtension]":
        """This class with other options."""
        return type(cls.__name__, (cls,), {"use_ninja": use_ninja})

    def finalize_options(self):
        super().finalize_options()
        if self.use_ninja:
            try:
                toolchain.tool("ninja")
            except FileNotFoundError as error:
                warnings.warn(f"{error}; files are compiled one after the other", stacklevel=2)
                self.use_ninja = False

    def run(self):
        if not self.inplace and requirement.is_missing(self.distribution):
            name = self.distribution.get_name()
            warnings.warn(
                f"install_requires: expected torchthaw among the requirements of {name}, got none; "
                f"add {requirement.requirement(self.distribution)!r}, since what is built needs it when it is imported", stacklevel=2,
            )  # fmt: skip
        super().run()

    def build_extension(self, ext):
        if not isinstance(ext, FFIExtension):
            ext.extra_compile_args = cuda.compile_args(ext.extra_compile_args)["cxx"]
            super().build_extension(ext)
            return
        made = self.staged(ext)
        made.options["verbose"] |= self.verbose > 1
        if self.use_ninja:
            made.build()
        else:
            _for_setuptools(ext, made)
            super().build_extension(ext)
            made.write_init(made.target.parent)
        _mark_typed(made.target.parent)

    def staged(self, ext):
        """The torchthaw.extension.Extension of an FFIExtension, made in the build folder."""
        made = ext.made()
        package = Path(self.get_finalized_command("build_py").get_package_dir(made.name)).absolute()
        target = Path(self.get_ext_fullpath(ext.name)).absolute()
        return made.staged(package, target, Path(self.build_temp).absolute() / ext.name)

    def copy_extensions_to_source(self):
        for ext in self.extensions:
            if isinstance(ext, FFIExtension):
                made = self.staged(ext)
                made.package.mkdir(parents=True, exist_ok=True)
                made.write_init(made.package)
                _mark_typed(made.package)
        super().copy_extensions_to_source()


def _mark_typed(folder):
    """Says that the package's stub may be used by those who install it."""
    (folder / "py.typed").touch()


def _for_setuptools(ext, made):
    """Gives ``ext`` all that setuptools needs to build it by itself."""
    if made.options["with_cuda"]:
        raise ValueError("use_ninja: expected True for an extension with CUDA, got False")
    made.state.mkdir(parents=True, exist_ok=True)
    made.write_generated()
    vars(ext).update(made.for_setuptools())
    ext.sources.insert(0, os.fspath(made.generated))

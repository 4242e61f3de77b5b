"""torchthaw/portable/build.py: Portable: one extension of C, C++ and CUDA, compiled against torchthaw's own headers into one file.

The compilers, ninja, and the record of what a file was made of are those of torchthaw.load.
"""

import functools
import importlib.machinery
import importlib.util
import os
from pathlib import Path

from ..base.errors import BuildError
from ..extension import cuda, jit, ninja, nvidia_packages
from ..extension.inputs import is_cuda
from . import flags, headers, operators, project_flags, pytorch_headers, runtime_library, symbols, unserved

OPERATORS = "operators"  # in a build's folder: the headers that are written for its sources
C_SUFFIXES = (".cpp", ".cc", ".cxx", ".C", ".c")


def include_paths() -> list[str]:
    """The folders of headers that stand for PyTorch's, for build systems other than setuptools.

    The operators that sources call are in a folder of the build more: ``python -m torchthaw.portable`` writes it.
    """
    return [os.fspath(folder) for folder in headers.include_paths()]


class Portable(jit.Library):
    """An extension module, or a library of operators, as one file ``target``.

    name: the module's full name. folder: where the file and its intermediate files go. options: as in
        extension.inputs.DEFAULTS, and ``sources``; paths are absolute. ``with_cuda`` is for C++ that calls CUDA's runtime:
        sources of CUDA say it themselves. FileNotFoundError where these are and no toolkit is found.
    """

    targets_by_flags = True

    def __init__(self, name, folder, **options):
        options = {"headers": [], "verbose": False, **options}
        options["with_cuda"] = options.get("with_cuda") or any(map(is_cuda, options["sources"]))
        super().__init__(name, folder, "portable", options)

    @property
    def module(self):
        """What the module's PyInit_ function is named after."""
        return self.name.rpartition(".")[2]

    @module.setter
    def module(self, name):
        """An Extension names another one: it has a package around it."""

    # Flags

    @property
    def flags(self):
        return [*flags.common(), f"-DTORCH_EXTENSION_NAME={self.module}"]

    def include_dirs(self):
        toolkit = [self.cuda.toolkit.include] if self.cuda else []
        return [self.state / OPERATORS, *include_paths(), *self.options["include_dirs"], *toolkit]

    def late_include_flags(self):
        packages = nvidia_packages.headers(self.cuda.toolkit) if self.cuda else []
        return [word for each in packages for word in ("-idirafter", os.fspath(each))]

    def facts_of_interface(self):
        """No C header declares what the extension offers; the flags of all decide with the options."""
        return [self.flags, flags.cxx(), flags.STANDARD, flags.CUDA]

    def nvcc_flags(self):
        return [*flags.of_nvcc(self.flags), *super().nvcc_flags()]

    def flags_of(self, source):
        own = super().flags_of(source)
        if Path(source).suffix == ".c" or is_cuda(source):
            return own
        standard = [] if any(map(project_flags.STANDARD.match, own)) else [flags.STANDARD]
        return [*flags.cxx(), *standard, *own]

    @functools.cached_property
    def of_runtime(self):
        """The flags that the runtime library needs too."""
        options = self.options
        return list(dict.fromkeys(flags.of_all([*options["extra_compile_args"]["cxx"], *options["extra_link_args"]])))

    @functools.cached_property
    def always_linked(self):
        """The linker's words of every extension."""
        return runtime_library.link_flags(self.of_runtime)

    def link_args(self):
        args = self.options["extra_link_args"]
        return [*ninja.hardening(args), *self.always_linked, *args]

    def linked(self):
        """Without the runtime library: its path says what it is made of, and it may not be there yet."""
        return {path: status for path, status in super().linked().items() if path not in self.always_linked}

    # What a build does

    def _build(self):
        self.state.mkdir(exist_ok=True)
        folders = [*include_paths(), *self.options["include_dirs"]]  # CUDA's have no operators
        operators.write(self.state / OPERATORS, self.options["sources"], list(map(Path, folders)))
        text = self.ninja_text([])
        ninja.write_if_changed(self.state / "build.ninja", text)
        self._run(
            runtime_library.objects(text)
        )  # a fault of the sources is said before the runtime library is compiled
        runtime_library.runtime(self.of_runtime)
        self._run(())
        symbols.check(self.state / self.target.name)

    def _run(self, targets):
        """Runs ninja; NotServed where the headers lack names."""
        try:
            ninja.run(self.state, targets, verbose=self.options["verbose"])
        except BuildError as error:
            names = unserved.found(str(error))
            if not names:
                raise
            notes = pytorch_headers.note([each.name for each in names if not each.is_there])
            raise unserved.NotServed(unserved.message(names, str(error), notes), names) from None

    def load(self, is_python_module=True):
        """The module; a library of operators is loaded into the process, and its path returned."""
        import torch  # its libraries must be there before the extension is loaded

        path = os.fspath(self.target)
        if not is_python_module:
            torch.ops.load_library(path)
            return path
        loader = importlib.machinery.ExtensionFileLoader(self.name, path)
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader(self.name, loader))
        loader.exec_module(module)
        return module


def options(
    sources, include_dirs=(), define_macros=(), undef_macros=(), library_dirs=(), libraries=(),
    runtime_library_dirs=(), extra_objects=(), extra_compile_args=(), extra_link_args=(), verbose=False,
    with_cuda=False, dlink=False, dlink_libraries=(),
):  # fmt: skip
    """The options of a Portable from those of a setuptools.Extension, without what is PyTorch's. Paths become absolute."""
    here, own, args = Path.cwd(), include_paths(), cuda.compile_args(extra_compile_args)
    return {
        "sources": [here / source for source in sources],
        "include_dirs": [
            here / folder for folder in project_flags.include_dirs(include_dirs) if str(folder) not in own
        ],
        "define_macros": project_flags.macros(define_macros),
        "undef_macros": list(undef_macros),
        "library_dirs": [here / folder for folder in project_flags.library_dirs(library_dirs)],
        "libraries": project_flags.libraries(libraries),
        "runtime_library_dirs": project_flags.library_dirs(runtime_library_dirs),
        "extra_objects": [here / path for path in project_flags.objects(extra_objects)],
        "extra_compile_args": {compiler: project_flags.compile_args(words) for compiler, words in args.items()},
        "extra_link_args": project_flags.link_args(extra_link_args),
        "verbose": verbose, "with_cuda": with_cuda, "dlink": dlink, "dlink_libraries": list(dlink_libraries),
    }  # fmt: skip

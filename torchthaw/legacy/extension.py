"""torchthaw/legacy/extension.py: create_extension as torch.utils.ffi had it, built by ninja."""

import hashlib
import os
import warnings
from pathlib import Path

from .. import config
from ..build import BuildError, cdef, cuda, glue, ninja, toolchain
from ..build.extension import LIMITED_API
from . import nvcc, objects, structs, window

INIT = '''"""{name}: made by torch.utils.ffi.create_extension."""

from torch.utils.ffi import _wrap_function

from .{module} import ffi as _ffi
from .{module} import lib as _lib

__all__ = []


def _fill(namespace):
    for name in dir(_lib):
        value = getattr(_lib, name)
        namespace[name] = _wrap_function(value, _ffi) if callable(value) else value
        __all__.append(name)


_fill(globals())
'''

PROLOGUE = "#include <stdbool.h>\n#include <TH/TH.h>\n"
CUDA_PROLOGUE = "#include <THC/THC.h>\n"

# Errors of gcc 14 and later that C of those days takes for granted; earlier compilers know them as warnings.
DEMOTED = [
    f"-Wno-error={name}"
    for name in ("implicit-function-declaration", "implicit-int", "incompatible-pointer-types", "int-conversion")
]

# Arguments of setuptools.Extension that _Options leaves among the given; setuptools takes longer to import than ninja
# takes to build.
OTHER_ARGUMENTS = {
    "undef_macros", "library_dirs", "runtime_library_dirs", "extra_link_args", "export_symbols", "swig_opts", "depends",
    "language", "optional", "py_limited_api",
}  # fmt: skip

# What objects compiled elsewhere need and do not name.
RUNTIMES = ["-Wl,--push-state,--as-needed", "-lstdc++", "-lgomp", "-lm", "-Wl,--pop-state"]


def create_extension(
    name, headers, sources, verbose=True, with_cuda=False, package=False, relative_to=".", **kwargs
):
    """A cffi.FFI whose ``build()`` makes the package ``name`` of what C ``headers`` declare.

    name: dotted, such as ``"_ext.my_lib"``: the folders of the package, below that of the file ``relative_to``.
    headers: a path or several, relative to that folder; may name TH tensors and storages.
    sources: C, C++ and CUDA files, relative to that folder.
    verbose: shows the commands.
    package: the module is ``name._my_lib``, for setup.py with ``cffi_modules``; else ``_my_lib``. ``build()`` puts it
        in the package either way.
    with_cuda: THC's headers, libthc and CUDA's runtime. An object of CUDA code among ``extra_objects`` that is missing,
        or does not suit this toolkit and these cards, is made from the ``.cu`` file beside it.
    kwargs: arguments of setuptools.Extension and ``source_extension``. Relative ``include_dirs``, ``library_dirs`` and
        ``extra_objects`` start in the current folder, else in that of ``relative_to``. ``extra_compile_args`` may be a
        dict with ``"cxx"``, ``"nvcc"`` and ``"nvcc_dlink"``; ``dlink`` and ``dlink_libraries`` link device code.

    The package's folder and its ``__init__.py`` are made at once.
    """
    base = Path(os.path.abspath(os.path.dirname(relative_to)))
    parts = name.split(".")
    module = "_" + parts[-1]
    target = base.joinpath(*parts)
    headers = [base / header for header in ([headers] if isinstance(headers, (str, os.PathLike)) else headers)]
    options = _Options(name, base, target / f"{module}.so", [base / source for source in sources], with_cuda, kwargs)

    ffi, declarations = cdef.parse(headers, options.include_dirs, options.define_flags, structs.CDEF)
    exact = window.is_exact(
        [*headers, *options.sources], options.include_dirs, [*options.define_flags, *options.compile_args["cxx"]],
        options.extra_objects, options.libraries, options.list_of("extra_link_args"),
    )  # fmt: skip
    kind = structs.ExactFunction if exact else structs.Function
    functions = glue.functions(ffi, cdef.signatures(declarations), kind)
    module_name = f"{name}.{module}" if package else module
    if package and len(parts) == 1:
        module_name = f".{name}.{module}"
    includes = PROLOGUE + (CUDA_PROLOGUE if with_cuda else "")
    includes += "".join(f'#include "{header}"\n' for header in headers)
    source = glue.preamble(functions, module_name, includes, keeps_errno=True)
    ffi.set_source(module_name, source, options.source_extension, **options.for_setuptools())

    _make_package(base, parts)
    (target / "__init__.py").write_text(INIT.format(name=name, module=module))
    ffi.build = lambda: _build(ffi, options, verbose)
    return ffi


def _make_package(base, parts):
    base.joinpath(*parts).mkdir(parents=True, exist_ok=True)
    for count in range(len(parts)):
        base.joinpath(*parts[: count + 1], "__init__.py").touch()


class _Options:
    """The keyword arguments, with what every extension needs besides."""

    def __init__(self, name, base, target, sources, with_cuda, given):
        self.name, self.base, self.target, self.sources, self.with_cuda = name, base, target, sources, with_cuda
        self.given = dict(given)
        if "library_dirs" in self.given:
            folders = self.take("library_dirs")
            self.given["library_dirs"] = [os.fspath(p) for folder in folders for p in objects.places(self.base, folder)]
        self.source_extension = self.given.pop("source_extension", ".c")
        self.define_macros = self.take("define_macros")
        self.extra_objects = self.take("extra_objects")
        self.libraries = [each for each in self.take("libraries") if each not in ("TH", "THC")]
        self.compile_args = cuda.compile_args(self.given.pop("extra_compile_args", None) or ())
        self.dlink, self.dlink_libraries = self.given.pop("dlink", False), self.take("dlink_libraries")
        self.cuda, self.without_cuda = None, None
        if with_cuda:
            try:
                self.cuda = self.cuda_build()
            except FileNotFoundError as error:
                self.without_cuda = error  # building says so
        include = config.includes()
        self.include_dirs = [include, include / "TH"]
        if with_cuda:
            self.include_dirs.append(include / "THC")
        if self.cuda:
            self.include_dirs.append(self.cuda.toolkit.include)
        for folder in self.take("include_dirs"):
            self.include_dirs += objects.places(self.base, folder)
        names = ["thc", "th"] if with_cuda else ["th"]
        self.own_libraries = [config.libdir() / f"lib{name}.so.1" for name in names]

    @property
    def state(self):
        """The folder of the build's own files, in the user's cache."""
        key = hashlib.sha256(os.fspath(self.target).encode()).hexdigest()[:16]
        return config.cache() / "build" / f"{self.name}-{key}"

    @property
    def define_flags(self):
        return [f"-D{key}" if value is None else f"-D{key}={value}" for key, value in self.define_macros]

    def take(self, name):
        """A list, which is not among the other arguments from now on."""
        return list(self.given.pop(name, None) or ())

    def list_of(self, name):
        """A list among the other arguments."""
        return list(self.given.get(name) or ())

    def cuda_build(self):
        args = self.compile_args
        return cuda.Build(
            args["nvcc"], self.dlink, self.dlink_libraries, self.list_of("library_dirs"), args["nvcc_dlink"]
        )

    def inputs(self):
        """(sources, objects): what to compile, and what to link as it is."""
        if self.without_cuda:
            raise BuildError(f"{self.name}: with_cuda: {self.without_cuda}")
        if self.with_cuda and not self.own_libraries[0].exists():
            missing = f"expected {self.own_libraries[0]}, found none: torchthaw was built without nvcc"
            raise BuildError(f"{self.name}: with_cuda: {missing}")
        if not self.with_cuda:
            return self.sources, objects.for_cpu(self.base, self.extra_objects)
        made, linked = objects.for_cuda(self.base, self.extra_objects, self.cuda.architectures)
        return [*self.sources, *made], linked

    @property
    def macro_flags(self):
        """Include folders and macros, for every compiler."""
        includes = [f"-I{folder}" for folder in self.include_dirs]
        return [*includes, *self.define_flags, *(f"-U{name}" for name in self.list_of("undef_macros"))]

    @property
    def nvcc_flags(self):
        return [*self.macro_flags, *nvcc.REMOVED_CALLS]

    def for_setuptools(self):
        """Arguments of Extension."""
        link = [*self.list_of("extra_link_args"), *map(os.fspath, self.own_libraries), *RUNTIMES]
        return {
            **self.given,
            "sources": [os.fspath(source) for source in self.sources if not _is_cuda(source)],
            "include_dirs": [os.fspath(folder) for folder in self.include_dirs],
            "define_macros": [*self.define_macros, LIMITED_API],
            "libraries": self.libraries,
            "extra_objects": _Objects(self),
            "extra_compile_args": [*DEMOTED, *self.compile_args["cxx"], "-fexceptions"],
            "extra_link_args": [*link, *(self.cuda.link if self.cuda else [])],
        }

    def warn_of_unknown(self):
        unknown = [repr(name) for name in self.given if name not in OTHER_ARGUMENTS]
        if unknown:
            warnings.warn(f"Unknown Extension options: {', '.join(sorted(unknown))}", stacklevel=4)


class _Objects(list):
    """The objects that setuptools links; CUDA code is compiled when it asks for them, which is when it links."""

    def __init__(self, options):
        super().__init__(os.fspath(objects.first_existing(options.base, path)) for path in options.extra_objects)
        self.options = options

    def __len__(self):
        return super().__len__() or int(self.options.with_cuda)

    def __iter__(self):
        options = self.options
        if not options.with_cuda:
            return super().__iter__()
        sources, linked = options.inputs()
        sources = {source: options.nvcc_flags for source in sources if _is_cuda(source)}
        state = options.state.with_name(options.state.name + "-cuda")
        with ninja.locked(state):
            text, made = ninja.cuda_objects(sources, linked, options.cuda)
            ninja.write_if_changed(state / "build.ninja", text)
            if made:
                ninja.run(state, made)
        return iter([*(os.fspath(state / each) for each in made), *map(os.fspath, linked)])


def _is_cuda(source):
    return Path(source).suffix == ".cu"


def _build(ffi, options, verbose):
    """Compiles, links, and puts the shared object in its place; the previous one stays if that fails."""
    options.warn_of_unknown()
    module_name, source, extension, _ = ffi._assigned_source
    state, target = options.state, options.target
    with ninja.locked(state):
        generated = state / f"{target.stem}{extension}"
        sources, linked = options.inputs()
        _write_c(ffi, module_name, source, generated)
        ninja.write_if_changed(state / "build.ninja", _ninja(generated, sources, linked, options))
        ninja.run(state, verbose=verbose)
        target.parent.mkdir(parents=True, exist_ok=True)
        ninja.install(state / target.name, target)
        for tagged in target.parent.glob(f"{target.stem}.*.so"):
            tagged.unlink()  # Python would prefer it


def _write_c(ffi, module_name, source, path):
    from cffi import recompiler

    recompiler.make_c_source(ffi, module_name, source, os.fspath(path))  # keeps an equal file


def _ninja(generated, sources, linked, options):
    """The text of build.ninja."""
    common = ["-O2", "-ftree-vectorize", "-fwrapv", "-fPIC", "-Wall", *options.macro_flags]
    user_flags = [*options.compile_args["cxx"], "-fexceptions"]
    of_rule = {"c": ["-std=gnu17", *DEMOTED, *user_flags], "cxx": user_flags, "cuda": options.nvcc_flags}

    def flags(path):
        return of_rule.get(ninja.RULES.get(Path(path).suffix), user_flags)

    bridge = ["-w", f"-D{'='.join(LIMITED_API)}", f"-I{config.PACKAGE / 'bridge'}", f"-I{toolchain.python_include()}"]
    flags_of = {generated: [*flags(generated), *bridge], **{source: flags(source) for source in sources}}
    link = [f"-L{folder}" for folder in options.list_of("library_dirs")]
    link += [f"-l{library}" for library in options.libraries]
    link += [f"-Wl,-rpath,{folder}" for folder in options.list_of("runtime_library_dirs")]
    link += options.list_of("extra_link_args")
    link += [library for library in options.own_libraries if library.exists()]
    return ninja.shared_object(options.target.name, flags_of, common, [*link, *RUNTIMES], linked, options.cuda)

"""torchthaw/legacy/extension.py: create_extension as torch.utils.ffi had it, built by ninja."""

import hashlib
import inspect
import os
import sys
import warnings
from pathlib import Path

from .. import config
from ..build import BuildError, cdef, glue, ninja, toolchain
from . import structs

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

# Errors of gcc 14 and later that C of those days takes for granted; earlier compilers know them as warnings.
DEMOTED = [
    f"-Wno-error={name}"
    for name in ("implicit-function-declaration", "implicit-int", "incompatible-pointer-types", "int-conversion")
]
LIMITED_API = ("Py_LIMITED_API", "0x030A0000")


def create_extension(
    name, headers, sources, verbose=True, with_cuda=False, package=False, relative_to=".", **kwargs
):
    """A cffi.FFI whose ``build()`` makes the package ``name`` of what C ``headers`` declare.

    name: dotted, such as ``"_ext.my_lib"``: the folders of the package, below that of the file ``relative_to``.
    headers: a path or several, relative to that folder; may name TH tensors and storages.
    sources: C and C++ files, relative to that folder.
    verbose: shows the commands.
    package: the module is ``name._my_lib``, for setup.py with ``cffi_modules``; else ``_my_lib``. ``build()`` puts it
        in the package either way.
    kwargs: arguments of setuptools.Extension and ``source_extension``. Relative ``include_dirs`` and
        ``extra_objects`` start in the current folder, else in that of ``relative_to``.

    The package's folder and its ``__init__.py`` are made at once.
    """
    base = Path(os.path.abspath(os.path.dirname(relative_to)))
    parts = name.split(".")
    module = "_" + parts[-1]
    target = base.joinpath(*parts)
    headers = [base / header for header in ([headers] if isinstance(headers, (str, os.PathLike)) else headers)]
    options = _Options(base, [base / source for source in sources], kwargs)

    ffi, declarations = cdef.parse(headers, options.include_dirs, options.define_flags, structs.CDEF)
    functions = glue.functions(ffi, cdef.signatures(declarations), structs.Function)
    module_name = f"{name}.{module}" if package else module
    if package and len(parts) == 1:
        module_name = f".{name}.{module}"
    includes = PROLOGUE + "".join(f'#include "{header}"\n' for header in headers)
    source = glue.preamble(functions, module_name, includes, keeps_errno=True)
    ffi.set_source(module_name, source, options.source_extension, **options.for_setuptools())

    _make_package(base, parts)
    (target / "__init__.py").write_text(INIT.format(name=name, module=module))
    ffi.build = lambda: _build(ffi, name, target / f"{module}.so", options, verbose, with_cuda)
    return ffi


def _make_package(base, parts):
    base.joinpath(*parts).mkdir(parents=True, exist_ok=True)
    for count in range(len(parts)):
        base.joinpath(*parts[: count + 1], "__init__.py").touch()


class _Options:
    """The keyword arguments, with what every extension needs besides."""

    def __init__(self, base, sources, given):
        self.base, self.sources, self.given = base, sources, dict(given)
        self.source_extension = self.given.pop("source_extension", ".c")
        self.define_macros = self.take("define_macros")
        self.extra_objects = self.take("extra_objects")
        self.libraries = [each for each in self.take("libraries") if each not in ("TH", "THC")]
        include = config.includes()
        self.include_dirs = [include, include / "TH"]
        for folder in self.take("include_dirs"):
            self.include_dirs += [self.base / folder] if os.path.isabs(folder) else _places(self.base, folder)
        self.library = config.libdir() / "libth.so.1"

    @property
    def define_flags(self):
        return [f"-D{key}" if value is None else f"-D{key}={value}" for key, value in self.define_macros]

    def take(self, name):
        """A list, which is not among the other arguments from now on."""
        return list(self.given.pop(name, None) or ())

    def list_of(self, name):
        """A list among the other arguments."""
        return list(self.given.get(name) or ())

    def for_setuptools(self):
        """Arguments of Extension."""
        return {
            **self.given,
            "sources": [os.fspath(source) for source in self.sources],
            "include_dirs": [os.fspath(folder) for folder in self.include_dirs],
            "define_macros": [*self.define_macros, LIMITED_API],
            "libraries": self.libraries,
            "extra_objects": [os.fspath(_first_existing(self.base, path)) for path in self.extra_objects],
            "extra_compile_args": [*DEMOTED, *self.list_of("extra_compile_args"), "-fexceptions"],
            "extra_link_args": [*self.list_of("extra_link_args"), os.fspath(self.library)],
        }

    def warn_of_unknown(self):
        from setuptools import Extension

        known = set(inspect.signature(Extension.__init__).parameters)
        known |= {
            "undef_macros", "library_dirs", "runtime_library_dirs", "extra_compile_args", "extra_link_args",
            "export_symbols", "swig_opts", "depends", "language", "optional",
        }  # fmt: skip
        unknown = [repr(name) for name in self.given if name not in known]
        if unknown:
            warnings.warn(f"Unknown Extension options: {', '.join(sorted(unknown))}", stacklevel=4)

    def objects(self):
        """The extra objects to link on the CPU: those of CUDA are left out, with one line about each."""
        found = []
        for given in self.extra_objects:
            path = _first_existing(self.base, given)
            if not path.exists():
                if not _is_cuda_by_name(path):
                    raise BuildError(f"extra_objects: expected a file, got {os.fspath(given)!r}; it was not built yet")
                print(f"torchthaw: {given} is left out: it was not built, and it is CUDA code", file=sys.stderr)
            elif path.suffix == ".o" and b"__cudaRegisterFatBinary" in path.read_bytes():
                why = "it holds CUDA code, and this build is for the CPU"
                print(f"torchthaw: {given} is left out: {why}", file=sys.stderr)
            else:
                found.append(path)
        return found


def _places(base, folder):
    """Where a relative folder may be: below the current one, below the build file's."""
    here = Path.cwd() / folder
    return [here] if base == Path.cwd() else [here, base / folder]


def _first_existing(base, given):
    places = [Path(given)] if os.path.isabs(given) else _places(base, given)
    return next((place for place in places if place.exists()), places[-1])


def _is_cuda_by_name(path):
    """Whether a missing object would come from nvcc: ``x.cu.o``, or ``x.o`` beside a ``x.cu``."""
    return path.name.endswith((".cu.o", ".cuo")) or path.with_suffix(".cu").exists()


def _build(ffi, name, target, options, verbose, with_cuda):
    """Compiles, links, and puts the shared object at ``target``; the previous one stays if that fails."""
    if with_cuda:
        raise BuildError(f"{name}: with_cuda: expected False, got True; this version builds for the CPU only")
    options.warn_of_unknown()
    key = hashlib.sha256(os.fspath(target).encode()).hexdigest()[:16]
    state = config.cache() / "build" / f"{name}-{key}"
    module_name, source, extension, _ = ffi._assigned_source
    with ninja.locked(state):
        generated = state / f"{target.stem}{extension}"
        _write_c(ffi, module_name, source, generated)
        ninja.write_if_changed(state / "build.ninja", _ninja(generated, target, options))
        ninja.run(state, verbose=verbose)
        target.parent.mkdir(parents=True, exist_ok=True)
        ninja.install(state / target.name, target)
        for tagged in target.parent.glob(f"{target.stem}.*.so"):
            tagged.unlink()  # Python would prefer it


def _write_c(ffi, module_name, source, path):
    from cffi import recompiler

    recompiler.make_c_source(ffi, module_name, source, os.fspath(path))  # keeps an equal file


def _ninja(generated, target, options):
    """The text of build.ninja."""
    includes = [f"-I{folder}" for folder in options.include_dirs]
    undefined = [f"-U{name}" for name in options.list_of("undef_macros")]
    common = ["-O2", "-ftree-vectorize", "-fwrapv", "-fPIC", "-Wall", *includes, *options.define_flags, *undefined]
    user_flags = [*options.list_of("extra_compile_args"), "-fexceptions"]
    of_language = {"c": ["-std=gnu17", *DEMOTED], "cxx": []}

    def flags(path):
        return [*of_language.get(ninja.RULES.get(Path(path).suffix), []), *user_flags]

    bridge = ["-w", f"-D{'='.join(LIMITED_API)}", f"-I{config.PACKAGE / 'bridge'}", f"-I{toolchain.python_include()}"]
    sources = {generated: [*flags(generated), *bridge]}
    sources.update({source: flags(source) for source in options.sources})
    link = [f"-L{folder}" for folder in options.list_of("library_dirs")]
    link += [f"-l{library}" for library in options.libraries]
    link += [f"-Wl,-rpath,{folder}" for folder in options.list_of("runtime_library_dirs")]
    link += options.list_of("extra_link_args")
    if options.library.exists():
        link.append(options.library)
    # What objects compiled elsewhere need and do not name.
    link += ["-Wl,--push-state,--as-needed", "-lstdc++", "-lgomp", "-lm", "-Wl,--pop-state"]
    return ninja.shared_object(target.name, sources, common, link, options.objects())

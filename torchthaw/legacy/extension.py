"""torchthaw/legacy/extension.py: create_extension as torch.utils.ffi had it, built by ninja."""

import contextlib
import os
from pathlib import Path

from .. import config
from ..build import cdef, cffi_names, cuda, exact, glue, ninja, toolchain
from ..build.extension import LIMITED_API
from . import objects, structs
from .options import C_FLAGS, RUNTIMES, Options, include_dirs
from .package import Package

INIT = '''"""{name}: made by torch.utils.ffi.create_extension."""

from torch.utils.ffi import _wrap_function

try:
    from .{module} import ffi as _ffi
    from .{module} import lib as _lib
except ModuleNotFoundError as _error:
    if not str(_error.name).endswith(".{module}"):
        raise
    _message = "{name}: expected its library {module} beside this file; run the project's build file, which makes it"
    raise ModuleNotFoundError(_message, name=_error.name) from None

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

    The package's folder and its ``__init__.py`` are made at once. Where ``build()`` fails and there is no earlier
    module, it takes back what was made of the package.
    """
    base = Path(os.path.abspath(os.path.dirname(relative_to)))
    parts = name.split(".")
    module = "_" + parts[-1]
    target = base.joinpath(*parts)
    headers = [base / header for header in ([headers] if isinstance(headers, (str, os.PathLike)) else headers)]
    options = Options(name, base, target / f"{module}.so", [base / source for source in sources], with_cuda, kwargs)

    ffi, declarations = cdef.parse(headers, options.include_dirs, options.define_flags, structs.CDEF)
    of_objects, unread = objects.readable(base, options.extra_objects)
    needs_exact = exact.is_exact(
        [*headers, *options.sources, *of_objects], options.include_dirs,
        [*options.define_flags, *options.compile_args["cxx"]],
        [*unread, *(f"-l{library}" for library in options.libraries), *options.list_of("extra_link_args")],
    )  # fmt: skip
    kind = structs.ExactFunction if needs_exact else structs.Function
    functions = glue.functions(ffi, cdef.signatures(declarations), kind)
    module_name = f"{name}.{module}" if package else module
    if package and len(parts) == 1:
        module_name = f".{name}.{module}"
    includes = _prologue(with_cuda) + cdef.include_lines(headers)
    source = glue.preamble(functions, module_name, includes, keeps_errno=True)
    ffi.set_source(module_name, source, options.source_extension, **options.for_setuptools())

    wrapper = Package(base, parts, INIT.format(name=name, module=module))
    wrapper.make()
    ffi.build = lambda: _build(ffi, options, verbose, wrapper)
    return ffi


def _prologue(with_cuda):
    return PROLOGUE + (CUDA_PROLOGUE if with_cuda else "")


def _setup_wrapper(with_cuda):
    """(text, folders): what generated C begins with, and where its headers are, for build files that call cffi's own
    ``set_source``. ``with_cuda`` adds THC, and CUDA's headers where there is a toolkit.
    """
    toolkit = None
    if with_cuda:
        with contextlib.suppress(FileNotFoundError):
            toolkit = cuda.toolkit()
    return _prologue(with_cuda), [os.fspath(folder) for folder in include_dirs(with_cuda, toolkit)]


def _build(ffi, options, verbose, package):
    """Compiles, links, and puts the shared object in its place; the previous one stays if that fails."""
    options.warn_of_unknown()
    package.make()  # an earlier failure may have taken it back
    try:
        _compile(ffi, options, verbose)
    except BaseException:
        if not any(options.target.parent.glob(f"{options.target.stem}*.so")):
            package.take_back()
        raise


def _compile(ffi, options, verbose):
    module_name, source, extension, _ = cffi_names.assigned(ffi)
    state, target = options.state, options.target
    with ninja.locked(state):
        generated = state / f"{target.stem}{extension}"
        sources, made, linked = options.inputs()
        ninja.write_if_changed(generated, cffi_names.module_source(ffi, module_name, source))
        ninja.write_if_changed(state / "build.ninja", _ninja(generated, [*sources, *made], linked, options))
        objects.compile_made(options.base, made, state, verbose)
        ninja.run(state, verbose=verbose)
        ninja.install(state / target.name, target, [path for path in options.own_libraries if path.exists()])
        for tagged in target.parent.glob(f"{target.stem}.*.so"):
            tagged.unlink()  # Python would prefer it


def _ninja(generated, sources, linked, options):
    """The text of build.ninja."""
    common = ["-O2", "-ftree-vectorize", "-fwrapv", "-fPIC", "-Wall", *options.macro_flags]
    user_flags = [*options.c_flags, *options.compile_args["cxx"], "-fexceptions"]
    of_rule = {"c": [*C_FLAGS, *user_flags], "cxx": user_flags, "cuda": options.nvcc_flags}

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

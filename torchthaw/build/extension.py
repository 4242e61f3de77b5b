"""torchthaw/build/extension.py: create_extension, which makes a Python module of C headers and sources."""

import copy
import hashlib
import itertools
import json
import os
from pathlib import Path

from .. import __version__, config
from . import cuda, ninja, toolchain

INIT = '''"""{name}: made by torchthaw.create_extension; help() of a function shows its C declaration."""

from torchthaw.bridge import bind as _bind

from . import {module} as _extension

__all__ = _bind(globals(), _extension)
'''

LIMITED_API = ("Py_LIMITED_API", "0x030A0000")


def create_extension(
    name, headers, sources=(), relative_to=".", *, verbose=False, with_cuda=False, define_macros=(), include_dirs=(),
    libraries=(), library_dirs=(), runtime_library_dirs=(), extra_objects=(), extra_compile_args=(),
    extra_link_args=(), dlink=False, dlink_libraries=(),
):  # fmt: skip
    """An :class:`Extension` whose ``build()`` makes the package ``name`` of what C ``headers`` declare.

    name: dotted, such as ``"_ext.my_lib"``, which gives ``_ext/my_lib/{__init__.py,_my_lib.so}`` in the folder of
        the file ``relative_to`` (usually ``__file__``). Relative paths of all other arguments start there as well.
    headers: a path or several; what they declare is what the module offers (see ``torchthaw.build.cdef.parse``).
    sources: C (``.c``), C++ (``.cc .cpp .cxx .C``) and CUDA (``.cu``) files; none where a library has the functions.
    define_macros: pairs (name, value or None).
    libraries, library_dirs: what to link, by name and where to find it.
    runtime_library_dirs: where the loader finds libraries. A relative folder is stored relative to the extension, so
        that a moved project still works.
    extra_compile_args: for C and C++; or a dict with any of ``"cxx"``, ``"nvcc"`` and ``"nvcc_dlink"``.
    extra_link_args, extra_objects, include_dirs: as in setuptools.
    verbose: shows the commands; the compilers' output is shown, as they print it, only when they fail otherwise.
    with_cuda: CUDA's headers and runtime; ``.cu`` sources ask for them too. ``TORCH_CUDA_ARCH_LIST`` says what to
        build for, as in PyTorch; by default the cards of this machine.
    dlink, dlink_libraries: links device code, with these libraries of it (``-rdc=true`` among the flags of nvcc).

    A tensor may be passed wherever a function takes a pointer to numbers or ``void *``: see ``torchthaw.bridge``.
    """
    base = Path(os.path.abspath(os.path.dirname(relative_to)))
    return Extension(
        name, base,
        headers=[base / header for header in paths(headers)],
        sources=[base / source for source in paths(sources)],
        verbose=verbose,
        define_flags=[f"-D{key}" if value is None else f"-D{key}={value}" for key, value in define_macros],
        include_dirs=[base / folder for folder in include_dirs],
        libraries=list(libraries),
        library_dirs=[base / folder for folder in library_dirs],
        runtime_library_dirs=list(runtime_library_dirs),
        extra_objects=[base / path for path in extra_objects],
        extra_compile_args=cuda.compile_args(extra_compile_args),
        extra_link_args=list(extra_link_args),
        with_cuda=with_cuda,
        dlink=dlink,
        dlink_libraries=list(dlink_libraries),
    )  # fmt: skip


def paths(given):
    return [given] if isinstance(given, (str, os.PathLike)) else list(given)


class Extension:
    """What create_extension returns.

    name, base: as given, and the folder that relative paths start from.
    package: the folder that ``build()`` makes, with the extension module ``target``.
    state: the folder of the build's own files, in the user's cache.
    """

    def __init__(self, name, base, **options):
        parts = name.split(".")
        if not all(part.isidentifier() for part in parts):
            raise ValueError(f"name: expected a dotted module name, got {name!r}")
        for header in options["headers"]:
            if not header.is_file():
                raise FileNotFoundError(f"headers: expected a file, got {str(header)!r}")
        for source in options["sources"]:
            if not source.is_file():
                raise FileNotFoundError(f"sources: expected a file, got {str(source)!r}")
        options["with_cuda"] |= any(source.suffix == ".cu" for source in options["sources"])
        self.name, self.base, self.options = name, base, options
        self.module = "_" + parts[-1]
        self.package = base.joinpath(*parts)
        self.target = self.package / f"{self.module}.so"
        key = hashlib.sha256(str(self.target).encode()).hexdigest()[:16]
        self.state = config.cache() / "build" / f"{name}-{key}"

    def build(self):
        """Brings the package up to date. Raises BuildError, and leaves the previous good one in place, on failure."""
        with ninja.locked(self.state):
            self._generate()
            ninja.run(self.state, verbose=self.options["verbose"])
            self._install()

    def staged(self, package, target, state):
        """This extension, which ends in another folder ``package`` and is made in that of ``target`` before."""
        staged = copy.copy(self)
        staged.package, staged.target, staged.state = package, target, state
        return staged

    def _generate(self):
        """Writes the C file and build.ninja, unless nothing that they depend on changed."""
        stamp = self.state / "generated.json"
        facts = self.facts()
        generated = self.state / f"{self.module}.c"
        if stamp.exists() and stamp.read_text() == facts and generated.exists():
            return
        self.write_c(generated)
        ninja.write_if_changed(self.state / "build.ninja", self.ninja_text([generated]))
        stamp.write_text(facts)

    def write_c(self, path):
        """Writes the C file of the extension module."""
        from . import cdef, glue

        options = self.options
        ffi, declarations = cdef.parse(options["headers"], options["include_dirs"], options["define_flags"])
        signatures = cdef.signatures(declarations)
        for name, text in options.get("docs", {}).items():
            if name not in signatures:
                raise ValueError(f"functions: expected functions that the headers declare, got {name!r}")
            declaration, names = signatures[name]
            signatures[name] = f"{declaration}\n\n{text}" if text else declaration, names
        module = f"{self.name}.{self.module}"
        text = glue.source(ffi, signatures, module, options["headers"], self._speaks_of_errno())
        ninja.write_if_changed(path, text)

    def _speaks_of_errno(self):
        """Whether any header or source does; the others need not pay for ``ffi.errno``."""
        files = [*self.options["headers"], *self.options["sources"]]
        return any(b"errno" in file.read_bytes() for file in files)

    def facts(self):
        """Everything that the generated files depend on, as text."""
        here = Path(__file__).parent
        ours = sorted(here.glob("*.py"))
        return json.dumps({
            "torchthaw": [__version__, [path.stat().st_mtime_ns for path in ours]],
            "python": toolchain.python_include(),
            "compilers": [os.environ.get("CC"), os.environ.get("CXX")],
            "cuda": vars(self._cuda()) if self.options["with_cuda"] else None,
            "errno": self._speaks_of_errno(),
            "headers": [header.read_text() for header in self.options["headers"]],
            "options": {key: repr(value) for key, value in self.options.items() if key != "verbose"},
        }, default=str)  # fmt: skip

    def _cuda(self):
        args, options = self.options["extra_compile_args"], self.options
        return cuda.Build(
            args["nvcc"], options["dlink"], options["dlink_libraries"], options["library_dirs"], args["nvcc_dlink"]
        )

    def ninja_text(self, generated, link=ninja.shared_object):
        """The text of build.ninja. ``generated``: C files of ours, which make a Python module of the sources."""
        options = self.options
        build = self._cuda() if options["with_cuda"] else None
        includes = [f"-I{folder}" for folder in options["include_dirs"]]
        if build:
            includes.append(f"-I{build.toolkit.include}")
        common = ["-O3", "-DNDEBUG", "-fPIC", "-Wall", *includes, *options["define_flags"]]
        glue_flags = ["-O1", "-fvisibility=hidden", f"-D{'='.join(LIMITED_API)}", f"-I{toolchain.python_include()}"]
        sources = {path: [*glue_flags, *self._flags(path)] for path in generated}
        if any(source.suffix == ".cu" for source in options["sources"]):
            cuda.say(build.toolkit)
        for source in options["sources"]:
            sources[source] = [*includes, *options["define_flags"]] if source.suffix == ".cu" else self._flags(source)
        link_flags = [f"-L{folder}" for folder in options["library_dirs"]]
        link_flags += [f"-l{library}" for library in options["libraries"]]
        link_flags += [f"-Wl,-rpath,{folder}" for folder in self.runtime_library_dirs()]
        link_flags += options["extra_link_args"]
        return link(self.target.name, sources, common, link_flags, options["extra_objects"], build)

    def runtime_library_dirs(self):
        """The folders for the loader: relative ones are relative to the package."""
        folders = self.options["runtime_library_dirs"]
        as_is = [os.path.isabs(folder) or folder.startswith("$ORIGIN") for folder in folders]
        return [
            folder if kept else "$ORIGIN/" + os.path.relpath(self.base / folder, self.package)
            for folder, kept in zip(folders, as_is)
        ]

    def _flags(self, source):
        """The user's flags for a C or C++ file, without the other language's standard."""
        other = "-std=gnu++", "-std=c++"
        given = self.options["extra_compile_args"]["cxx"]
        is_c = source.suffix == ".c"
        kept = [flag for flag in given if not flag.startswith("-std=") or flag.startswith(other) != is_c]
        # C++ exceptions may pass through C code on their way to the guard.
        return [*kept, "-fexceptions"]

    def _install(self):
        """Puts the package in place: an __init__.py in each folder of the name, and the shared object."""
        folder = self.target.parent
        folder.mkdir(parents=True, exist_ok=True)
        if folder == self.package:
            for name in itertools.takewhile(lambda parent: parent != self.base, folder.parents):
                (name / "__init__.py").touch()
        ninja.install(self.state / self.target.name, self.target)
        self.write_init(folder)

    def write_init(self, folder):
        """Writes the package's __init__.py."""
        ninja.write_if_changed(folder / "__init__.py", INIT.format(name=self.name, module=self.module))

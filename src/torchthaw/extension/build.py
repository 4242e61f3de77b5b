"""torchthaw/extension/build.py: Extension: how one extension is generated, compiled, linked and put in place."""

import copy
import functools
import hashlib
import importlib
import itertools
import json
import os
import re
import time
from pathlib import Path
from typing import Any

from ..base import cache, config, toolchain, writing
from ..base.config import __version__
from ..base.errors import BuildError
from ..header import cdef, cffi_names, comments, description, functions
from . import cuda, generate_c, header_folders, ninja, nvidia_packages, record, stubs, symbols, unlisted

INIT = '''"""{name}: made by {maker}; help() of a function shows its C declaration."""

{opens}
try:
    from . import {module} as _extension
except ImportError as _error:
    if _error.name != __name__:
        raise
    _message = "{name}: expected its library {module} beside this file; run the project's build file, which makes it"
    raise ModuleNotFoundError(_message, name=f"{{__name__}}.{module}") from None

__all__ = _bind(globals(), _extension)
'''
# The option that lets headers name the types of another runtime -> the module that knows them, by its name: it is imported
# where the option is given.
TYPES = {"th": "torchthaw.legacy.ffi.th_types"}

LIMITED_API = ("Py_LIMITED_API", "0x030A0000")

# The head of a function's definition in C.
DEFINED = re.compile(r"\b([A-Za-z_]\w*)\s*\([^;{}]*\)\s*\{")

# The options of an Extension, as create_extension names them, with what stands for those that are not given.
DEFAULTS = {
    "verbose": False, "with_cuda": False, "th": False, "define_macros": [], "undef_macros": [], "include_dirs": [],
    "libraries": [], "library_dirs": [], "runtime_library_dirs": [], "extra_objects": [],
    "extra_compile_args": cuda.compile_args(()), "extra_link_args": [], "dlink": False, "dlink_libraries": [],
    "docs": {}, "suffix": ".c", "ops": None,
}  # fmt: skip


class Extension:
    """What create_extension returns.

    name, base: as given, and the folder that relative paths start from. options: as in DEFAULTS, ``headers`` and
        ``sources`` besides, with absolute paths.
    package: the folder that ``build()`` makes, with the extension module ``target``.
    module_name: the full name of that module.
    state: the folder of the build's own files, in the user's ``cache``; that is None for one elsewhere.
    """

    # The flags of C and C++, and those of the generated file besides.
    flags = ["-O3", "-DNDEBUG", "-fPIC", "-Wall"]
    glue_flags = ["-O1", "-fvisibility=hidden"]
    maker = "torchthaw.create_extension"  # as the package's __init__.py has it
    stub = None  # the text of the package's .pyi, once c_text() knows it

    def __init__(self, name: str, base: Path, **options: Any) -> None:
        self.options = {**DEFAULTS, **options}
        parts = name.split(".")
        self.name, self.base = name, base
        self.module = "_" + parts[-1]
        self.module_name = f"{name}.{self.module}"
        self.package = base.joinpath(*parts)
        self.target = self.package / f"{self.module}.so"
        self.cache = cache.root()
        self.state = self.cache / "build" / f"{name}-{cache.digest(os.fspath(self.target))}"

    def build(self) -> None:
        """Brings the package up to date. Raises BuildError, and leaves the previous good one in place, on failure."""
        vars(self).pop("cuda", None)  # the environment may ask for other architectures by now
        with cache.locked(self.state, self.cache, BuildError):
            self.generate()
            self.compile()
            self.install()

    def staged(self, package, target, state):
        """This extension, which ends in another folder ``package`` and is made in that of ``target`` before."""
        staged = copy.copy(self)
        staged.package, staged.target, staged.state, staged.cache = package, target, state, None
        return staged

    # The generated files

    @property
    def generated(self):
        """The C file of the extension module."""
        return self.state / f"{self.module}{self.options['suffix']}"

    def generate(self):
        """Writes the C file and build.ninja, unless nothing that they depend on changed."""
        stamp = self.state / "generated.json"
        facts, before = self.facts(), stamp.read_text("utf-8", "surrogateescape") if stamp.exists() else ""
        if facts == before and self.generated.exists():
            return
        # The headers of another torchthaw may be older than the objects that its predecessor compiled; and ninja does not
        # know of files of words.
        if before and _makers(before) != _makers(facts):
            ninja.forget(self.state)
        self.forget_product()
        self.write_generated()
        ninja.write_if_changed(self.state / "build.ninja", self.ninja_text([self.generated]))
        writing.write(stamp, facts)

    def facts(self):
        """Everything that the generated files depend on, as text."""
        options = self.options
        return json.dumps({
            "torchthaw": [__version__, _digest_of_torchthaw()],
            "python": toolchain.python_include(),
            "compilers": [os.environ.get("CC"), os.environ.get("CXX")],
            "cuda": vars(self.cuda) if self.cuda else None,
            "interface": self.facts_of_interface(),
            "link": self.link_flags(),
            "linked": self.linked(),
            "words_of_files": self.words_of_files(),
            "options": {key: repr(value) for key, value in options.items() if key != "verbose"},
        }, default=str)  # fmt: skip

    def facts_of_interface(self):
        """What interface() depends on besides the options."""
        folders = [*self.include_dirs(), *header_folders.of_flags(self.options["extra_compile_args"]["cxx"])]
        headers = [cdef.read(path) for path in cdef.included(self.options["headers"], folders)]
        return [headers, self.keeps_errno(), self.types and self.types.facts(self), self.own_names()]

    def write_c(self, path):
        """Writes the C file of the extension module."""
        ninja.write_if_changed(path, self.c_text())

    def write_generated(self):
        """Writes the C file and the stub in the folder ``state``."""
        self.write_c(self.generated)
        if self.stub:
            ninja.write_if_changed(self.generated.with_name(stubs.FILE), self.stub)

    def c_text(self):
        """The C file's text."""
        ffi, preamble, described = self.interface()
        self.stub = stubs.text(self.name, described, cffi_names.constants(ffi))
        return cffi_names.module_source(ffi, self.module_name, preamble)

    def interface(self):
        """(ffi, preamble, described): a cffi.FFI that knows what the headers declare, the C text around cffi's own, and
        the description.Module of the functions.
        """
        options = self.options
        prologue = self.types.prologue(options["with_cuda"]) if self.types else ""
        declared = self.declarations()
        signatures = cdef.signatures(declared.text)
        for name in options["docs"]:
            if name not in signatures:
                raise ValueError(f"functions: expected functions that the headers declare, got {name!r}")
        made = functions.read(declared.ffi, signatures, self.kind_of_functions())
        described = description.describe(made, declared, self.name, self.namespace, options["headers"])
        comments.add(made, described, declared.annotated, options["headers"], options["docs"])
        own_names = self.own_names()
        for function in made:
            function.is_renamed = function.name in own_names and not function.type.ellipsis
        includes = cdef.include_lines(options["headers"])
        preamble = generate_c.preamble(made, self.module_name, includes, self.keeps_errno(), described, prologue)
        return declared.ffi, preamble, described

    def declarations(self):
        """The cdef.Declarations of the headers."""
        options = self.options
        types = self.types.CDEF if self.types else ""
        given = header_folders.of_preprocessor(self.flags_of("headers.c"))
        return cdef.parse(options["headers"], self.include_dirs(), [*self.define_flags(), *given], types)

    def places(self):
        """{function: path:line of its declaration}"""
        return {name: each.place for name, each in cdef.signatures(self.declarations().text).items()}

    @property
    def namespace(self):
        """Of the operators: torch.ops.<namespace>."""
        return self.options["ops"] or self.name.replace(".", "_")

    def own_names(self):
        """The functions of the sources that generated C needs other names for: the C library has those of the same name,
        and declares them otherwise, perhaps.
        """
        if self.options["suffix"] != ".c":
            return []
        found = {
            name for file in self.options["sources"] for name in DEFINED.findall(file.read_text("utf-8", "replace"))
        }
        return ["thaw", *filter(symbols.is_in_process, sorted(found))]

    def kind_of_functions(self):
        """What makes a generate_c.Function of each C function."""
        return self.types.kind(self) if self.types else generate_c.Function

    @functools.cached_property
    def types(self):
        """What headers may name besides C's own types: the module of TYPES; None without such an option."""
        name = next((name for name in TYPES if self.options[name]), None)
        return name and importlib.import_module(TYPES[name])

    def sources_of_objects(self):
        """(sources, objects): the sources that are known of extra_objects, and the objects without one."""
        return [], self.options["extra_objects"]

    def keeps_errno(self):
        """Whether any header or source speaks of it; the others need not pay for ``ffi.errno``."""
        files = [*self.options["headers"], *self.options["sources"]]
        return any(b"errno" in file.read_bytes() for file in files)

    # Flags

    @functools.cached_property
    def cuda(self):
        """The cuda.Build; None without CUDA. Raises FileNotFoundError where there is no toolkit."""
        args, options = self.options["extra_compile_args"], self.options
        if not options["with_cuda"]:
            return None
        return cuda.Build(
            args["nvcc"], options["dlink"], options["dlink_libraries"], options["library_dirs"], args["nvcc_dlink"]
        )

    def include_dirs(self):
        """The folders of headers, the first one first."""
        given, toolkit = self.options["include_dirs"], [self.cuda.toolkit.include] if self.cuda else []
        if self.types:
            return [*self.types.include_dirs(self.options["with_cuda"]), *toolkit, *given]
        return [*given, *toolkit]

    def late_include_flags(self):
        """The folders of headers that are searched after all others: those of CUDA's libraries that the toolkit lacks too."""
        others = self.types.late_include_flags(self.options["with_cuda"]) if self.types else []
        packages = nvidia_packages.headers(self.cuda.toolkit) if self.cuda else []
        return [
            *cdef.annotate_flags(),
            *others,
            *(word for each in packages for word in ("-idirafter", os.fspath(each))),
        ]

    def define_flags(self):
        """Macros, as flags of every compiler."""
        defined = [f"-D{key}" if value is None else f"-D{key}={value}" for key, value in self.options["define_macros"]]
        return [*defined, *(f"-U{name}" for name in self.options["undef_macros"])]

    def flags_of(self, source):
        """The flags of one source besides those of all."""
        if is_cuda(source):
            return self.nvcc_flags()
        # Without the other language's standard. C++ exceptions may pass through C code on their way to the guard.
        other = ("-std=gnu++", "-std=c++")
        given = self.options["extra_compile_args"]["cxx"]
        is_c = Path(source).suffix == ".c"
        kept = [flag for flag in given if not flag.startswith("-std=") or flag.startswith(other) != is_c]
        return [*kept, "-fexceptions"]

    def nvcc_flags(self):
        """Those of CUDA sources besides cuda.Build's."""
        found = [*(f"-I{folder}" for folder in self.include_dirs()), *self.define_flags()]
        return [*found, *(word for flag in self.late_include_flags() for word in ("-Xcompiler", flag))]

    def ninja_text(self, generated, link=ninja.shared_object):
        """The text of build.ninja. ``generated``: C files of ours, which make a Python module of the sources."""
        options = self.options
        if any(map(is_cuda, options["sources"])):
            cuda.say(self.cuda.toolkit)
        common = [*self.flags, *(f"-I{folder}" for folder in self.include_dirs()), *self.late_include_flags()]
        common += self.define_flags()
        of_ours = [*self.glue_flags, f"-D{'='.join(LIMITED_API)}", f"-I{toolchain.python_include()}"]
        sources = {path: [*of_ours, *self.flags_of(path)] for path in generated}
        sources.update({source: self.flags_of(source) for source in options["sources"]})
        return link(self.target.name, sources, common, self.link_flags(), options["extra_objects"], self.cuda)

    def link_flags(self):
        """What the linker gets besides objects and CUDA's runtime."""
        options = self.options
        flags = [f"-L{folder}" for folder in options["library_dirs"]]
        flags += [f"-l{library}" for library in options["libraries"]]
        flags += [f"-Wl,-rpath,{folder}" for folder in self.runtime_library_dirs()]
        return [*flags, *self.link_args()]

    def words_of_files(self):
        """{path: digest} of the files that words such as ``@flags.rsp`` of the compilers and the linker name."""
        args = self.options["extra_compile_args"]
        words = [*args["cxx"], *args["nvcc"], *self.options["extra_link_args"]]
        return unlisted.words_of_files(words, self.state)

    def link_args(self):
        """What to link by other words than library_dirs, libraries and runtime_library_dirs."""
        given = self.options["extra_link_args"]
        types = self.types.math_libraries(self) if self.types else []
        return [*ninja.hardening(given), *given, *self.libraries_of_types(), *types]

    def linked(self):
        """{path: (size, time)} of the files that the linker may read besides the sources' objects, outside its own folders."""
        words = [*map(str, self.link_flags())]
        folders = [word[2:] for word in words if word.startswith("-L")]
        names = [word[2:] for word in words if word.startswith("-l")]
        files = [
            form for name in names for form in ([name[1:]] if name[:1] == ":" else [f"lib{name}.so", f"lib{name}.a"])
        ]
        paths = [os.path.join(folder, file) for folder in folders for file in files]
        paths += [word for word in [*words, *map(str, self.options["extra_objects"])] if not word.startswith("-")]
        found = {path: self.state / path for path in paths}
        return {name: [path.stat().st_size, path.stat().st_mtime_ns] for name, path in found.items() if path.is_file()}

    def libraries_of_types(self):
        """The paths of the libraries with the types of headers."""
        return self.types.libraries(self.options["with_cuda"]) if self.types else []

    def runtime_library_dirs(self):
        """The folders for the loader: relative ones are relative to the package."""
        folders = self.options["runtime_library_dirs"]
        as_is = [os.path.isabs(folder) or folder.startswith("$ORIGIN") for folder in folders]
        return [
            folder if kept else "$ORIGIN/" + os.path.relpath(self.base / folder, self.package)
            for folder, kept in zip(folders, as_is)
        ]

    def for_setuptools(self):
        """The arguments of setuptools.Extension that build the same, to which the generated file is a source more."""
        options = self.options
        return {
            "sources": [os.fspath(source) for source in options["sources"]],
            "include_dirs": [os.fspath(folder) for folder in self.include_dirs()],
            "define_macros": [*options["define_macros"], LIMITED_API],
            "undef_macros": [*options["undef_macros"]],
            "library_dirs": [os.fspath(folder) for folder in options["library_dirs"]],
            "libraries": [*options["libraries"]],
            "runtime_library_dirs": [*self.runtime_library_dirs()],
            "extra_objects": [os.fspath(path) for path in options["extra_objects"]],
            "extra_compile_args": [
                *options["extra_compile_args"]["cxx"],
                "-fexceptions",
                *self.late_include_flags(),
            ],
            "extra_link_args": [*map(os.fspath, self.link_args())],
        }

    # What a build does

    def compile(self):
        """Compiles and links in the folder ``state`` what was made of files with other content."""
        stamp, started, made = self.state / "record.json", time.time_ns(), self.state / self.target.name
        before = record.read(stamp)
        self.forget_outdated(before)
        unchanged = before and made.exists() and made.stat().st_mtime_ns
        ninja.run(self.state, verbose=self.options["verbose"])
        if made.stat().st_mtime_ns != unchanged:
            record.of(self.state, "", [], started, self.searched()).write(stamp)

    def forget_outdated(self, before):
        """Removes the objects that ninja takes for good, as it goes by times: their sources were replaced by older files."""
        for name in before.outdated() if before else ():
            (self.state / name).unlink(missing_ok=True)

    def forget_product(self):
        """Lets ninja link again: libraries are no inputs that it knows."""
        (self.state / self.target.name).unlink(missing_ok=True)

    def searched(self):
        """The header_folders.Folders, with absolute paths; those of flags are relative to where compilers run."""
        args = self.options["extra_compile_args"]
        found = header_folders.find([*args["cxx"], *args["nvcc"]]) or header_folders.find() or ([], [])
        given = [self.state / folder for folder in [*self.options["include_dirs"], *found[0]]]
        own = [*found[1], toolchain.python_include(), config.annotate_includes()]
        return header_folders.Folders(given, [*map(Path, own), *([self.cuda.toolkit.include] if self.cuda else [])])

    def install(self):
        """Puts the package in place: an __init__.py in each folder of the name, and the shared object."""
        folder = self.target.parent
        folder.mkdir(parents=True, exist_ok=True)
        if folder == self.package:
            for name in itertools.takewhile(lambda parent: parent != self.base, folder.parents):
                (name / "__init__.py").touch()
        ninja.install(self.state / self.target.name, self.target, self.libraries_of_types(), self.places)
        self.write_init(folder)

    def write_init(self, folder):
        """Writes the package's __init__.py, and the stub that write_generated() made."""
        ninja.write_if_changed(folder / "__init__.py", self.init_text())
        stub = self.generated.with_name(stubs.FILE)
        if stub.exists():
            ninja.write_if_changed(folder / stubs.FILE, stub.read_text("utf-8", "surrogateescape"))

    def init_text(self):
        return INIT.format(name=self.name, module=self.module, maker=self.maker, opens=self.opens)

    @property
    def opens(self):
        """The lines of the package's __init__.py that import _bind, and come before the extension module is loaded."""
        return "from torchthaw.library import bind as _bind\n" + (self.types.OPENS if self.types else "")


@functools.cache
def _digest_of_torchthaw():
    """Of the content of what makes the generated files: installing the same version again changes nothing."""
    found = hashlib.sha256()
    for path in sorted(config.PACKAGE.glob("*/*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()


def _makers(facts):
    """Which torchthaw wrote facts(), and the files of words that its compilers read; None for a text that is not whole."""
    try:
        found = json.loads(facts)
        return found["torchthaw"], found["words_of_files"]
    except (ValueError, KeyError, TypeError):
        return None


def is_cuda(source):
    return Path(source).suffix == ".cu"

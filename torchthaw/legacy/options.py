"""torchthaw/legacy/options.py: the arguments of an old create_extension, and what every extension needs besides."""

import hashlib
import os
import warnings
from pathlib import Path

from .. import config
from ..build import BuildError, cuda, ninja
from ..build.extension import LIMITED_API
from . import nvcc, objects

# Errors of gcc 14 and later that C of those days takes for granted; earlier compilers know them as warnings.
DEMOTED = [
    f"-Wno-error={name}"
    for name in ("implicit-function-declaration", "implicit-int", "incompatible-pointer-types", "int-conversion")
]
# gcc 15 compiles C23, in which () takes no arguments and bool is a keyword.
C_FLAGS = ["-std=gnu17", *DEMOTED]

# Arguments of setuptools.Extension that Options leaves among the given; setuptools takes longer to import than ninja
# takes to build.
OTHER_ARGUMENTS = {
    "undef_macros", "library_dirs", "runtime_library_dirs", "extra_link_args", "export_symbols", "swig_opts", "depends",
    "language", "optional", "py_limited_api",
}  # fmt: skip

# What objects compiled elsewhere need and do not name.
RUNTIMES = ["-Wl,--push-state,--as-needed", "-lstdc++", "-lgomp", "-lm", "-Wl,--pop-state"]


def include_dirs(with_cuda, toolkit):
    """The folders of TH, and of THC and the CUDA ``toolkit`` (None without one)."""
    include = config.includes()
    folders = [include, include / "TH", *([include / "THC"] if with_cuda else [])]
    return [*folders, toolkit.include] if toolkit else folders


class Options:
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
        self.include_dirs = include_dirs(with_cuda, self.cuda.toolkit if self.cuda else None)
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
        """(sources, made, objects): what to compile, what else to compile as objects.for_cuda says, what to link."""
        if self.without_cuda:
            raise BuildError(f"{self.name}: with_cuda: {self.without_cuda}")
        if self.with_cuda and not self.own_libraries[0].exists():
            missing = f"expected {self.own_libraries[0]}, found none: torchthaw was built without nvcc"
            raise BuildError(f"{self.name}: with_cuda: {missing}")
        if not self.with_cuda:
            return self.sources, {}, objects.for_cpu(self.base, self.extra_objects)
        made, linked = objects.for_cuda(self.base, self.extra_objects, self.cuda.architectures)
        if any(map(_is_cuda, [*self.sources, *made])):
            cuda.say(self.cuda.toolkit)
        return self.sources, made, linked

    @property
    def macro_flags(self):
        """Include folders and macros, for every compiler."""
        includes = [f"-I{folder}" for folder in self.include_dirs]
        return [*includes, *self.define_flags, *(f"-U{name}" for name in self.list_of("undef_macros"))]

    @property
    def nvcc_flags(self):
        return [*self.macro_flags, *nvcc.removed_calls([*self.macro_flags, *self.compile_args["nvcc"]])]

    @property
    def c_flags(self):
        """What C and C++ see the calls that CUDA dropped by."""
        return nvcc.REMOVED_CALLS if self.cuda else []

    def for_setuptools(self):
        """Arguments of Extension."""
        link = [*self.list_of("extra_link_args"), *map(os.fspath, self.own_libraries), *RUNTIMES]
        sources = [source for source in self.sources if not _is_cuda(source)]
        # setuptools has the same flags for C and C++.
        only_c = {self.source_extension, *(source.suffix for source in sources)} == {".c"}
        flags = [*(C_FLAGS if only_c else DEMOTED), *self.c_flags, *self.compile_args["cxx"], "-fexceptions"]
        return {
            **self.given,
            "sources": [os.fspath(source) for source in sources],
            "include_dirs": [os.fspath(folder) for folder in self.include_dirs],
            "define_macros": [*self.define_macros, LIMITED_API],
            "libraries": self.libraries,
            "extra_objects": _Objects(self),
            "extra_compile_args": flags,
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
        sources, unmade, linked = options.inputs()
        sources = {source: options.nvcc_flags for source in [*sources, *unmade] if _is_cuda(source)}
        state = options.state.with_name(options.state.name + "-cuda")
        with ninja.locked(state):
            text, made = ninja.cuda_objects(sources, linked, options.cuda)
            ninja.write_if_changed(state / "build.ninja", text)
            objects.compile_made(options.base, unmade, state)
            if made:
                ninja.run(state, made)
        return iter([*(os.fspath(state / each) for each in made), *map(os.fspath, linked)])


def _is_cuda(source):
    return Path(source).suffix == ".cu"

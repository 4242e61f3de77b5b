"""torchthaw/extension/flags.py: Flags: how the sources of an extension are compiled and linked."""

import os
from pathlib import Path

from ..base import toolchain
from . import cuda, ninja, unlisted
from .inputs import Inputs, is_cuda

LIMITED_API = ("Py_LIMITED_API", "0x030A0000")


class Flags(Inputs):
    """The flags of each source and of the linker, for ninja and for setuptools."""

    # The flags of C and C++, and those of the generated file besides.
    flags = ["-O3", "-DNDEBUG", "-fPIC", "-Wall"]
    glue_flags = ["-O1", "-fvisibility=hidden"]

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

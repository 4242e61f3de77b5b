"""torchthaw/doctor/reading/builds.py: which C files torch.utils.ffi builds, and which PyTorch's C++ library is for."""

import re
from fnmatch import fnmatch
from functools import cached_property

from ..project import kind, named_files
from ..rules import SHELL
from .source import SHELL_TOKENS, blank

CPP_EXTENSION = re.compile(r"\b(?:CppExtension|CUDAExtension|BuildExtension|load_inline|cpp_extension)\b")
# CMake's commands have no case, packages have: Torch7 of Lua is the same name, its files have no ATen.
FIND_TORCH = re.compile(
    r"\b(?i:find_package)\s*\(\s*(?:Torch|Caffe2)\b|\b(?i:find_library)\s*\(\s*\w+\s+(?:NAMES\s+)?\"?(?:torch|c10)(?:_\w+)?\b"
    r"|\b(?i:TORCH_(?:LIBRARIES|INCLUDE_DIRS|INSTALL_PREFIX|CXX_FLAGS))\b"
)
NAMED = re.compile(r"['\"]([^'\"\s]+\.(?:c|cc|cpp|cxx|cu))['\"]")
ATEN = re.compile(
    r"\b(?:at|torch|c10)::|\busing\s+namespace\s+(?:at|torch|c10)\b|\bnamespace\s+(?:at|torch|c10)\b|\bTORCH_[A-Z]"
    r"|\bAT_(?:CHECK|ERROR|ASSERT|DISPATCH|CUDA|PRIVATE|FORALL|INDEX|WARN)|#\s*include\s*[<\"](?:torch|ATen|c10)/"
)
TH = re.compile(
    r"\b_?TH(?:C|NN|CUNN)?(?:[A-Z][a-z]|_)\w*|#\s*include\s*[<\"]THC?[/.]|\b(?:getTHCState|lazyInitCUDA|unsafeGetTH)\b"
)


class Builds:
    """The builds of a Project. build_files: its BuildFiles."""

    def __init__(self, project, build_files):
        self.project, self.build_files = project, build_files

    @cached_property
    def of_ffi(self):
        """The sources that create_extension compiles, resolved."""
        return {file for build in self.build_files for file in build.files("sources")}

    @cached_property
    def of_torch(self):
        """The Python files that build with torch.utils.cpp_extension."""
        own = {build.file for build in self.build_files}
        return {file for file, code in self.project.python.items() if CPP_EXTENSION.search(code) and file not in own}

    @cached_property
    def cmake_folders(self):
        """The folders of CMake files that look for PyTorch's C++ library."""
        return {
            file.parent for file, text in self.project.texts.items()
            if kind(file) == SHELL and FIND_TORCH.search(blank(text, SHELL_TOKENS, ("comment",)))
        }  # fmt: skip

    @cached_property
    def torch_files(self):
        """{C file for PyTorch's C++ library: whether torch.utils.cpp_extension builds it}; CMake builds the others.

        None is what create_extension compiles, or what such a file includes. A build has the files that it names, and
        what they include. Below its folder, up to that of the next build, it has those with ATen, themselves or by what
        they include; and all, where no file of the project calls create_extension. CMake's have ATen, or are included
        by such a one. Of all these, only files that name something of ATen, TH or THC: names of other libraries look
        alike.
        """
        of_ffi = self.of_ffi.union(*(build.files("headers") for build in self.build_files))
        theirs = self.project.reached(file for file in self.project.code if file.resolve() in of_ffi)
        named = {build: self._named(build) for build in self.of_torch}
        reached = self.project.reached(file for files in named.values() for file in files)
        folders = {build.parent for build in self.of_torch}
        own = {build.file.parent for build in self.build_files}
        has_aten = {file for file, code in self.project.code.items() if ATEN.search(code)}
        by_cmake = self.project.reached(file for file in has_aten if self.cmake_folders.intersection(file.parents))
        found = {}
        for file in self.project.code:
            nearest = next((folder for folder in file.parents if folder in own | folders), None)
            if file in theirs or not (file in has_aten or TH.search(self.project.code[file])):
                continue
            if (
                file in reached
                or nearest in folders - own
                and (not self.build_files or has_aten & self.project.reached([file]))
            ):
                found[file] = True
            elif file in by_cmake:
                found[file] = False
        return found

    @cached_property
    def may_be_of_ffi(self):
        """Whether C files that no build is known for may be for create_extension: where it is called, TH is used, or
        nothing builds with PyTorch's C++ library."""
        others = self.of_torch or self.cmake_folders
        return bool(self.build_files) or not others or any(TH.search(code) for code in self.project.code.values())

    def _named(self, build):
        """The files that ``build`` names; below its folder also by the end of their path, or by a pattern."""
        names = NAMED.findall(self.project.texts[build])
        there = named_files(build.parent, names)
        ends = [name.lstrip("./").split("/") for name in names]
        return [
            file for file in self.project.code
            if file.resolve() in there
            or file.is_relative_to(build.parent) and any(_ends_with(file.parts, end) for end in ends)
        ]  # fmt: skip


def _ends_with(parts, end):
    return len(parts) >= len(end) and all(map(fnmatch, parts[-len(end) :], end))

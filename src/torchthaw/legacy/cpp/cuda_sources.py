"""torchthaw/legacy/cpp/cuda_sources.py: what the text of CUDA sources says before they are compiled.

From it come flags that only some projects need, and a sentence about code that no flag and no header serves.
"""

import os
import re
import sys
from pathlib import Path
from typing import NamedTuple

from ...base import config
from ...header import cdef

# A folder with one of these is PyTorch's, CUDA's, Python's or the system's, not the project's.
NOT_OF_THE_PROJECT = ("ATen", "cuda_runtime.h", "Python.h", "stdlib.h")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)

# Headers of Thrust, and what they have besides functions that begin with the header's name.
THRUST = {
    "adjacent_difference": "", "binary_search": "lower_bound upper_bound equal_range", "copy": "", "count": "",
    "device_ptr": "device_pointer_cast raw_pointer_cast", "device_vector": "", "execution_policy": "device host seq",
    "extrema": "min_element max_element minmax_element", "fill": "", "find": "", "for_each": "",
    "functional": "plus multiplies minimum maximum equal_to less greater", "gather": "", "generate": "",
    "host_vector": "", "inner_product": "", "iterator/constant_iterator": "make_constant_iterator",
    "iterator/counting_iterator": "make_counting_iterator", "iterator/transform_iterator": "make_transform_iterator",
    "iterator/zip_iterator": "make_zip_iterator", "logical": "all_of any_of none_of", "merge": "", "mismatch": "",
    "pair": "make_pair", "partition": "stable_partition", "reduce": "", "remove": "", "replace": "", "reverse": "",
    "scan": "inclusive_scan exclusive_scan", "scatter": "", "sequence": "",
    "set_operations": "set_union set_difference set_intersection", "sort": "stable_sort is_sorted", "transform": "",
    "transform_reduce": "", "transform_scan": "transform_inclusive_scan transform_exclusive_scan",
    "tuple": "make_tuple get tie", "unique": "",
}  # fmt: skip
HEADERS = {
    name: header for header, names in THRUST.items() for name in [header.rpartition("/")[2], *names.split()]
}  # fmt: skip
THRUST_NAME = re.compile(r"\bthrust::(\w+)")
LIBRARY = re.compile(r"#\s*include\s*[<\"]((cublas|cusparse|cusolver|curand|cufft|cudnn|nccl)\w*\.h)[>\"]")


class Unserved(NamedTuple):
    """A pattern of code that CUDA no longer serves, the first CUDA that does not, and what is said about it."""

    pattern: str
    by: int
    what: str


# Members that cudaDeviceProp has no more since CUDA 13, and what a file with one of them names as well.
PROPERTIES = (
    "clockRate", "computeMode", "cooperativeMultiDeviceLaunch", "deviceOverlap", "kernelExecTimeoutEnabled",
    "maxTexture1DLinear", "memoryClockRate", "singleToDoublePrecisionPerfRatio",
)  # fmt: skip
PROPERTY = re.compile(rf"(?:\.|->)\s*(?:{'|'.join(PROPERTIES)})\b")
OF_DEVICE = re.compile(r"\bcudaDeviceProp\b|\bget(?:Current)?DeviceProperties\b")

GONE = "cannot be built here: {} are gone, and `run` does not replace them; the source needs {}"
STEP = r"\+\s*{}\s*\](?:(?!__sync)[\s\S]){{0,200}}?"
UNSERVED = [
    Unserved(r"\btexture\s*<[^;()]*>\s*\w+\s*;|\bcuda(?:Bind|Unbind)Texture\w*\s*\(", 12,
             GONE.format("texture references", "texture objects (cudaCreateTextureObject)")),
    Unserved(r"\bcudnn\w+_v[345]\s*\(|\bcudnnGetConvolution(?:Forward|BackwardData|BackwardFilter)Algorithm\s*\(", 12,
             GONE.format("calls of cuDNN 5 to 7", "those of cuDNN 8 and later, or operators of at::")),
    Unserved(r"\"[^\"\n]*\b(?:shfl|vote)\.(?!sync\b)\w", 13,
             GONE.format("shuffles and votes without .sync in assembly", "__shfl_up_sync() and its kin")),
    Unserved(rf"(?<=volatile)\b[\s\S]*?{''.join(map(STEP.format, (16, 8)))}\+\s*4\s*\]", 13,
             "builds, but its results may be wrong: it adds the values of a warp in lockstep, which no card of today "
             "promises; the source needs __syncwarp() between these steps"),
]  # fmt: skip
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b([^\n]*)", re.MULTILINE)
# An `#if` that holds in the code of each card since CUDA 12.
ALWAYS = re.compile(r"[\s(]*__CUDA_ARCH__\s*>=\s*(?:[1-4]\d\d|500)[\s)]*")


def without_comments(text):
    """The text with as many lines."""
    return COMMENT.sub(lambda match: "\n" * match[0].count("\n") or " ", text)


class File:
    """A file of the project: its code without comments, and what it includes and names of Thrust."""

    def __init__(self, path):
        self.path = path
        self.code = without_comments(cdef.read(path))
        self.includes = set(cdef.INCLUDED.findall(self.code))
        self.of_thrust = set(THRUST_NAME.findall(self.code))

    def sentence(self, found, what):
        return f"torchthaw: {self.path}:{self.code.count(chr(10), 0, found.start()) + 1}: {what}"


class Sources:
    """The sources of an extension that exist, with the project's files that each of them includes.

    folders: where headers are looked for, the project's and others.
    """

    def __init__(self, sources, folders=()):
        self.folders = [*map(Path, folders)]
        self.own = [each for each in self.folders if not any((each / name).exists() for name in NOT_OF_THE_PROJECT)]
        self.files = {}
        self.included = {path: self._included(path) for path in map(Path, sources) if path.is_file()}

    def _included(self, source):
        """The Files of a source and of what it includes."""
        found, waiting = {}, [source]
        while waiting:
            path = waiting.pop()
            if path in found:
                continue
            file = found[path] = self.files[path] = self.files.get(path) or File(path)
            for name in sorted(file.includes):
                places = [Path(os.path.normpath(each / name)) for each in [path.parent, *self.own]]
                waiting += [each for each in places if each.is_file()][:1]
        return [*found.values()]

    def flags(self, toolkit):
        """The flags that nvcc needs for them with this toolkit."""
        if _major(toolkit) < 12:
            return []
        # CUB includes nvtx3 since then, and a copy of it in the project has the same names.
        clash = any(re.search(r"\bnamespace\s+nvtx3\b", file.code) for file in self.files.values())
        missing, shared = set(), False
        for source, files in self.included.items():
            if source.suffix == ".cu":
                names = set().union(*(file.of_thrust for file in files))
                includes = set().union(*(file.includes for file in files))
                missing |= {header for header in map(_header, names) if header} - includes
                shared |= bool(names) and any("shared_ptr" in file.code for file in files)
        flags = ["-DCCCL_DISABLE_NVTX"] if clash else []
        if shared and _major(toolkit) > 12:
            flags += _including("to_address.h")
        flags += self.properties(toolkit, of_device=True)
        return [*flags, *(word for header in sorted(missing) for word in ("-include", header))]

    def properties(self, toolkit, of_device):
        """The flags of all sources of the device, or of the host, if one reads a member that cudaDeviceProp has no more."""
        of_these = [files for source, files in self.included.items() if (source.suffix == ".cu") == of_device]
        codes = [file.code for files in of_these for file in files]
        reads = any(map(PROPERTY.search, codes)) and any(map(OF_DEVICE.search, codes))
        return _including("device_properties.h") if reads and _major(toolkit) >= 13 else []

    def tell(self, toolkit, folders=()):
        """Prints the sentences about them; ``folders`` have headers besides those of the command."""
        for sentence in [*self.unserved(toolkit), *self.missing(toolkit, folders)]:
            print(sentence, file=sys.stderr, flush=True)

    def unserved(self, toolkit):
        """A sentence for each cause that makes them fail with this toolkit, at its first place."""
        sentences = {}
        for file in self.files.values():
            for each in UNSERVED:
                found = re.search(each.pattern, file.code) if each.by <= _major(toolkit) else None
                if found and not is_optional(file.code, found.start()):
                    sentences.setdefault(each, file.sentence(found, each.what))
        return [*sentences.values()]

    def missing(self, toolkit, folders=()):
        """A sentence for each library of CUDA whose header is nowhere; ``folders`` have headers as well."""
        given = [Path(each) for each in os.environ.get("CPATH", "").split(os.pathsep) if each]
        searched = [toolkit.include, *folders, *self.folders, *given, Path("/usr/include")]
        sentences = {}
        for file in self.files.values():
            for found in LIBRARY.finditer(file.code):
                header, library = found[1], found[2]
                present = any((folder / header).exists() for folder in [file.path.parent, *searched])
                if not present and not is_optional(file.code, found.start()):
                    what = f"cannot be built here: {header} is missing; install {library} of CUDA {toolkit.version}, "
                    what += f"such as by pip install {_package(library, _major(toolkit))}"
                    sentences.setdefault(library, file.sentence(found, what))
        return [*sentences.values()]


def _including(name):
    """The flags that include a header of ours before a source."""
    return ["-include", os.fspath(config.my_lib_includes() / "torchthaw_aten" / name)]


def _header(name):
    """The header of Thrust that has a function or a type, by its name; None for one that THRUST does not list."""
    for ending in ("", r"_n$", r"_by_key.*", r"_copy.*", r"_if.*"):
        header = HEADERS.get(re.sub(ending, "", name) if ending else name)
        if header:
            return f"thrust/{header}.h"
    return None


def _package(library, major):
    """The package of PyPI that has a library; since CUDA 13 the toolkit's own have no suffix."""
    return f"nvidia-{library}" if major > 12 and library not in ("cudnn", "nccl") else f"nvidia-{library}-cu{major}"


def is_optional(text, place):
    """Whether a place in a text is inside of an ``#if``, other than the guard of a header or one that ALWAYS holds."""
    names = [match[1] for match in DIRECTIVE.finditer(text)]
    guarded = names[:1] == ["ifndef"] and names[-1:] == ["endif"]
    optional = []
    for match in DIRECTIVE.finditer(text, 0, place):
        if match[1].startswith("if"):
            optional.append(not ALWAYS.fullmatch(match[2]))
        else:
            optional = optional[:-1] + [True] * (match[1] != "endif")
    return any(optional[guarded:])


def _major(toolkit):
    return int(toolkit.version.partition(".")[0])

"""torchthaw/portable/project_flags.py: what a project's build file gives to compilers and the linker, without PyTorch's own part.

Build files add PyTorch's folders and libraries by hand, or torch.utils.cpp_extension does. A portable build uses none.
"""

import re
from pathlib import Path

# Of PyTorch, without lib; a portable binary names none of them. CUDA's runtime is linked statically.
LIBRARIES = {"c10", "c10_cuda", "cudart", "shm", "torch", "torch_cpu", "torch_cuda", "torch_cuda_linalg",
             "torch_global_deps", "torch_python"}  # fmt: skip
# Those of CUDA, by which a CUDAExtension without a .cu is known.
OF_CUDA = {"c10_cuda", "torch_cuda", "cudart"}
INCLUDE = re.compile(r"(?:^|/)torch/include(?:/|$)")
LIB = re.compile(r"(?:^|/)torch/lib(?:/|$)")
OWN_MACROS = ("TORCH_EXTENSION_NAME", "TORCH_API_INCLUDE_EXTENSION_H", "Py_LIMITED_API")
FOLDER_FLAGS = ("-isystem", "-iquote", "-idirafter", "-I")
STANDARD = re.compile(r"-?-std=(?:c|gnu)\+\+(\w+)$")
OLD_STANDARDS = {"98", "03", "0x", "11", "1y", "14"}  # the headers need C++17


def is_of_pytorch(folder):
    """Whether a folder is one of PyTorch's headers."""
    return bool(INCLUDE.search(Path(folder).as_posix()))


def include_dirs(folders):
    """The folders of headers that are not PyTorch's."""
    return [folder for folder in folders if not is_of_pytorch(folder)]


def library_dirs(folders):
    """The folders of libraries that are not PyTorch's."""
    return [folder for folder in folders if not LIB.search(Path(folder).as_posix())]


def libraries(names):
    """The libraries that are not PyTorch's."""
    return [name for name in names if name not in LIBRARIES]


def macros(pairs):
    """``define_macros`` without those that a portable build sets itself."""
    return [(name, value) for name, value in pairs if name not in OWN_MACROS]


def compile_args(words):
    """The flags of a C++ compiler without PyTorch's folders, the build's own macros, and standards before C++17."""
    kept = []
    for flag, value, spelt in _pairs(words, FOLDER_FLAGS):
        if flag in FOLDER_FLAGS and is_of_pytorch(value):
            continue
        old = STANDARD.match(spelt[0])
        macro = re.match(r"-[DU](\w+)", spelt[0])
        if not (old and old[1] in OLD_STANDARDS) and not (macro and macro[1] in OWN_MACROS):
            kept += spelt
    return kept


def link_args(words):
    """The linker's words without PyTorch's libraries and their folders."""
    kept = []
    for flag, value, spelt in _pairs(words, ("-l", "-L")):
        if flag == "-l" and value in LIBRARIES or LIB.search(spelt[-1]):
            continue
        kept += spelt
    return kept


def objects(paths):
    """``extra_objects`` without PyTorch's libraries."""
    return [path for path in paths if not LIB.search(Path(path).as_posix())]


def names_cuda(libraries):
    """Whether one of an extension's libraries is CUDA's, as all are that PyTorch's CUDAExtension makes."""
    return bool(OF_CUDA.intersection(libraries))


def _pairs(words, flags):
    """(flag, value, [its words]) of each word, where the value of one of ``flags`` may be a word of its own."""
    words = iter(map(str, words))
    for word in words:
        flag = next(filter(word.startswith, flags), "")
        if flag and word == flag:
            value = next(words, None)
            yield flag, value or "", [word] if value is None else [word, value]
        else:
            yield flag, word[len(flag) :], [word]

"""torchthaw/legacy/cpp/moved_headers.py: headers of PyTorch's C++ interface that have another name today."""

import functools
import re

from ...base import cache, installed_torch

# The old name, and the header that has today what it had.
HEADERS = {
    "ATen/Type.h": "ATen/ATen.h", "ATen/CPUGenerator.h": "ATen/CPUGeneratorImpl.h",
    **dict.fromkeys(("ATen/CUDAGenerator.h", "ATen/CUDAGeneratorImpl.h"), "ATen/cuda/CUDAGeneratorImpl.h"),
    "ATen/SparseTensorUtils.h": "ATen/native/SparseTensorUtils.h",
    **dict.fromkeys(("ATen/cuda/CUDAGuard.h", "ATen/cuda/CUDAMultiStreamGuard.h"), "c10/cuda/CUDAGuard.h"),
    "ATen/cuda/CUDAStream.h": "c10/cuda/CUDAStream.h",
    **dict.fromkeys(("ATen/Error.h", "ATen/core/Error.h"), "c10/util/Exception.h"),
    **dict.fromkeys(("ATen/Half.h", "ATen/core/Half.h"), "c10/util/Half.h"),
    **dict.fromkeys(("ATen/optional.h", "ATen/core/optional.h"), "c10/util/Optional.h"),
    **dict.fromkeys(("ATen/Registry.h", "ATen/core/Registry.h"), "c10/util/Registry.h"),
    **{f"ATen/core/{name}.h": f"c10/core/{name}.h" for name in ("Device", "DeviceType", "TensorOptions")},
    **{f"ATen/core/{name}.h": f"c10/util/{name}.h" for name in ("ArrayRef", "C++17", "intrusive_ptr")},
    **{f"ATen/{name}.h": f"c10/core/{name}.h" for name in ("Allocator", "StorageImpl")},
}  # fmt: skip
_OF_PYTORCH = re.compile(r"(?:ATen|c10|torch)/")


def folder():
    """A folder with those that the installed PyTorch lacks: each includes today's header."""
    texts = {name: f"#include <{today}>\n" for name, today in HEADERS.items() if is_gone(name)}
    return cache.layout("moved_headers", texts, {})


def is_gone(name):
    """Whether the installed PyTorch lacks a header of PyTorch; False where none is installed. A header in a folder that
    it does not have is another vendor's: ``ATen/musa/MUSAContext.h``."""
    folders = _installed() if _OF_PYTORCH.match(name) else ()
    if not folders or any((folder / name).exists() for folder in folders):
        return False
    return name in HEADERS or any((folder / name).parent.is_dir() for folder in folders)


_installed = functools.cache(installed_torch.include)

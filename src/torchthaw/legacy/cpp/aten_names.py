"""torchthaw/legacy/cpp/aten_names.py: names of PyTorch's C++ interface that are gone and that torchthaw does not restore."""

import re
from typing import NamedTuple


class Gone(NamedTuple):
    """A pattern of names, a PyTorch that no longer has them, what is used instead, and what is certain to do the same."""

    pattern: str
    by: str
    instead: str
    edit: str | None = None


GONE = [
    Gone(r"TH\w*Tensor_\w+|THTensor\b", "1.11", "functions of at::Tensor"),
    Gone(r"THC\w*Tensor_\w+|THCTensor\b", "1.11", "functions of at::Tensor"),
    Gone(r"TH\w*Storage_\w+", "1.11", "at::Storage"),
    Gone(r"THCDeviceTensor|toDeviceTensor(?:Cast)?", "1.11", "tensor.packed_accessor64<scalar_t, dimensions>()"),
    Gone(r"THC_pointwiseApply\d|THCApply\w*|THCReduce\w*", "1.11", "at::TensorIterator, or a kernel of the project"),
    Gone(r"THCStream\w*|THCState_[gs]etStream", "1.11", "c10::cuda::CUDAStream and CUDAStreamGuard"),
    Gone(r"THCState_getCurrentDeviceScratchSpaceSize", "1.11", "memory from c10::cuda::CUDACachingAllocator"),
    Gone(r"THCGenerator|THCRandom\w*|THGenerator\w*", "1.11", "at::Generator"),
    Gone(r"THCudaHostAlloc\w*|THCCachingHost\w*", "1.11", "tensor.pin_memory()"),
    Gone(r"THCudaBlas_\w+", "1.11", "cuBLAS on at::cuda::getCurrentCUDABlasHandle()"),
    Gone(r"THNN_\w+|THCUNN_\w+", "1.11", "operators of at::"),
    Gone(r"at::Type\b", "1.1", "auto, which is at::DeprecatedTypeProperties"),
    Gone(r"(?<=\.)(?:tensor|zeros|ones|empty)(?=\(\{)", "1.0", "at::empty(sizes, tensor.options())"),
    Gone(r"getNonVariableType|getVariableType\w*|at::getType", "1.3", "tensor.options()"),
    Gone(r"at::(?:CPU|CUDA)Generator\b", "1.6", "at::CPUGeneratorImpl, at::CUDAGeneratorImpl"),
    Gone(r"c10::guts::make_unique|torch::make_unique", "1.8", "std::make_unique"),
    Gone(r"at::cuda::getCurrentCUDAStreamOnDevice", "1.0", "at::cuda::getCurrentCUDAStream(device)"),
    Gone(r"unsafeGetTH\b", "1.5", "tensor.data_ptr()"),
    Gone(
        r"torch::jit::RegisterOperators(?=\(\)\s*\.op\(|(?:\s+\w+)?\(\s*,)", "1.4",  # the text is blank
        "TORCH_LIBRARY, or torch::RegisterOperators", "torch::RegisterOperators",
    ),
]  # fmt: skip

# Names that the headers of torchthaw_aten have, of families in GONE that are otherwise gone.
HERE = re.compile(r"THCudaBlas_[SD](?:axpy|dot|gemv|ger|gemm|gemmBatched|gemmStridedBatched)")

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)


def gone(text):
    """[(line, name, "PyTorch 1.11 has it no more", what is used instead)] for C++ source ``text``: each name once."""
    code = _COMMENT.sub(lambda match: "\n" * match[0].count("\n") or " ", text)
    found = {}
    for entry in GONE:
        for match in re.finditer(rf"(?<!\w)(?:{entry.pattern})", code):
            defined = re.search(rf"#\s*define\s+{match[0]}\b", code)
            if not HERE.fullmatch(match[0]) and match[0] not in found and not defined:
                line = code.count("\n", 0, match.start()) + 1
                found[match[0]] = (line, match[0], f"PyTorch {entry.by} has it no more", entry.instead)
    return sorted(found.values())

"""torchthaw/doctor/rules/cuda.py: CUDA C++ that nvcc 13 does not take."""

from ...legacy.cpp.cuda_sources import PROPERTIES
from .rule import C_TEXT, CHECK, EDIT, WORKS, C, rule

# Functions of cuSPARSE up to CUDA 10 without the type's letter, and what does the same today.
CUSPARSE = {
    "cusparseSpMM": "csrmm csrmm2 hybmm gemmi", "cusparseSpMV": "csrmv csrmv_mp hybmv",
    "cusparseSpGEMM": "csrgemm csrgemm2",
    "cusparseSpSV": "csrsv_analysis csrsv_solve csrsv2_analysis csrsv2_solve csrsv2_bufferSize hybsv_solve",
    "cusparseSpSM": "csrsm_analysis csrsm_solve csrsm2_analysis csrsm2_solve",
    "cusparseCsr2cscEx2": "csr2csc csr2hyb hyb2csr", "cusparseSparseToDense": "csr2dense csc2dense hyb2dense",
    "cusparseDenseToSparse": "dense2csr dense2csc dense2hyb", "cusparse<t>csrgeam2": "csrgeam",
    "cusparseSpVV": "doti dotci", "cusparseGather": "gthr gthrz", "cusparseScatter": "sctr", "cusparseAxpby": "axpyi",
    "cusparseRot": "roti", "cusparse<t>csrilu02": "csrilu0", "cusparse<t>csric02": "csric0",
    "cusparse<t>gtsv2": "gtsv gtsv_nopivot gtsvStridedBatch",
}  # fmt: skip
# And those that have no such letter.
CUSPARSE_OTHERS = {
    "cusparse<t>csrgeam2": "XcsrgeamNnz", "cusparseSpGEMM": "Xcsrgemm2?Nnz",
    "cusparseSpSV": "(?:Create|Destroy)SolveAnalysisInfo", "cusparseSpMV": "(?:Create|Destroy)HybMat",
}  # fmt: skip

MASK = "stands for the threads that run together here; after a branch name the mask of those that are meant"
# What is written for several CUDAs already.
BY_VERSION = r"CUDA_VERSION|CUDART_VERSION|__CUDA_ARCH__|__CUDACC_VER|CUSPARSE_VER"
FOR_AMD = r"^if.*(?:__HIP|ROCM)"


def gone(pattern, message, edit=None, **more):
    return rule("removed-cuda", EDIT, C, pattern, message, edit, inside=BY_VERSION, **more)


RULES = [
    *[
        rule(
            "warp-intrinsic", CHECK, C, pattern, MASK, edit, unless=r"\b__\w+_sync\b", inside=FOR_AMD
        )  # both forms, chosen by #if
        for pattern, edit in (
            (r"\b__shfl(_up|_down|_xor)?\(", r"__shfl\1_sync(0xffffffff, "),
            (r"\b__(ballot|any|all)\(", r"__\1_sync(0xffffffff, "),
        )
    ],
    rule(
        "warp-intrinsic", EDIT, C_TEXT, r"\"[^\"\n]*\b(?:shfl\.(?:up|down|bfly|idx)|vote\.(?:all|any|uni|ballot))\.",
        "inline PTX without .sync, which no card of today takes; use __shfl_sync and its kin", inside=BY_VERSION,
    ),
    rule(
        "renamed-cuda", WORKS, C, r"\bcudaThread(?:Synchronize|Exit|[GS]et(?:Limit|CacheConfig))\b",
        "has another name since CUDA 13, which THC's headers and the builds see to",
    ),
    rule(
        "toolkit-library", WORKS, C, r"\bcu(?:blas|sparse|rand|fft)[A-Z]\w*\s*\(",
        "no project named this library, as PyTorch had it in the process; the build links the toolkit's", legacy=True,
    ),
    gone(
        r"\btexture\s*<[^;()]*>\s*\w+\s*;|\bcuda(?:Bind|Unbind)Texture\w*|\bcudaGetTextureReference\b",
        "texture references are gone; use texture objects (cudaCreateTextureObject)",
    ),
    gone(r"\bcuda(?:ConfigureCall|SetupArgument|Launch)\s*\(", "use cudaLaunchKernel"),
    rule(
        "removed-cuda", WORKS, C, rf"\b(?P<of>\w+)(?:\.|->)(?:{'|'.join(PROPERTIES)})\b",
        "no member of cudaDeviceProp since CUDA 13, which `run` sees to; without it, ask cudaDeviceGetAttribute",
        inside=BY_VERSION, of=r"cudaDeviceProp\b",
    ),
    gone(
        r"\b(?P<of>\w+)(\.|->)memoryType\b", "the field is called type today", r"\1\2type",
        of=r"cudaPointerAttributes\b",
    ),
    rule(
        "changed-cuda", WORKS, C, r"\bcudaMem(?:PrefetchAsync|Advise)\s*\(",
        "takes a cudaMemLocation in place of a device since CUDA 13, which `run` sees to; without it, below #if "
        "CUDART_VERSION >= 13000: {cudaMemLocationTypeDevice, device}", unless=r"\bcudaMemLocation", inside=BY_VERSION,
    ),
    rule(
        "removed-cuda", WORKS, C, r"\bthrust::(?:unary|binary)_function\b",
        "thrust has no such base class today; `run` brings it back, for argument_type and result_type, which are used here",
        given=r"\b(?:argument|result)_type\b", inside=BY_VERSION,
    ),
    rule(
        "removed-cuda", WORKS, C,
        r"(?<!\s)\s*:\s*(?:public\s+)?thrust::(?:unary|binary)_function\s*<(?:[^<>{}]|<(?:[^<>{}]|<[^<>{}]*>)*>)*>(?=\s*\{)",
        "thrust has no such base class today, and needs none; `run` brings it back", "",
        unless=r"\b(?:argument|result)_type\b", inside=BY_VERSION,
    ),
    rule(
        "removed-cuda", WORKS, C, r"\bcub::(?:Sum|Max|Min|(?:Ine|E)quality)\b",
        "cub has no such class since CUDA 13, which `run` brings back; without it cuda::std::plus<>, cuda::maximum<>, "
        "cuda::minimum<>, cuda::std::equal_to<> and not_equal_to<>", inside=BY_VERSION,
    ),
    *[
        gone(rf"\bcusparse(?:[SDCZ](?:{'|'.join(names.split())})|{CUSPARSE_OTHERS.get(new, '(?!)')})\s*\(",
             f"cuSPARSE has it no more; use {new}")
        for new, names in CUSPARSE.items()
    ],
    *[
        rule(
            "atomic-add", EDIT, C,
            rf"\batomicAdd\s*\(\s*(?:{types})\s*\*\s*\w+\s*,\s*(?:const\s+)?(?:{types})\b[^;{{]*\{{",
            f"CUDA has atomicAdd of {what}; remove this one", inside=BY_VERSION,
        )
        for types, what in (
            ("double", "doubles itself"), (r"(?:__)?half2?", "halves itself, in cuda_fp16.h"),
        )
    ],
]  # fmt: skip

"""torchthaw/legacy/doctor/rules/cuda.py: CUDA C++ that nvcc 13 does not take."""

from .rule import C, CHECK, EDIT, WORKS, rule

GONE_PROPERTIES = (
    "clockRate", "computeMode", "cooperativeMultiDeviceLaunch", "deviceOverlap", "kernelExecTimeoutEnabled",
    "memoryClockRate", "singleToDoublePrecisionPerfRatio",
)  # fmt: skip

MASK = "stands for the threads that run together here; after a branch name the mask of those that are meant"

RULES = [
    *[
        rule("warp-intrinsic", CHECK, C, pattern, MASK, edit, unless=r"\b__\w+_sync\b")  # both forms, chosen by #if
        for pattern, edit in (
            (r"\b__shfl(_up|_down|_xor)?\(", r"__shfl\1_sync(0xffffffff, "),
            (r"\b__(ballot|any|all)\(", r"__\1_sync(0xffffffff, "),
        )
    ],
    rule(
        "renamed-cuda", WORKS, C, r"\bcudaThread(?:Synchronize|Exit|[GS]et(?:Limit|CacheConfig))\b",
        "has another name since CUDA 13, which THC's headers and the builds see to",
    ),
    rule(
        "removed-cuda", EDIT, C, r"\btexture\s*<|\bcuda(?:Bind|Unbind)Texture\w*|\bcudaGetTextureReference\b",
        "texture references are gone; use texture objects (cudaCreateTextureObject)",
    ),
    rule("removed-cuda", EDIT, C, r"\bcuda(?:ConfigureCall|SetupArgument|Launch)\s*\(", "use cudaLaunchKernel"),
    rule(
        "removed-cuda", EDIT, C, rf"(?<=[.>])(?:{'|'.join(GONE_PROPERTIES)})\b",
        "no field of cudaDeviceProp any more; ask cudaDeviceGetAttribute",
    ),
    rule(
        "removed-cuda", EDIT, C, r"(?<=[.>])memoryType\b", "the field is called type today", "type",
        given=r"\bcudaPointerAttributes\b",
    ),
    rule(
        "removed-cuda", EDIT, C, r"\s*:\s*(?:public\s+)?thrust::(?:unary|binary)_function\s*<[^<>]*>",
        "thrust has no such base class today, and needs none", "",
    ),
    rule(
        "atomic-add", EDIT, C, r"\bdouble\s+atomicAdd\s*\(\s*double\s*\*",
        "CUDA has atomicAdd of doubles itself; remove this one", unless=r"\b__CUDA_ARCH__\b",
    ),
]  # fmt: skip

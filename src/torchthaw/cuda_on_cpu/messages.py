"""torchthaw/cuda_on_cpu/messages.py: what cannot be compiled for the CPU, by the headers that a source includes."""

import re
import sys

from . import thrust
from .arguments import Wrong

# Header, from its beginning -> the reason.
UNSERVED = {
    "cub/": "this part of cub is not served by CUDA on the CPU; cub/cub.cuh has those that are",
    "cublasLt.h": "cuBLASLt is not served by CUDA on the CPU; cublas_v2.h is",
    "cublasXt.h": "cuBLASXt is not served by CUDA on the CPU; cublas_v2.h is",
    "cublas.h": "the interface of cuBLAS before CUDA 4 is not served by CUDA on the CPU; cublas_v2.h is",
    "cuda_awbarrier": "these barriers are not served by CUDA on the CPU; cuda/barrier is",
    "cuda_fp4.h": "floating-point numbers of 4 bits are not served by CUDA on the CPU",
    "cuda_fp6.h": "floating-point numbers of 6 bits are not served by CUDA on the CPU",
    "cuda/": "libcu++ is found where its package is: pip install nvidia-cuda-cccl; cuda/barrier and cuda/pipeline are served",
    "cudnn": "cuDNN has no code for the CPU",
    "cufft": "cuFFT is not served by CUDA on the CPU",
    "cufile": "GPUDirect Storage is for devices only",
    "cupti": "CUPTI is for devices only",
    "curand_mtgp32": "cuRAND's MTGP32 is not served by CUDA on the CPU; Philox, XORWOW and MRG32k3a are",
    "cusolver": "cuSOLVER is not served by CUDA on the CPU",
    "cusparse": "cuSPARSE is not served by CUDA on the CPU",
    "cute/": "CUTLASS is for devices only",
    "cutensor": "cuTENSOR is not served by CUDA on the CPU",
    "cutlass/": "CUTLASS is for devices only",
    "mma.h": "tensor cores (mma.h) are not served by CUDA on the CPU",
    "nccl.h": "NCCL needs several devices, and CUDA on the CPU has one",
    "npp": "NPP is not served by CUDA on the CPU",
    "nvjpeg": "nvJPEG is not served by CUDA on the CPU",
    "nvml.h": "NVML asks for devices and their driver, and CUDA on the CPU has none",
    "nvrtc.h": "NVRTC compiles for devices only",
    "optix": "OptiX is for devices only",
    "thrust/": "thrust is found where its package is: pip install nvidia-cuda-cccl",
}


def explain_missing(errors):
    """A line on stderr for each header that the preprocessor did not find, or failed in, and that is not served."""
    missing = re.findall(r"fatal error: (\S+): No such file", errors)
    for header in missing:
        for name, reason in UNSERVED.items():
            if header.startswith(name):
                print(f"nvcc: {header}: {reason}", file=sys.stderr)


def refuse_included(text):
    """Raises Wrong for a preprocessed source that includes a header of the cub that is for devices, which thrust brings."""
    folder = thrust.folder()
    if not folder or f'"{folder}/cub/' not in text:
        return
    # A line mark with the number 1 enters a file; the mark before it names the file that includes.
    entered = rf'^# \d+ "([^"]*)"[^\n]*\n(?:(?!# ).*\n)*?# 1 "{re.escape(str(folder))}/(cub/[^"]*)" 1'
    for includes, header in re.findall(entered, text, re.M):
        if not includes.startswith(f"{folder}/"):
            raise Wrong(f"{includes} includes {header}: {UNSERVED['cub/']}")

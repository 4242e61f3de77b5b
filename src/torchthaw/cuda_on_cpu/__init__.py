"""torchthaw.cuda_on_cpu: CUDA code without a GPU: a toolkit whose nvcc makes code of the CPU, and a runtime for it."""

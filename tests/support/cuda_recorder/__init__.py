"""tests/support/cuda_recorder: three pretended GPUs on the CPU: a recorder of CUDA's calls, and PyTorch's half."""

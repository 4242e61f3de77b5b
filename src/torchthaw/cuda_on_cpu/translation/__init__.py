"""torchthaw/cuda_on_cpu/translation: preprocessed CUDA C++ as C++. It knows text alone: no file, no compiler, no PyTorch."""

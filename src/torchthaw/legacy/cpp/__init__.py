"""torchthaw/legacy/cpp: C++ and CUDA extensions of other years beside PyTorch's own headers: names, standards, nvcc.

It does not import legacy/run, which calls it, and of legacy/ffi only th_types.py.
"""

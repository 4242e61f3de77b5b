"""torchthaw/doctor/cxx: C++ and CUDA on PyTorch's C++ library: old names and headers, and what C++20 no longer takes."""

"""tests/support/stand_in: a stand-in for CUDA on a CPU: its runtime, compiler and libraries, and PyTorch's half."""

"""torchthaw/legacy/ffi: torch.utils.ffi, TH types and structs, and what Variables and Functions did, for old C extensions.

It does not import legacy/run, and of legacy/cpp only nvcc.py.
"""

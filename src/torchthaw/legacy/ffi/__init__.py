"""torchthaw/legacy/ffi: torch.utils.ffi, TH types and structs, and what Variables and Functions did, for old C extensions.

It knows nothing of C++ extensions, and does not import legacy/run.
"""

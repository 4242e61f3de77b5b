"""torchthaw/export: what lets other hosts than PyTorch call the operators of an annotated header."""

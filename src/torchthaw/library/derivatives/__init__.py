"""torchthaw/library/derivatives: operators with every derivative, of pairs of C functions and of functions of Python."""

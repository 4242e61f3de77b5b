"""torchthaw/declarations: declarations of a C header's functions for languages that cannot read one."""

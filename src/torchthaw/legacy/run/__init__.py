"""torchthaw/legacy/run: the commands run and enable, and what they change in a process: modules, patches, programs on PATH."""

"""torchthaw/doctor/shared_objects: what a compiled extension needs, read with nm and objdump: ``doctor --so FILE``.

Nothing of it is loaded. ``needs.read`` reads a file, ``here`` knows this Python, PyTorch and machine, ``compare`` says
what is missing, and ``report`` prints it.
"""

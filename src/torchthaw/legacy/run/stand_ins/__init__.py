"""torchthaw/legacy/run/stand_ins: modules that build scripts import and that are no longer there, as far as they use them.

torchthaw/legacy/run/finder.py says which file is which module, and when they can be imported.
"""

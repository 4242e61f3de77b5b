"""torchthaw/legacy/run/stand_ins: modules that build scripts import and that are no longer there, as far as they use them.

torchthaw/legacy/served_modules.py says which file is which module, run/finder.py when they can be imported.
"""

"""_ext: the extensions that `python ffi_build.py` makes; nothing here is written by hand."""

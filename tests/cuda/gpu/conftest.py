# tests/cuda/gpu/conftest.py: these need a GPU; make gpu-check names each file, which pytest then does not ignore.
collect_ignore_glob = ["test_*.py"]

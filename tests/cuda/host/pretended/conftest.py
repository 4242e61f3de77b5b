# tests/cuda/host/pretended/conftest.py: run by the tests above, by name, in processes with pretended GPUs.
collect_ignore_glob = ["test_*.py"]

"""tests/cuda_on_host/pretended.py: a pytest plugin under which every tensor passes for one on a GPU."""

import pretend

pretend.pretend()

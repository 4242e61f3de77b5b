"""tests/support/stand_in/pretended.py: a pytest plugin under which every tensor passes for one on a GPU."""

from support.stand_in import pretend

pretend.pretend()

"""tests/fuzz/test_fuzz_trees.py: a few trees of trees.py, those that were found, and faults that it must find."""

import pytest
import trees

# Each broke a property once.
FOUND = [3698080585, 3077522087]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [*range(3), *FOUND])
def test_a_tree(seed):
    trees.check(seed)


WAITS = "from torchthaw.base import reading\nreading.read_bytes = lambda path, most, root=None: open(path, 'rb').read()"
RAW = "from torchthaw.base import printing\nprinting.ACTING = __import__('re').compile('(?!)')"
KEYED = "from torchthaw.doctor import project\nproject.kind = lambda path: 'python' if str(path).endswith('.py') else {}['x']"
WRITES = "import sys, os\nos.path.isdir(sys.argv[2]) and open(os.path.join(sys.argv[2], 'new'), 'w')"


@pytest.mark.slow
@pytest.mark.parametrize("plant", [WAITS, RAW, KEYED, WRITES], ids=["waits", "raw", "keyed", "writes"])
def test_a_planted_fault_is_found(plant):
    with pytest.raises(trees.Broken):
        for seed in range(40):
            trees.check(seed, plant, seconds=10, memory=1 << 30)

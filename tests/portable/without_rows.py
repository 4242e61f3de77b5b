"""tests/portable/without_rows.py MODULE.so ROW,ROW …: the calls of tensor_calls.py without some functions of portable/pytorch.h.

Prints {rows: results, or the text of an ImportError}. PyTorch is imported once; each set of rows has a process of its own.
"""

import json
import multiprocessing
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import tensor_calls


def without(rows):
    os.environ["TORCHTHAW_PORTABLE_WITHOUT"] = rows
    try:
        return tensor_calls.results(sys.argv[1])
    except ImportError as error:
        return str(error)


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        print(json.dumps({rows: pool.apply(without, (rows,)) for rows in sys.argv[2:]}))

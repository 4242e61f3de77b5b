"""tests/fuzz/test_fuzz_sizes.py: my_lib_sizes.cpp tries every function of my_lib.h that takes sizes."""

import re

from support import ROOT, TESTS

DECLARED = re.compile(r"^MY_LIB_API (?:int|size_t) (\w+)\(([^;]*)\);", re.MULTILINE)


def test_no_function_that_takes_sizes_is_left_out():
    header = (ROOT / "c_api" / "include" / "my_lib.h").read_text()
    expected = {name for name, parameters in DECLARED.findall(header) if "int64_t" in parameters}
    assert len(expected) > 60 and "lltm_sequence_backward_workspace_size_f16" in expected
    source = (TESTS / "fuzz" / "my_lib_sizes.cpp").read_text()
    table = source[source.index("operators[])") :]
    assert sorted(expected - set(re.findall(r"\w+", table))) == []

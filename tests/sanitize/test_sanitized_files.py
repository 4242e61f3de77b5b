"""tests/sanitize/test_sanitized_files.py: `make sanitize` compiles all C and C++ but the files of .ci/exceptions.txt.

The tests beside this one have run before: they write down what they compile.
"""

import sys

from support import ROOT, sanitized


def test_each_file_of_the_net_is_compiled_with_the_sanitizers(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / ".ci"))
    import nets

    compiled = sanitized.by_cmake(sanitized.BUILD) | sanitized.by_tests("sanitize")
    files, left_out = nets.split("sanitize")
    print(*nets.left_out("sanitize"), sep="\n", file=sys.stderr)
    assert [name for name in files if str(ROOT / name) not in compiled] == []
    excepted = {name for _, names in left_out for name in names}
    assert [name for name in sorted(excepted) if str(ROOT / name) in compiled] == []

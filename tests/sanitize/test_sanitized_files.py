"""tests/sanitize/test_sanitized_files.py: `make sanitize` compiles all C and C++ but the files of .ci/exceptions.txt.

The tests beside this one have run before: they write down what they compile.
"""

from support import ROOT, sanitized


def test_each_file_of_the_net_is_compiled_with_the_sanitizers(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / ".ci"))
    import nets

    files, left_out = nets.split("sanitize")
    excepted = [name for _, names in left_out for name in names]
    paths = {ROOT / name: name for name in (*files, *excepted)}
    compiled = sanitized.by_cmake(sanitized.BUILD) | sanitized.by_tests("sanitize", paths)
    assert [name for path, name in paths.items() if name in files and path not in compiled] == []
    assert [name for path, name in paths.items() if name in excepted and path in compiled] == []

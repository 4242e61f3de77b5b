# tests/legacy/modernize/test_modernize_python_many.py: projects of hundreds of files.
import ast

import pytest

pytest.importorskip("libcst")

from torchthaw.modernize.python import convert, editing  # noqa: E402

COUNT = 120
FUNCTION = """from torch.autograd import Function


class F{0}(Function):
    def __init__(self, by):
        self.by = by

    def forward(self, x):
        return x * self.by

    def backward(self, grad):
        return grad * self.by


class Layer{0}:
    def __init__(self):
        self.by = F{0}(2)

    def __call__(self, x):
        return self.by(x)
"""
PLAIN = "import package.f{1}\nfrom package import f{2}\n\n\ndef g(x):\n    return package.f{1}.Layer{1}()(x), f{2}\n"


def project(count):
    texts = {f"package/f{index}.py": FUNCTION.format(index) for index in range(count // 10)}
    for index in range(count):
        texts[f"package/plain{index}.py"] = PLAIN.format(index, index % (count // 10), (index + 1) % (count // 10))
    return {"package/__init__.py": "", **texts}


@pytest.fixture
def work(monkeypatch):
    """["tree"] for each syntax tree that LibCST makes."""
    done, wrapper = [], editing.MetadataWrapper
    monkeypatch.setattr(
        editing, "MetadataWrapper", lambda *given, **named: done.append("tree") or wrapper(*given, **named)
    )
    return done


def test_only_what_changes_is_parsed_for_a_change(work, capfd):
    texts = project(COUNT)
    changed, _, found = convert(texts, {"package": "package", **{f"package.f{n}": f"package.f{n}" for n in range(12)}})
    assert sorted(path for path in texts if changed[path] != texts[path]) == sorted(
        f"package/f{n}.py" for n in range(12)
    )
    assert work == ["tree"] * len(found) == ["tree"] * 12
    assert capfd.readouterr().err == "modernize: converting Python files\n"


@pytest.mark.slow
def test_the_attributes_of_a_file_are_read_once(monkeypatch):
    """As many times as there are files, not files times instances."""
    from torchthaw.doctor.reading.tree import Tree

    def reads(count):
        seen, every = [], Tree.all

        def counted(self, *types):
            seen.extend(each for each in types if each is ast.Attribute)
            return every(self, *types)

        with monkeypatch.context() as patch:
            patch.setattr(Tree, "all", counted)
            convert({f"f{index}.py": FUNCTION.format(index) for index in range(count)}, {})
        return len(seen)

    assert reads(60) < 2.2 * reads(30)

"""tests/bridge/test_bridge_extent.py: how much of a torch storage C sees, and what decides that."""

from pathlib import Path

import numpy as np
import pytest
import torch

from support import extent_probe
from torchthaw.base import toolchain
from torchthaw.legacy.ffi.storage_semantics import is_exact


@pytest.fixture(scope="module")
def exact():
    return extent_probe.exact()


@pytest.fixture(scope="module")
def partial():
    return extent_probe.partial()


BASE = torch.arange(12.0)
TENSORS = {
    "all": lambda: BASE.clone(),
    "view": lambda: BASE.clone()[3:7],
    "strided": lambda: BASE.clone()[1::4],
    "transposed": lambda: BASE.clone().view(3, 4).t()[1:],
    "expanded": lambda: BASE.clone()[5:6].expand(3),
    "number": lambda: BASE.clone()[4],
    "none of it": lambda: BASE.clone()[6:6],
    "empty": lambda: torch.empty(0),
    "parameter": lambda: torch.nn.Parameter(BASE.clone())[2:],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TENSORS)
def test_exact_shows_pytorch_s_own_size_and_offset(exact, name):
    tensor = TENSORS[name]()
    assert exact.size_below(tensor) == tensor.untyped_storage().nbytes() // 4
    assert exact.offset_in(tensor) == tensor.storage_offset()
    if exact.size_below(tensor):
        assert [exact.at(tensor, i) for i in range(12)] == BASE.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("name, size", [
    ("all", 12), ("view", 4), ("strided", 9), ("transposed", 11), ("expanded", 1), ("number", 1), ("none of it", 0),
    ("empty", 0),
])  # fmt: skip
def test_otherwise_c_sees_what_the_tensor_covers(partial, name, size):
    tensor = TENSORS[name]()
    assert partial.size_below(tensor) == size and partial.offset_in(tensor) == 0
    if size:
        assert partial.at(tensor, 0) == tensor.flatten()[0]


@pytest.mark.slow
def test_c_writes_around_a_view(exact):
    base = BASE.clone()
    exact.put(base[3:5], 11, -1.0)
    exact.put(base[3:5], 0, -2.0)
    assert base.tolist() == [-2, *range(1, 11), -1]


@pytest.fixture(params=["exact", "partial"])
def either(request):
    return request.getfixturevalue(request.param)


@pytest.mark.slow
def test_a_view_that_grows_stays_where_it_begins(either):
    base = BASE.clone()
    view = base[8:]
    either.resize(view, 1000)
    assert view.shape == (1000,) and view.storage_offset() == 8 and view[:4].tolist() == [8, 9, 10, 11]
    assert base.tolist() == BASE.tolist() and base.untyped_storage().nbytes() == 4 * 1008
    assert view[4:].eq(0).all()


def test_a_view_that_shrinks_stays_where_it_begins(either):
    base = BASE.clone()
    view = base.view(3, 4)[1:]
    either.resize(view, 3)
    assert view.tolist() == [4, 5, 6] and view.storage_offset() == 4 and base.tolist() == BASE.tolist()


def test_x_follows_its_data_that_c_resized(either):
    from torchthaw.legacy.run import patches

    patches.install("data_owner")
    try:
        x, other = torch.arange(3.0), torch.arange(3.0)
        either.resize(x.data, 1000)
        either.resize(other, 2)
        assert x.shape == (1000,) and x[:3].tolist() == [0, 1, 2] and other.shape == (2,)
    finally:
        patches.uninstall()


def test_deterministic_mode_fills_nothing_that_c_wrote(either):
    torch.use_deterministic_algorithms(True)
    try:
        tensor = torch.arange(3.0)
        either.resize(tensor, 10)
        assert tensor.tolist() == [0, 1, 2] + [0] * 7
    finally:
        torch.use_deterministic_algorithms(False)


def test_the_other_view_sees_a_storage_that_moved(either):
    base = BASE.clone()
    other = base[2:]
    seen = either.resize_then_at(base[8:], 1_000_000, other, 1)
    assert seen == (1 if either.offset_in(other) else 3)


def test_a_tensor_on_another_s_storage(either):
    base, tensor = BASE.clone(), torch.empty(0)
    either.lie_on(tensor, base[5:8])
    tensor[0] = -1
    assert tensor.storage_offset() == 5 and tensor.shape == (3,) and base[5] == -1


def test_a_tensor_that_c_makes_on_a_storage(either):
    base = BASE.clone()
    pair = either.pair_after(base[5:8])
    pair[0] = -1
    assert pair.tolist() == [-1, 7] and pair.storage_offset() == 6 and base[6] == -1


@pytest.mark.parametrize("count", [1, 50_000])
def test_what_c_keeps_follows_the_storage(either, count):
    base = BASE.clone()
    either.keep(base[8:])
    try:
        base.resize_(12 + count)
        place = 8 if either.offset_in(base[8:]) else 0
        either.size_below(base)
        assert either.kept_at(place) == 8
        base[8] = -1
        assert either.kept_at(place) == -1
    finally:
        either.release()


# THStorage_swap


@pytest.mark.slow
def test_swapped_storages_swap_their_elements(exact):
    a, b = torch.arange(4.0), torch.arange(10.0, 14.0)
    views = a[1:], b[2:]
    addresses = a.data_ptr(), b.data_ptr()
    exact.exchange(a, b)
    assert a.tolist() == [10, 11, 12, 13] and b.tolist() == [0, 1, 2, 3]
    assert views[0].tolist() == [11, 12, 13] and views[1].tolist() == [2, 3]
    assert (a.data_ptr(), b.data_ptr()) == addresses and (a._version, b._version) == (1, 1)
    exact.exchange(a, b)
    assert a.tolist() == [0, 1, 2, 3], "the next call sees them as they are"


@pytest.mark.slow
def test_swapped_storages_swap_their_sizes(exact):
    a, b = torch.arange(2.0), torch.arange(10.0, 14.0)
    exact.exchange(a, b)
    assert a.tolist() == [10, 11] and a.untyped_storage().nbytes() == 16
    assert torch.empty(0).set_(a.untyped_storage()).tolist() == [10, 11, 12, 13]
    assert b[:2].tolist() == [0, 1]


@pytest.mark.slow
def test_swapped_with_a_storage_of_c(exact):
    tensor = torch.arange(4.0)
    for value in range(100):
        exact.exchange_with_own(tensor, value, 4)
        assert tensor.tolist() == [value] * 4
    exact.exchange_with_own(tensor, 5, 100)
    assert tensor.tolist() == [5] * 4 and tensor.untyped_storage().nbytes() == 400


@pytest.mark.slow
def test_swapped_with_itself(exact):
    base = BASE.clone()
    exact.exchange(base, base)
    exact.exchange(base, base[3:])
    assert base.tolist() == BASE.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("shared", [
    lambda: torch.arange(2.0).share_memory_(), lambda: torch.from_numpy(np.arange(2, dtype=np.float32)),
])  # fmt: skip
def test_a_swap_that_would_resize_what_cannot_be(exact, shared):
    tensor, larger = shared(), torch.arange(4.0)
    for pair in ((tensor, larger), (larger, tensor)):
        with pytest.raises(torch.FatalError, match="not resizable"):
            exact.exchange(*pair)
    assert tensor.tolist() == [0, 1] and larger.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("probe", [extent_probe.exact, extent_probe.partial])
def test_a_size_that_no_memory_has_behind_the_offset(probe):
    """2**63 - 8 bytes fit in a number, and with those before them do not."""
    for tensor in torch.zeros(10), torch.zeros(10)[2:]:
        with pytest.raises(torch.FatalError, match="memory"):
            probe().resize_matrix(tensor, 2**31 - 2, 2**30 + 1)


# What decides

PLAIN = "float f(THFloatTensor *t) { return t->storage->data[0] + THFloatTensor_get1d(t, 0); }\n"
TELLS = {
    "size": "long f(THFloatTensor *t) { return t->storage->size; }",
    "offset": "float f(THFloatTensor *t) { return t->storage->data[t->storageOffset]; }",
    "function": "long f(THFloatTensor *t) { return THFloatTensor_storageOffset(t); }",
    "generic function": "long THNN_(f)(THTensor *t) { return THTensor_(storageOffset)(t); }",
    "storage": "void *f(THFloatTensor *t) { return THFloatTensor_storage(t); }",
    "argument": "void f(THFloatStorage *s);",
    "setStorage": "void f(THFloatTensor *t) { THFloatTensor_setStorage1d(t, 0, 0, 1, 1); }",
    "copy of the struct": "void f(THFloatTensor *t) { THFloatTensor u = *t; u.storage = 0; }",
    "behind a string": 'const char *s = "/*"; long f(THFloatTensor *t) { return t->storage->size; } /* */',
    "macro": "#define WHERE(t) ((t)->storageOffset)\n",
    "data compared": "int f(THFloatTensor *t, float *p) { return p != (t->storage->data); }",
    "data first": "int f(THFloatTensor *t, float *p) { return (float *)(t->storage->data) == p; }",
    "data cast": "int f(THFloatTensor *t, void *p) { return p == (void *)t->storage->data; }",
    "in two lines": "long f(THFloatTensor *t) { return t->stor\\\nage->size; }",
}
HIDES = {
    "data": PLAIN,
    "elements compared": "int f(THFloatTensor *t) { return t->storage->data[0] == 1 && 2 != t->storage->data [1]; }",
    "comment": PLAIN + "/* in storage order */ // storageOffset\n",
    "include of TH": "#include <TH/TH.h>\n#include <TH/THStorage.h>\n" + PLAIN,
}


def decide(folder, text, part=None):
    """What is_exact says of a source with this text, and another file for it to include."""
    (folder / "source.c").write_text(text)
    if part:
        (folder / "include" / "part.h").write_text(part)
    return is_exact([folder / "source.c"], [folder / "include"])


@pytest.mark.parametrize("name", TELLS)
def test_sources_that_can_tell(tmp_path, name):
    assert decide(tmp_path, PLAIN + TELLS[name])


@pytest.mark.parametrize("name", HIDES)
def test_sources_that_cannot(tmp_path, name):
    assert not decide(tmp_path, HIDES[name])


@pytest.mark.parametrize("line", [
    '#include "part.h"', "#include <part.h>", '  #  include "include/part.h"', '#define TH_GENERIC_FILE "part.h"',
    '#include "include/../include/part.h"',
])  # fmt: skip
def test_what_sources_include_counts(tmp_path, line):
    (tmp_path / "include").mkdir()
    assert decide(tmp_path, f"{line}\n{PLAIN}", TELLS["size"])
    assert not decide(tmp_path, f"{line}\n{PLAIN}", f'#include "../source.c"\n{PLAIN}')


def test_what_cannot_be_read_is_exact(tmp_path):
    assert is_exact([tmp_path / "no such file.c"])
    assert decide(tmp_path, f"#include PART\n{PLAIN}")
    generic = f'#define TH_GENERIC_FILE "x.c"\n#include TH_GENERIC_FILE\n{PLAIN}'
    assert decide(tmp_path, generic)
    (tmp_path / "x.c").write_text(PLAIN)
    assert not decide(tmp_path, generic)
    for line in '#include "part.h"', "#include <part.h>", "#import <part.h>", "#include_next <part.h>":
        assert decide(tmp_path, f"{line}\n{PLAIN}")
    assert not decide(tmp_path, f'#define NAME "part.h"\n{PLAIN}')


@pytest.mark.parametrize("headers", [
    "<stdio.h> <math.h> <sys/socket.h> <omp.h>", "<vector> <cmath>", '"TH.h" <TH/TH.h> "THTensor.h" <TH/THStorage.h>',
    "<torchthaw/annotate.h>", '"THCUNN.h" "common.h"',
])  # fmt: skip
def test_headers_of_the_system_and_of_th_do_not_count(tmp_path, headers):
    assert not decide(tmp_path, "".join(f"#include {name}\n" for name in headers.split()) + PLAIN)


NAMING = {
    "-I": ["-I{}"], "-I and word": ["-I", "{}"], "-isystem": ["-isystem", "{}"], "-isystem joined": ["-isystem{}"],
    "-iquote": ["-iquote", "{}"], "-idirafter": ["-idirafter", "{}"], "long": ["--include-directory={}"],
    "nvcc": ["--include-path", "{}"], "nvcc's host": ["-Xcompiler", "-fPIC,-I{}"], "nvcc's =": ["-isystem={}"],
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMING)
@pytest.mark.parametrize("text, exact", [(TELLS["size"], True), (PLAIN, False)], ids=["tells", "hides"])
def test_folders_that_flags_name_are_read(tmp_path, name, text, exact):
    folder = tmp_path / "a folder"
    folder.mkdir()
    (folder / "part.h").write_text(text)
    (tmp_path / "source.c").write_text(f'#include "part.h"\n{PLAIN}')
    assert is_exact([tmp_path / "source.c"], flags=[flag.format(folder) for flag in NAMING[name]]) is exact


@pytest.mark.slow
@pytest.mark.parametrize("variable", ["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"])
@pytest.mark.parametrize("text, exact", [(TELLS["size"], True), (PLAIN, False)], ids=["tells", "hides"])
def test_folders_that_the_environment_names_are_read(tmp_path, monkeypatch, variable, text, exact):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "part.h").write_text(text)
    monkeypatch.setenv(variable, f"{tmp_path}/absent:{tmp_path}/folder")
    assert decide(tmp_path, f"#include <part.h>\n{PLAIN}") is exact


@pytest.mark.slow
@pytest.mark.parametrize("words", ["-I{}", "-I {}", "-isystem {}", "--include-directory={}"])
@pytest.mark.parametrize("text, exact", [(TELLS["size"], True), (PLAIN, False)], ids=["tells", "hides"])
def test_folders_that_the_compilers_command_names_are_read(tmp_path, monkeypatch, words, text, exact):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "part.h").write_text(text)
    monkeypatch.setenv("CC", f"{toolchain.c_compiler()[0]} -O2 {words.format(tmp_path / 'folder')} -DN=1")
    assert decide(tmp_path, f"#include <stdio.h>\n#include <part.h>\n{PLAIN}") is exact


@pytest.mark.slow
@pytest.mark.parametrize("word, exact", [("-include stdio.h", True), ("--sysroot=/", False)])
def test_other_words_of_the_compilers_command(tmp_path, monkeypatch, word, exact):
    """A file is included that nobody reads here; the compiler says by itself where its own headers are."""
    monkeypatch.setenv("CC", f"{toolchain.c_compiler()[0]} {word}")
    assert decide(tmp_path, f"#include <stdio.h>\n{PLAIN}") is exact


@pytest.mark.parametrize("flags", [
    ["-Ihere"], ["--sysroot=/opt/other"], ["@flags"], ["-isysroot", "/opt"], ["-nostdinc"], ["--include=f.h"],
    ["--imacros=f.h"], ["--pre-include", "f.h"], ["--include-directory-after=/opt"], ["-cxx-isystem", "/opt"],
    ["-isystem-after", "/opt"], ["--options-file", "flags"], ["-optf", "flags"],
], ids=" ".join)  # fmt: skip
def test_flags_that_leave_the_folders_unknown_are_exact(tmp_path, flags, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    (tmp_path / "source.c").write_text(PLAIN)
    assert is_exact([tmp_path / "source.c"], flags=flags)


def test_a_compiler_that_does_not_say_where_it_looks(tmp_path, monkeypatch):
    monkeypatch.setenv("CC", "false")
    monkeypatch.setenv("CXX", "false")
    assert decide(tmp_path, f"#include <stdio.h>\n{PLAIN}")


@pytest.mark.slow
@pytest.mark.parametrize("linked, exact", [
    ({}, False),
    ({"linked": ["-lm", "-lgomp", "-fopenmp", "-lpthread", "-Wl,-O1"], "flags": ["-O3", "-DN=2"]}, False),
    ({"linked": [Path("kernel.o")]}, True),
    ({"linked": ["-lkernels"]}, True),
    ({"linked": ["kernels.a"]}, True),
    ({"flags": ["-include", "kernels.h"]}, True),
    ({"flags": ["-DSIZE(t)=t->storage->size"]}, True),
])  # fmt: skip
def test_what_is_linked_or_given(tmp_path, linked, exact):
    (tmp_path / "source.c").write_text(PLAIN)
    assert is_exact([tmp_path / "source.c"], **linked) is exact

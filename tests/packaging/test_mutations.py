"""tests/packaging/test_mutations.py: what make mutations changes, chooses, builds and reports."""

import importlib
import json
import subprocess

import pytest

from support import ROOT

SCRIPT = ROOT / ".ci" / "mutations.py"
pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="a source distribution has no .ci")

CODE = """\
#include <a.h> // 1 < 2
#define MANY 3
// if (never) return 4;
const char *text = "a < b"; /* 5 + 6 */
static_assert(sizeof(int) == 4);
if (a < b && !c) return d + 1;
"""


@pytest.fixture
def mutations(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    return importlib.import_module("mutations")


@pytest.fixture
def parts(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    return importlib.import_module("mutation_parts")


@pytest.fixture
def run(mutations, monkeypatch, tmp_path):
    """The function Run, of which each part tries two places and whose results are in a file of its own."""
    monkeypatch.setattr(mutations, "RESULTS", tmp_path / "results.json")
    return lambda seed: mutations.Run(seed, dict.fromkeys(mutations.COUNTS, 2))


def test_only_code_is_changed(mutations):
    changes = list(mutations.changes_of("a.cpp", CODE))
    assert {change.line for change in changes} == {6}
    assert sorted(change.after for change in changes) == [
        "if (!(a < b && !c)) return d + 1;",
        "if (a < b && !c) return d + 2;",
        "if (a < b && !c) return d - 1;",
        "if (a < b && c) return d + 1;",
        "if (a < b || !c) return d + 1;",
        "if (a <= b && !c) return d + 1;",
    ]


def test_an_edit_elsewhere_changes_no_choice(mutations):
    digests = {change.digest for change in mutations.changes_of("a.cpp", CODE)}
    assert len(digests) == 6
    assert {change.digest for change in mutations.changes_of("a.cpp", "int x = 7;\n" + CODE)} > digests
    assert not digests & {change.digest for change in mutations.changes_of("b.cpp", CODE)}


def test_equal_lines_are_different_places(mutations):
    changes = list(mutations.changes_of("a.cpp", "i < n;\ni < n;\n"))
    assert len({change.digest for change in changes}) == 2
    assert [change.line for change in changes] == [1, 2]


# The files and their parts


def test_every_file_is_in_a_part_and_every_part_has_files(mutations, parts):
    files = mutations.nets.files("mutations")
    found = {path: parts.place_of(path)[0] for path in files}
    assert {*found.values()} == {*parts.COUNTS} == {part for _, part, _ in parts.PLACES}
    assert {*found} >= {"c_api/th/math/reduce.cpp", "c_api/my_lib/linear/linear.cu", "src/torchthaw/export/table.c"}
    assert all(len(changes) > 100 for changes in mutations.chosen(0).values())


def test_a_file_of_a_new_folder_is_an_error_until_it_has_a_part(mutations, parts, monkeypatch):
    monkeypatch.setattr(mutations.nets, "files", lambda net: ["c_api/added/new.cpp"])
    with pytest.raises(ValueError, match=r"c_api/added/new\.cpp.*PLACES.*exceptions\.txt"):
        mutations.changes_of_parts.__wrapped__()


@pytest.mark.parametrize("path, part, folder", [
    ("c_api/my_lib/runtime/convert.h", "kernels", "c_api/my_lib/"),
    ("c_api/my_lib/runtime/errors.cpp", "checks", "c_api/my_lib/"),
    ("c_api/my_lib/runtime/errors.cu", "CUDA kernels", "c_api/my_lib/**/*.cu"),
    ("src/torchthaw/bridge/call/check.cpp", "checks", "src/torchthaw/bridge/"),
    ("src/torchthaw/bridge/operators/errors.h", "bridge", "src/torchthaw/bridge/"),
    ("c_api/thc/math/added.cu", "libthc", "c_api/thc/"),
])  # fmt: skip
def test_a_part_has_the_tests_of_the_code(parts, path, part, folder):
    found, suite = parts.place_of(path)
    assert (found, suite.folder) == (part, folder)


def test_each_suite_has_tests(mutations, parts):
    for _, _, suite in parts.PLACES:
        assert mutations.named_tests(suite.folder), suite.folder
        assert suite.targets or suite.compiled or not suite.same
        assert (
            not suite.compiled or f'"{suite.compiled}": compile_' in (ROOT / ".ci" / "compiled_by_tests.py").read_text()
        )


def test_tests_with_a_sanitizer_have_no_limit_of_memory(mutations, parts):
    for _, _, suite in parts.PLACES:
        named = [ROOT / name for name in mutations.named_tests(suite.folder)]
        files = [file for path in named for file in (path.rglob("test_*.py") if path.is_dir() else [path])]
        texts = {file.name: file.read_text() for file in files if file.name != "test_bridge_sanitized.py"}  # left out
        assert (
            not suite.limited
            or [name for name, text in texts.items() if "fsanitize" in text or "sanitizer" in text] == []
        )


def test_slow_programs_are_built_after_the_others(mutations, parts, monkeypatch):
    lane = mutations.Lane(0)
    listed = "th_test_conv: phony\nth_test_fuzz: phony\nfuzz_th_files_replay: phony\ntest_linear: phony\nth: phony\n"
    monkeypatch.setattr(mutations.Copy, "run", lambda *_, **__: subprocess.CompletedProcess([], 0, listed))
    assert lane.programs(parts.TH, False) == ["fuzz_th_files_replay", "th_test_conv"]
    assert lane.programs(parts.TH, True) == ["th_test_fuzz"]
    assert lane.programs(parts.MY_LIB, False) == ["test_linear"]
    assert lane.programs(parts.TABLE, False) == []


# What is known of a change


def test_a_change_of_what_the_processor_lacks_is_known(mutations, parts, tmp_path):
    objects = tmp_path / "build" / "c_api" / "my_lib" / "CMakeFiles"
    library, avx2, amx = (
        tmp_path / "build" / "lib" / "libmy_lib.so", objects / "my_lib_avx2.dir" / "a.o", objects / "my_lib_amx_bf16.dir" / "a.o",
    )  # fmt: skip
    for path in (library, avx2, amx):
        path.parent.mkdir(parents=True)
        path.write_bytes(b"as it is")
    lane = mutations.Lane(0)
    lane.copy, lane.lacking = mutations.Copy(tmp_path), ["amx_bf16"]

    def changed(*paths):
        before = lane.built(parts.MY_LIB)
        for path in paths:
            path.write_bytes(path.read_bytes() + b"changed")
        return [one != other for one, other in zip(before, lane.built(parts.MY_LIB))]

    assert changed() == [False, False]
    assert changed(library, amx) == [True, False]
    assert changed(library, avx2, amx) == [True, True]
    lane.lacking = []
    assert changed(library, amx) == [True, True]


@pytest.mark.parametrize("built, failing, expected", [
    ("linear.cpp.o", None, ("does not compile", "")),
    (None, None, ("not noticed", "")),
    (None, "th_test_conv", ("noticed", "th_test_conv")),
])  # fmt: skip
def test_a_change_is_tried_and_taken_back(mutations, parts, tmp_path, monkeypatch, built, failing, expected):
    """Of code that only tests compile, such as the toolkit's headers, equal bytes say nothing."""
    path = "src/torchthaw/cuda_on_cpu/toolkit/include/a.h"
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text("int a = b + 1;\n")
    change = next(mutations.changes_of(path, file.read_text()))
    lane = mutations.Lane(0)
    lane.copy, lane.same, lane.is_prepared = mutations.Copy(tmp_path), {parts.TOOLKIT: (None, None)}, True
    seen = []
    monkeypatch.setattr(lane, "build", lambda suite: seen.append(file.read_text()) or built)
    monkeypatch.setattr(lane, "failing", lambda suite: failing)
    assert lane.attempt(change) == expected
    assert (seen, file.read_text()) == ([change.after + "\n"], "int a = b + 1;\n")


def test_what_is_listed_by_hand_is_a_change(mutations):
    names = {change.name for changes in mutations.chosen(0).values() for change in changes}
    assert [name for name in mutations.equivalent() if name not in names] == []


# The seed


def test_a_seed_repeats_a_choice_and_another_changes_it(mutations):
    first, again, other = (mutations.chosen(seed) for seed in (1, 1, 2))
    assert first == again
    for part, changes in first.items():
        assert {*changes} == {*other[part]} and changes[:10] != other[part][:10]


def test_results_of_one_seed_are_known_to_every_other(mutations, run):
    first = run(1)
    part = "libth"
    noticed, invalid = first.counted(part)
    first.save(noticed, mutations.NOTICED, "th_test_conv")
    first.save(invalid, mutations.INVALID, "")
    assert invalid not in first.counted(part) and len(first.counted(part)) == 2

    second = run(2)
    assert second.result(noticed) == mutations.NOTICED
    kept = json.loads(mutations.RESULTS.read_text())
    assert {each: kept[each]["result"] for each in kept} == {
        noticed.digest: mutations.NOTICED,
        invalid.digest: mutations.INVALID,
    }


def test_a_seed_is_chosen_where_none_is_given(mutations):
    assert mutations.arguments(["--seed", "7"]).seed == 7
    assert len({mutations.arguments([]).seed for _ in range(20)}) > 10


def test_options_choose_a_part_and_how_many(mutations, capsys):
    assert mutations.arguments([]).counts == mutations.COUNTS
    assert mutations.arguments(["--part", "CUDA runtime"]).counts == {"CUDA runtime": mutations.COUNTS["CUDA runtime"]}
    assert mutations.arguments(["--part", "libth", "--count", "3"]).counts == {"libth": 3}
    assert {*mutations.arguments(["--count", "1"]).counts.values()} == {1}
    for words in (["--part", "unknown"], ["--part", "libth", "--publish"]):
        with pytest.raises(SystemExit):
            mutations.arguments(words)
    assert "--publish" in capsys.readouterr().err


# The page


def test_the_page_has_what_the_script_writes(mutations):
    for part in ("mutations", "not noticed", "equivalent"):
        assert mutations.page.part(mutations.PAGE, part).startswith("| ")


def test_a_run_says_its_seed_and_what_is_left_out(mutations, run, monkeypatch, tmp_path, capsys):
    page = tmp_path / "mutations.md"
    page.write_text(mutations.PAGE.read_text())
    monkeypatch.setattr(mutations, "PAGE", page)
    monkeypatch.setattr(mutations, "BUILD", tmp_path)
    monkeypatch.setattr(mutations.nets, "left_out", lambda net: [f"{net}: left out: tests/*"])
    mutations.changes_of_parts()  # which asks git
    monkeypatch.setattr(mutations.subprocess, "run", lambda *_, **__: None)  # .ci/hosts

    def tried(self, lanes):
        for part in self.counts:
            for change in self.counted(part):
                self.save(change, mutations.UNNOTICED if part == "libthc" else mutations.NOTICED, "")

    monkeypatch.setattr(mutations.Run, "tried", tried)
    monkeypatch.setattr("sys.argv", ["mutations.py", "--seed", "5", "--count", "10", "--publish"])
    with pytest.raises(SystemExit, match="expected at most"):
        mutations.main()
    said = capsys.readouterr().out
    assert said.startswith("seed: 5\n") and said.endswith("mutations: left out: tests/*\nseed: 5\n")
    assert "seed 5: " in mutations.page.part(page, "mutations")
    assert "| libthc | `c_api/thc/" in mutations.page.part(page, "not noticed")

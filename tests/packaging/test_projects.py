"""tests/packaging/test_projects.py: make projects on two small git repositories, and the records of tests/projects."""

import re
import subprocess
import sys
from dataclasses import replace

import pytest

from support import ROOT
from support.messages import names

sys.path.insert(0, str(ROOT / ".ci"))
import compat  # noqa: E402
import page as pages  # noqa: E402
import projects_table as table  # noqa: E402

import projects  # noqa: E402

RECORDS = projects.records(projects.RECORDS)
FILES = {
    "build.py": """
import sys
print("torchthaw: -std=c++14 became -std=c++20", file=sys.stderr)
open("built.py", "w").write("twice = lambda x: 2 * x")
""",
    "lines.sh": "test -f built.py",
    "old.py": "for step in xrange(2):\n    print step\n",
}
FAULT = "needs a seven"
WORKS = """
repository = "someone/small"
commit = "{commit}"
licence = "MIT"
kind = "cpp"

[[steps]]
shows = "builds"
command = "build.py"

[[steps]]
shows = "builds"
script = "set -u; . ./lines.sh"

[[steps]]
shows = "imports"
code = "import built"

[[steps]]
shows = "values right"
folder = ".."
code = "import sys; sys.path.append('small'); import built; assert built.twice(3) == 6"
"""
# `run` sets it, for the headers of TH.
NEEDS_RUN = "import os; os.environ['CPATH']"


# old.py, which the doctor edits.
OLD = WORKS.partition("\n\n")[0] + '\n\n[[steps]]\nshows = "builds"\ncommand = "old.py"\n'


def cells(page, part="projects"):
    return pages.cells(pages.part(page, part))


@pytest.fixture
def mirrors(tmp_path):
    """A folder with the repository someone/small, and the commit of its files."""
    folder = tmp_path / "mirrors" / "someone+small" / "repo"
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        (folder / name).write_text(text)
    person = ["-c", "user.name=someone", "-c", "user.email=someone@example.org"]
    for words in (["init", "-q"], ["add", "."], [*person, "commit", "-q", "-m", "small"]):
        subprocess.run(["git", "-C", folder, *words], check=True)
    done = subprocess.run(["git", "-C", folder, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    return tmp_path / "mirrors", done.stdout.strip()


@pytest.fixture
def make(tmp_path, monkeypatch, mirrors, capfd):
    """make(options, **records): the exit status's words, what was printed, and the rows of the published table.

    With --applied these are the rows of the second table, with --cuda those of the third, with --edits of the fourth.
    """
    page = tmp_path / "projects.md"
    page.write_text("".join(f"<!-- {part}: begin -->\n<!-- {part}: end -->\n" for part in table.COLUMNS))
    readme = tmp_path / "README.md"
    readme.write_text("<!-- built: begin -->\n<!-- built: end -->\n")

    def run(*words, **records):
        folder = tmp_path / "records"
        folder.mkdir(exist_ok=True)
        for name, text in records.items():
            (folder / f"{name}.toml").write_text(text.replace("{commit}", mirrors[1]))
        monkeypatch.setattr(projects, "RECORDS", folder)
        monkeypatch.setattr(projects, "FOLDER", tmp_path / "built")
        monkeypatch.setattr(projects, "PAGE", page)
        monkeypatch.setattr(projects, "README", readme)
        monkeypatch.setattr(sys, "argv", ["projects.py", *words])
        try:
            projects.main()
            failed = ""
        except SystemExit as error:
            failed = error.code
        parts = {"--applied": "applied", "--cuda": "kernels", "--edits": "edits"}
        part = next((parts[word] for word in words if word in parts), "projects")
        return failed, capfd.readouterr().out, cells(page, part)

    monkeypatch.setattr(compat, "set_signals", lambda: None)
    monkeypatch.setenv("TORCHTHAW_PROJECTS", str(mirrors[0]))
    monkeypatch.delenv("CPATH", raising=False)
    return run


@pytest.mark.slow
def test_a_project_that_works(make):
    failed, out, rows = make("--publish", small=WORKS)
    assert not failed and re.search(names("small", "run", "values right"), out)
    ((project, after, before, replaced, commit, _, date),) = rows
    assert project == "[small](https://github.com/someone/small)" and len(commit) == 8 and date
    assert before == after == "builds, imports, values right"
    assert replaced == "`-std=c++14 became -std=c++20`"


@pytest.mark.slow
@pytest.mark.parametrize("code, shown, message", [
    ("assert built.twice(3) == 7, 'not seven'", "builds", "AssertionError: not seven"),
    ("raise SystemExit('the last line is the reason')", "builds", "the last line is the reason"),
])  # fmt: skip
def test_a_project_that_fails_without_a_known_fault(make, code, shown, message):
    failed, out, rows = make("--publish", small=WORKS.replace('"import built"', f'"import built; {code}"'))
    assert re.search(names("small", "run", shown, message), out)
    assert rows[0][1].startswith(shown) and rows[0][1].endswith(f"`{message}`")
    assert re.search(names("small", "run", "fault"), failed)


@pytest.mark.slow
def test_a_known_fault_is_in_the_table_and_no_failure(make):
    broken = f'fault = "{FAULT}"\n' + WORKS.replace("== 6", "== 7")
    failed, _, rows = make("--publish", small=broken)
    assert not failed
    shown, found, fault = rows[0][1].split("; ")
    assert (shown, fault) == ("builds, imports", FAULT)
    assert re.search(names("values right", "AssertionError"), found)


@pytest.mark.slow
def test_a_fault_that_is_mended_is_told(make):
    failed, out, _ = make(small=f'fault = "{FAULT}"\n' + WORKS)
    assert not failed and re.search(names("small", FAULT), out)


def test_before_is_pytorch_alone_and_after_is_run(make):
    begin = WORKS.partition("\n\n")[0]
    failed, _, rows = make("--publish", small=f'{begin}\n\n[[steps]]\nshows = "builds"\ncode = "{NEEDS_RUN}"\n')
    assert not failed and rows[0][1:3] == ["builds", "`KeyError: 'CPATH'`"]


# An extension by name, and what it holds: the header of CUDA code, with one entry for an architecture, or nothing.
CUDA = (
    "struct.pack('<IHHQ', 0xBA55ED50, 1, 16, 64) + struct.pack('<HHIQIIHHI', 2, 0, 64, 0, 0, 0, 0, 0, 80) + bytes(28)"
)
BUILDS = """
import os, struct
data = {"CUDA": %s, "CPU": b"code"}[%s]
open((%s) + ".cpython-311.so", "wb").write(data)
"""
UNDER_RUN = "'CPATH' in os.environ"


@pytest.mark.slow
@pytest.mark.parametrize("kind, name, expected", [
    ("'CPU'", "'a'", []), ("'CUDA'", "'a'", []),
    (f"'CUDA' if {UNDER_RUN} else 'CPU'", "'a'", ["a", "CPU", "CUDA"]),
    (f"'CPU' if {UNDER_RUN} else 'CUDA'", "'a'", ["a", "CUDA", "CPU"]),
    ("'CPU'", f"'b' if {UNDER_RUN} else 'a'", ["a", "CPU", "none", "b", "none", "CPU"]),
], ids=str)  # fmt: skip
def test_what_run_makes_of_a_project_that_builds_without_it(make, mirrors, kind, name, expected):
    """A fault in the record is no excuse."""
    begin = f'fault = "{FAULT}"\n' + WORKS.partition("\n\n")[0]
    code = BUILDS % (CUDA, kind, name)
    failed, _, rows = make("--publish", small=f'{begin}\n\n[[steps]]\nshows = "builds"\ncode = """{code}"""\n')
    assert bool(failed) == bool(expected) and ("differs" in rows[0][1]) == bool(expected)
    if expected:
        assert re.search(names("small", "run", *expected), failed) and re.search(names(*expected), rows[0][1])


@pytest.mark.slow
@pytest.mark.parametrize("shown", ["builds", "imports"])
def test_a_project_that_run_breaks_is_red_whatever_its_record_says(make, shown):
    begin = f'fault = "{FAULT}"\n' + WORKS.partition("\n\n")[0]
    steps = "".join(
        f'\n\n[[steps]]\nshows = "{step}"\ncode = "import os; assert not ({step == shown} and {UNDER_RUN})"\n'
        for step in ("builds", "imports")
    )
    failed, _, rows = make("--publish", small=begin + steps)
    assert re.search(names("small", "run", shown, "only without run"), failed)
    assert re.search(names("differs", shown), rows[0][1])


def test_headers_of_pytorchs_packages_are_given_to_pytorch_alone(make, monkeypatch):
    described = projects.described
    monkeypatch.setattr(projects, "described", lambda python: replace(described(python), headers="of packages"))
    begin = WORKS.partition("\n\n")[0]
    code = "import os; raise SystemExit(os.environ.get('CPATH', 'none'))"
    _, _, rows = make("--publish", small=f'{begin}\n\n[[steps]]\nshows = "builds"\ncode = "{code}"\n')
    assert rows[0][2] == "`of packages`" and "packages" not in rows[0][1]


def read(make, record):
    """The record with the edits that it lacks, as the error without them says."""
    failed, _, _ = make("--edits", small=record)
    return record.replace("\n\n", f"\n{re.search('^edits = .*', failed, re.MULTILINE)[0]}\n\n", 1)


@pytest.mark.slow
def test_edits_that_nobody_has_read_are_an_error(make, tmp_path):
    failed, _, _ = make("--edits", small=OLD)
    assert re.search(names("small", "none", "2 lines", "1 file", "edits.diff"), failed)
    assert "+for step in range(2):" in (tmp_path / "built/small/edits.diff").read_text()
    record = read(make, OLD)
    failed, out, rows = make("--edits", "--publish", small=record)
    assert not failed and re.search(names("small", "2 lines", "1 file"), out)
    assert [row[1:4] for row in rows] == [["2", "1", "0"]]
    other = re.sub('digest = "..', 'digest = "zz', record)
    for words in (["--edits"], ["--applied"]):
        assert re.search(names("small", "2 lines", "edits.diff"), make(*words, small=other)[0])


@pytest.mark.slow
@pytest.mark.parametrize("kind, way", [("cpp", "PyTorch alone"), ("ffi", "`run`")])
def test_how_far_an_edited_project_comes(make, kind, way):
    record = read(make, OLD.replace("cpp", kind))
    make("--publish", small=record)
    failed, out, rows = make("--applied", "--publish", small=record)
    assert not failed and re.search(names("small", "doctor --apply", "builds"), out)
    ((project, after, edits, built, commit, _, date),) = rows
    assert project == "[small](https://github.com/someone/small)" and len(commit) == 8 and date
    assert (edits, built, after) == ("2 lines in 1 file", way, "builds (farther)")


@pytest.mark.slow
def test_an_edited_project_that_comes_as_far_as_before(make):
    make("--publish", small=WORKS)
    assert (
        make("--applied", "--publish", small=read(make, WORKS))[2][0][1] == "builds, imports, values right (as before)"
    )


@pytest.mark.slow
def test_an_edited_project_that_comes_less_far_fails(make):
    make("--publish", small=WORKS)
    worse = read(make, WORKS).replace("== 6", "== 7, 'less'")
    failed, _, rows = make("--applied", "--publish", small=worse)
    assert rows[0][1] == "builds, imports; values right: no: `AssertionError: less` (less far)"
    assert re.search(names("small", "doctor --apply", "values right"), failed)


@pytest.mark.slow
def test_without_a_row_of_this_pytorch_nothing_is_compared(make):
    assert make("--applied", "--publish", small=read(make, WORKS))[2][0][1] == "builds, imports, values right"


VALUES_OF_KERNELS = """

[[steps]]
shows = "values right"
cuda = "runs"
code = "import os, built; assert os.environ['TORCHTHAW_CUDA'] == 'cpu' and os.environ['CUDA_HOME']; assert built.twice(1) == 2"
"""
KERNELS = WORKS + VALUES_OF_KERNELS  # the first value is the CPU's, the second CUDA's


@pytest.mark.slow
def test_kernels_on_the_cpu(make):
    failed, out, rows = make("--cuda", "cpu", "--publish", small=KERNELS.replace("== 6", "== 7"), without=WORKS)
    assert not failed and re.search(names("small", "CUDA on the CPU", "values right"), out)
    ((project, shown, commit, _, date),) = rows
    assert project == "[small](https://github.com/someone/small)" and len(commit) == 8 and date
    assert shown == "builds, imports, values right"


@pytest.mark.slow
def test_steps_for_kernels_are_not_those_of_run(make):
    failed, _, rows = make("--publish", small=KERNELS.replace("== 2", "== 3"))
    assert not failed and rows[0][1] == "builds, imports, values right"


@pytest.mark.slow
def test_steps_for_both(make):
    both = WORKS.replace('folder = ".."', 'folder = ".."\ncuda = "also"').replace("== 6", "== 7, 'seven'")
    for words in ([], ["--cuda", "cpu"]):
        assert make(*words, "--publish", small=both)[2][0][1].endswith("`AssertionError: seven`")


@pytest.mark.slow
def test_a_fault_of_kernels_is_in_their_table(make):
    broken = KERNELS.replace("== 2", "== 3, 'three'")
    failed, _, rows = make("--cuda", "cpu", "--publish", small=broken)
    assert re.search(names("small", "fault_on_cpu"), failed)
    failed, _, rows = make("--cuda", "cpu", "--publish", small=f'fault_on_cpu = "{FAULT}"\n' + broken)
    assert not failed
    assert rows[0][1] == f"builds, imports; values right: no: `AssertionError: three`; {FAULT}"


@pytest.mark.slow
def test_a_step_that_hangs_ends(make):
    slow = WORKS.replace('code = "import built"', 'code = "import time; time.sleep(600)"\nlimit = 1')
    failed, out, _ = make(small=slow)
    assert failed and re.search(names("small", "run", "imports", "1 s"), out)


def test_without_mirrors_the_short_run_names_what_it_skips(make, monkeypatch):
    monkeypatch.delenv("TORCHTHAW_PROJECTS")
    failed, out, _ = make("--short", small="short = true\n" + WORKS, large=WORKS)
    assert not failed and out.endswith("skipped: small\n")


def test_a_project_for_gpus_alone_is_skipped_without_one(make, monkeypatch):
    monkeypatch.setattr(projects.cuda, "toolkit", lambda: (_ for _ in ()).throw(FileNotFoundError("nvcc")))
    failed, out, rows = make("--publish", small='cuda = "only"\n' + WORKS)
    assert not failed and "small: skipped" in out and not rows


def test_a_commit_that_is_not_there_is_told(make, capfd):
    failed, _, _ = make(small=WORKS.replace("{commit}", 40 * "1"))
    assert "someone/small at 1111" in failed


def test_a_name_that_no_record_has(make, capfd):
    failed, _, _ = make("smal", small=WORKS)
    assert failed == 2  # argparse's


@pytest.mark.parametrize("place", ["a+b/repo", "a+b.git", "a/b.git", "a/b", "b.git", "b"])
def test_where_a_mirror_may_be(tmp_path, place):
    (tmp_path / place).mkdir(parents=True)
    (tmp_path / place / "HEAD").touch()
    assert projects.source("a/b", tmp_path) == tmp_path / place
    assert projects.source("a/c", tmp_path) == "https://github.com/a/c.git"


@pytest.mark.parametrize("wrong", ['licence = "MIT"', 'shows = "imports"', 'code = "import built"'])
def test_a_record_that_lacks_a_key(tmp_path, wrong):
    (tmp_path / "small.toml").write_text(WORKS.replace(f"{wrong}\n", ""))
    with pytest.raises(projects.ProjectError, match=r"small\.toml: "):
        projects.records(tmp_path)


def test_a_step_for_an_unknown_place(tmp_path):
    (tmp_path / "small.toml").write_text(KERNELS.replace('"runs"', '"rums"'))
    with pytest.raises(projects.ProjectError, match=r"small\.toml: .*cuda: .*runs.*got 'rums'"):
        projects.records(tmp_path)


def test_a_plain_build_for_cuda_finds_a_card(tmp_path, monkeypatch):
    (tmp_path / "torch" / "cuda").mkdir(parents=True)
    (tmp_path / "torch" / "__init__.py").write_text("import torch.cuda")
    (tmp_path / "torch" / "cuda" / "__init__.py").write_text("is_available = lambda: False")
    environment = projects.Environment(sys.executable, "2.15.0", [str(tmp_path)], {}, True)
    python = projects.overlay(tmp_path / "environment", environment, "plain")
    answers = []
    for wanted in ("", "1"):
        monkeypatch.setenv("TORCHTHAW_BUILD_CUDA", wanted)
        code = "import torch; print(torch.cuda.is_available())"
        answers.append(subprocess.run([python, "-c", code], capture_output=True, text=True).stdout.strip())
    assert answers == ["False", "True"]


# Messages


@pytest.mark.parametrize("log, expected", [
    ("$ x\n/a/b/ATen.h:4:2: error: #error C++20 or later\nmore\nerror: command '/usr/bin/g++' failed", "#error C++20 or later"),
    ("$ x\na.cpp:1:10: fatal error: THC/THC.h: No such file or directory\n", "THC/THC.h: No such file or directory"),
    ("$ x\n  error: subprocess-exited-with-error\n  ModuleNotFoundError: No module named 'pkg_resources'\n",
     "ModuleNotFoundError: No module named 'pkg_resources'"),
    ("$ x\nfirst\nnvcc fatal   : Unsupported gpu architecture 'compute_35'\nmake: *** Error 1\n",
     "nvcc fatal : Unsupported gpu architecture 'compute_35'"),
    ("$ x\nCMake Error at CMakeLists.txt:4 (project):\n  No compiler\n\n-- Configuring incomplete\n", "No compiler"),
    ("$ x\nCMake Error: no variable\nmore\n", "no variable"),
    ("$ x\nfirst\nin /home/me/project/file.c\n", "in file.c"),
    ("$ x\nptxas /tmp/x.ptx, line 15; error   : Instruction 'shfl' is gone\nmake: *** Error 1\n", "Instruction 'shfl' is gone"),
])  # fmt: skip
def test_the_message_of_a_log(log, expected):
    assert table.message(log) == expected


def test_what_run_cannot_serve_is_not_what_it_replaced():
    log = "torchthaw: a: -std=c++14\ntorchthaw: /a/b.cu:3: cannot be built here: textures\ntorchthaw: compiling c.cu\n"
    assert table.told(log) == ["a: -std=c++14"]


def test_a_message_that_breaks_a_table_does_not():
    assert pages.cells(pages.table([["head", "more"], ["x", "a | b"]])) == [["x", "a | b"]]


# The records


def test_rows_are_of_records_and_those_that_stop_name_a_fault():
    rows = {row[0].partition("]")[0][1:]: row for row in cells(projects.PAGE)}
    assert rows.keys() <= RECORDS.keys()
    for name, row in rows.items():
        assert RECORDS[name].commit.startswith(row[4]), name
        assert (": no: " in row[1]) == bool(RECORDS[name].fault), name


def test_rows_of_kernels_that_stop_name_a_fault():
    for name, shown, commit, *_ in cells(projects.PAGE, "kernels"):
        record = RECORDS[name.partition("]")[0][1:]]
        assert record.commit.startswith(commit) and record.has_kernels(), name
        assert (": no: " in shown) == bool(record.fault_on_cpu), name


def test_edited_projects_come_as_far_as_before():
    for name, after, *_ in cells(projects.PAGE, "applied"):
        assert name.partition("]")[0][1:] in RECORDS and after.endswith(("(as before)", "(farther)")), name


def test_the_table_of_edits_is_that_of_the_records():
    shown = {
        name.partition("]")[0][1:]: (*map(int, numbers), commit)
        for name, *numbers, commit in cells(projects.PAGE, "edits")
    }
    known = {
        name: [record.edits.get(key, 0) for key in ("lines", "files", "false")] for name, record in RECORDS.items()
    }
    assert shown == {name: (*numbers, RECORDS[name].commit[:8]) for name, numbers in known.items()}


def test_records_are_whole():
    assert sum(record.short for record in RECORDS.values()) == 3
    for name, record in RECORDS.items():
        assert len(record.commit) == 40 and record.licence and record.kind in ("ffi", "cpp"), name
        assert record.cuda in ("none", "part", "only") and record.steps[0]["shows"] == "builds", name


def test_readme_shows_rows_of_the_table():
    assert pages.part(projects.README, "built").strip() == table.headlines(projects.PAGE)
    assert len(cells(projects.README, "built")) == len(table.SHOWN)

"""tests/legacy/modernize/test_modernize_errors.py: what is refused, with nothing written, and odd files."""

import os
import stat
import sys

import pytest

from support.modernize import BUILD, SCRIPT, command, names, parts, state, write  # noqa: F401
from torchthaw.cli import main


@pytest.fixture
def project(tmp_path):
    return write(tmp_path / "project", SCRIPT)


def refused(done, *words):
    assert done.status == 2 and done.out == ""
    assert done.err.startswith("torchthaw: modernize: ") and done.err.count("\n") == 1
    assert all(word in done.err for word in words), done.err
    assert not done.result.exists() or not any(done.result.iterdir())


def test_a_project_that_is_not_there(command, tmp_path):
    refused(command(tmp_path / "gone"), "PROJECT: expected the folder of a project, got", "gone', which does not exist")
    write(tmp_path, {"file.py": ""})
    refused(command(tmp_path / "file.py"), "which is a file")


def test_no_build_file(command, tmp_path):
    folder = write(tmp_path / "project", {"main.py": "print('create_extension(')\n", "setup.py": "import setuptools\n"})
    refused(command(folder), "PROJECT: expected a build file, a Python file that calls create_extension", "found none")


def test_a_build_file_that_is_not_there(command, project):
    refused(command(project, "--build", "src/build.py"), "--build: expected a file of the project", "'src/build.py'")
    refused(command(project, "--build", "functions/double.py"), "--build: functions/double.py: expected a build file")


def test_two_build_files_for_one_extension(command, project):
    write(project, {"build_cuda.py": BUILD.replace("relative_to", "with_cuda=True, relative_to")})
    refused(
        command(project), "one build file for each extension", "build.py and build_cuda.py for _ext.twice", "--build"
    )
    done = command(project, "--build", "build.py", "--json")
    assert done.status == 0 and done.json["build_files"] == ["build.py"]


def test_two_build_files_make_one_package(command, project):
    more = BUILD.replace("twice", "thrice")
    write(
        project,
        {
            "build_thrice.py": more,
            "src/thrice.h": "int thrice(int);\n",
            "src/thrice.c": "int thrice(int x){return 3*x;}",
        },
    )
    done = command(project, "--json")
    assert done.json["build_files"] == ["build.py", "build_thrice.py"]
    assert done.json["extensions"] == ["project._ext.twice", "project._ext.thrice"]
    text = (done.result / "setup.py").read_text()
    assert text.count("FFIExtension(\n") == 2 and "ext_modules=extensions" in text
    compile(text, "setup.py", "exec")


# Build files that must be run

COMPUTED = """import os
from torch.utils.ffi import create_extension

here = os.path.dirname(os.path.abspath(__file__))
sources = sorted("src/" + name for name in os.listdir(os.path.join(here, "src")) if name.endswith(".c"))
print("collected", sources)
ffi = create_extension("_ext.twice", headers=["src/twice.h"], sources=sources, relative_to=__file__)
ffi.build()
"""


@pytest.mark.slow
def test_a_build_file_that_computes_its_arguments_is_run_in_a_copy(command, project):
    write(project, {"build.py": COMPUTED + "open(os.path.join(here, 'made'), 'w').close()\n"})
    before = state(project)
    done = command(project, "--json")
    ((path, line, message, kind),) = done.remarks("build-run")
    assert (path, line, kind) == ("build.py", 7, "done") and "it was run in a copy" in message and "sources" in message
    assert 'sources=["src/twice.c"]' in (done.result / "setup.py").read_text()
    assert state(project) == before


def test_check_runs_nothing(command, project):
    write(project, {"build.py": COMPUTED + "open(os.path.join(here, 'made'), 'w').close()\n"})
    before = state(project)
    done = command(project, "--check")
    assert done.status == 1 and "build.py:7: needs-run: its arguments are computed (sources): needs a run" in done.out
    done = command(project, "--check", "--json")
    assert done.json["exit_status"] == 1 and done.remarks("needs-run")[0][:2] == ("build.py", 7)
    assert state(project) == before


@pytest.mark.slow
def test_a_build_file_that_never_ends(command, project):
    write(project, {"build.py": "import os, time\nwhile os.getpid():\n    time.sleep(1)\n" + COMPUTED})
    refused(
        command(project, "--time-limit", "3"),
        "build.py: expected a build file that ends within 3 seconds",
        "--time-limit",
    )


@pytest.mark.slow
def test_a_build_file_that_fails(command, project):
    write(project, {"build.py": COMPUTED.replace("import os", "import os, no_such_module")})
    refused(command(project), "build.py: expected a build file that can be run", "No module named 'no_such_module'")
    write(project, {"build.py": COMPUTED.replace("sources=sources", "sources=[object()]")})
    refused(command(project), "build.py: line 7: sources: expected text, numbers and lists, got <object object")
    write(project, {"build.py": COMPUTED.replace("print(", "os._exit(3)\nprint(")})
    refused(command(project), "build.py: expected a build file that can be run", "exit status 3")


def test_a_build_file_that_is_no_python(command, project):
    write(project, {"build.py": BUILD + "def (:\n"})
    refused(command(project), "build.py: expected Python, got text that neither Python 3 nor Python 2 can parse")


@pytest.mark.slow
def test_a_build_file_in_python_2(command, project):
    write(project, {"build.py": BUILD.replace("if __name__", "print 'building'\nif __name__")})
    assert command(project).status == 0
    write(project, {"build.py": COMPUTED.replace("print(", "print ").replace("sources)\nffi", "sources\nffi")})
    done = command(project, "--output", project.parent / "second")
    assert done.status == 0 and 'sources=["src/twice.c"]' in (project.parent / "second" / "setup.py").read_text()


# Options


def test_a_result_folder_that_is_not_empty(command, project, tmp_path):
    write(tmp_path / "full", {"kept.txt": "", "other.txt": ""})
    done = command(project, "--output", tmp_path / "full")
    refused(done, "--output: expected a folder that is empty or not there, got", "which has kept.txt and 1 more")
    assert names(tmp_path / "full") == {"kept.txt", "other.txt"}
    refused(command(project, "--output", project / "build.py"), "--output: expected a folder outside of PROJECT")
    refused(command(project, "--output", project / "new"), "--output: expected a folder outside of PROJECT")
    refused(
        command(project, "--output", tmp_path / "full" / "kept.txt"), "--output: expected a folder, got", "is a file"
    )


def test_an_empty_result_folder_is_used(command, project, tmp_path):
    (tmp_path / "result").mkdir()
    assert command(project).status == 0 and (tmp_path / "result" / "pyproject.toml").exists()


def test_the_default_result_folder_is_beside_the_project(parts, project, tmp_path, monkeypatch):
    monkeypatch.chdir(project)
    assert main(["modernize", "."]) == 0
    assert (tmp_path / "project-modernized" / "MODERNIZED.md").exists()


@pytest.mark.parametrize(
    "words, expected",
    [
        (["--time-limit", "0"], "--time-limit: expected a number above 0, got 0"),
        (["--diff", "--json"], "--diff: expected without --json, got both"),
    ],
)
def test_wrong_options(project, words, expected, capfd):
    with pytest.raises(SystemExit) as raised:
        main(["modernize", str(project), *words])
    assert raised.value.code == 2 and expected in capfd.readouterr().err


def test_a_failure_while_writing_leaves_nothing(command, project, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "rename", lambda *paths: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    done = command(project)
    assert done.status == 1 and "No space left" in done.err
    assert {path.name for path in tmp_path.iterdir()} == {"project"}


# Files of all kinds


def test_a_tree_that_is_read_only(command, project):
    for path in [project, *project.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = state(project)
    try:
        assert command(project).status == 0
        assert state(project) == before
    finally:
        for path in [project, *project.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)


def test_modes(command, project):
    write(project, {"tool.sh": "#!/bin/sh\necho hello\n"})
    (project / "tool.sh").chmod(0o555)
    for path in (project / "src").iterdir():
        path.chmod(0o444)
    result = command(project).result
    assert (result / "tool.sh").stat().st_mode & stat.S_IXUSR
    assert (result / "src" / "twice.c").stat().st_mode & stat.S_IWUSR
    assert not (result / "src" / "twice.c").stat().st_mode & stat.S_IXUSR


def test_symbolic_links(command, project, tmp_path):
    write(tmp_path / "elsewhere", {"data.txt": "data"})
    links = {
        "functions/same.py": "double.py", "headers": "src", "loop": ".",
        "outside.txt": tmp_path / "elsewhere" / "data.txt",
        "outside": tmp_path / "elsewhere", "dead": "gone",
    }  # fmt: skip
    for name, target in links.items():
        (project / name).symlink_to(target)
    done = command(project, "--json")
    assert {path: kind for path, _, _, kind in done.remarks("symlink")} == {
        "functions/same.py": "done",
        "headers": "done",
    }
    left_out = {path: message for path, _, message, _ in done.remarks("left-out")}
    assert left_out.keys() == {"loop", "outside.txt", "outside", "dead"}
    assert "outside of the project" in left_out["outside"] and "a folder that it is in" in left_out["loop"]
    assert not any(path.is_symlink() for path in done.result.rglob("*"))
    assert (done.result / "headers" / "twice.h").read_bytes() == (project / "src" / "twice.h").read_bytes()
    assert (done.result / "twice" / "functions" / "same.py").exists()


def test_what_is_no_file(command, project):
    os.mkfifo(project / "pipe")
    done = command(project, "--json")
    assert [(path, message, kind) for path, _, message, kind in done.remarks("left-out")] == [
        ("pipe", "it is no regular file", "look")
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_cannot_be_read(command, project):
    write(project, {"secret.txt": ""})
    (project / "secret.txt").chmod(0)
    assert command(project, "--json").remarks("left-out")[0][0] == "secret.txt"


LATIN = "# Müller\nfrom _ext import twice\nNAME = 'Müller'\n"


def test_latin_1(command, project):
    """With a declaration it keeps its bytes; without one Python 3 could not read it."""
    write(project, {
        "functions/declared.py": f"# -*- coding: latin-1 -*-\n{LATIN}".encode("latin-1"),
        "functions/undeclared.py": LATIN.encode("latin-1"), "src/names.txt": LATIN.encode("latin-1"),
        "src/twice.c": "/* Müller */\n".encode("latin-1") + SCRIPT["src/twice.c"].encode(),
    })  # fmt: skip
    done = command(project, "--json")
    new = {
        name: (done.result / "twice" / "functions" / f"{name}.py").read_bytes() for name in ("declared", "undeclared")
    }
    changed = LATIN.replace("from _ext import twice", "from twice._ext import twice")
    assert new["declared"] == f"# -*- coding: latin-1 -*-\n{changed}".encode("latin-1")
    assert new["undeclared"] == changed.encode()
    assert [(path, kind) for path, _, _, kind in done.remarks("encoding")] == [("functions/undeclared.py", "done")]
    assert (done.result / "src" / "names.txt").read_bytes() == LATIN.encode("latin-1")
    assert (done.result / "src" / "twice.c").read_bytes() == (project / "src" / "twice.c").read_bytes()


def test_line_endings(command, project):
    write(project, {"functions/double.py": SCRIPT["functions/double.py"].replace("\n", "\r\n")})
    text = (command(project).result / "twice" / "functions" / "double.py").read_bytes()
    assert text.startswith(b"from twice._ext import twice\r\n") and text.count(b"\n") == text.count(b"\r\n")


def test_python_that_cannot_be_parsed_stays(command, project):
    write(project, {"functions/broken.py": "def (:\n", "train.py": "print 'x'\n"})
    done = command(project)
    assert done.status == 0
    assert (done.result / "twice" / "functions" / "broken.py").read_text() == "def (:\n"


def test_the_conversion_of_python_says_what_it_needs(command, project, parts, monkeypatch):
    monkeypatch.setitem(sys.modules, parts["python"].__name__, None)
    refused(command(project), "modernize")

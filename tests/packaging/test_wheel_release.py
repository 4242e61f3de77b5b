"""tests/packaging/test_wheel_release.py: the parts of `make wheel` that need neither zig nor a whole build."""

import copy
import ctypes
import importlib
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import torchthaw
from support import ROOT, elf
from support.messages import names as words
from torchthaw.base import config

needs_ci = pytest.mark.skipif(not (ROOT / ".ci" / "wheels.py").exists(), reason="a source distribution has no .ci")
pytestmark = [needs_ci, pytest.mark.timeout(600)]
INFO = f"torchthaw-{torchthaw.__version__}.dist-info"


@pytest.fixture
def release(monkeypatch):
    """.ci/wheels.py, as a module."""
    monkeypatch.syspath_prepend(str(ROOT / ".ci"))
    return importlib.import_module("wheels")


@pytest.fixture
def checks(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / ".ci"))
    return importlib.import_module("wheel_checks")


# The source distribution


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """Made by the function that `make wheel` calls."""
    folder = tmp_path_factory.mktemp("sdist")
    code = "import sys, pathlib, wheels; print(wheels.make_sdist(pathlib.Path(sys.argv[1]) / 'made'))"
    done = subprocess.run(
        [sys.executable, "-c", code, folder], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / ".ci"), "SOURCE_DATE_EPOCH": "1700000000"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def names(path):
    with tarfile.open(path) as archive:
        return {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}


@pytest.mark.slow
def test_the_source_distribution_has_the_files_of_the_repository(sdist):
    """And none that a build left. Those of .ci and the benchmarks' results are for those who have a checkout."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    kept = {name for name in listed.stdout.split("\0") if name and not name.startswith((".ci/", "benchmarks/results/"))}
    for name in [name for name in kept if (ROOT / name).is_dir()]:  # a link to a folder becomes a copy
        kept |= {f"{name}/{path.relative_to(ROOT / name)}" for path in (ROOT / name).rglob("*")}
    found = names(sdist)
    assert found - kept == {"PKG-INFO"}
    assert {name for name in kept - found if (ROOT / name).is_file()} == set()


def metadata(source, environment, folder="."):
    """METADATA of a source tree, as pip asks for it; it is written into an empty folder there."""
    hook = "import sys; from scikit_build_core.build import prepare_metadata_for_build_wheel as hook; hook(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-c", hook, folder], cwd=source, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0 and "git is not there" not in done.stderr, done.stderr
    return (source / folder / INFO / "METADATA").read_text()


@pytest.mark.slow
def test_readme_where_a_package_index_shows_it(sdist, tmp_path):
    """No link into the repository is left: it is an address where [project.urls] has one, and a path where not."""
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path)
    (source,) = tmp_path.iterdir()
    inside = re.compile(r"\]\((?!https?:)")
    assert inside.search((source / "README.md").read_text())
    project = source / "pyproject.toml"
    bare = re.sub(r"^\[project\.urls\]\n(.+\n)*\n?", "", project.read_text(), flags=re.M)
    project.write_text(bare)
    text = metadata(source, os.environ, "without")
    assert "Project-URL: " not in text.partition("\n\n")[0]
    assert "Description-Content-Type: text/markdown" in text and not inside.search(text) and "![" not in text
    assert "Port an old project (`docs/port-an-old-project.md`)" in text
    assert "| CONTRIBUTING.md, docs/architecture.md |" in text
    urls = '[project.urls]\nSource = "https://example.invalid/owner/torchthaw"\n\n[project.scripts]'
    project.write_text(bare.replace("[project.scripts]", urls))
    text = metadata(source, os.environ, "with")
    base = "https://example.invalid/owner/torchthaw"
    assert f"Project-URL: Source, {base}\n" in text and not inside.search(text)
    links = re.findall(rf"(!?)\[[^]]*\]\({base}/(blob|raw)/v{torchthaw.__version__}/([^)#]+)", text)
    assert len(links) > 20 and {path for _, _, path in links if not (ROOT / path).exists()} == set()
    assert {(mark, kind) for mark, kind, _ in links} == {("", "blob"), ("!", "raw")}


@pytest.mark.slow
def test_metadata_without_git(sdist, release, tmp_path):
    """What pip asks of a source distribution first, where git fails."""
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path)
    (source,) = tmp_path.iterdir()
    fields = metadata(source, release.without_git()).partition("\n\n")[0]
    assert f"Version: {torchthaw.__version__}\n" in fields and "License-Expression: MIT\n" in fields
    for license in ("LICENSE", "licenses/gcc-runtime-library-exception.txt"):
        assert f"License-File: {license}" in fields and (source / INFO / "licenses" / license).is_file()
    assert re.findall(r"Classifier: Programming Language :: Python :: (3\.\d+)", fields) == release.PYTHONS


# What a wheel promises

HARDENED = ["-Wl,-z,relro", "-Wl,-z,now"]


def library(folder, name, text, *flags):
    """A shared library of the unpacked wheel ``folder``, from C code."""
    path = folder / "torchthaw" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    (folder / "code.c").write_text(text)
    built = subprocess.run(
        ["gcc", "-shared", "-fPIC", folder / "code.c", *HARDENED, *flags, "-o", path], capture_output=True
    )
    assert built.returncode == 0, built.stderr
    return path


HARMLESS = "int harmless(void) { return 1; }"


@pytest.mark.parametrize("name, text, flags, complaint", [
    ("lib/libmy_lib.so.1", HARMLESS, [], None),
    ("lib/libth.so.1", "#include <math.h>\ndouble f(double x) { return cos(x); }", ["-lm"], None),
    ("lib/libth.so.1", HARMLESS, ["-Wl,--no-as-needed", "-lgomp"], "lib/libth.so.1: needs libgomp.so.1"),
    ("lib/libmy_lib.so.1", HARMLESS, ["-Wl,--no-as-needed", "-lgcc_s"], "lib/libmy_lib.so.1: needs libgcc_s.so.1"),
    ("lib/libth.so.1", HARMLESS, ["-Wl,-rpath,/somewhere"], "lib/libth.so.1: has a RUNPATH"),
    ("lib/libth.so.1", "int fstat(int, void *); int f(void) { return lacking(); }", ["-w"],
     "lib/libth.so.1: lacking has no version"),
    ("bridge/_bridge.abi3.so", "int f(void) { return PyErr_Occurred(); }", ["-w"], None),
    ("lib/libth.so.1", "int f(void) { return PyErr_Occurred(); }", ["-w"], "lib/libth.so.1: PyErr_Occurred has no version"),
    ("lib/libother.so", HARMLESS, [], "lib/libother.so: not expected"),
    ("lib/libth.so", HARMLESS, [], "lib/libth.so: not expected"),  # a copy of the library, for the linker
    ("lib/libmy_lib.so.1", HARMLESS, ["-Wl,-z,lazy"], "lib/libmy_lib.so.1: has no BIND_NOW"),
    ("lib/libth.so.1", HARMLESS, ["-Wl,-z,execstack"], "lib/libth.so.1: has an executable stack"),
    ("lib/libth.so.1", f'const char *source = "{ROOT}/a.cpp";', [], f"lib/libth.so.1: has the path {ROOT}"),
])  # fmt: skip
def test_libraries(checks, tmp_path, name, text, flags, complaint):
    library(tmp_path, name, text, *flags)
    found = [each for each in checks.of_libraries(tmp_path) if not each.endswith(": missing")]
    assert found == ([] if complaint is None else [complaint])


def test_a_name_for_the_linker_is_no_library(checks, tmp_path):
    library(tmp_path, "lib/libth.so.1", HARMLESS).with_name("libth.so").write_text("INPUT(libth.so.1)\n")
    assert [each for each in checks.of_libraries(tmp_path) if "lib/libth" in each] == []


def test_a_wheel_without_its_libraries(checks, tmp_path):
    (tmp_path / "torchthaw").mkdir()
    assert checks.of_libraries(tmp_path) == [
        "bridge/_bridge.abi3.so: missing", "lib/cuda_on_cpu/libthc.so.1: missing", "lib/libcuda_on_cpu.so.1: missing",
        "lib/libmy_lib.so.1: missing", "lib/libth.so.1: missing",
    ]  # fmt: skip


def wheel_file(folder, checks, version, *content, without=()):
    """A wheel with whole metadata, but for the lines and files that contain a word of ``without``."""
    lines = [f"{field}: x" for field in checks.FIELDS] + ["Classifier: x", "Requires-Dist: x"]
    info = f"torchthaw-{version}.dist-info"
    files = {f"{info}/licenses/{name}": "text" for name in checks.LICENCES} | {name: "" for name in content}
    path = folder / f"torchthaw-{version}-cp310-abi3-linux_x86_64.whl"
    with zipfile.ZipFile(path, "w") as archive:
        kept = [line for line in lines if not any(word in line for word in without)]
        archive.writestr(f"{info}/METADATA", "\n".join(["Metadata-Version: 2.4", *kept, "", "Readme"]))
        for name, text in files.items():
            if not any(word in name for word in without):
                archive.writestr(name, text)
    return path


@pytest.mark.parametrize("version, content, without, complaint", [
    ("1.0", [], [], None),
    ("1.0+cu13", ["torchthaw/lib/libthc.so.1"], [], None),
    ("1.0", ["torchthaw/lib/libthc.so.1"], [], "has CUDA libraries, which its name does not say"),
    ("1.0+cu13", [], [], "has no CUDA libraries"),
    ("1.0", [], ["Summary"], "METADATA: Summary is missing"),
    ("1.0", [], ["Classifier"], "METADATA: Classifier is missing"),
    ("1.0", [], ["exception"], "licenses/gcc-runtime-library-exception.txt is missing"),
])  # fmt: skip
def test_metadata(checks, tmp_path, version, content, without, complaint):
    found = checks.of_metadata(wheel_file(tmp_path, checks, version, *content, without=without))
    assert found == [] if complaint is None else len(found) == 1 and complaint in found[0]


BILL = {
    "metadata": {"component": {"version": "1.0"}},
    "components": [
        {"bom-ref": "libstdc++", "version": "12.2.0", "scope": "required"},
        {"bom-ref": "cffi", "scope": "required"},
        {"bom-ref": "blas", "scope": "optional"},
    ],
}


@pytest.mark.parametrize("change, requires, cuda, complaint", [
    (lambda bill: None, [], False, None),
    (lambda bill: bill["components"].append({"bom-ref": "cudart", "version": "13.0"}), [], True, None),
    (lambda bill: None, [], True, ["cudart", "missing"]),
    (lambda bill: bill["components"].pop(0), [], False, ["libstdc++", "missing"]),
    (lambda bill: bill["components"][0].pop("version"), [], False, ["libstdc++", "version"]),
    (lambda bill: bill["components"].append({"bom-ref": "cudart", "version": "13.0"}), [], False,
     ["cudart", "linked", "required"]),
    (lambda bill: None, ["ninja>=1.11"], False, ["ninja", "required", "None"]),
    (lambda bill: bill["components"][1].update(scope="optional"), [], False, ["cffi", "required", "optional"]),
    (lambda bill: bill["metadata"]["component"].update(version="1.1"), [], False, ["version", "1.0", "1.1"]),
])  # fmt: skip
def test_the_bill_of_materials_is_that_of_the_wheel(checks, tmp_path, change, requires, cuda, complaint):
    bill = copy.deepcopy(BILL)
    change(bill)
    info = tmp_path / "torchthaw-1.0.dist-info"
    (info / "sboms").mkdir(parents=True)
    (info / "sboms" / "torchthaw.cdx.json").write_text(json.dumps(bill))
    lines = [
        "Version: 1.0",
        *(f"Requires-Dist: {each}" for each in ["cffi>=1", 'blas>=0; extra == "legacy"', *requires]),
    ]
    (info / "METADATA").write_text("\n".join([*lines, "", "Readme"]))
    library(tmp_path, "lib/libthc.so.1" if cuda else "lib/libth.so.1", HARMLESS)
    found = checks.of_sbom(tmp_path)
    assert len(found) == (complaint is not None)
    assert not found or re.search(words("sboms/torchthaw.cdx.json", *complaint), found[0])


def test_every_target_of_a_wheel_is_built(release):
    """What CMake installs into a wheel must have been built: make wheel names the targets."""
    files = [path for folder in ("c_api", "src") for path in (ROOT / folder).rglob("CMakeLists.txt")]
    text = "".join(path.read_text() for path in files)
    installed = set(re.findall(r"install\(TARGETS (\w+)[^)]*COMPONENT python", text))
    installed |= set(re.findall(r"torchthaw_install\((\w+)\)", text))
    targets = set(release.settings(release.KINDS["x86_64-cuda"], "tree")["build.targets"].split(";"))
    assert installed >= {"bridge", "th", "my_lib", "thc_on_cpu"} and installed - {"my_lib_cuda"} <= targets


# Verifying a wheel


def test_a_wheel_s_name_says_how_it_was_built(release):
    end = "-cp310-abi3-manylinux_2_28"
    assert release.kind_of(Path(f"a/torchthaw-1.0.0{end}_x86_64.whl")) == "x86_64"
    assert release.kind_of(Path(f"torchthaw-1.0.0{end}_aarch64.whl")) == "aarch64"
    assert release.kind_of(Path(f"torchthaw-1.0.0+cu130{end}_x86_64.whl")) == "x86_64-cuda"
    for name in ("torchthaw-1.0.0-cp310-abi3-linux_x86_64.whl", f"torchthaw-1.0.0+cu999{end}_x86_64.whl", "other.whl"):
        with pytest.raises(release.WheelError, match=words("make wheel", name)):
            release.kind_of(Path(name))


def test_a_wheel_without_its_source_distribution(release, tmp_path):
    wheel = tmp_path / "torchthaw-1.0.0-cp310-abi3-manylinux_2_28_x86_64.whl"
    wheel.touch()
    with pytest.raises(release.WheelError, match=words("source distribution", tmp_path / "torchthaw-1.0.0.tar.gz")):
        release.verify(wheel)


def test_a_source_distribution_is_extracted_by_every_python(release, tmp_path, monkeypatch):
    """Until Python 3.10.12 and 3.11.4, extractall() took no filter."""
    (tmp_path / "file").write_text("text")
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        archive.add(tmp_path / "file", "torchthaw-1.0.0/file")
    extract_all = tarfile.TarFile.extractall
    monkeypatch.setattr(tarfile.TarFile, "extractall", lambda archive, path: extract_all(archive, path))
    with tarfile.open(tmp_path / "a.tar") as archive:
        source = release.extract(archive, tmp_path / "source")
    assert (source / "file").read_text() == "text"


def test_what_differs_between_wheels_is_named(release, tmp_path):
    for folder, files in {"a": {"same": "x", "changed": "x", "gone": "x"}, "b": {"same": "x", "changed": "y"}}.items():
        with zipfile.ZipFile(tmp_path / folder, "w") as archive:
            for name, text in files.items():
                archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), text)
    assert release.differences(tmp_path / "a", tmp_path / "b") == ["changed", "gone"]


# The stand-ins for glibc

SHIM = """
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
int pthread_atfork(void (*)(void), void (*)(void), void (*)(void));
int atexit(void (*)(void));
uint32_t arc4random(void);
extern char __libc_single_threaded;

static int forked, *left;
static void in_child(void) { forked = 1; }
static void leave(void) { *left = 1; }

long size_of(int file) {
    struct stat status;
    return fstat(file, &status) ? -1 : (long)status.st_size;
}
long size_at(const char *path) {
    struct stat status;
    return stat(path, &status) ? -1 : (long)status.st_size;
}
int child_is_told(void) {
    int status = 0;
    pthread_atfork(0, 0, in_child);
    const pid_t child = fork();
    if (!child) _exit(forked);
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}
void on_exit_set(int *where) { left = where, atexit(leave); }
uint32_t number(void) { return arc4random(); }
int single(void) { return __libc_single_threaded; }
"""


def test_the_shim(tmp_path):
    """Its functions do what glibc's do, and no other library sees them."""
    (tmp_path / "code.c").write_text(SHIM)
    path = tmp_path / "code.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-fno-builtin", "-O1", tmp_path / "code.c",
                    ROOT / "cmake" / "glibc_shim.c", "-o", path], check=True)  # fmt: skip
    symbols = subprocess.run(["nm", "-D", path], capture_output=True, text=True, check=True).stdout
    assert not re.search(r"\b(f?stat|pthread_atfork|atexit|arc4random|__libc_single_threaded)\b", symbols)
    code = ctypes.CDLL(str(path))
    with open(tmp_path / "code.c") as file:
        assert code.size_of(file.fileno()) == len(SHIM)
    assert code.size_of(-1) == -1
    assert code.size_at(os.fsencode(tmp_path / "code.c")) == len(SHIM)
    assert code.size_at(b"/not/there") == -1
    assert code.child_is_told() == 1
    assert len({code.number() for _ in range(20)}) == 20
    assert code.single() == 0
    left = ctypes.c_int(0)
    code.on_exit_set(ctypes.byref(left))
    handle = ctypes.c_void_p(code._handle)
    assert ctypes.CDLL(None).dlclose(handle) == 0
    assert left.value == 1, "a handler outlived its library"


def versions(undefined, *paths):
    """{name: versions of glibc} of the symbols that libraries look for, or else that they have."""
    found = {}
    for row in (line.split() for path in paths for line in elf.readelf("--dyn-syms", path).splitlines()):
        symbol = len(row) >= 8 and re.fullmatch(r"(\w+)@@?GLIBC_([\d.]+)", row[7])
        if symbol and (row[6] == "UND") is undefined:
            found.setdefault(symbol[1], []).append(tuple(map(int, symbol[2].split("."))))
    return found


@pytest.mark.parametrize("name", ["my_lib", "th", "thc", "cuda_on_cpu", "bridge"])
def test_the_old_glibc_has_what_is_called(release, tmp_path, name):
    """The linker of a wheel says so too, but only `make wheel` asks it: here the glibc of this machine is asked for the
    older versions that it has of each function."""
    try:
        bridge = name == "bridge"
        path = importlib.import_module("torchthaw.bridge._bridge").__file__ if bridge else config.library(name)
    except (FileNotFoundError, ImportError):
        pytest.skip(f"{name} was not built")
    mapped = Path("/proc/self/maps").read_text()
    has = versions(False, *set(re.findall(r"/\S+/(?:ld-linux[\w-]*|lib(?:c|m|dl|rt|pthread))\.so\.\d", mapped)))
    assert "fopen" in has and "cos" in has
    shim = tmp_path / "shim.o"
    subprocess.run(["gcc", "-fno-builtin", "-c", ROOT / "cmake" / "glibc_shim.c", "-o", shim], check=True)
    ours = subprocess.run(["nm", "--defined-only", "--format=just-symbols", shim], capture_output=True, text=True,
                          check=True).stdout.split()  # fmt: skip
    newest = tuple(map(int, release.GLIBC.split(".")))
    called = [each for each, wanted in versions(True, path).items() if max(wanted) > newest]
    assert [each for each in called if each not in ours and min(has[each]) > newest] == []


@pytest.mark.parametrize("folder, works", [(None, False), ("lacking", False), ("there", True)])
def test_the_toolchain_file_asks_for_the_stand_ins(tmp_path, folder, works):
    from torchthaw.base import toolchain

    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "libc.so").touch()
    environment = {key: value for key, value in os.environ.items() if key != "TORCHTHAW_GLIBC_STUBS"}
    if folder:
        environment["TORCHTHAW_GLIBC_STUBS"] = str(tmp_path / folder)
    done = subprocess.run([toolchain.tool("cmake"), "-P", ROOT / "cmake" / "manylinux.cmake"], env=environment,
                          capture_output=True, text=True)  # fmt: skip
    assert (done.returncode == 0) is works
    assert works or "TORCHTHAW_GLIBC_STUBS: expected a folder with libc.so" in done.stderr


# The command


@pytest.mark.parametrize("cuda, version", [("", torchthaw.__version__), ("130", f"{torchthaw.__version__}+cu130")])
def test_the_version_tells_of_cuda(release, tmp_path, cuda, version):
    assert {kind.cuda for kind in release.KINDS.values()} == {"", "130"}
    hook = "import sys; from scikit_build_core.build import prepare_metadata_for_build_wheel as hook; hook(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", hook, tmp_path], cwd=ROOT, capture_output=True, text=True,
                          env={**os.environ, "TORCHTHAW_WHEEL_CUDA": cuda})  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [f"torchthaw-{version}.dist-info"]


@pytest.mark.parametrize("tag, libraries, accepted", [
    ("manylinux_2_27_x86_64", [], True), ("manylinux_2_28_x86_64", [], True), ("manylinux_2_34_x86_64", [], False),
    ("manylinux_2_27_aarch64", [], False), ("linux_x86_64", [], False), ("linux_x86_64", ["libown.so.1"], True),
    ("linux_x86_64", ["libown.so.1", "libother.so.1"], False),
])  # fmt: skip
def test_the_name_needs_proof(release, monkeypatch, tmp_path, tag, libraries, accepted):
    wheel, calls = tmp_path / "torchthaw-1-cp310-abi3-linux_x86_64.whl", []
    (tmp_path / "libown.so.1").touch()
    printed = json.dumps({
        "overall_tag": tag, "sym_tag": "manylinux_2_27_x86_64", "external_libs": dict.fromkeys(libraries),
        "unsupported_isa": False,
    })  # fmt: skip

    def run(*command, **options):
        calls.append(command)
        if "tags" in command:
            assert options["env"]["SOURCE_DATE_EPOCH"] == "1700000000"  # the time of the new RECORD
        return (
            f"INFO: libc\n{printed}\n"
            if "auditwheel" in command
            else "torchthaw-1-cp310-abi3-manylinux_2_28_x86_64.whl\n"
        )

    monkeypatch.setattr(release, "run", run)
    monkeypatch.setattr(release, "tools", lambda: "python")
    monkeypatch.setattr(release, "epoch", lambda: "1700000000")
    monkeypatch.setattr(release, "unpack", lambda wheel, folder: folder)
    monkeypatch.setattr(release.wheel_checks, "complaints", lambda wheel, folder: [])
    if accepted:
        found = release.audit(release.KINDS["x86_64"], wheel, tmp_path)
        assert found.name == "torchthaw-1-cp310-abi3-manylinux_2_28_x86_64.whl"
    else:
        with pytest.raises(release.WheelError, match="expected manylinux_2_28_x86_64 or older"):
            release.audit(release.KINDS["x86_64"], wheel, tmp_path)
    assert any("tags" in command for command in calls) is accepted

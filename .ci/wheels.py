"""wheels.py: makes and tests what is published: the source distribution and portable wheels, in dist/.

    make wheel                      the source distribution, and the wheels of x86_64 and aarch64
    make wheel only=x86_64-cuda     the wheel with CUDA libraries, whose version ends in +cu130
    make wheel only="sdist x86_64"  some of them
    make wheel quick=1              without the second build that shows that wheels are reproducible, and without
                                    the environments of other Pythons
    make verify-wheel wheel=FILE    whether FILE is what the source distribution beside it builds, byte for byte

Wheels are built from the source distribution, with git out of reach, on stand-ins for glibc 2.28 (glibc_stubs.py), and
are renamed to manylinux_2_28 when auditwheel and wheel_checks.py agree. The C tests run with the libraries of each wheel;
those of aarch64 in qemu. The wheel and the source distribution are installed into empty environments of every Python
that is found, beside a PyTorch (wheel_pytorch.py), and wheel_use.py uses them there. A wheel whose compiler is missing
is left out. Everything but dist/ is in build/wheel-release/. The exit status is 1 where something failed, which is
printed.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
import glibc_stubs  # noqa: E402
import wheel_checks  # noqa: E402
import wheel_pytorch  # noqa: E402
from wheel_kinds import DEFAULT, KINDS, foreign, missing, settings  # noqa: E402

from support import foreign_python, wheel_builder  # noqa: E402

FOLDER = ROOT / "build" / "wheel-release"
DIST = ROOT / "dist"
REQUIREMENTS = ROOT / ".ci" / "requirements" / "locked" / "wheel.txt"
GLIBC = "2.28"
PYTHONS = ["3.10", "3.11", "3.12", "3.13"]  # those of pyproject.toml's classifiers: each was run
NEXT = "3.14"  # run where it is found
# Of an argument's file, by the schema of CycloneDX.
IS_CYCLONEDX = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read())
raise SystemExit(error and f"{sys.argv[1]}: {error}")
"""


class WheelError(Exception):
    """Something could not be made, or is not as it must be; the message says what."""


def run(*command, **options):
    """What a command prints; WheelError carries it where the command fails."""
    done = subprocess.run([*map(str, command)], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode:
        raise WheelError(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


def say(text):
    print(text, flush=True)


def epoch():
    """The time of the newest commit, which is that of every file in what is made."""
    return os.environ.get("SOURCE_DATE_EPOCH") or run("git", "log", "-1", "--format=%ct", cwd=ROOT).strip()


def tools():
    """A Python with the packages of requirements/wheel.txt, which nothing else needs."""
    python, stamp = FOLDER / "tools" / "bin" / "python", FOLDER / "tools" / "installed.txt"
    if not stamp.exists() or stamp.read_text() != REQUIREMENTS.read_text():
        say("installing auditwheel, twine and zig: 110 MB, once")
        run(sys.executable, "-m", "venv", "--clear", FOLDER / "tools")
        run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--require-hashes", "-r", REQUIREMENTS)
        stamp.write_text(REQUIREMENTS.read_text())
    return python


def empty(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def without_git():
    """The environment, with a git that fails: a source distribution has no repository."""
    folder = FOLDER / "no-git"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "git").write_text("#!/bin/sh\necho 'git is not there' >&2\nexit 127\n")
    (folder / "git").chmod(0o755)
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "SOURCE_DATE_EPOCH": epoch()}


def as_a_user():
    """The environment of somebody who installs a file: no git, no compiler cache, nothing of this checkout."""
    of_ours = re.compile(r"CMAKE_\w+_COMPILER_LAUNCHER|CCACHE_\w+|PYTHONPATH|VIRTUAL_ENV|TORCHTHAW_\w+")
    given = {name: value for name, value in without_git().items() if not of_ours.fullmatch(name)}
    return {**given, "CCACHE_DISABLE": "1"}  # where the compiler on PATH is ccache's


def make_sdist(folder):
    """The source distribution, by its backend's own hook, from the files of the checkout."""
    hook = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    run(sys.executable, "-c", hook, empty(folder), cwd=ROOT, env={**os.environ, "SOURCE_DATE_EPOCH": epoch()})
    (path,) = folder.glob("*.tar.gz")
    return path


def extract(archive, folder):
    """The one folder of a source distribution, a tarfile.TarFile, below ``folder``."""
    archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.10.12 and 3.11.4 brought it
    archive.extractall(empty(folder))
    (source,) = folder.iterdir()
    return source


def stubs(kind):
    folder = FOLDER / f"glibc-{GLIBC}-{kind.machine}"
    return glibc_stubs.make(folder, tools(), kind.machine, GLIBC, kind.compiler, kind.loader)


def build(kind, source, tree, folder):
    """The path of a wheel that was built from the folder ``source``, with the tag that it got by itself."""
    # A compiler cache may rewrite paths, past what keeps these out of libraries, and would make one build of two.
    variables = as_a_user() | {
        "TORCHTHAW_GLIBC_STUBS": str(stubs(kind)), "_PYTHON_HOST_PLATFORM": f"linux-{kind.machine}",
        "TORCHTHAW_WHEEL_CUDA": kind.cuda,
    }  # fmt: skip
    given = settings(kind, tree)
    if foreign(kind):
        given["cmake.define.Python_INCLUDE_DIR"] = foreign_python.headers(empty(FOLDER / f"python-{kind.machine}"))
    words = [f"--config-settings={key}={value}" for key, value in given.items()]
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--disable-pip-version-check",
        *words, "--wheel-dir", empty(folder), source, env=variables)  # fmt: skip
    (path,) = folder.glob("*.whl")
    return path


def unpack(wheel, folder):
    zipfile.ZipFile(wheel).extractall(empty(folder))
    return folder


def proven(printed, folder):
    """The tag that `auditwheel show --json` printed for a wheel, unpacked in ``folder``.

    auditwheel looks for what a library needs on this machine, and gives none where it is not there. libthc needs libth,
    which stands beside it and is in the process before: then what the symbols' versions allow counts.
    """
    found = json.loads(printed[printed.index("{") :])  # behind what auditwheel logs
    own = {path.name for path in folder.rglob("*.so*")}
    is_own = found["external_libs"] and found["external_libs"].keys() <= own and not found["unsupported_isa"]
    return found["sym_tag" if is_own else "overall_tag"]


def audit(kind, wheel, folder):
    """The wheel under its portable name, where auditwheel and our own checks agree that it may have that.

    It is unpacked in ``folder``.
    """
    bad = wheel_checks.complaints(wheel, unpack(wheel, folder))
    shown = run(tools(), "-m", "auditwheel", "show", "--json", wheel)
    tag = re.fullmatch(r"manylinux_2_(\d+)_(\w+)", proven(shown, folder))
    if not tag or tag[2] != kind.machine or int(tag[1]) > int(GLIBC.partition(".")[2]):
        bad.append(f"auditwheel: expected manylinux_2_28_{kind.machine} or older: {shown}")
    if bad:
        raise WheelError("\n".join(bad))
    platform = f"manylinux_{GLIBC.replace('.', '_')}_{kind.machine}"
    renamed = run(tools(), "-m", "wheel", "tags", "--remove", "--platform-tag", platform, wheel,
                  env={**os.environ, "SOURCE_DATE_EPOCH": epoch()}).split()[-1]  # fmt: skip
    return wheel.with_name(Path(renamed).name)


def outcome(printed):
    """What ctest printed, in one line: how many tests passed, and the names of those that were skipped."""
    skipped = re.findall(r"^\s+\d+ - (\S+) \(Skipped\)$", printed, re.MULTILINE)
    return re.search(r".*tests passed.*", printed)[0] + (f"; skipped of these: {', '.join(skipped)}" if skipped else "")


def c_tests(kind, tree, folder):
    """Builds the C tests of my_lib and th as any program, and runs them with the libraries of the unpacked wheel."""
    run("cmake", "--build", tree, env=os.environ | {"TORCHTHAW_GLIBC_STUBS": str(stubs(kind))})
    variables = {**os.environ, "LD_LIBRARY_PATH": str(folder / "torchthaw" / "lib")}
    if not foreign(kind):
        import scipy_openblas32

        (variables["THAW_BLAS"],) = map(str, Path(scipy_openblas32.get_lib_dir()).glob("libscipy_openblas.so"))
    return outcome(run("ctest", "--test-dir", tree, "-L", "^(my_lib|th)$", "--output-on-failure", env=variables))


def environment(version, base, package, folder, pytorch, words=()):
    """Installs ``package`` for that Python into an environment of its own and uses it there.

    pytorch: the folders that the environment sees besides, after ``package`` is installed.
    """
    run(base, "-m", "venv", empty(folder) / "venv")
    python = folder / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *words, f"{package}[modernize]",
        env=as_a_user())  # fmt: skip
    (packages,) = folder.glob("venv/lib/python*/site-packages")
    (packages / "torch.pth").write_text("\n".join(pytorch))
    variables = {**as_a_user(), "TORCHTHAW_CACHE": str(folder / "cache")}
    sample = ROOT / "examples" / "legacy" / "script"
    printed = run(python, ROOT / ".ci" / "wheel_use.py", sample, cwd=folder, env=variables)
    if str(folder) not in printed:
        raise WheelError(f"{package}: not the torchthaw that was used:\n{printed}")
    say(f"Python {version}, {package.suffix}: " + "; ".join(printed.splitlines()[1:]))
    shutil.rmtree(folder)


def environments(packages, pythons):
    # The source distribution is compiled for each Python: without optimisation, in one tree that was empty.
    quick = {**wheel_builder.QUICK, "build-dir": empty(FOLDER / "cmake-sdist")}
    for version in pythons:
        base = wheel_builder.interpreter(version)
        if base is None:
            say(f"Python {version}: not on this machine")
            continue
        place = empty(FOLDER / f"pytorch-{version}")
        pytorch = wheel_pytorch.folders(version, base, place, as_a_user())
        for package in packages:
            words = [f"--config-settings={key}={value}" for key, value in quick.items()]
            environment(version, base, package, FOLDER / f"environment-{version}", pytorch,
                        words if package.suffix == ".gz" else ["--only-binary", ":all:"])  # fmt: skip
        empty(place)


def make_wheel(name, sdist, again):
    """One wheel, tested, in dist/. again: build it a second time, from the checkout in another folder."""
    kind, unpacked = KINDS[name], FOLDER / f"unpacked-{name}"
    with tarfile.open(sdist) as archive:
        source = extract(archive, FOLDER / "source")
    tree = FOLDER / f"cmake-{name}"
    wheel = audit(kind, build(kind, source, tree, FOLDER / f"wheel-{name}"), unpacked)
    run(tools(), "-c", IS_CYCLONEDX, wheel_checks.sbom(unpacked)[1])
    if again:
        other = audit(kind, build(kind, ROOT, FOLDER / f"again-{name}", FOLDER / f"wheel-again-{name}"), unpacked)
        if digest(other) != digest(wheel):
            raise WheelError(f"not reproducible: {wheel} from the source distribution, {other} from the checkout")
        say(f"{name}: a second build, from the checkout in another folder, has the same bytes")
    say(f"{name}: C tests: {c_tests(kind, tree, unpacked)}")
    return Path(shutil.copy(wheel, DIST))


def kind_of(wheel):
    """The name in KINDS of what a wheel's file name says; WheelError for another one."""
    found = re.fullmatch(r"torchthaw-[\d.]+(?:\+cu(\d+))?-cp310-abi3-manylinux_2_28_(\w+)\.whl", wheel.name)
    for name, kind in KINDS.items():
        if found and (kind.machine, kind.cuda) == (found[2], found[1] or ""):
            return name
    raise WheelError(f"wheel: expected a file that make wheel makes, got {wheel}")


def differences(wheel, other):
    """What one of two wheels has and the other one has not, or has otherwise: names of files, sorted."""
    contents = [
        {each.filename: (each.CRC, each.date_time) for each in zipfile.ZipFile(path).infolist()}
        for path in (wheel, other)
    ]
    return sorted({name for name, _ in contents[0].items() ^ contents[1].items()})


def verify(wheel):
    """Builds the wheel anew, from the source distribution in its folder; WheelError where one byte is another."""
    name = kind_of(wheel)
    if lacking := missing(KINDS[name]):
        raise WheelError(f"{wheel.name}: building it takes {lacking}, which this machine has not")
    sdist = wheel.with_name(f"{wheel.name.partition('-cp310')[0].partition('+')[0]}.tar.gz")
    if not sdist.is_file():
        raise WheelError(f"wheel: expected the source distribution beside it, {sdist}, which is not there")
    with tarfile.open(sdist) as archive:
        # The time of every file in both: that of the commit, which a source distribution does not know.
        os.environ["SOURCE_DATE_EPOCH"] = str(int(max(member.mtime for member in archive)))
        source = extract(archive, FOLDER / "verify-source")
    made = build(KINDS[name], source, empty(FOLDER / "verify-cmake"), FOLDER / "verify-wheel")
    other = audit(KINDS[name], made, FOLDER / "verify-unpacked")
    if digest(other) != digest(wheel):
        names = ", ".join(differences(wheel, other)) or "the archive itself, no file in it"
        raise WheelError(f"{wheel}: not what {sdist.name} builds with this machine's compilers; different: {names}")
    say(f"{wheel.name}: the same bytes as built from {sdist.name}, sha256 {digest(wheel)}")


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=["sdist", *KINDS], default=DEFAULT)
    parser.add_argument("--verify", type=Path, metavar="WHEEL", help="build it again and compare, instead of all else")
    parser.add_argument("--quick", action="store_true", help="no second build, no other Pythons")
    return parser.parse_args()


def main():
    given = options()
    if given.verify:
        verify(given.verify)
        return
    DIST.mkdir(exist_ok=True)
    sdist = make_sdist(FOLDER / "sdist")
    if digest(make_sdist(FOLDER / "sdist-again")) != digest(sdist):
        raise WheelError(f"not reproducible: {sdist}")
    made = [Path(shutil.copy(sdist, DIST))]
    for name in (name for name in KINDS if name in given.only):
        if lacking := missing(KINDS[name]):
            say(f"{name}: left out, this machine has no {lacking}")
        else:
            made.append(make_wheel(name, sdist, again=not given.quick and name == os.uname().machine))
    run(tools(), "-m", "twine", "check", "--strict", *made)
    if not re.search(r"^\[project\.urls\]", (ROOT / "pyproject.toml").read_text(), re.MULTILINE):
        say("no [project.urls] in pyproject.toml: an index shows README with paths in place of links, and no picture")
    here = [path for path in made if path.suffix == ".gz" or path.name.endswith(f"_{os.uname().machine}.whl")]
    environments(here, [wheel_pytorch.OWN] if given.quick else [*PYTHONS, NEXT])
    for path in made:
        say(f"dist/{path.name}: {path.stat().st_size / 1e6:.2f} MB, sha256 {digest(path)}")


if __name__ == "__main__":
    try:
        main()
    except (WheelError, RuntimeError) as error:
        raise SystemExit(f"make wheel: {error}") from None

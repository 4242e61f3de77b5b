"""cuda_build.py: tests CUDA on the CPU beside PyTorch's builds for CUDA, which PyPI has, on a machine that needs no GPU.

    make cuda-build                          the version in .ci/requirements/newest-torch.txt
    make cuda-build torch="2.13.0" keep=1

Each version gets an environment of its own, build/cuda-build/VERSION.env, of about 6 GB. It is removed at the end, unless
keep=1 is given; one that was kept is used again. The tests are those of this checkout, which must be built. What came of a
version is in VERSION.json beside its log, VERSION.log. The exit status is 1 where a test failed or nothing could be run.
"""

import argparse
import datetime
import json
import os
import sys

import compat

ROOT = compat.ROOT
FOLDER = ROOT / "build" / "cuda-build"
TESTS = ["test_device.py", "test_device_extensions.py", "test_run_on_cpu.py"]
PACKAGES = [*compat.TOOLS, "cffi", "ninja"]
LIMIT = 3600  # seconds for the tests of a version
FACTS = "import torch; print(torch.__version__, torch.version.cuda)"


def environment_of(prefix):
    """The variables of a version: no GPU, and torchthaw from this checkout."""
    found = compat.environment_of(prefix, FOLDER)
    return {**found, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])}


def install(prefix, version, log):
    """Makes the environment, unless it is there. PyPI's wheel is the one without a local version, as ``===`` asks."""
    python, variables = prefix / "bin" / "python", environment_of(prefix)
    if python.exists():
        return python
    compat.checked([sys.executable, "-m", "venv", prefix], log, env=variables)
    get = compat.pip(python, "install", "--no-compile", "-q", "--only-binary", ":all:")
    compat.checked([*get, *compat.index(), f"torch==={version}"], log, env=variables)
    compat.checked([*get, *PACKAGES], log, env=variables)
    return python


def row(version, keep):
    """What came of one version."""
    log, prefix, report = (FOLDER / f"{version}.{suffix}" for suffix in ("log", "env", "xml"))
    found = {"torch": version, "date": datetime.date.today().isoformat()}
    compat.remove(log, report)
    try:
        python = install(prefix, version, log)
        variables = environment_of(prefix)
        compat.checked([python, "-c", f"{FACTS}; assert torch.version.cuda, 'a PyTorch for CPUs'"], log, env=variables)
        paths = [ROOT / "tests" / "cuda_on_cpu" / name for name in TESTS]
        command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", *paths]
        status = compat.run(command, log, LIMIT, cwd=ROOT, env=variables)
        found |= (
            compat.outcomes(report) if report.exists() else {"passed": 0, "failed": 0, "skipped": 0, "failures": []}
        )
        if status not in (0, 1):
            found["failed"] += 1
            found["failures"].append(f"pytest ended with {status}")
    except compat.CellError as error:
        found |= {"passed": 0, "failed": 1, "skipped": 0, "failures": [str(error)]}
    finally:
        if not keep:
            compat.remove(prefix)
    (FOLDER / f"{version}.json").write_text(json.dumps(found, indent=1) + "\n")
    return found


def main():
    parser = argparse.ArgumentParser(description="Tests CUDA on the CPU beside PyTorch's builds for CUDA.")
    parser.add_argument("--torch", default="", metavar="VERSIONS", help="such as '2.13.0 2.15.0'")
    parser.add_argument("--keep", action="store_true", help="leave the environments there")
    given = parser.parse_args()
    compat.set_signals()
    FOLDER.mkdir(parents=True, exist_ok=True)
    rows = [row(version, given.keep) for version in given.torch.split() or [compat.recorded()]]
    for found in rows:
        print(
            f"PyTorch {found['torch']} for CUDA: {found['passed']} passed, {found['failed']} failed, {found['skipped']} skipped"
        )
        for failure in found["failures"]:
            print(f"    {failure}")
    return int(any(found["failed"] or not found["passed"] for found in rows))


if __name__ == "__main__":
    sys.exit(main())

"""portable_versions.py: builds the sources of tests/portable once, and calls all of them beside other PyTorchs.

    make portable-versions                            beside the oldest and the newest
    make portable-versions torch="2.4.1 2.7.1 2.10.0"

The binaries are built beside the PyTorch of this Python; environments of others are made as make projects makes them. Each
call must give what PyTorch's own build of the source gave (tests/portable/expected/), with operators called by their C++
names and by Python. Of an error of PyTorch only the type is compared, since its words differ between versions.
"""

import argparse
import json
import subprocess
import sys

import compat
import portable_projects

import projects

sys.path.insert(0, str(projects.ROOT / "tests" / "portable"))
import record  # noqa: E402

from torchthaw import portable  # noqa: E402

OLDEST = "2.4.1"


def without_words(value):
    """An outcome of a call, with the type alone of an error."""
    is_error = isinstance(value, list) and len(value) == 2 and all(isinstance(each, str) for each in value)
    return value[0] if is_error and value[0].endswith("Error") else value


def differing(name, python, binary, variables):
    """The calls of a source that give something else than the record; one line of an error where none was made."""
    command = [python, record.HERE / record.SCRIPTS[name], binary]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env={**compat.environment_of(python.parents[1], projects.FOLDER), **variables},
    )
    if done.returncode:
        return [done.stderr.strip().splitlines()[-1]]
    found = json.loads(done.stdout)
    expected = json.loads((record.HERE / "expected" / f"{name}.json").read_text())["calls"]
    return [
        call for call, value in expected.items()
        if without_words(value) != without_words(found.get(call)) and not record.is_better(name, call)
    ]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torch", nargs="*", default=[OLDEST, compat.recorded()], help="versions of PyTorch")
    parser.add_argument("--available", action="store_true", help="skips those that cannot be installed, and names them")
    chosen = parser.parse_args()
    compat.set_signals()
    projects.FOLDER.mkdir(parents=True, exist_ok=True)
    bad = []
    try:
        sources = {name: record.HERE / f"{name}.cpp" for name in record.SCRIPTS}
        binaries = {name: portable.load(name, [source], is_python_module=False) for name, source in sources.items()}
        for version in chosen.torch:
            try:
                python = projects.made(version)
            except (projects.ProjectError, compat.CellError) as error:
                if not chosen.available:
                    raise
                print(f"PyTorch {version}: not run: {error}", flush=True)
                continue
            for way, variables in portable_projects.WAYS.items():
                found = {name: differing(name, python, binary, variables) for name, binary in binaries.items()}
                told = "; ".join(f"{name}: {', '.join(calls)}" for name, calls in found.items() if calls)
                print(f"PyTorch {version}, operators {way}: {told or 'all calls as recorded'}", flush=True)
                bad += [f"PyTorch {version}, operators {way}: {told}"] if told else []
    except (projects.ProjectError, compat.CellError) as error:
        bad.append(str(error))
    sys.exit("\n".join(["make portable-versions:", *bad]) if bad else 0)


if __name__ == "__main__":
    main()

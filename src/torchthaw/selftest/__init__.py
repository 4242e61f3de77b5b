"""torchthaw/selftest: `python -m torchthaw selftest`: an installed torchthaw checks itself, and prints what a report needs."""

import os
import random
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from ..base import child, config, printing

# Each runs in a process of its own: the module of this package that has it, what it is about, and the kind of extension.
CHECKS = {
    "c": "a C header as operators: values, gradients, wrong arguments",
    "old_c": "a build file of torch.utils.ffi, under run",
    "cpp": "C++ of torch.utils.cpp_extension with names of PyTorch 0.4, under run",
    "cuda": "a CUDA program on the CPU, under run",
}
SECONDS = 170
PASSED, LACKS = 0, 77  # exit statuses of a check; any other is that of one that failed


def add_selftest(subcommands, help):
    """Adds the subcommand."""
    parser = subcommands.add_parser(
        "selftest", help=help,
        description="Builds one extension of each kind in a temporary folder, calls it with random arguments, and "
        "compares. Prints the versions, settings and results that a report of a fault needs. "
        + " ".join(f"{name}: {what}." for name, what in CHECKS.items()),
    )  # fmt: skip
    parser.add_argument("--seed", type=int, metavar="N", help="of the random arguments; by default another each time")
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=f"some of {', '.join(CHECKS)}; by default all")
    parser.set_defaults(run=run)


def run(options):
    """Runs the checks and prints the report; the exit status is 1 where one failed."""
    if unknown := [name for name in options.checks if name not in CHECKS]:
        raise RuntimeError(f"CHECK: expected some of {', '.join(CHECKS)}, got {', '.join(unknown)}")
    from . import facts

    seed = random.randrange(1 << 31) if options.seed is None else options.seed
    for line in facts.lines():
        print(printing.one_line(line))
    print(f"seed: {seed}", flush=True)
    names, wrong = options.checks or [*CHECKS], []
    with ThreadPoolExecutor(2) as pool:
        for name, (result, seconds) in zip(names, pool.map(lambda name: run_check(name, seed), names)):
            said = {PASSED: "passed", LACKS: "not run"}.get(result.status, "FAILED")
            why = result.ended_by or (b"" if result.status == PASSED else result.out + result.err).decode(
                errors="replace"
            )
            print(f"{name}: {said}, {seconds:.1f} s: {CHECKS[name]}")
            if result.status != PASSED:
                print("    " + printing.message(why.strip() or "it printed nothing").replace("\n", "\n    "))
            sys.stdout.flush()
            wrong += [name] * (said == "FAILED")
    print(f"{len(names) - len(wrong)} of {len(names)} held" + (f"; failed: {', '.join(wrong)}" if wrong else ""))
    return bool(wrong)


def run_check(name, seed):
    """(child.Result, seconds) of one check, in a temporary folder with a cache of its own."""
    folder = tempfile.mkdtemp(prefix="torchthaw-selftest-")
    begin = time.monotonic()
    try:
        environment = {**os.environ, "TORCHTHAW_CACHE": os.path.join(folder, "cache")}
        environment.pop("TORCH_EXTENSIONS_DIR", None)
        environment["PYTHONPATH"] = os.pathsep.join(
            filter(None, [os.fspath(config.PACKAGE.parent), environment.get("PYTHONPATH")])
        )
        words = [sys.executable, "-c", f"from torchthaw.selftest import checks; checks.run({name!r}, {seed})"]
        os.mkdir(os.path.join(folder, "project"))
        result = child.run(words, seconds=SECONDS, cwd=os.path.join(folder, "project"), env=environment)
        return result, time.monotonic() - begin
    finally:
        shutil.rmtree(folder, ignore_errors=True)

"""torchthaw/modernize/trials/child.py: runs in the built copy of a project: ``python -m … JOB ANSWER``.

JOB and ANSWER are files of torch.save. A job "find" looks for arguments that the new project's Functions work with, and
checks them; a job "run" calls the Functions of either project with given arguments.
"""

import os
import sys

import torch

from . import calling, checking, finding
from .isolated import isolated
from .listening import Calls, run_script
from .target import Target, new_row, of_c_function

SECONDS_OF_SCRIPT = 180
SECONDS_OF_CASE = 30


def find(job):
    """[Target as a list, its row] for each Target, and for each C function that scripts call beside Functions."""
    targets = [Target(*each) for each in job["targets"]]
    calls = Calls({(each.module, each.name) for each in targets if not each.is_c})
    calls.listen_to_functions()
    calls.listen_to_c(job["extensions"])
    functions, c = _scripts(job["scripts"], calls)
    rows, reached = [], set()
    for target in _counted(targets):
        row, made = _find_one(target, calls, functions.get((target.module, target.name), []))
        rows.append([list(target), row])
        _opcheck(row, made, reached)
    for (module, name), cases in c.items():
        if (module, name) not in reached:
            target = of_c_function(job["extensions"], module, name, [row["key"] for _, row in rows])
            row, made = _find_one(target, calls, [before for before, _ in cases])
            rows.append([list(target), row])
            _opcheck(row, made, reached)
    return rows


def _scripts(paths, calls):
    """What the scripts called: {(module, class): [arguments]}, and the same for C."""
    functions, c = {}, {}
    for path in paths:

        def run(path=path):
            run_script(path)
            return [[[*name, cases] for name, cases in part.items()] for part in (calls.functions, calls.c)]

        answer = isolated(run, SECONDS_OF_SCRIPT)
        for merged, part in zip((functions, c), answer.value or ([], [])):
            for module, name, cases in part:
                merged.setdefault((module, name), []).extend(cases)
    return functions, c


def _find_one(target, calls, recorded):
    """(the row of a Target, the calls of C that it makes as [module, name, arguments])"""
    row = {**new_row(target), "recorded": bool(recorded)}
    try:
        function = calling.find(target, False)
    except Exception as error:
        return {**row, "reason": f"{type(error).__name__}: {error}"}, []
    if not target.is_c and not calling.is_static(function):
        return {**row, "reason": "its forward is still a method of instances"}, []
    found = finding.find(target, function, calls, recorded)
    row |= {"cases": found.cases, "reason": found.reason}
    if found.cases and not target.is_c:
        row["gradcheck"], row["why"] = checking.gradcheck(target, function, found.cases, found.gradients)
    return row, found.c_calls


def _opcheck(row, made, reached):
    """Checks the operators of the C functions that were called, each with its first call in the project."""
    for module, name, arguments in made:
        if (module, name) in reached:
            continue
        reached.add((module, name))
        operator, refused = checking.opcheck(module, name, arguments)
        if refused:
            row["refused"].append([name, refused])
        elif operator:
            row["opchecks"][operator] = arguments


def run(job):
    """{key: a list with one [result, error] for each case of the Target}; a text instead, if it cannot be imported."""
    if job["is_old"]:
        import torch.utils.ffi  # noqa: F401  old Functions, before the project defines some
    answers = {}
    for *words, cases in _counted(job["targets"]):
        target = Target(*words)
        try:
            function = calling.find(target, job["is_old"])
        except Exception as error:
            answers[target.key] = f"{type(error).__name__}: {error}"
            continue
        results = (isolated(lambda: calling.result_of(target, function, case), SECONDS_OF_CASE) for case in cases)
        answers[target.key] = [list(answer) for answer in results]
    return answers


def _counted(items):
    """The items, with a line about each for ``build.progress``."""
    for number, item in enumerate(items, 1):
        print(f"[{number}/{len(items)}] ", flush=True)
        yield item


def main(job_path, answer_path):
    job = torch.load(job_path, weights_only=True)
    sys.path[:0] = job["paths"]
    torch.save({"find": find, "run": run}[job["kind"]](job), answer_path)
    # Taking down PyTorch takes half a second, and what an old library does then is no part of the answer.
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""portable_survey.py: which C++ and CUDA sources of real projects compile against the headers of torchthaw.portable.

    make portable-survey                          all projects of tests/projects/ and tests/projects/portable/
    make portable-survey only="apex pytorch3d"    some of them

Each .cpp, .cc and .cxx that includes headers of PyTorch or pybind11 is compiled with -fsyntax-only, and each .cu by nvcc up to
its C++ compiler, for one GPU, where there is a toolkit. Headers are looked for in
the folders above it, and in those of the repository that build files name. TORCHTHAW_PROJECTS is as for make projects. A file
that PyTorch's own headers refuse too, with what `run` adds to them, does not count: it needs CUDA or another library. Those
headers compile .cu only in a PyTorch built for CUDA. The exit status is 1 where less than GOAL of the files that count, of
C++ or of CUDA, are compiled.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from importlib import util
from pathlib import Path

import portable_projects

import projects
from torchthaw.base import toolchain
from torchthaw.extension import cuda, nvidia_packages
from torchthaw.legacy.cpp import cpp_extension as legacy
from torchthaw.portable import flags, headers, operators

GOAL = 0.95
KINDS = "C++", "CUDA"
ARCHITECTURE = 80  # of the GPU that .cu are compiled for
FOLDER = projects.FOLDER / "survey"  # clones stay there
SUFFIXES = (".cpp", ".cc", ".cxx", ".cu")
OF_PYTORCH = re.compile(r'^\s*#\s*include\s*[<"](?:torch|ATen|c10|pybind11|THC?|caffe2)/', re.M)
# Folders of headers that build files name.
NAMED = {
    "include", "includes", "common", "cuda", "csrc", "src", "ext", "cpp", "third_party", "3rdparty", "headers",
}  # fmt: skip
OTHERS = {"third_party", "3rdparty", "build", ".git"}  # sources there are not the project's
MACROS = {"NVIDIA/MinkowskiEngine": ["-DCPU_ONLY"]}  # that a build without CUDA defines
CUDA = re.compile(r"\b(?:cuda\w*|cu\w+|nv\w+)\.h|(?:ATen|c10|torch)/cuda|/hip/|THC|CUDA(?:Context|Guard|Stream)", re.I)
# A cblas.h, where the environment has the package of records that need one.
BLAS = [
    Path(found.origin).parent / "include" for found in [util.find_spec("scipy_openblas32")] if found and found.origin
]
MISSING = re.compile(r"fatal error: (\S+): No such file")
ERROR = re.compile(r"^.*?(?:fatal )?error(?: #[\w-]+)?: .*", re.M)


def repositories(names):
    """{(repository, commit): record} of the records with these names; all without names."""
    known = [*projects.records(projects.RECORDS).items(), *portable_projects.records().items()]
    return {(each.repository, each.commit): each for name, each in known if not names or name in names}


def clone(record):
    copy = FOLDER / f"{record.repository.replace('/', '+')}-{record.commit[:8]}"
    if not (copy / ".git").exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        folder = os.environ.get("TORCHTHAW_PROJECTS")
        projects.checkout(record.repository, record.commit, folder, copy, FOLDER / "clone.log")
    return copy


def sources(copy):
    """(file, folders of headers) of what is compiled."""
    inside = [path for path in sorted(copy.rglob("*")) if ".git" not in path.parts]
    named = [path for path in inside if path.is_dir() and (path.name in NAMED or path.parent == copy / "third_party")]
    for path in inside:
        if path.suffix in SUFFIXES and path.is_file() and not OTHERS & {*path.relative_to(copy).parts}:
            above = [parent for parent in path.parents if parent == copy or copy in parent.parents]
            folders = [*dict.fromkeys([*above, *named])]
            if path.suffix == ".cu" and not toolkit():
                continue
            if any(OF_PYTORCH.match(f'#include "{name}"') for name in operators.mentioned([path], folders)[1]):
                yield path, folders


def toolkit():
    try:
        return cuda.toolkit()
    except FileNotFoundError:
        return None


def of_nvcc(words, added):
    """The command for a .cu."""
    return [toolkit().nvcc, "-cuda", f"-arch=sm_{ARCHITECTURE}", "-o", os.devnull, *flags.of_nvcc(words), *added]


def added_by_run(path, folders):
    """The flags that `run` adds for a source of C++ or CUDA."""
    needed, folders = legacy.needs([path], folders, bool(toolkit())), [*map(str, folders)]
    return [*legacy.nvcc_flags([], "survey", folders, [path]), *needed.nvcc] if path.suffix == ".cu" else needed.cxx


def first_error(path, words, added, folders):
    """(the first error, the header that is not there) of a compiler; empty texts for a source that is right."""
    # Last, since a project's math.h is not the system's.
    own = [word for folder in [*folders, *BLAS] for word in ("-idirafter", folder)]
    found = toolkit()
    of_cuda = [f"-I{each}" for each in (found.include, *nvidia_packages.headers(found))] if found else []
    words = ["-w", "-DTORCH_EXTENSION_NAME=survey", *words, *of_cuda]
    if path.suffix == ".cu":
        command = [*of_nvcc(words, added), *(word for each in own for word in ("-Xcompiler", each)), path]
    else:
        command = [*toolchain.cxx_compiler(), "-fsyntax-only", *words, *added, *own, path]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    found, missing = ERROR.search(done.stderr), MISSING.search(done.stderr)
    error = done.returncode and (found[0] if found else done.stderr[-200:])
    return error or "", missing[1] if missing else ""


def by_portable(path, folders, macros):
    with tempfile.TemporaryDirectory() as place:
        operators.write(place, [path], folders)
        include = [f"-I{each}" for each in (place, *headers.include_paths())]
        words = [*flags.common(), *flags.cxx(), flags.STANDARD, *include, *macros]
        return first_error(path, words, added_by_run(path, folders), folders)


def by_pytorch(path, folders, macros):
    from torch.utils import cpp_extension

    include = [*cpp_extension.include_paths(), toolchain.python_include()]
    words = ["-std=c++20", *(f"-I{each}" for each in include), *macros]
    return first_error(path, words, added_by_run(path, [*include, *folders]), folders)[0]


def told_of(item):
    kind, (compiled, count, apart) = item
    return f"{kind}: {compiled} of {count}, apart {apart}"


def survey(record):
    """{C++ or CUDA: [compiled, that count, apart]} of a project; prints a line for it and for each file that is not compiled."""
    copy, macros = clone(record), MACROS.get(record.repository, [])
    counts, lacking, apart = {kind: [0, 0, 0] for kind in KINDS}, [], []
    for path, folders in sources(copy):
        error, missing = by_portable(path, folders, macros)
        count = counts[KINDS[path.suffix == ".cu"]]
        theirs = "needs CUDA" if CUDA.search(missing) else error and by_pytorch(path, folders, macros)
        count[0] += not error
        count[1] += not theirs
        count[2] += bool(theirs)
        if error:
            (apart if theirs else lacking).append(f"{path.relative_to(copy)}: {theirs or error}")
    told = [*(f"  not served: {line}" for line in lacking), *(f"  apart: {line}" for line in apart)]
    print(
        f"{record.repository} {record.commit[:8]}: " + "; ".join(map(told_of, counts.items())),
        *told,
        sep="\n",
        flush=True,
    )
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="records of tests/projects")
    found = [survey(each) for each in repositories(parser.parse_args().names).values()]
    sums = {kind: [*map(sum, zip(*(each[kind] for each in found), strict=True))] for kind in KINDS}
    for kind, (compiled, count, apart) in sums.items():
        print(f"{kind}: {compiled} of {count} files compile ({compiled / max(count, 1):.1%}); {apart} do not count")
    sys.exit(any(compiled < GOAL * count for compiled, count, _ in sums.values()))


if __name__ == "__main__":
    main()

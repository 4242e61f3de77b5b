"""torchthaw/legacy/cpp/nvcc.py: nvcc as the scripts of old projects call it: `python -m torchthaw nvcc ARGUMENTS…`."""

import os
import re
import shutil
import sys
from pathlib import Path

from ...base import config, toolchain
from ...extension import cuda, ninja, nvidia_packages
from ..ffi import th_types as th
from . import cuda_sources, cxx_standard, host_compiler

# What nvcc dropped; each with the number of words that follow it.
REMOVED = {
    "-m32": 0, "-deviceemu": 0, "--device-emulation": 0, "-multicore": 0, "-Xopencc": 1,
    "--opencc-options": 1, "-po": 1,
}  # fmt: skip
RENAMED = {"--relaxed-constexpr": "--expt-relaxed-constexpr"}
HOST = {"-fPIC", "-fopenmp", "-Wall", "-pthread"}  # for the host's compiler, to which nvcc passes none of itself
LANGUAGE = ("-x", "--x")
# A word behind one of these is its value, whatever it looks like.
TAKES_NEXT = {
    "-Xcompiler", "--compiler-options", "-Xptxas", "--ptxas-options", "-Xlinker", "--linker-options", "-Xnvlink", "-o",
    "--output-file", "-I", "-isystem", "-include", "-D", "-U", "-L", "-l", *LANGUAGE,
}  # fmt: skip
OLD_STANDARD = re.compile(r"c\+\+(?:98|0x|03|11|1y|14)|gnu\+\+\w+|c99|gnu99")
ARCHITECTURE = ("-arch", "--gpu-architecture", "-code", "--gpu-code", "-gencode", "--generate-code")
NEWEST_OF = {"Kepler": 37, "Maxwell": 53, "Pascal": 62, "Volta": 72}  # names in TORCH_CUDA_ARCH_LIST
ONE_ARCHITECTURE = ("-ptx", "--ptx", "-cubin", "--cubin")

# Comes before the folders of glibc, whose functions of C23 it leaves out.
GLIBC = config.my_lib_includes() / "torchthaw_aten" / "glibc"
# The calls that CUDA dropped, for a source file: C and C++, or CUDA, where votes are to be functions of ours while
# CUDA's headers declare them. nvcc includes those before all else, so only -D can name them otherwise.
REMOVED_CALLS = ["-include", "THC/THCRemoved.cuh"]
REMOVED_VOTES = [f"-D{name}=THC_builtin{name}" for name in ("__any", "__all", "__ballot")]
NO_REMOVED_CALLS = "-DTHC_NO_REMOVED_CALLS"


def add_nvcc(subcommands, help):
    # All that follows is nvcc's: nothing of it begins an option of ours.
    parser = subcommands.add_parser(
        "nvcc", help=help, add_help=False, prefix_chars="\0",
        description="Calls the toolkit's nvcc with arguments as scripts of old projects give them. What it dropped is "
        "replaced or left out, and each change is a line on stderr; headers of TH and THC are found. `run` puts it on "
        "PATH. All arguments are nvcc's, whose own help follows.",
    )  # fmt: skip
    parser.add_argument("arguments", metavar="ARGUMENT", nargs="*", help="what nvcc gets")
    parser.set_defaults(run=lambda options: run_command(parser, options.arguments))


def run_command(parser, arguments):
    """As run(); asked for help, it says before what this command is."""
    if arguments[:1] in (["-h"], ["--help"]):
        print(parser.format_help(), flush=True)
    return run(arguments)


def run(arguments):
    """Runs the toolkit's nvcc in place of this process, with the arguments that it takes today."""
    try:
        toolkit = cuda.toolkit()
        words, changes = rewrite(arguments, toolkit)
        for change in changes:
            print(f"torchthaw: nvcc: {change}", file=sys.stderr)
        words += _needs(arguments, toolkit)
    except (OSError, ValueError) as error:
        print(f"torchthaw: nvcc: {error}", file=sys.stderr)
        return 1
    sys.stderr.flush()
    os.execv(toolkit.nvcc, [os.fspath(toolkit.nvcc), *words])


def _needs(arguments, toolkit):
    """The flags that the sources of a command need; prints a sentence about each cause that will make them fail.

    None for an extension of PyTorch: its build has done both.
    """
    sources = [word for word, _ in _parts(arguments) if _suffix(word) == ".cu"]
    if not sources or any(word.startswith("-DTORCH_EXTENSION_NAME") for word in arguments):
        return []
    packages = nvidia_packages.headers(toolkit)
    found = cuda_sources.Sources(sources, cxx_standard.folders(arguments))
    found.tell(toolkit, packages)
    return [*late(packages), *found.flags(toolkit)]


def rewrite(arguments, toolkit):
    """(arguments, changes): what to call nvcc with instead of ``arguments``, and a line about each change."""
    arguments, replaced = cxx_standard.current(arguments, cxx_standard.of_command(arguments), of_nvcc=True)
    sources = [word for word, _ in _parts(arguments) if _suffix(word) == ".cu"]
    arguments, raised = cxx_standard.for_nvcc(arguments, toolkit.version, cxx_standard.folders(arguments), sources)
    words, asked, changes = _current(arguments)
    changes = [*replaced, *raised, *changes]
    lost = _lost(_numbers(asked), toolkit)
    if lost:
        names = " ".join(f"sm_{name}" for name in lost)
        flags, wanted = _wanted(words, toolkit)
        reason = cuda.note(toolkit) or f"built for {wanted}"
        changes.append(f"{names}: nvcc {toolkit.version} has no such architecture; {reason}")
        words += flags
    elif not asked and os.environ.get("TORCH_CUDA_ARCH_LIST") and _is_device_code(words):
        flags, wanted = _wanted(words, toolkit)
        changes.append(f"no architecture is named: built for {wanted}, as TORCH_CUDA_ARCH_LIST says")
        words += flags
    else:
        words += asked
    compiler, told = host_compiler.flags(words, toolkit)
    words += [*(f"-L{folder}" for folder in _stub_dirs(words, toolkit)), *compiler]
    changes += told
    return [*words, *header_flags(words)] if _compiles(words) else words, changes


def current(words, toolkit):
    """(words, changes): flags for any source, without the architectures that this nvcc lacks."""
    words, asked, changes = _current(words)
    names = _numbers(asked)
    lost = _lost(names, toolkit)
    if lost:
        kept = [name for name in names if name not in lost]
        instead = f"built for {' '.join(f'sm_{name}' for name in kept)}" if kept else "PyTorch chooses another"
        lost = " ".join(f"sm_{name}" for name in lost)
        changes.append(f"{lost}: nvcc {toolkit.version} has no such architecture; {instead}")
        asked = cuda.gencode(kept)
    return [*words, *asked], changes


def _lost(names, toolkit):
    """Those that this nvcc does not build for. The one for the CPU leaves architectures aside."""
    return [] if config.cuda_is_cpu() else [name for name in names if name not in toolkit.architectures]


def listed(given, toolkit):
    """(list, changes): ``given``, a TORCH_CUDA_ARCH_LIST, without what is too old for this nvcc. The oldest that it
    builds for stands in where nothing is left, with its PTX, which newer cards translate.
    """
    oldest = toolkit.architectures[0]
    kept, lost = [], []
    for entry in re.split(r"[;,\s]+", given.strip()):
        number = re.match(r"(\d+)\.(\d)", entry)
        age = int(number[1] + number[2]) if number else NEWEST_OF.get(entry.partition("+")[0], int(oldest))
        (kept if age >= int(oldest) else lost).append(entry)
    if not lost:
        return given, []
    kept = ";".join(kept) or f"{oldest[:-1]}.{oldest[-1]}+PTX"
    reason = f"nvcc {toolkit.version} has no such architecture; built for {kept}"
    return kept, [] if config.cuda_is_cpu() else [f"TORCH_CUDA_ARCH_LIST: {' '.join(lost)}: {reason}"]


def header_flags(given=()):
    """What a source file sees TH and THC by, and the calls that CUDA dropped; ``given``: its other flags."""
    include = config.includes()
    folders = [include, include / "TH", include / "THC"]
    late = [word for flag in th.late_include_flags(True) for word in ("-Xcompiler", flag)]
    return [*(f"-I{folder}" for folder in folders), *late, *of_device(given)]


def late(folders):
    """The flags for folders of headers that come after all others."""
    return [word for folder in folders for flag in ("-idirafter", folder) for word in ("-Xcompiler", os.fspath(flag))]


def of_device(given):
    """What a CUDA file with the flags ``given`` needs of headers: the calls that CUDA dropped, and none of glibc's functions
    that CUDA's headers declare otherwise.
    """
    return [*(["-I", os.fspath(GLIBC)] if _glibc() >= (2, 41) else []), *removed_calls(given)]


def _glibc():
    """The version of the C library that this process has, (0,) for another than glibc."""
    try:
        name, _, version = os.confstr("CS_GNU_LIBC_VERSION").partition(" ")
    except (ValueError, OSError, AttributeError):
        return (0,)
    return tuple(map(int, re.findall(r"\d+", version))) if name == "glibc" else (0,)


def removed_calls(given):
    """What a CUDA file with the flags ``given`` sees the calls that CUDA dropped by."""
    return [] if NO_REMOVED_CALLS in given else [*REMOVED_VOTES, *REMOVED_CALLS]


def removed_calls_of_host(toolkit):
    """What C and C++ see the calls by that CUDA dropped with 13; before, they are CUDA's own."""
    return REMOVED_CALLS if int(toolkit.version.partition(".")[0]) >= 13 else []


def _stub_dirs(words, toolkit):
    """The folders for the linker that have the driver's libraries, such as ``-lcuda``, where words name one."""
    names = re.findall(r"(?:^|\s)(?:-l|--library)[ =]?(\S+)", " ".join(words))
    return [folder for folder in toolkit.stub_dirs if any((folder / f"lib{name}.so").exists() for name in names)]


def _wanted(words, toolkit):
    """(flags, names): the architectures that these words are to be built for."""
    wanted = cuda.architectures(toolkit)
    if any(word in ONE_ARCHITECTURE for word, _ in _parts(words)):
        wanted = wanted[:1]
    return cuda.gencode(wanted), " ".join(wanted)


def _parts(words):
    """(option or file, the option's value): a value is no file, whatever it looks like."""
    words = iter(words)
    for word in words:
        flag, equals, value = word.partition("=")
        if flag in TAKES_NEXT:
            yield flag, value if equals else next(words, None)
        else:
            yield word, None


def _suffix(word):
    """The suffix of a file; none of an option, such as ``-Iold.cu``."""
    return "" if word.startswith("-") else Path(word).suffix


def _is_device_code(words):
    """Whether CUDA code is compiled or linked, so that the architecture matters."""
    return any(
        _suffix(word) == ".cu" or word in LANGUAGE and value == "cu" or word in ("-dlink", "--device-link")
        for word, value in _parts(words)
    )


def _compiles(words):
    return any(word in LANGUAGE or _suffix(word) in ninja.RULES for word, _ in _parts(words))


def _with_value(word, words):
    """The option ``word`` as it was written, with its value, taken from ``words`` where it is the next of them."""
    option = [word] if "=" in word else [word, *words[:1]]
    del words[: len(option) - 1]
    return option


def _current(arguments):
    """(words, asked, changes): the arguments without flags that are gone, and with those that have another name now;
    what chooses architectures, which is not among the words; and a line about each change."""
    kept, asked, changes, words = [], [], [], list(arguments)
    while words:
        word = words.pop(0)
        flag, _, value = word.partition("=")
        if word in TAKES_NEXT:
            kept += _with_value(word, words)
        elif flag in ARCHITECTURE:
            asked += _with_value(word, words)
        elif word in HOST:
            kept += ["-Xcompiler", word]
            changes.append(f"{word}: is for the host's compiler; passed on by -Xcompiler")
        elif flag in REMOVED:
            gone = [word] + ([] if "=" in word else [words.pop(0) for _ in range(min(REMOVED[flag], len(words)))])
            changes.append(f"{' '.join(gone)}: nvcc has no such option any more; left out")
        elif word in ("-m", "--machine") and words[:1] == ["32"] or word == "--machine=32":
            if "=" not in word:
                words.pop(0)
            changes.append(f"{flag} 32: nvcc has no such option any more; left out")
        elif word in RENAMED:
            kept.append(RENAMED[word])
            changes.append(f"{word}: is {RENAMED[word]} now")
        elif flag in ("-std", "--std"):
            standard = _with_value(word, words)
            given = value or standard[-1]
            if OLD_STANDARD.fullmatch(given):
                reason = "nvcc has no such standard" if given.startswith("gnu") else "CUDA's headers need C++17"
                new = f"-std=c++{max(17, cxx_standard.STANDARDS.get(given[-2:], 0))}"
                changes.append(f"{' '.join(standard)}: {reason}; {new} instead")
                standard = [new]
            kept += standard
        elif flag in ("-ccbin", "--compiler-bindir"):
            option = _with_value(word, words)
            compiler = value or "".join(option[1:])
            if shutil.which(compiler) or os.path.isdir(compiler):
                kept += option
            else:
                changes.append(f"{flag} {compiler}: there is no such compiler; {toolchain.cxx_compiler()[0]} instead")
        else:
            kept.append(word)
    return kept, asked, changes


def _numbers(asked):
    return list(dict.fromkeys(re.findall(r"(?:sm|compute|lto)_(\d+)", " ".join(asked))))

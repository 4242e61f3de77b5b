"""torchthaw/extension/cuda.py: the CUDA toolkit: where it is, what to build for, how to compile and to link."""

import functools
import importlib.util
import os
import re
import shutil
import struct
import sys
from pathlib import Path
from typing import NamedTuple

from ..base import child, config
from . import nvidia_packages

# A link beside the launcher of torchthaw.legacy.run.compiler_launchers, to the nvcc that it stands for.
BEHIND = "nvcc-of-the-toolkit"

# Architectures by the names that TORCH_CUDA_ARCH_LIST may have for them.
NAMES = {
    "Turing": "7.5+PTX", "Ampere": "8.0;8.6+PTX", "Ada": "8.9+PTX", "Hopper": "9.0+PTX",
    "Blackwell": "10.0;10.3;12.0+PTX",
}  # fmt: skip
ARCHITECTURE = re.compile(r"(\d+)\.?(\d)([af]?)(\+PTX)?")
RELOCATABLE = re.compile(r"-{1,2}(rdc|relocatable-device-code)=true|-dc|--device-c")
LINK_TIME = ("-dlto", "--dlink-time-opt")


# The toolkit's libraries of functions that PyTorch up to 0.4 had in the process, so that no project named them.
MATH = ("cublas", "cusparse", "curand", "cufft")
# One of them in a source, as a call, or among the symbols of an object.
_CALLS_MATH = re.compile(rf"(?<![A-Za-z0-9_])(?:{'|'.join(MATH)})[A-Z]\w*(?:\s*\(|\0)".encode())
# Calls that nvcc wrote for launches before CUDA 9.2; no runtime has them any more.
OLD_LAUNCH = ("cudaConfigureCall", "cudaSetupArgument", "cudaLaunch")
_OLD_LAUNCH = re.compile(rf"(?:{'|'.join(OLD_LAUNCH)})(?![A-Za-z0-9_])".encode())


class Toolkit(NamedTuple):
    """A CUDA toolkit: its compiler, and the folder that holds ``include`` and ``lib`` or ``lib64``."""

    nvcc: Path
    root: Path

    @property
    def include(self):
        return self.root / "include"

    @property
    def library_dirs(self):
        return self._library_dirs("libcudart_static.a")

    @property
    def stub_dirs(self):
        """Where the driver's libraries are for the linker alone, such as ``libcuda.so``."""
        return [folder / "stubs" for folder in self._library_dirs("stubs")]

    @property
    def math_libraries(self):
        """The files of those of MATH that it has."""
        found = [next(iter(sorted(folder.glob(f"lib{name}.so*"))), None)
                 for folder in self.library_dirs for name in MATH]  # fmt: skip
        return [path for path in found if path]

    def _library_dirs(self, holding):
        folders = [self.root / "lib64", self.root / "lib", *sorted(self.root.glob("targets/*/lib"))]
        return [folder for folder in folders if (folder / holding).exists()][:1]

    @property
    def version(self):
        """Such as ``"13.0"``. Raises FileNotFoundError if the program does not tell it."""
        said = _output(self.nvcc, "--version")
        found = re.search(r"release (\d+\.\d+)", said)
        if not found:
            raise FileNotFoundError(
                f"{self.nvcc}: expected a compiler of CUDA, whose --version has a release such as 13.0, got {said[:200]!r}"
            )
        return found[1]

    @property
    def architectures(self):
        """All that it builds for, such as ``["75", "80", …]``, oldest first."""
        return sorted(re.findall(r"^sm_(\d+)$", _output(self.nvcc, "--list-gpu-code"), re.M), key=int)


@functools.lru_cache(maxsize=None)
def _output(*command):
    return child.answer(command, check=False).out


def toolkit():
    """The Toolkit: of ``CUDA_HOME`` or ``CUDA_PATH``, the nvcc on PATH, the nvidia packages, or the usual folders.

    Without a variable, one of the major version of PyTorch's CUDA comes before all others: PyTorch builds with no other.
    Raises FileNotFoundError.
    """
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        given = os.environ.get(variable)
        if given:
            nvcc = _behind(Path(given) / "bin" / "nvcc")
            if not os.access(nvcc, os.X_OK):
                raise FileNotFoundError(f"{variable}: expected a CUDA toolkit, got {given!r}, which has no bin/nvcc")
            return Toolkit(nvcc, _root(nvcc))
    found = [nvcc for nvcc in _candidates() if os.access(nvcc, os.X_OK)]
    if found:
        nvcc = next(filter(_fits, found), found[0]) if len(found) > 1 else found[0]
        return Toolkit(nvcc, _root(nvcc))
    raise FileNotFoundError(
        "no CUDA toolkit found: no nvcc on PATH, in the nvidia packages of this Python, in /usr/local/cuda or "
        "/opt/cuda; install one (pip install nvidia-cuda-nvcc nvidia-cuda-runtime), or set CUDA_HOME"
    )


def _candidates():
    on_path = shutil.which("nvcc")
    if on_path:
        yield _behind(Path(on_path))
    package = importlib.util.find_spec("nvidia")
    for folder in (package.submodule_search_locations or ()) if package else ():
        yield from sorted(Path(folder).glob("*/bin/nvcc"))
    yield Path("/usr/local/cuda/bin/nvcc")
    yield Path("/opt/cuda/bin/nvcc")
    yield from sorted(Path("/usr/local").glob("cuda-*/bin/nvcc"), reverse=True)


def _fits(nvcc):
    """Whether PyTorch builds with this nvcc: it has the major version of its CUDA."""
    wanted = (nvidia_packages.cuda_of_pytorch() or "").partition(".")[0]
    try:
        return not wanted or Toolkit(nvcc, nvcc.parent).version.partition(".")[0] == wanted
    except FileNotFoundError:
        return False


def other_toolkit(toolkit):
    """A line about the nvcc on PATH, where PyTorch's CUDA asks for this toolkit instead; "" else."""
    on_path = shutil.which("nvcc")
    if not on_path or any(os.environ.get(variable) for variable in ("CUDA_HOME", "CUDA_PATH")):
        return ""
    other = _behind(Path(on_path))
    if other == toolkit.nvcc or _fits(other) or not _fits(toolkit.nvcc):
        return ""
    version = Toolkit(other, other.parent).version
    return f"nvcc: PyTorch is for CUDA {nvidia_packages.cuda_of_pytorch()}, and {other} is of {version}; {toolkit.nvcc} instead"


def _behind(nvcc):
    """The toolkit's nvcc, where this one is the launcher."""
    link = nvcc.with_name(BEHIND)
    return Path(os.readlink(link)) if link.is_symlink() else nvcc


@functools.lru_cache(maxsize=None)
def _root(nvcc):
    """What nvcc itself takes for the toolkit's folder: the nvcc on PATH may be a script that calls another."""
    dry = child.answer([nvcc, "--dryrun", "-x", "cu", os.devnull], check=False)
    found = re.search(r"^#\$ TOP=(.+)$", dry.err, re.M)
    return Path(os.path.realpath(found[1].strip())) if found else Path(os.path.realpath(nvcc)).parents[1]


# ---- What to build for ----------------------------------------------------------------------------------------------


def architectures(toolkit):
    """What to build for, such as ``["80", "90", "90+PTX"]``.

    ``TORCH_CUDA_ARCH_LIST`` says it, as in PyTorch: ``"8.0;9.0+PTX"``. Without it: the cards of this machine, and PTX
    of the newest of them; for a card newer than the toolkit, its newest PTX. Without a card: the oldest that it builds
    for, and PTX of that, which newer cards translate for themselves.
    """
    given = os.environ.get("TORCH_CUDA_ARCH_LIST")
    return _listed(given, toolkit) if given else for_cards(visible(toolkit), toolkit.architectures)


def for_cards(cards, built):
    """What to build for these cards with a toolkit that builds ``built``."""
    known = [card for card in cards if card in built]
    newer = any(int(card) > int(built[-1]) for card in cards)
    real = known if known or newer else built[:1]
    return [*real, f"{built[-1] if newer else real[-1]}+PTX"]


def note(toolkit):
    """A line about the architectures where neither a card nor the environment chose them; "" else."""
    if config.cuda_is_cpu() or os.environ.get("TORCH_CUDA_ARCH_LIST") or visible(toolkit):
        return ""
    chosen = " ".join(architectures(toolkit))
    return f"no GPU here, and no TORCH_CUDA_ARCH_LIST: built for {chosen}, which newer cards translate"


def say(toolkit):
    """Prints the note, if there is one."""
    line = note(toolkit)
    if line:
        print(f"torchthaw: {line}", file=sys.stderr, flush=True)


def visible(toolkit):
    """The architectures of this machine's cards, oldest first; none without a card."""
    query = toolkit.root / "bin" / "__nvcc_device_query"
    if not os.access(query, os.X_OK):
        return []
    result = child.answer([query], check=False)
    return sorted(set(re.findall(r"\d+", result.out)), key=int) if result.status == 0 else []


def _listed(given, toolkit):
    wanted = []
    for entry in re.split(r"[;,\s]+", given.strip()):
        for each in NAMES.get(entry, entry).split(";"):
            found = ARCHITECTURE.fullmatch(each)
            if not found or found[1] + found[2] not in toolkit.architectures:
                known = " ".join(f"{name[:-1]}.{name[-1]}" for name in toolkit.architectures)
                raise ValueError(
                    f"TORCH_CUDA_ARCH_LIST: expected architectures that nvcc {toolkit.version} builds for ({known}), "
                    f"each with or without +PTX, got {entry!r}"
                )
            name = found[1] + found[2] + found[3]
            wanted += [name, f"{name}+PTX"] if found[4] else [name]
    return list(dict.fromkeys(wanted))


def gencode(architectures, lto=False):
    """The flags for nvcc. ``lto`` asks for code that the device link optimises: there is none for PTX."""
    flags = []
    for each in architectures:
        name, _, ptx = each.partition("+")
        if not (lto and ptx):
            kind = "compute" if ptx else "lto" if lto else "sm"
            flags.append(f"-gencode=arch=compute_{name},code={kind}_{name}")
    return flags


# ---- Compiling and linking ------------------------------------------------------------------------------------------


class Build:
    """How the CUDA sources of one extension are compiled and linked.

    nvcc_flags, dlink_flags: the user's, for compiling and for linking device code.
    dlink: link device code, as ``-rdc=true``, ``-dc`` and ``-dlto`` among nvcc_flags ask for as well.
    dlink_libraries, library_dirs: libraries with relocatable device code, and where they are.
    targets_by_flags: sources are compiled for what nvcc_flags name, where they name any, as in PyTorch's builds.
    """

    def __init__(
        self, nvcc_flags=(), dlink=False, dlink_libraries=(), library_dirs=(), dlink_flags=(), targets_by_flags=False
    ):
        self.toolkit = toolkit()
        self.architectures = targets = architectures(self.toolkit)
        lto = any(flag in LINK_TIME for flag in nvcc_flags)
        # nvcc takes -dlto or a list of architectures, not both: for the list it is spelled code=lto_….
        given = [flag for flag in nvcc_flags if flag not in LINK_TIME]
        common = ["-std=c++17", "-O3", "-Xcompiler", "-fPIC", *(["-dc"] if lto else []), *given]
        are_named = targets_by_flags and any("arch" in flag for flag in given)
        self.compile = [self.toolkit.nvcc, *([] if are_named else gencode(targets, lto)), *common]
        self.libraries = [f"-L{folder}" for folder in library_dirs] + [f"-l{name}" for name in dlink_libraries]
        self.device_link = None
        if dlink or dlink_libraries or lto or any(RELOCATABLE.fullmatch(flag) for flag in given):
            real = [each for each in targets if "+" not in each] if lto else targets
            flags = ["-dlink", "-Xcompiler", "-fPIC", *(["-dlto"] if lto else []), *dlink_flags]
            self.device_link = [self.toolkit.nvcc, *gencode(real), *flags]

    @property
    def link(self):
        """What the host's linker needs: the runtime, statically, so that the result loads where no CUDA is."""
        runtime = ["-lcudadevrt"] if self.device_link else []
        packages = [include.with_name("lib") for include in nvidia_packages.headers(self.toolkit)]
        folders = [f"-L{folder}" for folder in [*self.toolkit.library_dirs, *self.toolkit.stub_dirs, *packages]]
        return [*self.libraries, *folders, *runtime, "-lcudart_static", "-ldl", "-lrt", "-lpthread"]


COMPILERS = ("cxx", "nvcc", "nvcc_dlink")


def compile_args(given):
    """``extra_compile_args``, a list for C and C++ or a dict by compiler, as a dict of lists."""
    given = dict(given) if isinstance(given, dict) else {"cxx": given}
    unknown = sorted(set(given) - set(COMPILERS))
    if unknown:
        raise ValueError(f"extra_compile_args: expected the keys 'cxx', 'nvcc' and 'nvcc_dlink', got {unknown[0]!r}")
    return {compiler: list(given.get(compiler) or ()) for compiler in COMPILERS}


def sources_of(path):
    """What the source of the object ``path`` may be called: ``x.cu`` or ``x_kernel.cu`` for ``x.cu.o``, ``x.o``."""
    if path.suffix not in (".o", ".cuo", ".obj"):
        return []
    stem = path.name[: -len(path.suffix)].removesuffix(".cu")
    return [path.with_name(f"{stem}{ending}.cu") for ending in ("", "_kernel")]


def source_of(path):
    """The ``.cu`` file that the object ``path`` is made of, or None."""
    return next((source for source in sources_of(path) if source.exists()), None)


def likely_sources(path):
    """The ``.cu`` files that the object or library ``path`` may be made of, by their names: beside it or nearby."""
    names = {f"{path.name.partition('.')[0].removeprefix(prefix)}{ending}.cu"
             for prefix in ("", "lib") for ending in ("", "_kernel")}  # fmt: skip
    folders = [path.parent, *(each for pattern in ("*/", "*/*/") for each in sorted(path.parent.parent.glob(pattern)))]
    found = (folder / name for folder in folders for name in sorted(names))
    return list(dict.fromkeys(path for path in found if path.exists()))


def is_too_old(path):
    """Whether an object or a library has launches of a CUDA before 9.2."""
    return bool(_OLD_LAUNCH.search(path.read_bytes()))


def calls_math(path):
    """Whether a source, an object or a library calls the toolkit's libraries of functions."""
    return path.is_file() and bool(_CALLS_MATH.search(path.read_bytes()))


def embedded(path):
    """What the CUDA code in an object or library is for, such as ``["75", "90+PTX"]``; none without CUDA code."""
    data = Path(path).read_bytes()
    found = []
    for header in re.finditer(re.escape(struct.pack("<I", 0xBA55ED50)), data):
        start = header.start()
        _, _, header_size, size = struct.unpack_from("<IHHQ", data, start)
        at, end = start + header_size, min(start + header_size + size, len(data))
        while at + 32 <= end:
            # kind, version, header size, padded size, size, compressed size, minor, major, architecture
            kind, _, entry_header, padded, _, _, _, _, architecture = struct.unpack_from("<HHIQIIHHI", data, at)
            if entry_header == 0:
                break
            found.append(f"{architecture}+PTX" if kind == 1 else str(architecture))
            at += entry_header + padded
    return sorted(set(found), key=lambda name: (int(name.partition("+")[0]), name))


def serves_any(embedded, wanted):
    """Whether code for ``embedded`` runs on one of the architectures that are wanted. PTX runs on every later one."""

    def serves(target):
        name, _, ptx = target.partition("+")
        number = int(name.rstrip("af"))
        translated = any(int(each[:-4]) <= number for each in embedded if each.endswith("+PTX"))
        return translated or (not ptx and str(number) in embedded)

    return any(serves(target) for target in wanted)

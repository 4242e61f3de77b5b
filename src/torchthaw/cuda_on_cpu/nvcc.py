"""torchthaw/cuda_on_cpu/nvcc.py: nvcc for the CPU: the C++ compiler compiles kernels, and calls of a runtime run them."""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ..base import config, toolchain
from . import messages, thrust, toolkit_folder
from .arguments import DEVICE_FORMS, Wrong, parse
from .translation.translate import Unreadable, place, translations

# nvcc takes any pragma and any attribute of CUDA; old code hides names that CUDA declares.
WARNINGS = ["-Wno-unknown-pragmas", "-Wno-attributes"]
# One function for two with the same code would lose the lines of one.
CHECKED = [
    "-fsanitize=address,alignment",
    "-fno-omit-frame-pointer",
    "-fno-optimize-sibling-calls",
    "-fno-ipa-icf",
    "-g",
]


def run(words):
    """Runs nvcc with these arguments; returns its exit status. Its toolkit is the one that has the program sys.argv[0]."""
    try:
        return Command(words, Path(os.path.realpath(sys.argv[0])).parents[1]).run()
    except (Wrong, Unreadable, OSError, ValueError) as error:
        print(f"nvcc: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


class Command:
    """One call of nvcc."""

    def __init__(self, words, folder=None):
        self.options, self.files = parse(words)
        self.given = {name for name, _ in self.options}
        self.checked = config.switch("TORCHTHAW_CUDA_CHECK")
        self.home = Path(folder) if folder else toolkit_folder.home()
        compiler = self.value("-ccbin")
        self.compiler = _compiler(compiler) if compiler else toolchain.cxx_compiler()

    def value(self, name):
        """The last value of an option, or None."""
        return next((value for option, value in reversed(self.options) if option == name), None)

    def values(self, *names):
        return [value for name, value in self.options if name in names]

    def run(self):
        for option, print_it in (("--version", _version), ("--help", _help), ("--list-gpu-code", _architectures("sm")),
                                 ("--list-gpu-arch", _architectures("compute"))):  # fmt: skip
            if option in self.given:
                print(print_it() if callable(print_it) else print_it)
                return 0
        if "--dryrun" in self.given:
            self._say_settings()
            return 0
        form = next((form for form in DEVICE_FORMS if form in self.given), None)
        if form:
            raise Wrong(f"{form}: CUDA on the CPU makes code of the CPU alone, no {form[1:]}")
        if not self.files:
            raise Wrong("expected a source or an object, got none")
        for file, language in self.files:
            if language in ("ptx", "cubin", "fatbin"):
                raise Wrong(f"{file}: CUDA on the CPU cannot run {language}")
            if not os.path.exists(file):
                raise Wrong(f"{file}: no such file")
        if "-v" in self.given:
            self._say_settings()
        return self._run_phase()

    def _run_phase(self):
        sources = [each for each in self.files if each[1]]
        if {"-M", "-MM"} & self.given:
            return self._write(b"".join(self._output("-M" if "-M" in self.given else "-MM", *each) for each in sources))
        if "-E" in self.given:
            return self._write(b"".join(self._output("-E", *each) for each in sources))
        if {"-c", "-dc", "-dw"} & self.given:
            if len(sources) > 1 and self.value("-o"):
                raise Wrong("-o with -c: expected one source")
            return next((s for s in (self._compile(*each, self._object(each[0])) for each in sources) if s), 0)
        if "-dlink" in self.given:  # nothing is left to link: an object without code
            return self._call(
                [*self.compiler, "-fPIC", "-x", "c++", "-c", os.devnull, "-o", self.value("-o") or "a_dlink.o"]
            )
        with tempfile.TemporaryDirectory(prefix="torchthaw-nvcc-") as folder:
            inputs = []
            for i, (file, language) in enumerate(self.files):
                if language:
                    inputs.append(os.path.join(folder, f"{i}-{Path(file).stem}.o"))
                    status = self._compile(file, language, inputs[-1])
                    if status:
                        return status
                else:
                    inputs.append(file)
            if "-lib" in self.given:
                return self._call(["ar", "rcs", self.value("-o") or "a.a", *inputs])
            status = self._link(inputs)
        return (
            self._call([os.path.abspath(self.value("-o") or "a.out")])
            if "-run" in self.given and not status
            else status
        )

    # ---- Compiling --------------------------------------------------------------------------------------------------

    def _object(self, source):
        given = self.value("-o")
        return given or os.path.join(self.value("-odir") or "", Path(source).stem + ".o")

    def _preprocessor(self, language):
        """The words of the C++ compiler for the preprocessor."""
        flags = []
        for name, value in self.options:
            if name in ("-I", "-isystem") and os.path.exists(os.path.join(value, "cuda_runtime_api.h")):
                continue  # a toolkit's folder, by its path; ours is below
            if name in ("-I", "-isystem", "-D", "-U", "-include"):
                flags += [name, value] if name in ("-isystem", "-include") else [name + value]
        own = [*flags, "-isystem", self.home / "include"]
        if language != "cu":
            return own
        return [*_defines(), "-include", "cuda_runtime.h", *own, *thrust.flags()]

    def _code_flags(self, language):
        """What chooses the code that is made."""
        optimize = self.value("-O")
        if "-G" in self.given and optimize is None:
            optimize = "0"
        flags = [f"-O{'2' if optimize is None else optimize}"]
        standard = self.value("-std")
        if language != "c":
            flags += [f"-std={_gnu(standard)}"] if standard else ["-std=gnu++17"]
        flags += [flag for flag in ("-g", "-pg", "-w") if flag in self.given]
        if "-G" in self.given:
            flags.append("-g")
        flags += self.values("-Xcompiler")
        return [*flags, *CHECKED] if self.checked else flags

    def _dependencies(self, output):
        """Flags for the file that lists what a source includes."""
        kind = next((flag for flag in ("-MD", "-MMD") if flag in self.given), None)
        if not kind:
            return []
        target = self.value("-MT") or self.value("-MQ") or output
        file = self.value("-MF") or os.fspath(Path(output).with_suffix(".d"))
        return [kind, "-MF", file, "-MT", target, *(["-MP"] if "-MP" in self.given else [])]

    def _output(self, phase, file, language):
        """What the preprocessor prints."""
        words = [phase, *self._preprocessor(language), *self._code_flags(language)]
        words += ["-MT", self.value("-MT")] if self.value("-MT") and phase != "-E" else []
        command = [*self.compiler, *words, "-x", "c" if language == "c" else "c++", file]
        result = subprocess.run(command, stdout=subprocess.PIPE)
        if result.returncode:
            raise Wrong(f"{file}: the preprocessor failed")
        return result.stdout

    def _is_relocatable(self):
        """Whether variables of the device are for all sources that are linked together."""
        return "-dc" in self.given or "true" in self.values("-rdc", "--relocatable-device-code")

    def _compile(self, file, language, output):
        flags = self._code_flags(language)
        if language != "cu":
            words = [*self._preprocessor(language), *flags, *self._dependencies(output), "-c", file, "-o", output]
            return self._call([*self.compiler, *(["-x", language] if language != "c++" else ["-x", "c++"]), *words])
        command = [*self.compiler, "-E", "-x", "c++", *self._preprocessor("cu"), *flags, *WARNINGS]
        result = subprocess.run([*command, *self._dependencies(output), file], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)  # fmt: skip
        errors = result.stderr.decode(errors="replace")
        sys.stderr.write(errors)
        if result.returncode:
            messages.explain_missing(errors)
            return result.returncode
        text = result.stdout.decode("utf-8", "surrogateescape")
        messages.refuse_included(text)
        try:
            texts = list(translations(text, self._is_relocatable()))
        except Unreadable as error:
            raise Wrong(f"{place(text, error.position)}: {error}") from None
        command = [*self.compiler, *flags, *WARNINGS, "-x", "c++-cpp-output", "-c", "-", "-o", output]
        tried = []
        for text in texts:
            result = subprocess.run(command, input=text.encode("utf-8", "surrogateescape"),
                                    stderr=subprocess.PIPE if len(texts) > 1 else None)  # fmt: skip
            tried.append((result.returncode, result.stderr or b"", text))
            if not result.returncode:
                break
        status, errors, text = min(tried, key=lambda each: each[0] != 0)  # one that compiles, else the first
        sys.stderr.write(errors.decode(errors="replace"))
        if "-keep" in self.given:
            kept = Path(self.value("-keep-dir") or "", f"{Path(file).stem}.ii")
            kept.write_text(text, "utf-8", "surrogateescape")
        return status

    # ---- Linking ----------------------------------------------------------------------------------------------------

    def _link(self, inputs):
        library = Path(os.readlink(self.home / "lib64" / "libcudart.so"))  # the runtime that this toolkit was made for
        words = [*(["-shared"] if "-shared" in self.given else []), "-o", self.value("-o") or "a.out", *inputs]
        folders = [self.home / "lib64", *self.values("-L")]  # ours before another toolkit's
        words += [f"-L{folder}" for folder in folders]
        words += [f"-l{name}" for name in self.values("-l")]
        words += [f"-Wl,{flag}" for flag in self.values("-Xlinker")]
        words += self.values("-Xcompiler")
        words += [flag for flag in ("-g", "-pg") if flag in self.given]
        words += ["-fsanitize=address"] if self.checked else []
        if self.value("-cudart") != "none":
            words += [library, f"-Wl,-rpath,{library.parent}"]
        return self._call([*self.compiler, *words, "-ldl", "-lrt", "-lpthread"])

    def _call(self, command):
        if "-v" in self.given:
            print("#$ " + shlex.join(map(str, command)), file=sys.stderr, flush=True)
        return subprocess.run(command).returncode

    def _write(self, content):
        output = self.value("-o")
        if output:
            Path(output).write_bytes(content)
        else:
            sys.stdout.buffer.write(content)
        return 0

    def _say_settings(self):
        """What other programs read from --dryrun and -v: where the toolkit is."""
        for name, value in (("TOP", self.home), ("LIBRARIES", f'"-L{self.home}/lib64"'),
                            ("INCLUDES", f'"-I{self.home}/include"'), ("SYSTEM_INCLUDES", "")):  # fmt: skip
            print(f"#$ {name}={value}", file=sys.stderr, flush=True)


def _compiler(given):
    """The C++ compiler that -ccbin names: a program, or the folder of one. A C compiler stands for its C++ one."""
    path = Path(given)
    if path.is_dir():
        found = next((path / name for name in ("g++", "c++", "clang++") if (path / name).exists()), None)
        if found is None:
            raise Wrong(f"-ccbin: expected a folder with a C++ compiler, got {given!r}")
        return [os.fspath(found)]
    if not shutil.which(given):
        raise Wrong(f"-ccbin: expected a compiler, got {given!r}")
    names = {"cc": "c++", "gcc": "g++", "clang": "clang++"}
    return [os.fspath(path.with_name(names[path.name]))] if path.name in names else [given]


def _gnu(standard):
    return standard.replace("c++", "gnu++", 1) if standard.startswith("c++") else standard


def _defines():
    """What nvcc defines; __CUDA_ARCH__ is not: all code is the host's."""
    parts = zip(("MAJOR", "MINOR", "BUILD"), (*toolkit_folder.version().split("."), 0))
    versions = [f"-D__CUDACC_VER_{name}__={value}" for name, value in parts]
    return ["-D__NVCC__=1", "-D__CUDACC__=1", "-D__TORCHTHAW_CUDA_ON_CPU__=1", *versions]


def _version():
    version = toolkit_folder.version()
    return (
        "nvcc: NVIDIA (R) Cuda compiler driver, as torchthaw's CUDA on the CPU stands in for it\n"
        f"Cuda compilation tools, release {version}, V{version}.0"
    )


def _architectures(kind):
    return "\n".join(f"{kind}_{name}" for name in toolkit_folder.ARCHITECTURES)


def _help():
    return "Usage: nvcc [options] <inputfile>: the options of CUDA's nvcc; torchthaw's CUDA on the CPU"

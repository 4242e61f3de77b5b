"""torchthaw/cuda_on_cpu/arguments.py: nvcc's arguments: which take a value, and what each means for the CPU."""

import shlex
from pathlib import Path

# Long names, and other short ones.
ALIASES = {
    "--output-file": "-o", "--include-path": "-I", "--system-include": "-isystem", "--pre-include": "-include",
    "--define-macro": "-D", "--undefine-macro": "-U", "--library": "-l", "--library-path": "-L",
    "--compiler-options": "-Xcompiler", "--linker-options": "-Xlinker", "--archive-options": "-Xarchive",
    "--ptxas-options": "-Xptxas", "--nvlink-options": "-Xnvlink", "--compile": "-c", "--device-c": "-dc",
    "--device-w": "-dw", "--device-link": "-dlink", "--lib": "-lib", "--preprocess": "-E", "--shared": "-shared",
    "--generate-dependencies": "-M", "--generate-nonsystem-dependencies": "-MM",
    "--generate-dependencies-with-compile": "-MD", "--generate-nonsystem-dependencies-with-compile": "-MMD",
    "--dependency-output": "-MF", "--dependency-target-name": "-MT", "--generate-dependency-targets": "-MP",
    "--x": "-x", "--std": "-std", "--optimize": "-O", "--debug": "-g", "--device-debug": "-G", "--profile": "-pg",
    "--disable-warnings": "-w", "--output-directory": "-odir", "--options-file": "-optf", "--threads": "-t",
    "--verbose": "-v", "--dry-run": "--dryrun", "-dryrun": "--dryrun", "-V": "--version", "-h": "--help",
    "--ptx": "-ptx", "--cubin": "-cubin", "--fatbin": "-fatbin", "--cuda": "-cuda", "--optix-ir": "-optix-ir",
    "--compiler-bindir": "-ccbin", "--machine": "-m", "--gpu-architecture": "-arch", "--gpu-code": "-code",
    "--generate-code": "-gencode", "--keep-dir": "-keep-dir", "--keep": "-keep", "--run": "-run", "--cudart": "-cudart",
    "-list-gpu-code": "--list-gpu-code", "-code-ls": "--list-gpu-code", "-arch-ls": "--list-gpu-arch",
    "-list-gpu-arch": "--list-gpu-arch", "--ltoir": "-ltoir", "-allow-unsupported-compiler": "--allow-unsupported-compiler",
    "-objtemp": "--objdir-as-tempdir", "--m64": "-m64", "-Ofc": "--Ofast-compile", "-lto": "--lto", "-gen-opt-lto": "--gen-opt-lto", "--no-exceptions": "-noeh",
    "-use-local-env": "--use-local-env", "-force-cl-env-setup": "--force-cl-env-setup", "-arbin": "--archiver-binary",
    "-nohdmoveforward": "--no-host-device-move-forward", "-forward-unknown-opts": "--forward-unknown-opts",
    "-fdevice-syntax-only": "--fdevice-syntax-only", "-keep-device-functions": "--keep-device-functions",
    "-no-compress": "--no-compress", "-astoolspatch": "--compile-as-tools-patch", "-link": "--link", "-jobserver": "--jobserver",
    "-err-no": "-display-error-number", "-no-err-no": "-no-display-error-number", "--dont-use-profile": "-noprof",
    "-aug-hls": "--augment-host-linker-script", "-hls": "--host-linker-script", "-r": "--relocatable-link",
    "-reloc-ptx": "--relocatable-ptx", "-opt-info": "--optimization-info", "--fatbin-options": "-Xfatbin",
    "-ftemplate-backtrace-limit": "--ftemplate-backtrace-limit", "-ftemplate-depth": "--ftemplate-depth",
    "-split-compile-extended": "--split-compile-extended", "-fdevice-time-trace": "--fdevice-time-trace", "-time": "--time",
    "-run-args": "--run-args", "-ddp": "--dependency-drive-prefix", "-dp": "--drive-prefix", "-qpp-config": "--qpp-config",
    "-device-entity-has-hidden-visibility": "--device-entity-has-hidden-visibility", "-sanitize": "--sanitize",
    "-brief-diag": "--brief-diagnostics", "-jtd": "--jump-table-density", "-compress-mode": "--compress-mode",
    "-device-stack-protector": "--device-stack-protector", "-frandom-seed": "--frandom-seed", "--extensible-whole-program": "-ewp",
}  # fmt: skip

# Those that take a value; the letters alone may have it right behind them: -Iinclude.
GLUED = ("-isystem", "-D", "-I", "-U", "-L", "-l", "-O", "-x", "-m", "-t")
VALUES = {
    *GLUED, "-o", "-include", "-Xcompiler", "-Xlinker", "-Xarchive", "-Xptxas", "-Xnvlink", "-MF", "-MT", "-MQ",
    "-std", "-odir", "-optf", "-ccbin", "-arch", "-code", "-gencode", "-keep-dir", "-cudart",
    # Those of devices and of nvcc's own work, which mean nothing here.
    "-maxrregcount", "--maxrregcount", "-rdc", "--relocatable-device-code", "-ftz", "--ftz", "-prec-div", "--prec-div",
    "-prec-sqrt", "--prec-sqrt", "-fmad", "--fmad", "-diag-suppress", "--diag-suppress", "-diag-error", "--diag-error",
    "-diag-warn", "--diag-warn", "-Werror", "--Werror", "-Xcudafe", "--Xcudafe", "-cudadevrt", "--cudadevrt",
    "-default-stream", "--default-stream", "-dopt", "--dopt", "-split-compile", "--split-compile", "-host-linker-script",
    "--host-linker-script", "-target-dir", "--target-directory", "--entries", "-e", "-static-global-template-stub",
    "-Xfatbin", "--Ofast-compile", "--archiver-binary", "--optimization-info", "--ftemplate-backtrace-limit", "--ftemplate-depth", "--time",
    "--split-compile-extended", "--fdevice-time-trace", "--run-args", "--dependency-drive-prefix", "--drive-prefix",
    "--qpp-config", "--device-entity-has-hidden-visibility", "--sanitize", "--brief-diagnostics", "--jump-table-density",
    "--compress-mode", "--device-stack-protector", "--frandom-seed",
    "--static-global-template-stub", "-idp", "--input-drive-prefix", "-ldir", "--libdevice-directory",
}  # fmt: skip

# Those without a value that mean nothing here.
IGNORED = {
    "-use_fast_math", "--use_fast_math", "-lineinfo", "--generate-line-info", "-extended-lambda", "--extended-lambda",
    "-expt-extended-lambda", "--expt-extended-lambda", "-expt-relaxed-constexpr", "--expt-relaxed-constexpr",
    "-restrict", "--restrict", "-dlto", "--dlink-time-opt", "-res-usage", "--resource-usage", "-noeh", "-nohdinitlist",
    "--no-host-device-initializer-list", "-nodlink", "--no-device-link", "-ewp", "-clean", "--clean-targets",
    "-extra-device-vectorization", "--extra-device-vectorization", "-src-in-ptx", "--source-in-ptx",
    "-m64", "-save-temps", "--save-temps", "-forward-unknown-to-host-linker", "--forward-unknown-to-host-linker",
    "-display-error-number", "--display-error-number", "-no-display-error-number", "--no-display-error-number",
    "-Wno-deprecated-gpu-targets", "--Wno-deprecated-gpu-targets", "-Wreorder", "--Wreorder", "-noprof", "--no-profile",
    "-Wdefault-stream-launch", "--Wdefault-stream-launch", "-Wext-lambda-captures-this", "--Wext-lambda-captures-this",
    "-compress-all", "--compress-all", "-std-lib", "--allow-unsupported-compiler", "--objdir-as-tempdir", "--lto",
    "--gen-opt-lto", "--use-local-env", "--force-cl-env-setup", "--no-host-device-move-forward", "--fdevice-syntax-only",
    "--keep-device-functions", "--no-compress", "--compile-as-tools-patch", "--link", "--jobserver",
    "-Wmissing-launch-bounds", "--Wmissing-launch-bounds", "-Wno-deprecated-declarations", "--Wno-deprecated-declarations",
    "--augment-host-linker-script", "--relocatable-link", "--relocatable-ptx",
}  # fmt: skip

# What ends nvcc's work at a form that only a card can run.
DEVICE_FORMS = ("-ptx", "-cubin", "-fatbin", "-optix-ir", "-ltoir", "-cuda")
PHASES = ("-c", "-dc", "-dw", "-dlink", "-lib", "-E", "-M", "-MM", "-run")
FLAGS = {
    *PHASES, *DEVICE_FORMS, *IGNORED, "-keep", "-shared", "-MD", "-MMD", "-MP", "-g", "-G", "-pg", "-w", "-v", "--dryrun",
    "--version", "--help", "--list-gpu-code", "--list-gpu-arch", "-forward-unknown-to-host-compiler",
    "--forward-unknown-to-host-compiler", "--forward-unknown-opts", "-static", "-pipe",
}  # fmt: skip
FORWARD = (
    "-forward-unknown-to-host-compiler", "--forward-unknown-to-host-compiler", "-forward-unknown-opts", "--forward-unknown-opts",
)  # fmt: skip


class Wrong(ValueError):
    """An argument that nvcc refuses too."""


def parse(words):
    """(options, files): each option as (name, value or None), and the files with their language, such as ``"cu"``.

    Options have one spelling; lists with commas are one option for each.
    """
    words = _expanded(words)
    forwards = any(word in FORWARD for word in words)
    options, files, language = [], [], None
    words = iter(words)
    for word in words:
        if not word.startswith("-") or word == "-":
            files.append((word, language or _language(word)))
            continue
        name, value = _option(word, words, forwards)
        if name == "-x":
            language = None if value == "none" else value
        elif name in ("-Xcompiler", "-Xlinker", "-I", "-l", "-L", "-D", "-U", "-include", "-isystem"):
            options += [(name, each) for each in _listed(value, name)]
        else:
            options.append((name, value))
    return options, files


def _expanded(words):
    """The words, with those of response files in their places."""
    words, expanded = list(words), []
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if name in ("-optf", "--options-file"):
            files = (value if equals else words.pop(0)).split(",")
        elif word.startswith("@"):
            files = [word[1:]]
        else:
            expanded.append(word)
            continue
        for file in files:
            try:
                words = [*shlex.split(Path(file).read_text("utf-8", "surrogateescape")), *words]
            except OSError as error:
                raise Wrong(f"{word}: {error.strerror}: {file}") from None
    return expanded


def _option(word, words, forwards):
    name, equals, value = word.partition("=")
    name = ALIASES.get(name, name)
    if name in VALUES:
        if equals:
            return name, value
        value = next(words, None)
        if value is None:
            raise Wrong(f"{word}: expected a value behind it")
        return name, value
    if ALIASES.get(word, word) in FLAGS:
        return ALIASES.get(word, word), None
    for letter in GLUED:
        if word.startswith(letter):
            return letter, word[len(letter) :].removeprefix("=")
    if forwards:
        return "-Xcompiler", word
    raise Wrong(f"unknown option {word!r}; options of the C++ compiler go behind -Xcompiler")


def _listed(value, name):
    """The parts of a value: commas, and for other programs blanks, separate them, but in quotes and behind a backslash."""
    between = ", \t" if name.startswith("-X") else ","
    parts, current, quote = [], "", ""
    letters = iter(value)
    for letter in letters:
        if letter == "\\":
            current += next(letters, "") if name.startswith("-X") else letter + next(letters, "")
        elif letter in "\"'" and name.startswith("-X"):
            quote = "" if quote == letter else quote or letter
        elif letter in between and not quote and name not in ("-D", "-U"):
            parts.append(current)
            current = ""
        else:
            current += letter
    return [part for part in [*parts, current] if part]


_LANGUAGES = {
    ".cu": "cu", ".cup": "cu", ".c": "c", ".cc": "c++", ".cpp": "c++", ".cxx": "c++", ".ii": "c++", ".ptx": "ptx",
    ".cubin": "cubin", ".fatbin": "fatbin",
}  # fmt: skip


def _language(file):
    """The language of a source, such as ``"cu"``; "" of what is linked."""
    return _LANGUAGES.get(Path(file).suffix, "")

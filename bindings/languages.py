"""bindings/languages.py: builds and tests the binding of each language, times it next to C, prints a table.

    make languages                       every language whose tools this machine has
    make languages languages="c rust"    these
    make languages publish=1             writes the table into docs/languages.md as well

A language is a folder here with a language.json:

    name, version      what the table shows; `version` is a command that prints it
    generated          declarations, which generate.py writes before `build`: {file: arguments of torchthaw bindings}
    manifests          files that have the version, which generate.py takes from my_lib.h
    needs, packages    commands that must run, or files that must be there, and the Debian packages that bring them
    libraries          those that it uses besides my_lib: "th"
    pip                packages of PyPI, which .ci/toolchains installs into build/languages/tools
    without_pip        what differs in this row where the packages of `pip` are missing; by default the language is not run
    build, run         commands, run in the folder; `run` gets one argument more: vectors, marks, threads, time, ...
    at_most            the goal for the time of a call, as a multiple of C's, or null
    copies             whether the binding copies arrays on the way
    page               the program of docs/languages/<folder>.md: the name that it has when the page's commands run
    guide              instead of such a page, a part of docs/, whose commands other tests run

A host of graphs has a row as well: host-jax, host-onnxruntime (Python would import a folder `jax` in place of JAX). Its
program makes fewer errors than C, and has one command more: `own`, the time of the host's own operator.

In commands {build}, {prefix}, {bindings}, {tools} and {python} stand for folders and for this Python; MY_LIB, PREFIX,
BINDINGS and PKG_CONFIG_PATH are set, LD_LIBRARY_PATH is not. What each argument of `run` does: docs/languages.md.

The exit status is 1 where something that was run failed; a missed goal is marked and is no failure.
"""

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import generate
from tools import is_there

BINDINGS = Path(__file__).resolve().parent
ROOT = BINDINGS.parent
WORK = ROOT / "build" / "languages"
PREFIX, TOOLS = WORK / "prefix", WORK / "tools"
STAND_IN = WORK / "libmarks.so"
DOCUMENT = ROOT / "docs" / "languages.md"
TARGETS = {"my_lib": ["my_lib", "my_lib_static"], "th": ["th"]}  # library, a component of CMake's: what builds it
BEGIN, END = "<!-- languages: begin -->", "<!-- languages: end -->"

SECONDS = 300  # that a command may take
MARKS = 23  # arrays: add 3, linear 4, LLTM step 8, LLTM sequence 8
THREADS = 8
TRAINING = {"c", "rust", "go", "java", "javascript"}  # which have the training program
LOSS_DIFFERENCE = 2e-5
HEAD = ["language", "version", "vectors", "errors", "arrays not copied", "calls in threads", "ns a call", "÷ C", "host's own",
        "goal", "loss", "page"]  # fmt: skip


class Failed(Exception):
    """A command failed, or did not print what it must."""


def environment():
    found = {name: value for name, value in os.environ.items() if name not in ("LD_LIBRARY_PATH", "LD_PRELOAD")}
    found.update(
        MY_LIB=str(my_lib()), PREFIX=str(PREFIX), BINDINGS=str(BINDINGS),
        PKG_CONFIG_PATH=str(PREFIX / "share" / "pkgconfig"), PATH=search_path(),
    )  # fmt: skip
    return found


def search_path():
    """PATH, behind the tools from PyPI and the environment of this Python, which has cmake and ninja."""
    return os.pathsep.join([str(TOOLS / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]])


def installed():
    """{package of PyPI: version} of the Python that search_path() finds first."""
    path = sys.path
    if (TOOLS / "bin" / "python").exists():
        path = [str(folder) for folder in TOOLS.glob("lib/python3*/site-packages")]
    return {(each.metadata["Name"] or "").lower(): each.version for each in importlib.metadata.distributions(path=path)}


def my_lib():
    """The installed library."""
    found = sorted(PREFIX.glob("lib*/**/libmy_lib.so.1"))
    if not found:
        raise Failed(f"{PREFIX}: expected lib/libmy_lib.so.1, found none")
    return found[0]


def run(command, folder, **variables):
    """What a command prints. Raises Failed when it does not return 0 in time; its children are killed then."""
    shown = " ".join(map(str, command))
    try:
        process = subprocess.Popen(
            list(map(str, command)), cwd=folder, env={**environment(), **variables}, text=True, errors="replace",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise Failed(f"{shown}: {error}") from None
    try:
        printed, errors = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise Failed(f"{shown}: not finished after {SECONDS} s") from None
    if process.returncode:
        tail = "\n".join((printed + errors).splitlines()[-30:])
        raise Failed(f"{shown}: exit status {process.returncode}\n{tail}")
    return printed


class Language:
    """A folder with a language.json."""

    def __init__(self, folder):
        self.folder = folder
        self.build_folder = WORK / folder.name
        self.row = json.loads((folder / "language.json").read_text())
        self.name = self.row["name"]

    def command(self, words):
        places = {"build": self.build_folder, "prefix": PREFIX, "bindings": BINDINGS, "tools": TOOLS,
                  "python": sys.executable}  # fmt: skip
        return [re.sub(r"\{(\w+)\}", lambda match: str(places.get(match[1], match[0])), word) for word in words]

    def missing_commands(self):
        """Those of the commands and files it needs that are not there."""
        return [
            need for need in self.command(self.row["needs"])
            if not is_there(need, search_path())
        ]  # fmt: skip

    def missing(self):
        """What this machine lacks, in words; "" for nothing."""
        found = self.missing_commands()
        if found:
            packages = ", ".join(self.row["packages"])
            return f"{', '.join(found)} ({f'Debian package {packages}' if packages else 'make hosts installs it'})"
        requirement = self.missing_package()
        return f"{requirement} (PyPI package, which .ci/toolchains installs)" if requirement else ""

    def missing_package(self):
        """The first of its packages of PyPI that is not there in its version, or None."""
        from packaging.requirements import Requirement  # .ci/toolchains runs where neither this nor tqdm is installed

        versions = installed()
        for requirement in map(Requirement, self.row.get("pip", [])):
            is_for_here = requirement.marker is None or requirement.marker.evaluate()
            if is_for_here and versions.get(requirement.name.lower(), "") not in requirement.specifier:
                return requirement
        return None

    def for_this_machine(self):
        """This language, with the row that it has where its packages of PyPI are missing, if they are."""
        if "without_pip" in self.row and self.missing_package():
            self.row.update(self.row["without_pip"], pip=[])
            self.name = self.row["name"]
        return self

    def build(self):
        generate.write_declarations(self.folder, self.row)
        self.build_folder.mkdir(parents=True, exist_ok=True)
        for command in self.row["build"]:
            run(self.command(command), self.folder)

    def ask(self, *arguments, **variables):
        """{word: text} of the lines that the test program prints."""
        printed = run([*self.command(self.row["run"]), *arguments], self.folder, **variables)
        return dict(line.split(" ", 1) for line in printed.splitlines() if " " in line)

    def number(self, word, *arguments, **variables):
        """The number in the line `word NUMBER`."""
        return to_number(self.ask(word, *arguments, **variables), word)

    def version(self):
        found = re.search(r"\d+(\.\d+)+", run(self.command(self.row["version"]), self.folder))
        if not found:
            raise Failed(f"{' '.join(self.row['version'])}: expected a version")
        return found[0]

    def page(self):
        """Runs the page of the documentation as a reader does: its program and its commands, in an empty folder."""
        path = ROOT / "docs" / "languages" / f"{self.folder.name}.md"
        blocks = re.findall(r"^```(\w+)\n(.*?)^```$", path.read_text(), re.DOTALL | re.MULTILINE)
        kinds = [language if language in ("sh", "text") else "program" for language, _ in blocks]
        if sorted(kinds) != ["program", "sh", "text"]:
            raise Failed(f"{path.name}: expected a program, a sh and a text block, got {[kind for kind, _ in blocks]}")
        code = dict(zip(kinds, (text for _, text in blocks)))
        folder = self.build_folder / "page"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / self.row["page"]["program"]).write_text(code["program"])
        printed = run(["sh", "-euc", code["sh"]], folder)
        if not printed.endswith(code["text"]):
            raise Failed(f"{path.name}: expected at the end:\n{code['text']}got:\n{printed}")


def to_number(lines, word):
    try:
        return float(lines[word])
    except (KeyError, ValueError):
        raise Failed(f"expected a line `{word} NUMBER`, got {lines}") from None


def expect(what, got, expected):
    if got != expected:
        raise Failed(f"{what}: expected {expected:g}, got {got:g}")


def compare(language, c):
    """(ns a call, multiple of C's time): the smallest of each, measured in turns, since a machine's load changes."""
    if language.folder == c.folder:
        return c.number("time"), 1.0
    own, of_c = [], [c.number("time")]
    for _ in range(2):
        own.append(language.number("time"))
        of_c.append(c.number("time"))
    return min(own), min(own) / min(of_c)


def library_version():
    header = (PREFIX / "include" / "my_lib.h").read_text()
    return ".".join(re.findall(r"#define MY_LIB_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))


def check(language, c):
    """The language's row of the table, {column: text}. Raises Failed."""
    row = {"language": language.name, "version": language.version()}
    language.build()
    version = language.ask("version").get("version")
    if version != library_version():
        raise Failed(f"version: expected {library_version()}, got {version}")

    index = json.loads((BINDINGS / "vectors" / "index.json").read_text())
    lines = language.ask("vectors", str(BINDINGS / "vectors"))
    of_host = "guide" in language.row
    for word, count in (("vectors", len(index["cases"])), ("errors", 1 if of_host else len(index["errors"]))):
        expect(word, to_number(lines, word), count)
        row[word] = str(count)

    marks = language.number("marks", LD_PRELOAD=str(STAND_IN), MY_LIB=str(STAND_IN))
    if not language.row.get("copies"):
        expect("marks", marks, MARKS)
    row["arrays not copied"] = f"{marks:g} of {MARKS}"

    calls = language.number("threads")
    if calls < 3 * THREADS:
        raise Failed(f"threads: expected at least {3 * THREADS} calls, got {calls:g}")
    row["calls in threads"] = f"{calls:g}"

    time, ratio = compare(language, c)
    row.update({"ns a call": nanoseconds(time), "÷ C": f"{ratio:.2f}"})
    if of_host:
        row["host's own"] = nanoseconds(language.number("own"))
    at_most = language.row.get("at_most")
    if at_most is not None:
        row["goal"] = f"≤ {at_most:g}" + ("" if ratio <= at_most else " **missed**")

    if language.folder.name in TRAINING:
        loss, expected = (to_number(each.ask("train"), "loss") for each in (language, c))
        if not abs(loss - expected) <= LOSS_DIFFERENCE:
            raise Failed(f"train: expected C's loss {expected:.6f}, got {loss:.6f}")
        row["loss"] = f"{loss:.6f}"
    if language.row.get("page"):
        language.page()
        row["page"] = f"[runs](languages/{language.folder.name}.md)"
    if of_host:
        row["page"] = f"[runs]({language.row['guide']})"
    return row


def nanoseconds(time):
    return f"{time:.1f}" if time < 100 else f"{time:.0f}"


def cmake(*words, **options):
    if not (ROOT / "build" / "CMakeCache.txt").exists():
        raise Failed("build/ is missing: run make languages, or ffi_build.py")
    command = [shutil.which("cmake", path=search_path()) or "cmake", *map(str, words)]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, **options)
    if done.returncode:
        raise Failed(f"{' '.join(command)}: {done.stderr.strip()}")


def build(libraries):
    """Builds them in build/, which CMake has configured."""
    targets = [target for library in libraries for target in TARGETS[library]]
    cmake("--build", ROOT / "build", "--parallel", os.cpu_count(), "--target", *targets)


def prepare(libraries=("my_lib",)):
    """Installs the libraries as built in build/, and compiles the stand-in that shows copies."""
    WORK.mkdir(parents=True, exist_ok=True)
    for library in libraries:
        words = ["--component", library, "--prefix", PREFIX]
        cmake("--install", ROOT / "build", *words, stdout=subprocess.DEVNULL)
    folder = my_lib().parent
    run([os.environ.get("CC", "cc"), "-std=c99", "-shared", "-fPIC", "marks.c", "-I", PREFIX / "include", f"-L{folder}",
         "-Wl,--no-as-needed", "-lmy_lib", f"-Wl,-rpath,{folder}", "-o", STAND_IN], BINDINGS / "marks")  # fmt: skip


def machine():
    """One line: processor, system, date."""
    model = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    processor = model[1] if model else platform.machine()
    return (
        f"{processor}, {os.cpu_count()} cores, Linux {platform.machine()}; my_lib {library_version()}. "
        f"{datetime.date.today().isoformat()}."
    )


def table(head, rows):
    lines = [head, *([row.get(name, "") for name in head] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join("| " + " | ".join(map(str.ljust, line, widths)) + " |" for line in lines)


def publish(path, text):
    """Writes text between the markers of a document."""
    old = path.read_text()
    begin, end = old.index(BEGIN) + len(BEGIN), old.index(END)
    path.write_text(f"{old[:begin]}\n{text}\n{old[end:]}")


def parse():
    names = sorted(path.parent.name for path in BINDINGS.glob("*/language.json"))
    parser = argparse.ArgumentParser(description="Builds, tests and times the bindings.")
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE", help=f"all, or some of: {', '.join(names)}")
    parser.add_argument("--publish", action="store_true", help="write the table into docs/languages.md")
    chosen = parser.parse_args()
    unknown = sorted(set(chosen.languages) - set(names))
    if unknown:
        parser.error(f"{', '.join(unknown)}: expected one of {', '.join(names)}")
    if chosen.publish and chosen.languages:
        parser.error("--publish writes the whole table: name no language")
    chosen.languages = chosen.languages or ["c", *(name for name in names if name != "c")]
    return chosen


def say(text):
    """Prints a line above the progress bar."""
    from tqdm import tqdm

    with tqdm.external_write_mode():
        print(text, flush=True)


def main():
    from tqdm import tqdm

    chosen = parse()
    rows, failures = [], []
    present = [
        language for language in map(Language, map(BINDINGS.joinpath, chosen.languages)) if not language.missing()
    ]
    libraries = ["my_lib", *sorted({each for language in present for each in language.row.get("libraries", [])})]
    try:
        build(libraries)
        prepare(libraries)
        c = Language(BINDINGS / "c")
        c.build()
    except Failed as error:
        sys.exit(f"make languages: {error}")
    for name in tqdm(chosen.languages, desc="languages", unit="language", leave=False, disable=None):  # on a terminal
        language = Language(BINDINGS / name).for_this_machine()
        missing = language.missing()
        if missing:
            say(f"{language.name}: not run, needs {missing}")
            continue
        try:
            rows.append(check(language, c))
            say(f"{language.name}: passed")
        except Failed as error:
            failures.append(language.name)
            say(f"{language.name}: FAILED: {error}")
    print(table(HEAD, rows))
    if chosen.publish and not failures:
        publish(DOCUMENT, f"{table(HEAD, rows)}\n\n{machine()}")
    sys.exit(f"make languages: failed: {', '.join(failures)}" if failures else 0)


if __name__ == "__main__":
    main()

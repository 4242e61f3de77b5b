"""tests/support/th_errors.py: makes the calls of tests/th/errors.txt and says which do not fail as they should.

cd tests; python -m support.th_errors LIBTH [FUNCTION]
"""

import csv
import json
import re
import struct
import sys
from fnmatch import fnmatchcase
from math import prod

import numpy as np

from support import TESTS, replay
from support.replay import DTYPE

TABLE = TESTS / "th" / "errors.txt"
FUNCTIONS = TESTS / "th" / "golden" / "functions.tsv"
FLOATS = {"Float", "Double", "Half"}
C_TYPE = {
    "Byte": "uint8_t", "Char": "int8_t", "Short": "int16_t", "Int": "int32_t", "Long": "int64_t",
    "Float": "float", "Double": "double", "Half": "THHalf",
}  # fmt: skip
ACCUMULATE = {"Float": "double", "Double": "double"}
RESIZABLE = 2
FILES = {  # what opens each kind, and its name
    "disk": ["THDiskFile_new", "c$TMP/file"], "full": ["THDiskFile_new", "c/dev/full"],
    "pipe": ["THPipeFile_new", "ctrue"], "memory": ["THMemoryFile_new"],
}  # fmt: skip


def lines():
    """The table's lines without comments; an indented one belongs to the line before."""
    text = re.sub(r"\n +", " ", TABLE.read_text())
    return [line for line in text.splitlines() if line and line[0] != "#"]


def rows():
    """(functions, arguments, number or "-", text) of each check."""
    return [line.split(" | ", 3) for line in lines() if not line.startswith("none | ")]


def short(name):
    return name.replace("TH<Real>", "")


def functions():
    """Short name -> (parameters, types) of all functions of the original."""
    with open(FUNCTIONS, newline="") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return {short(row["function"]): (row["parameters"], row["types"].split(",")) for row in rows}


def without_checks():
    """The functions that the table says check nothing."""
    patterns = [word for line in lines() if line.startswith("none | ") for word in line.split()[2:]]
    known = functions()
    for pattern in patterns:
        assert any(fnmatchcase(name, pattern) for name in known), f"{pattern}: no such function"
    return {name for name in known for pattern in patterns if fnmatchcase(name, pattern)}


def expand(word):
    """(short name, name, parameters) for each type, from a word of the first column."""
    word, _, only = word.partition(":")
    known = functions()
    for name in [word.replace("<Any>", element) for element in C_TYPE] if "<Any>" in word else [word]:
        real = re.match(r"TH(Byte|Char|Short|Int|Long|Float|Double|Half)(?=Tensor|Storage)", name)
        if name in known and name.startswith("TH"):
            yield name, name, known[name][0]
            continue
        name = name.removeprefix(real[0]) if real else name
        parameters, types = known[name]
        for element in [real[1]] if real else types:
            if only and (only == "floats") != (element in FLOATS):
                continue
            text = re.sub(r"acc<real>|\baccreal\b", ACCUMULATE.get(element, "int64_t"), parameters)
            yield name, f"TH{element}{name}", text.replace("<Real>", element).replace("<real>", C_TYPE[element])


class Case:
    """A call in the form that replay.py runs: objects, calls, arguments."""

    def __init__(self, name, parameters, arguments):
        self.objects, self.calls = [], []
        kinds = [kind.strip() for kind in parameters.strip("()").split(",")]
        texts = arguments.split(", ") if arguments else []
        assert len(kinds) == len(texts), f"{name} takes {kinds}, not {texts}"
        values = [self.argument(text, kind) for text, kind in zip(texts, kinds)]
        self.calls.append([name, "v", *values])

    def add(self, spec):
        self.objects.append(spec)
        return len(self.objects) - 1

    def made(self, kind, name, *arguments):
        """What a call returns, as an object; those stand behind all others."""
        index = 1000 + len(self.calls)
        self.calls.append([name, [kind, index], *arguments])
        return index

    def argument(self, text, kind):
        if text == "null":
            return "n"
        if text[0] == "%":
            return text
        if text[0] == "'":
            return "c" + text[1:-1]
        if re.match(r"-?\d", text):
            if re.match(r"(const )?(float|double)\b", kind):
                letter = kind.replace("const ", "")[0]
                return letter + struct.pack(f"<{letter}", float(text)).hex()
            return int(text)
        return f"@{self.object(text, kind)}"

    def object(self, text, kind):
        if text == "null":
            return None
        if text == "gen":
            return self.add(["g", 5])
        if text[0] == "{":
            parts = re.findall(r"\[.*?\]|\(.*?\)|null", text)
            return self.add(["p", [self.object(part, kind.replace("*", "", 1)) for part in parts]])
        if text.startswith("map"):
            name, flags = re.fullmatch(r"map\('(.*)' (\d+)\)", text).groups()
            return self.made("m", "THMapAllocatorContext_newWithFd", f"c{name}", 0, int(flags))
        if ":" in text and text[0] != "[" and text[0] != "!":
            return self.file(*text.split(":"))
        found = re.match(r"(?:const |struct )*TH(\w+?)(?:Tensor|Storage)\s*\*", kind)
        element = found[1] if found else {v: k for k, v in C_TYPE.items()}.get(kind.split("*")[0].strip(), "Byte")
        sealed = text[0] == "!"
        text = text.removeprefix("!")
        if text[0] == "(":
            numbers = [int(number) for number in text[1:-1].split()]
            if found:
                return self.storage(element, numbers, sealed)
            if "**" in kind:
                element = "Long"
            return self.add(["b", element, replay.encode(np.array(numbers, DTYPE[element]).tobytes())])
        size, colon, values, layout = re.fullmatch(r"\[([\d ]*)(:?)(.*)\]('|/\d)?", text).groups()
        size = [int(number) for number in size.split()]
        if not size:
            return self.add(["e", element])
        step = int(layout[1:]) if layout and layout != "'" else 1
        stride = [step * prod(size[:d] if layout == "'" else size[d + 1 :]) for d in range(len(size))]
        numbers = [int(value) for value in values.split()] if colon else [1] * prod(size) * step
        return self.add(["t", element, self.storage(element, numbers, sealed), 0, size, stride])

    def storage(self, element, numbers, sealed):
        data = np.array(numbers, np.int64).astype(DTYPE[element]).tobytes()
        index = self.add(["s", element, replay.encode(data)])
        if sealed:
            self.calls.append([f"TH{element}Storage_clearFlag", "v", f"@{index}", RESIZABLE])
        return index

    def file(self, kind, mode):
        new, *name = FILES[kind]
        quiet = [0] if name else []
        index = self.made("f", new, *name, "cw", *quiet)
        if kind == "full":  # nothing waits in a buffer
            self.calls.append(["THDiskFile_noBuffer", "v", f"@{index}"])
        if mode == "w":
            return index
        self.calls.append(["THFile_close", "v", f"@{index}"])
        return index if mode == "closed" else self.made("f", new, *name, "cr", *quiet)


def message(text):
    """The text; "unequal a [2] and b [3]" stands for what is said of tensors with other numbers of elements."""
    if not text.startswith("unequal "):
        return text
    shapes = text.removeprefix("unequal ")
    counts = [prod(map(int, s.split(" x "))) if s else 0 for s in re.findall(r"\[(.*?)\]", shapes)]
    *first, last = map(str, counts)
    return (
        f"inconsistent tensor size, expected {shapes} to have the same number of elements, "
        f"but got {', '.join(first)} and {last} elements respectively"
    )


def cases(wanted=""):
    """(words, case, expected error) for each row and type."""
    for words, arguments, number, text in rows():
        error = ["E", 0, message(text)] if number == "-" else ["A", int(number), message(text)]
        for word in words.split():
            for name, symbol, parameters in expand(word):
                if wanted in ("", name, symbol):
                    case = Case(symbol, parameters, arguments)
                    yield f"{symbol}({arguments})", {"o": case.objects, "k": case.calls, "x": {}}, error


def failures(library, wanted=""):
    """A sentence for each call that does not raise its error, or writes although it does."""
    labels, calls, errors = zip(*cases(wanted))
    found = []
    for label, outcome, error in zip(labels, replay.outcomes(library, calls), errors):
        if outcome.get("err") != error:
            found.append(f"{label}: {outcome}, expected {error}")
        elif "a" in outcome:
            found.append(f"{label}: changed {sorted(outcome['a'])}")
    return found


if __name__ == "__main__":
    print(json.dumps(failures(replay.Library(sys.argv[1]), *sys.argv[2:]), indent=1))

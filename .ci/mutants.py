"""mutants.py: every change of one operator, number or condition that make mutations can try in a file of C or C++."""

import hashlib
import re
from dataclasses import dataclass

# What is changed into what. clang-format puts spaces around operators, and none into the brackets of templates.
CHANGES = [
    (re.compile(old), new)
    for old, new in (
        (" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" == ", " != "), (" != ", " == "),
        (" && ", " || "), (r" \|\| ", " && "), (r"!(?=[\w(])", ""), (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
        (r" \+ ", " - "), (" - ", " + "), (r" \* ", " + "), (" / ", " * "), (" % ", " / "), (r" \+= ", " -= "),
        (" -= ", " += "), (r" \*= ", " += "), (" << ", " >> "), (" >> ", " << "), (" & ", " | "), (r" \| ", " & "),
        (r"\bmin\(", "max("), (r"\bmax\(", "min("), (r"(?<![\w.'])\d+(?![\w.'])", lambda found: str(int(found[0]) + 1)),
    )
]  # fmt: skip
CONDITION = re.compile(r"\b(?:if|while) \((?!constexpr)")
UNSEEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'|^ *#(?:[^\n]*\\\n)*[^\n]*|\b(?:static_)?assert\(.*?\);",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Change:
    path: str
    line: int  # from 1
    before: str  # the line
    after: str
    digest: str  # of all but the line's number: an edit elsewhere does not change it

    @property
    def name(self):
        return f"{self.path}: {self.before.strip()} -> {self.after.strip()}"


def changes_of(path, text):
    """Every single change of a file, in no order."""
    seen = UNSEEN.sub(lambda found: re.sub(r"[^\n]", "\0", found[0]), text)
    places = [(found.start(), found.end(), found.expand(new) if isinstance(new, str) else new(found))
              for old, new in CHANGES for found in old.finditer(seen)]  # fmt: skip
    for found in CONDITION.finditer(seen):
        end = closing(seen, found.end())
        if "\n" not in seen[found.end() : end] and ";" not in seen[found.end() : end]:
            places.append((found.end(), end, f"!({text[found.end() : end]})"))
    lines, times = text.splitlines(), {}
    for begin, end, new in sorted(places):
        number = text.count("\n", 0, begin)
        start = text.rfind("\n", 0, begin) + 1
        before = lines[number]
        after = before[: begin - start] + new + before[end - start :]
        times[before, after] = times.get((before, after), 0) + 1
        key = "\n".join([path, before, after, str(times[before, after])])
        yield Change(path, number + 1, before, after, hashlib.sha256(key.encode()).hexdigest())


def closing(text, begin):
    """Where the bracket closes that was opened before ``begin``."""
    depth = 1
    for at in range(begin, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    return len(text)

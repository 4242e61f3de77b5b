"""torchthaw/doctor/cxx/aten_files.py: C++ and CUDA files for PyTorch's C++ library: their old names."""

import bisect
import re
from functools import cached_property
from typing import NamedTuple

from ...legacy.cpp import moved_headers
from ..findings import Edit
from ..matching import Hit, apply_certain, edit_of, settled
from ..project import INCLUDE as FIND_INCLUDE
from ..reading.source import C_TOKENS, blank, conditions
from ..rules import EDIT, WORKS, aten
from . import aten_headers

HEADERS = (".h", ".hpp", ".cuh")
DEVICE = (".cu", ".cuh")
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"](?P<name>[^>\"\n]+)[>\"][^\n]*(?:\n|\Z)", re.MULTILINE)
OF_CUDA = re.compile(r"(?:THC|ATen/cuda|c10/cuda)/")


class Left(NamedTuple):
    """What the edits of names leave: old names, and variables of THCState that nothing refers to."""

    names: set
    states: set


class AtenFiles:
    """The files of a project for PyTorch's C++ library.

    files: {file: whether torch.utils.cpp_extension builds it, so that torchthaw's headers serve it}.
    """

    def __init__(self, project, files):
        self.project, self.files = project, files
        self._left = {}

    def hits(self, file, text):
        """What is old in a text of ``file``. Edits of names come first: whether a header may go depends on the rest."""
        source = self._source(file, text)
        yield from source.names()
        yield from source.dispatched()
        yield from source.gone()
        yield from source.states(self.left(file).states)
        others = [each for each in self.files if each != file] if file.suffix in HEADERS else []
        has_names = bool(self.left(file).names or any(self.left(other).names for other in others))
        yield from source.includes(has_names, self.project.has_file)

    def _source(self, file, text):
        return Source(file, text, self.project.own_names, self.files[file], self._included.get(file))

    @cached_property
    def _included(self):
        """{source that torch.utils.cpp_extension compiles: what the project's files that it includes include}."""
        names = {file: set(FIND_INCLUDE.findall(code)) for file, code in self.project.code.items()}
        return {
            file: set().union(*(names[each] for each in self.project.reached([file])))
            for file, is_served in self.files.items() if is_served and file.suffix not in HEADERS
        }  # fmt: skip

    def left(self, file):
        if file not in self._left:
            self._left[file] = self._of(file)
        return self._left[file]

    def _of(self, file):
        def once(text):
            return apply_certain(text, self._source(file, text).names())

        text = self.project.texts[file]
        text = settled(text, once, once(text))
        code = blank(text, C_TOKENS, ("comment", "string", "include"))
        states = set()
        if file.suffix not in HEADERS:  # others may use what a header declares
            named = [match["state"] for match in aten.STATES.finditer(code)]
            states = {name for name in named if len(re.findall(rf"\b{name}\b", code)) == named.count(name)}
            code = aten.STATES.sub(lambda match: "" if match["state"] in states else match[0], code)
        code = re.sub(aten.READY, "", code, flags=re.MULTILINE)
        return Left(set(aten.OF_TH.findall(code)) - self.project.own_names.names, states)


class Source:
    """One text of a file, and what is old in it.

    served: by the headers of torchthaw. included: the headers that are included with the file; None where that depends.
    """

    def __init__(self, file, text, own, served, included):
        self.file, self.text, self.own, self._included = file, text, own, included
        self._effect, self._state = (WORKS, aten.SERVED) if served else (EDIT, aten.ALONE)
        self.code = blank(text, C_TOKENS, ("comment", "string"))
        self._parts = conditions(self.code)
        self._uses = blank(text, C_TOKENS, ("comment", "string", "include"))
        self._starts = [start for start, _, _ in self._parts]
        self._includes = [(match, self._enclosing(match)) for match in INCLUDE.finditer(self.code)]

    def _enclosing(self, match):
        """The conditions of the #if lines around a match."""
        return self._parts[bisect.bisect_right(self._starts, match.start()) - 1][2]

    def _matches(self, pattern):
        """Those outside of #include."""
        return self._current(pattern.finditer(self._uses))

    def _current(self, matches):
        """Those that are not below an #if that tells PyTorches apart."""
        return [
            match for match in matches
            if not any(aten.BY_VERSION.search(condition) for condition in self._enclosing(match))
        ]  # fmt: skip

    def _is_of_row(self, match):
        """Whether the variables of a match hold what the row is about."""
        given = [group for group in ("storage", "tensor") if match.groupdict().get(group)]
        return all(self._is_storage(match, group) == (group == "storage") for group in given)

    def _is_storage(self, match, group):
        """Whether the variable in a group holds a storage, as its last declaration before says, or else any of them."""
        declared = self._storages.get(match[group], {})
        before = [start for start in declared if start < match.start(group)]
        return declared[max(before)] if before else match[group] in self._storages

    @cached_property
    def _storages(self):
        """{variable that holds a storage: {where it is declared: whether it holds one there}}"""
        starts = {}
        for match in self._matches(aten.STORAGES):
            group = "variable" if match["variable"] else "typed"
            starts[match.start(group)] = match[group]
        return {
            name: {
                match.start("variable"): match.start("variable") in starts
                for match in re.finditer(aten.DECLARED.format(name), self._uses)
            }
            for name in set(starts.values())
        }

    def names(self):
        """A Hit for each name: its first line, with the edits of every line."""
        for row in aten.NAMES:
            if row.unless.search(self.code) or not row.given.search(self.code):
                continue
            found = [match for match in self._matches(row.pattern)
                     if match.groupdict().get("name", row.name) not in self.own and self._is_of_row(match)]  # fmt: skip
            searched = [] if row.stays or row.gone else found
            header = next((self._header(match) for match in searched if not self._enclosing(match)), None)
            edits = {match: self._edits(row, match, header) for match in found}
            for sure in (True, False):
                part = [match for match in found if bool(edits.get(match)) == sure]
                if part:
                    first = part[0].start() + max(part[0][0].find(row.name), 0)
                    made = tuple(edit for match in part for edit in edits.get(match) or ())
                    effect, state = (WORKS, aten.STAYS) if row.stays else (self._effect, self._state)
                    if row.gone:
                        effect, state = EDIT, f"is gone since PyTorch {row.gone}"
                    if header:
                        effect, state = EDIT, f"is in <{header}>, which is not included"
                    message = f"{row.name} {state}; today it is {row.today}"
                    yield Hit(first if header or not sure else made[0].start, effect, "old-aten", message, made, sure)

    def _header(self, match):
        """The header of torchthaw that a name of TH needs, where none of those that are included has it."""
        word = aten.OF_TH.search(match[0])
        having = aten_headers.serving(word[0]) if word and self._included is not None else []
        mine = self._included.union(include["name"] for include, _ in self._includes) if having else ()
        mine = {aten.BARE.get(name, name) for name in mine}
        if any(aten.OF_FOLDERS.match(name) and name not in aten.INCLUDES for name in mine):
            return None  # a header that is gone, which had it
        usual = [name for name in ("TH/TH.h", "THC/THC.h") if name in having]
        return (usual or having)[0] if having and not mine.intersection(having) else None

    def _edits(self, row, match, header):
        """Those of one match, with the header that they need; none where there is no place for that.

        header: one that is not included and has the name, which is enough where the row has no edit.
        """
        if row.edit is None:
            place = self._place(header, match) if header else None
            return [] if place is None else [Edit(place, place, self._include(header, place))]
        edit = _smallest(edit_of(row, match, self.text), self.text)
        bring = [name for name, (today, _) in aten.INCLUDES.items() if today == row.include]  # with and without edits
        if row.include is None or self._has((row.include, *bring), match):
            return [edit]
        place = self._place(row.include, match)
        return place is not None and [edit, Edit(place, place, self._include(row.include, place))]

    def _include(self, name, place):
        newline = "" if place == 0 or self.text[place - 1] == "\n" else "\n"
        return f"{newline}#include <{name}>\n"

    def _has(self, names, match):
        """Whether one of these headers is included wherever ``match`` is compiled."""
        inside = self._enclosing(match)
        return any(
            aten.BARE.get(include["name"], include["name"]) in names and inside[: len(around)] == around
            for include, around in self._includes
        )

    def _place(self, name, match):
        """Where a header may be included for what is at ``match``: after the last include, or after one of CUDA's where
        the other parts of the file may be compiled without CUDA."""
        inside = self._enclosing(match)
        before = [(include, around) for include, around in self._includes
                  if inside[: len(around)] == around and include.end() <= match.start()
                  and self.code.count("{", 0, include.start()) == self.code.count("}", 0, include.start())]  # fmt: skip
        anywhere = self.file.suffix in DEVICE or not OF_CUDA.match(name)
        for choice in (
            [include for include, _ in before if OF_CUDA.match(include["name"])],
            [include for include, around in before if around == inside],
            [include for include, _ in before if anywhere],
        ):
            if choice:
                return choice[-1].end()
        return None

    def gone(self):
        """A Hit for each name that nobody has."""
        for row in aten.GONE:
            said = set()
            for match in self._matches(row.pattern):
                if (row.edit or match[0] not in said) and match[0] not in self.own:
                    said.add(match[0])
                    edits = (Edit(*match.span(), row.edit),) if row.edit else ()
                    yield Hit(match.start(), EDIT, "removed-aten", f"{match[0]}: {row.message}", edits, bool(edits))

    def dispatched(self):
        """Variables that hold ``x.type()``, for AT_DISPATCH_...; certain where they are for nothing else."""
        uses = [match for match in self._matches(aten.DISPATCHED) if match["name"] not in self.own]
        holding = [match for match in self._matches(aten.TYPED)
                   if match["variable"] in {use["variable"] for use in uses}]  # fmt: skip
        for variable in dict.fromkeys(match["variable"] for match in holding):
            mine = [match for match in holding if match["variable"] == variable]
            known = {match.start("variable") for match in (*mine, *uses)}
            named = re.finditer(rf"(?<![\w.])(?<!->)(?<!::){variable}\b", self._uses)
            sure = all(match.start() in known for match in named)
            edits = [Edit(*match.span("type"), "scalar_type") for match in mine]
            # A reference to what is made by the call is const.
            edits += [
                Edit(match.start("and"), match.end("and"), " ") for match in mine if match["and"] and not match["const"]
            ]
            message = f"x.type() in AT_DISPATCH_... {self._state}; today it is x.scalar_type()"
            yield Hit(mine[0].start(), self._effect, "old-aten", message, tuple(sorted(edits)) if sure else (), sure)

    def states(self, unused):
        """Declarations of a THCState that nothing refers to."""
        found = self._matches(aten.STATES)
        for sure in (True, False):
            part = [match for match in found if (match["state"] in unused) == sure]
            if part:
                edits = tuple(Edit(*match.span(), "") for match in part) if sure else ()
                message = f"THCState {self._state}; today it is nothing: no function takes it"
                yield Hit(part[0].start(), self._effect, "old-aten", message, edits, sure)

    def includes(self, has_names, is_own):
        """Headers of TH and THC. has_names: whether names of theirs stay, after the edits."""
        said = set()
        for include in self._current(INCLUDE.finditer(self.code)):
            name = include["name"]
            if is_own(name):
                continue
            elsewhere = any(aten.ELSEWHERE.search(condition) for condition in self._enclosing(include))
            if not elsewhere and moved_headers.is_gone(name):
                today = moved_headers.HEADERS.get(name)
                effect = self._effect if today else EDIT
                message = f"<{name}>: the installed PyTorch has no such header"
                message += f"; use <{today}>" if today else ""
                edits = (Edit(*include.span("name"), today),) if today else ()
                yield Hit(include.start(), effect, "removed-aten", message, edits, bool(edits))
            name = aten.BARE.get(name, name)
            if not aten.OF_FOLDERS.match(name):
                continue
            if name not in aten.INCLUDES:
                yield Hit(include.start(), EDIT, "removed-aten", f"<{name}>: {aten.NO_HEADER}")
                continue
            today, always = aten.INCLUDES[name]
            sure = always or not has_names
            edit = Edit(*include.span("name"), today)
            if self._has((today,), include) or today in said and not self._enclosing(include):
                edit = Edit(*include.span(), "")
            elif '"' in self.text[slice(*include.span())]:
                edit = Edit(*include.span(), f"#include <{today}>\n")
            if not self._enclosing(include):
                said.add(today)
            message = f"<{include['name']}> {self._state}; today it is <{today}>"
            message += "" if sure else ", once no name of TH or THC is left"
            yield Hit(include.start(), self._effect, "old-aten", message, (edit,) if sure else (), sure)


def _smallest(edit, text):
    """The same edit without what it leaves as it is at both ends."""
    start, end, new = edit
    while start < end and new and text[start] == new[0]:
        start, new = start + 1, new[1:]
    while start < end and new and text[end - 1] == new[-1]:
        end, new = end - 1, new[:-1]
    return Edit(start, end, new)

"""torchthaw/doctor/headers.py: what cffi cannot read in the headers that build files name."""

import bisect
import re
from functools import cached_property

import cffi

from .rules import CHECK, EDIT

SECONDS = 10  # of the C preprocessor
TWICE = re.compile(r"multiple declarations of function (\w+)")
MOST = 80_000  # characters of declarations that are given to cffi, whose parser takes a second for as many


class Headers:
    """The headers of a Project, as cffi reads them."""

    def __init__(self, project):
        self.project = project
        self._errors = {}
        self._ended = None  # the name of a header that a limit ended
        self.given_up = {}  # {header, resolved: why it is not known whether cffi reads it}

    @cached_property
    def _texts(self):
        return {file.resolve(): text for file, text in self.project.texts.items()}

    def error_of(self, headers):
        """Why headers of the project are no declarations for cffi; None where they are, or where that cannot be told."""
        key = tuple(header.resolve() for header in headers)
        if key not in self._errors:
            self._errors[key] = self._error_of(key)
        return self._errors[key]

    def _error_of(self, headers):
        from ..base import config
        from ..header import cdef
        from ..legacy.ffi import th_types as th

        if any(header not in self._texts or header in self.given_up for header in headers):
            return None  # one that is no file of the project, or that was too much, is not read
        if self._ended:  # a project may have hundreds of such headers
            self.given_up.update(dict.fromkeys(headers, f"not read after {self._ended}"))
            return None
        if sum(len(self._texts[header]) for header in headers) > MOST:
            self.given_up.update(dict.fromkeys(headers, f"more than {MOST:,} characters"))
            return None
        try:
            folders = [config.includes(), *{header.parent for header in headers}]
            cdef.parse(headers, folders, (), th.CDEF, most=MOST, seconds=SECONDS)
        except cdef.Ended as error:
            self._ended = headers[0].name
            self.given_up.update(dict.fromkeys(headers, error.why))
        except (cffi.CDefError, cffi.FFIError) as error:
            return str(error)
        except (OSError, ValueError, RecursionError):  # no compiler, headers of other libraries, or too deep
            pass
        return None

    def examine(self, reports, named):
        """Adds what cffi cannot read in the headers ``named``, resolved, each alone."""
        for file, report in reports.items():
            if file.resolve() in named and report.text is not None:
                self._examine(report, file)
                why = self.given_up.get(file.resolve())
                if why:
                    message = f"it is not known whether cffi reads its declarations: {why}"
                    report.add(0, CHECK, "unreadable", message)

    def _examine(self, report, header):
        error = self.error_of([header])
        if error is None:
            return
        code = self.project.code[header]
        twice = TWICE.search(error)
        message = f"declares {twice[1]} twice" if twice else "cffi cannot read this declaration"
        position = _first_unreadable(code)
        line = 0 if position is None else code.count("\n", 0, position) + 1
        before = self.project.texts[header].split("\n")[line - 1].strip() if line else None
        after = before and re.sub(r"^(?:THC?_(?:API|EXTERNC)|extern\s+\"C\")\s+", "", before)
        report.add(line, EDIT, "header", message, before, after if after != before else None)


def _first_unreadable(code):
    """Where the first declaration starts that cffi cannot read after those before it; None where that is not known."""
    code = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda directive: re.sub(r"[^\n]", " ", directive[0]), code, flags=re.M)
    ends, depth = [0], 0
    for token in re.finditer(r"[{};]", code):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if token[0] == ";" and depth == 0:
            ends.append(token.end())
    line = _unreadable_line(code[: ends[-1]])
    if line is None:
        return None
    readable, unreadable = 0, len(ends) - 1  # what follows a declaration that cannot be read cannot be, either
    starts = [0, *(newline.end() for newline in re.finditer("\n", code))]
    guesses = [bisect.bisect_left(ends, starts[min(line, len(starts)) - 1] + 1)] if line else []
    guesses += [guesses[0] - 1] if guesses else []
    while unreadable - readable > 1:
        guess = guesses.pop(0) if guesses else 0
        middle = guess if readable < guess < unreadable else (readable + unreadable) // 2
        if _unreadable_line(code[: ends[middle]]) is None:
            readable = middle
        else:
            unreadable = middle
    start = ends[readable]
    return start + len(code[start:]) - len(code[start:].lstrip())


def _unreadable_line(text):
    """The line, from 1, at which cffi ends; 0 where it does not say which; None where it reads the text."""
    from ..legacy.ffi import th_types as th

    try:
        cffi.FFI().cdef(th.CDEF + text)
    except (cffi.CDefError, cffi.FFIError) as error:
        line = re.search(r"<cdef source string>:(\d+):", str(error))
        return max(int(line[1]) - th.CDEF.count("\n"), 0) if line else 0
    except RecursionError:
        pass
    return None

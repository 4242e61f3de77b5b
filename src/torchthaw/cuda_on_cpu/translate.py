"""torchthaw/cuda_on_cpu/translate.py: preprocessed CUDA C++ as C++: launches, shared arrays, variables of the device.

Macros are expanded and files included already, so a launch in a macro is seen, and most of CUDA's words are gone. What is
left is found by one pass; each match is read by its neighbours alone, so the time grows with the length of the text.
"""

import re

from .spins import Spins

# What is looked for, and before it what may hold the same letters: numbers with ', strings, characters.
_MARKS = re.compile(
    r"""\d[\w.]*(?:'[\w.]+)+"""
    r'''|R"([^\s()\\"]{0,16})\((?s:.*?)\)\1"|"(?:[^"\\\n]|\\.)*"'''
    r"""|'(?:[^'\\\n]|\\.)+'"""
    r"|(?P<launch><<\s*<)"
    r"|(?P<cast>\(\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*\)|\breinterpret_cast\s*<\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*>)"
    r"|\b(?P<word>__global__|__shared__|__device__|__constant__|__managed__|__assert_fail|asm|__asm__|__asm)\b"
    r"|\b(?P<loop>while|for)\b"
)
_LINE_MARK = re.compile(r'^# \d+ "((?:[^"\\]|\\.)*)"', re.M)
_OPENING, _CLOSING = {"(": ")", "[": "]", "{": "}"}, {")": "(", "]": "[", "}": "{"}
_TOKEN = re.compile(
    r"""R"([^\s()\\"]{0,16})\((?s:.*?)\)\1"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+\'|\d(?:[\w.]|'\w)*|\w+|->|::|<=|>=|==|!=|&&|\|\||<<|#.*|\S"""
)
_ATTRIBUTES = ("__attribute__", "alignas", "_Alignas", "__declspec", "decltype", "typeof", "__typeof__")
# Words behind which a launched name cannot begin: `return f<<<…>>>()`.
_KEYWORDS = {"return", "else", "do", "case", "co_return", "throw", "typename"}


class Unreadable(ValueError):
    """Text that is no CUDA C++ this module knows; ``position`` is where."""

    def __init__(self, message, position):
        super().__init__(message)
        self.position = position


def translate(text):
    """``text``, the output of the preprocessor, as C++. Lines keep their numbers. Raises Unreadable."""
    edits, number, spins = [], 0, Spins(text)  # (start, end, replacement), in order
    kernels = set()  # the names of those that were declared
    done = 0  # the end of what an edit covers
    for mark in _MARKS.finditer(text):
        if mark.start() < done:
            continue
        word = mark["word"]
        if mark["launch"]:
            found = _launch(text, mark)
        elif mark["cast"]:
            found = _address(text, mark, kernels)
        elif word == "__global__":
            kernels.add(_name_of_function(text, mark.end()))
            found = [(mark.start(), mark.end(), "")]
        elif word == "__assert_fail":
            found = _assertion(text, mark)
        elif word in ("asm", "__asm__", "__asm"):
            found = _assembly(text, mark)
        elif mark["loop"]:
            edits += spins.edits(mark)  # others may be within
            continue
        elif word:
            number += 1
            found = _declaration(text, mark, number)
        else:
            continue
        edits += found
        # A launch's arguments may hold further marks: only its edits are passed over.
        done = (
            max([done, *(end for _, end, _ in found[:1])]) if mark["launch"] else max([done, *(e for _, e, _ in found)])
        )
    pieces, at = [], 0
    for start, end, replacement in sorted(edits):
        if start < at:
            raise Unreadable("a launch within the name of another one", start)
        pieces += [text[at:start], replacement]
        at = end
    return "".join([*pieces, text[at:]])


def place(text, position):
    """The file and line of a position in preprocessed text, with a colon between them."""
    mark = max(_LINE_MARK.finditer(text, 0, position), key=re.Match.start, default=None)
    if mark is None:
        return f"line {text.count(chr(10), 0, position) + 1}"
    line = int(text[mark.start() + 2 :].split(None, 1)[0])
    return f"{mark[1]}:{line + text.count(chr(10), mark.end(), position) - 1}"


# ---- Launches -------------------------------------------------------------------------------------------------------


def _launch(text, mark):
    """``f<T><<<shape>>>(arguments)`` becomes a call of cuda_on_cpu::launch with f, its text, the shape, the arguments."""
    start = _start_of_name(text, mark.start())
    name = " ".join(re.sub(r"^#.*$", "", text[start : mark.start()], flags=re.M).split())
    if not name:
        raise Unreadable("a launch without a kernel before <<<", mark.start())
    close = _end_of_shape(text, mark.end())
    opening = _skip_space(text, close[1])
    if text[opening : opening + 1] != "(":
        raise Unreadable("a launch: expected ( behind >>>", close[1])
    end = _closing(text, opening)
    arguments = text[opening + 1 : end]
    comma = ", " if arguments.strip() else ""
    lines = "\n" * text.count("\n", start, mark.start())
    called = (
        f"::cuda_on_cpu::launch({_quoted(name)}, {_quoted(_one_line(arguments))}, [&](auto &...cuda_on_cpu_values) {{ "
        f"{name}(cuda_on_cpu_values...); }}, ::cuda_on_cpu::Shape({lines}"
    )
    edits = [(start, mark.end(), called), (close[0], opening + 1, f"){comma}" + "\n" * text.count("\n", *close))]
    # A null pointer is one only as it is written, and not on the way through a template.
    for begin, behind in _sole_tokens(text, opening + 1, end):
        null = {"__null": "nullptr", "0": "::cuda_on_cpu::Zero()"}.get(text[begin:behind])
        edits += [(begin, behind, null)] if null else []
    return edits


def _name_of_function(text, at):
    """The name that is declared behind ``at``: the first word before a bracket."""
    while True:
        token = _TOKEN.search(text, at)
        if not token or token[0] in (";", "{", "}"):
            return None
        at = token.end()
        behind = _skip_space(text, at)
        if re.match(r"[A-Za-z_]", token[0]) and text[behind : behind + 1] == "(":
            if token[0] not in _ATTRIBUTES:
                return token[0]
            at = _closing(text, behind) + 1


def _address(text, mark, kernels):
    """``(void *)kernel<T>`` becomes a call of cuda_on_cpu::address_of_kernel, which keeps the kernel's parameters."""
    opening = _skip_space(text, mark.end())
    at = re.compile(r"[(&\s]*").match(text, opening).end()
    name = None
    while token := re.compile(r"(?:::|\w+)\s*").match(text, at):
        name, at = token[0].strip(), token.end()
        if text[at : at + 1] == "<" and name != "::":
            at = _closing_angle(text, at) or len(text)
            if text[_skip_space(text, at) :][:2] != "::":
                break
    if name is None or name not in kernels:
        return []
    called = "::cuda_on_cpu::address_of_kernel"
    if text[opening] == "(":
        return [(*mark.span(), called)]
    return [(*mark.span(), f"{called}("), (at, at, ")")]


def _sole_tokens(text, at, end):
    """(start, end) of each argument that is one token."""
    tokens, depth = [], 0
    for token in _TOKEN.finditer(text, at, end):
        if token[0] == "," and not depth:
            if len(tokens) == 1:
                yield tokens[0].span()
            tokens = []
            continue
        depth += (token[0] in _OPENING) - (token[0] in _CLOSING)
        if not token[0].startswith("#"):
            tokens.append(token)
    if len(tokens) == 1:
        yield tokens[0].span()


def _quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _one_line(text):
    return " ".join(re.sub(r"^#.*$", "", text, flags=re.M).split())[:400]


def _start_of_name(text, end):
    """Where the expression before ``end`` begins: names with :: . -> and template arguments, brackets behind them."""
    at = _skip_space_back(text, end)
    while True:
        while text[at - 1] in ")]>":
            at = _opening_angle(text, at - 1) if text[at - 1] == ">" else _opening(text, at - 1)
            before = _skip_space_back(text, at)
            if not _is_operand(text, before):
                return at  # (kernel)<<<…>>>
            at = before
        at -= len(_word_before(text, at))
        before = _skip_space_back(text, at)
        if _word_before(text, before) == "template":
            before = _skip_space_back(text, before - len("template"))
        link = next((link for link in ("::", "->", ".") if text.endswith(link, 0, before)), None)
        if link is None:
            return at
        at = before - len(link)
        before = _skip_space_back(text, at)
        if link == "::" and not _is_operand(text, before):
            return at  # ::name
        at = before


def _word_before(text, at):
    return re.search(r"\w*$", text[max(0, at - 200) : at])[0]


def _is_operand(text, at):
    """Whether an expression ends at ``at``, to which what follows belongs."""
    word = _word_before(text, at)
    return word not in _KEYWORDS if word else text[at - 1 : at] in (")", "]", ">")


def _opening_angle(text, at):
    """The < of a template argument list that ends with the > at ``at``."""
    depth = 0
    while at >= 0:
        letter = text[at]
        if letter == ">" and text[at - 1] != "-":
            depth += 1
        elif letter == "<":
            depth -= 1
            if not depth:
                return at
        elif letter in _CLOSING:
            at = _opening(text, at)
        elif letter in ";{":
            break
        at -= 1
    raise Unreadable("a launch: expected template arguments before <<<", max(at, 0))


def _opening(text, at):
    """The bracket that the one at ``at`` closes."""
    wanted = []
    while at >= 0:
        letter = text[at]
        if letter in _CLOSING:
            wanted.append(_CLOSING[letter])
        elif letter in _OPENING:
            if wanted.pop() != letter:
                break
            if not wanted:
                return at
        at -= 1
    raise Unreadable("brackets that do not match", max(at, 0))


def _closing(text, at):
    """The bracket that closes the one at ``at``."""
    wanted = []
    for token in _TOKEN.finditer(text, at):
        letter = token[0]
        if letter in _OPENING:
            wanted.append(_OPENING[letter])
        elif letter in _CLOSING:
            if wanted.pop() != letter:
                break
            if not wanted:
                return token.start()
    raise Unreadable("brackets that do not match", at)


def _end_of_shape(text, at):
    """(start, end) of the >>> that ends a launch's shape."""
    start = at
    while True:
        token = _TOKEN.search(text, at)
        if not token or token[0] in (";", "}"):
            raise Unreadable("a launch: expected >>>", start)
        if token[0] in _OPENING:
            at = _closing(text, token.start()) + 1
            continue
        if token[0] == ">":
            end = re.compile(r">\s*>\s*>").match(text, token.start())
            if end:
                return end.span()
        at = token.end()


def _skip_space(text, at):
    while True:
        at = re.compile(r"\s*").match(text, at).end()
        if text[at : at + 2] != "# ":  # a line mark
            return at
        at = text.index("\n", at)


def _skip_space_back(text, at):
    while at and text[at - 1].isspace():
        at -= 1
        if text[at] == "\n":  # before a line mark
            line = text.rfind("\n", 0, at) + 1
            if text[line : line + 2] == "# ":
                at = line
    return at


# ---- Declarations ---------------------------------------------------------------------------------------------------


def _declaration(text, mark, number):
    """__shared__ arrays, __device__ and __constant__ variables; of functions and lambdas the word is dropped."""
    word = mark["word"]
    if word == "__shared__":
        return _shared(text, mark, number)
    drop = (mark.start(), mark.end(), "")
    if text[_skip_space_back(text, mark.start()) - 1] == "]":
        return [drop]  # a lambda's
    name, end = _variable(text, mark.end())
    start = _statement_start(text, mark.start())
    before = text[start : mark.start()]
    if name is None or re.search(r"\b(?:extern|template|typedef|using|friend|const|constexpr)\b", before):
        return [drop]
    if word != "__device__" and re.search(r"\b__device__\b", before):
        return [drop]  # the same variable, named by its first word
    managed = ", true" if re.search(r"\b__managed__\b", text[start:end]) else ""
    note = (
        f" static inline ::cuda_on_cpu::Variable cuda_on_cpu_variable_{number}{{(void *)&{name}, sizeof({name}), "
        f'"{name}"{managed}}};'
    )
    return [drop, *_drops(text, mark.end(), end), (end, end, note)]


def _drops(text, start, end):
    """Edits that drop further words of CUDA between two positions."""
    found = re.finditer(r"\b__(?:device|constant|managed)__\b", text[start:end])
    return [(start + each.start(), start + each.end(), "") for each in found]


def _variable(text, at):
    """(name, end of the statement) of the variable declared behind ``at``; (None, at) of a function, type or constant."""
    start, name = at, None
    while True:
        token = _TOKEN.search(text, at)
        if not token:
            return None, start
        word, at = token[0], token.end()
        if word in _ATTRIBUTES:
            at = _closing(text, _skip_space(text, at)) + 1
        elif word in ("operator", "struct", "class", "union", "enum", "typedef", "const", "constexpr", "~"):
            return None, start
        elif word == "<":
            at = _closing_angle(text, token.start())
            if at is None:
                return None, start
        elif word in ("(", ")", "}", ":", ",") and not (word == "," and name):
            return None, start
        elif word in (";", "=", "[", "{", ","):
            if name is None:
                return None, start
            return name, _statement_end(text, token.start())
        elif re.match(r"[A-Za-z_]", word):
            name = word
        elif word not in ("*", "&", "::") and not word.startswith("#"):
            return None, start


def _closing_angle(text, at):
    """Behind the > that closes the template arguments which begin at ``at``; None if there is none."""
    depth = 0
    while True:
        token = _TOKEN.search(text, at)
        if not token or token[0] in (";", "{", "}"):
            return None
        at = token.end()
        if token[0] == "(":
            at = _closing(text, token.start()) + 1
        elif token[0] == "<":
            depth += 1
        elif token[0] == ">":
            depth -= 1
            if not depth:
                return at


def _statement_start(text, at):
    """Behind the ; { } : or line mark before ``at``."""
    start = max(0, at - 2000)
    ends = re.finditer(r"[;{}]|\b(?:public|private|protected)\s*:|^#.*$", text[start:at], re.M)
    return start + max((each.end() for each in ends), default=0)


def _statement_end(text, at):
    """Behind the ; that ends the statement at ``at``."""
    while True:
        token = _TOKEN.search(text, at)
        if not token:
            raise Unreadable("a declaration without ;", at)
        if token[0] == ";":
            return token.end()
        at = _closing(text, token.start()) + 1 if token[0] in _OPENING else token.end()


def _shared(text, mark, number):
    """``__shared__ T a[N], b;`` becomes references to memory of the block; ``extern __shared__ T a[];`` a pointer, and outside of
    functions an object that is one.
    """
    start = _statement_start(text, mark.start())
    end = _statement_end(text, mark.end())
    lead = text[start : mark.start()]
    tokens = [each for each in _TOKEN.finditer(text, mark.end(), end) if not each[0].startswith("#")]
    if not tokens or "(" in _words(lead) or re.search(r"\btypedef\b|\busing\b", lead):
        return [(mark.start(), mark.end(), "")]
    specifiers, declarators = _declarators(text, tokens)
    kind = " ".join([*_words(lead), *specifiers])
    dynamic = bool(re.search(r"\bextern\b", kind))
    kind = re.sub(r"\b(?:extern|static|__device__|__shared__|constexpr)\b", " ", kind).strip()
    alias = f"cuda_on_cpu_kind_{number}"
    lines = "\n" * text.count("\n", start, end)
    made = [f"using {alias} = {kind};"]
    for i, (pointers, name, dimensions) in enumerate(declarators):
        whole = f"{alias} {pointers}"
        file = "{__builtin_FILE(), __builtin_LINE()}"
        if dynamic and _is_outside_functions(text, start):
            element = f"cuda_on_cpu_element_{number}_{i}"
            rest = re.sub(r"^\[[^\]]*\]", "", dimensions)
            made.append(
                f"using {element} = {whole}{rest}; static const ::cuda_on_cpu::DynamicShared<{element}> {name}{{"
                f'"{name}", {file}}};'
            )
        elif dynamic:
            rest = re.sub(r"^\[[^\]]*\]", "", dimensions)
            made.append(
                f"{whole} (*{name}){rest} = reinterpret_cast<{whole} (*){rest}>(::cuda_on_cpu::dynamic_shared("
                f'"{name}", {file}));'
            )
        else:
            made.append(
                f'static ::cuda_on_cpu::SharedArray cuda_on_cpu_array_{number}_{i}{{0, "{name}", {file}}}; '
                f"{whole} (&{name}){dimensions} = *reinterpret_cast<{whole} (*){dimensions}>("
                f"::cuda_on_cpu::shared_array(cuda_on_cpu_array_{number}_{i}, sizeof({whole} {dimensions})));"
            )
    # What stands before in the same statement is on the lines before.
    blank = re.match(r"\s*", lead)[0]
    return [(start + len(blank), end, " ".join(made) + lines[text.count(chr(10), start, start + len(blank)) :])]


_BRACES = re.compile(r"""R"([^\s()\\"]{0,16})\((?s:.*?)\)\1"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'|[{}]""")
_NAMESPACE = re.compile(r"""(?:\bnamespace\b[^;{}()]*|\bextern\s*"C(?:\+\+)?"\s*)$""")


def _is_outside_functions(text, at):
    """Whether the braces that are open at ``at`` are those of namespaces."""
    opened = []
    for token in _BRACES.finditer(text, 0, at):
        if token[0] == "{":
            opened.append(token.start())
        elif token[0] == "}" and opened:
            opened.pop()
    return all(_NAMESPACE.search(text, max(0, brace - 300), brace) for brace in opened)


def _words(text):
    words, skip = [], 0
    for token in _TOKEN.finditer(text):
        if token.start() < skip or token[0].startswith("#"):
            continue
        if token[0] in ("__attribute__", "alignas"):
            skip = _closing(text, _skip_space(text, token.end())) + 1
            continue
        words.append(token[0])
    return words


def _declarators(text, tokens):
    """(specifiers, [(pointers, name, dimensions)]) of the declaration's tokens, the last of which is ;."""
    parts, current, depth, angle = [], [], 0, 0
    skip = 0
    for token in tokens:
        if token.start() < skip:
            continue
        word = token[0]
        if word in ("__attribute__", "alignas") and not depth:
            skip = _closing(text, _skip_space(text, token.end())) + 1
            continue
        if word == "(" or word == "{" or word == "[":
            depth += 1
        elif word in _CLOSING:
            depth -= 1
        elif word == "<" and not depth:
            angle += 1
        elif word == ">" and not depth:
            angle -= 1
        elif word in (",", ";") and not depth and not angle:
            parts.append(current)
            current = []
            continue
        current.append(word)
    if not parts or not all(set(part) - {"*"} for part in parts):
        raise Unreadable("a shared array: expected a type and names", tokens[0].start())
    first = parts[0]
    # The first declarator's name: before its dimensions, else the last word.
    name_at = len(first) - 1
    if first[-1] == "]":
        depth = 0
        while name_at > 0:
            depth += {"]": 1, "[": -1}.get(first[name_at], 0)
            name_at -= 1
            if not depth and first[name_at] != "]":
                break
    if not re.match(r"[A-Za-z_]\w*$", first[name_at]):
        raise Unreadable(f"a shared array: expected a name, got {first[name_at]!r}", tokens[0].start())
    pointer_at = name_at
    while first[pointer_at - 1] == "*":
        pointer_at -= 1
    declarators = [("*" * (name_at - pointer_at), first[name_at], " ".join(first[name_at + 1 :]))]
    for part in parts[1:]:
        stars = next(i for i, word in enumerate(part) if word != "*")
        declarators.append(("*" * stars, part[stars], " ".join(part[stars + 1 :])))
    return first[:pointer_at], declarators


# ---- Assertions and assembly ----------------------------------------------------------------------------------------


def _assertion(text, mark):
    """A call of __assert_fail is the runtime's, which knows the kernel; declarations stay."""
    before = text[_skip_space_back(text, mark.start()) - 1]
    is_call = before in "(:;?{},"
    called = text[max(0, mark.start() - 2) : mark.start()] == "::"
    if not is_call or re.match(r"\s*\(\s*const\b", text[mark.end() : mark.end() + 40]):
        return []
    return [(mark.start(), mark.end(), "cuda_on_cpu::assert_fail" if called else "::cuda_on_cpu::assert_fail")]


_PTX = re.compile(
    r"\.(?:[usbf](?:8|16|32|64)|pred|global|shared|sync|approx|rn)\b|%%?(?:laneid|warpid|clock|smid|tid)"
    r"|\bbar\b|\bmembar\.|\bfence\.|^\s*(?:exit|trap|brkpt)\s*;"
)


def _assembly(text, mark):
    """Inline PTX becomes an error when it is reached. Assembly of the host, and names of symbols, stay."""
    at = _skip_space(text, mark.end())
    volatile = re.compile(r"(?:volatile|__volatile__)\s*").match(text, at)
    opening = volatile.end() if volatile else at
    if text[opening : opening + 1] != "(":
        return []
    end = _closing(text, opening)
    inside = text[opening + 1 : end]
    code = "".join(each[1] for each in re.finditer(r'"((?:[^"\\\n]|\\.)*)"', inside.partition(":")[0]))
    if not _PTX.search(code):
        return []
    lines = "\n" * text.count("\n", mark.start(), end)
    what = _quoted("inline PTX: " + " ".join(code.replace("\\n", " ").replace("\\t", " ").split())[:100])
    return [(mark.start(), end + 1, f"::cuda_on_cpu::unserved({what}, {{__builtin_FILE(), __builtin_LINE()}}){lines}")]

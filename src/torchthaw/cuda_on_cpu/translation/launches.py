"""torchthaw/cuda_on_cpu/translation/launches.py: launches of kernels, and their addresses, as calls of the runtime."""

import re

from . import brackets

# Words behind which a launched name cannot begin: `return f<<<…>>>()`.
_KEYWORDS = {"return", "else", "do", "case", "co_return", "throw", "typename"}


# Before the braces of an argument: what makes a value of them, of the type that the kernel's parameter has.
BRACES = "::cuda_on_cpu::Braces([=](auto cuda_on_cpu_type) -> typename decltype(cuda_on_cpu_type)::type { return "


def launch(text, mark):
    """``f<T><<<shape>>>(arguments)`` becomes a call of cuda_on_cpu::launch with f, its text, the shape, the arguments."""
    start = _start_of_name(text, mark.start())
    name = " ".join(re.sub(r"^#.*$", "", text[start : mark.start()], flags=re.M).split())
    if not name:
        raise brackets.Unreadable("a launch without a kernel before <<<", mark.start())
    close = _end_of_shape(text, mark.end())
    opening = brackets.skip_space(text, close[1])
    if text[opening : opening + 1] != "(":
        raise brackets.Unreadable("a launch: expected ( behind >>>", close[1])
    end = brackets.closing(text, opening)
    arguments = text[opening + 1 : end]
    comma = ", " if arguments.strip() else ""
    lines = "\n" * text.count("\n", start, mark.start())
    called = (
        f"::cuda_on_cpu::launch({brackets.quoted(name)}, {brackets.quoted(brackets.one_line(arguments))}, [&](auto &...cuda_on_cpu_values) {{ "
        f"{name}(cuda_on_cpu_values...); }}, ::cuda_on_cpu::Shape({lines}"
    )
    edits = [(start, mark.end(), called), (close[0], opening + 1, f"){comma}" + "\n" * text.count("\n", *close))]
    # A null pointer is one only as it is written, and not on the way through a template; braces have no type there.
    for begin, behind in _arguments(text, opening + 1, end):
        null = {"__null": "nullptr", "0": "::cuda_on_cpu::Zero()"}.get(text[begin:behind])
        edits += [(begin, behind, null)] if null else []
        if text[begin] == "{" and brackets.closing(text, begin) == behind - 1:
            edits += [(begin, begin, BRACES), (behind, behind, "; })")]
    return edits


def bounds(text, mark):
    """``__launch_bounds__(n)`` before a kernel: its body begins with a question whether the block has more threads."""
    opening = brackets.skip_space(text, mark.end())
    if text[opening : opening + 1] != "(":
        return [(*mark.span(), "")]
    end = brackets.closing(text, opening) + 1
    drop = (mark.start(), end, "\n" * text.count("\n", mark.start(), end))
    at = end
    while token := brackets.TOKEN.search(text, at):
        at = token.end()
        if token[0] in ("(", "["):
            at = brackets.closing(text, token.start()) + 1
        elif token[0] == "{":
            return [drop, (at, at, f" ::cuda_on_cpu::limit_threads{brackets.one_line(text[opening:end])};")]
        elif token[0] in (";", "}"):
            break
    return [drop]  # a declaration


def _start_of_name(text, end):
    """Where the expression before ``end`` begins: names with :: . -> and template arguments, brackets behind them."""
    at = brackets.skip_space_back(text, end)
    while True:
        while text[at - 1] in ")]>":
            at = brackets.opening_angle(text, at - 1) if text[at - 1] == ">" else brackets.opening(text, at - 1)
            before = brackets.skip_space_back(text, at)
            if not _is_operand(text, before):
                return at  # (kernel)<<<…>>>
            at = before
        at -= len(brackets.word_before(text, at))
        before = brackets.skip_space_back(text, at)
        if brackets.word_before(text, before) == "template":
            before = brackets.skip_space_back(text, before - len("template"))
        link = next((link for link in ("::", "->", ".") if text.endswith(link, 0, before)), None)
        if link is None:
            return at
        at = before - len(link)
        before = brackets.skip_space_back(text, at)
        if link == "::" and not _is_operand(text, before):
            return at  # ::name
        at = before


def _is_operand(text, at):
    """Whether an expression ends at ``at``, to which what follows belongs."""
    word = brackets.word_before(text, at)
    return word not in _KEYWORDS if word else text[at - 1 : at] in (")", "]", ">")


def _end_of_shape(text, at):
    """(start, end) of the >>> that ends a launch's shape."""
    start = at
    while True:
        token = brackets.TOKEN.search(text, at)
        if not token or token[0] in (";", "}"):
            raise brackets.Unreadable("a launch: expected >>>", start)
        if token[0] in brackets.OPENING:
            at = brackets.closing(text, token.start()) + 1
            continue
        if token[0] == ">":
            end = re.compile(r">\s*>\s*>").match(text, token.start())
            if end:
                return end.span()
        at = token.end()


def _arguments(text, at, end):
    """(start, end) of each argument, without the space and the directives around it."""
    tokens, depth = [], 0
    for token in brackets.TOKEN.finditer(text, at, end):
        if token[0] == "," and not depth:
            if tokens:
                yield tokens[0].start(), tokens[-1].end()
            tokens = []
            continue
        depth += (token[0] in brackets.OPENING) - (token[0] in brackets.CLOSING)
        if not token[0].startswith("#"):
            tokens.append(token)
    if tokens:
        yield tokens[0].start(), tokens[-1].end()


def name_of_function(text, at):
    """The name that is declared behind ``at``: the first word before a bracket."""
    while True:
        token = brackets.TOKEN.search(text, at)
        if not token or token[0] in (";", "{", "}"):
            return None
        at = token.end()
        behind = brackets.skip_space(text, at)
        if re.match(r"[A-Za-z_]", token[0]) and text[behind : behind + 1] == "(":
            if token[0] not in brackets.ATTRIBUTES:
                return token[0]
            at = brackets.closing(text, behind) + 1


def address(text, mark, kernels):
    """``(void *)kernel<T>`` becomes a call of cuda_on_cpu::address_of_kernel, which keeps the kernel's parameters."""
    opening = brackets.skip_space(text, mark.end())
    at = re.compile(r"[(&\s]*").match(text, opening).end()
    name = None
    while token := re.compile(r"(?:::|\w+)\s*").match(text, at):
        name, at = token[0].strip(), token.end()
        if text[at : at + 1] == "<" and name != "::":
            at = brackets.closing_angle(text, at) or len(text)
            if text[brackets.skip_space(text, at) :][:2] != "::":
                break
    if name is None or name not in kernels:
        return []
    called = "::cuda_on_cpu::address_of_kernel"
    if text[opening] == "(":
        return [(*mark.span(), called)]
    return [(*mark.span(), f"{called}("), (at, at, ")")]

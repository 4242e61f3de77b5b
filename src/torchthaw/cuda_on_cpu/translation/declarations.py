"""torchthaw/cuda_on_cpu/translation/declarations.py: shared arrays and variables of the device, as C++ declares them."""

import re

from . import brackets

_NAMESPACE = re.compile(r"""(?:\bnamespace\b[^;{}()]*|\bextern\s*"C(?:\+\+)?"\s*)$""")


def declaration(text, mark, number, is_internal=False):
    """__shared__ arrays, __device__ and __constant__ variables; of functions and lambdas the word is dropped.

    is_internal: a variable belongs to its source alone, as without -rdc=true: each source may have one of a name.
    """
    word = mark["word"]
    if word == "__shared__":
        return _shared(text, mark, number)
    drop = (mark.start(), mark.end(), "")
    if text[brackets.skip_space_back(text, mark.start()) - 1] == "]":
        return [drop]  # a lambda's
    name, end = _variable(text, mark.end())
    start = brackets.statement_start(text, mark.start())
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
    if is_internal and _can_be_static(text, start, end, name):
        drop = (mark.start(), mark.end(), "static ")
    return [drop, *_drops(text, mark.end(), end), (end, end, note)]


def _can_be_static(text, start, end, name):
    """Whether the variable of a statement is one of a namespace, without a word on its linkage, here or before."""
    if re.search(r"\b(?:static|inline|extern|thread_local)\b", text[start:end]) or not _is_outside_functions(
        text, start
    ):
        return False
    return re.search(rf"\bextern\b[^;{{}}()]{{1,200}}\b{name}\b", text[:start]) is None


def _drops(text, start, end):
    """Edits that drop further words of CUDA between two positions."""
    found = re.finditer(r"\b__(?:device|constant|managed)__\b", text[start:end])
    return [(start + each.start(), start + each.end(), "") for each in found]


def _variable(text, at):
    """(name, end of the statement) of the variable declared behind ``at``; (None, at) of a function, type or constant."""
    start, name = at, None
    while True:
        token = brackets.TOKEN.search(text, at)
        if not token:
            return None, start
        word, at = token[0], token.end()
        if word in brackets.ATTRIBUTES:
            at = brackets.closing(text, brackets.skip_space(text, at)) + 1
        elif word in ("operator", "struct", "class", "union", "enum", "typedef", "const", "constexpr", "~"):
            return None, start
        elif word == "<":
            at = brackets.closing_angle(text, token.start())
            if at is None:
                return None, start
        elif word in ("(", ")", "}", ":", ",") and not (word == "," and name):
            return None, start
        elif word in (";", "=", "[", "{", ","):
            if name is None:
                return None, start
            return name, brackets.statement_end(text, token.start())
        elif re.match(r"[A-Za-z_]", word):
            name = word
        elif word not in ("*", "&", "::") and not word.startswith("#"):
            return None, start


def _shared(text, mark, number):
    """``__shared__ T a[N], b;`` becomes references to memory of the block; ``extern __shared__ T a[];`` a pointer, and outside of
    functions an object that is one.
    """
    start = brackets.statement_start(text, mark.start())
    end = brackets.statement_end(text, mark.end())
    lead = text[start : mark.start()]
    tokens = [each for each in brackets.TOKEN.finditer(text, mark.end(), end) if not each[0].startswith("#")]
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
            large, size = f"cuda_on_cpu_large_{number}_{i}", f"sizeof({whole} {dimensions})"
            # An error of the call, not of the declaration: where the array is in dead code, no card has it either.
            made.append(
                f'extern void {large}() __attribute__((error("{name}: a __shared__ array has at most 48 KiB; dynamic shared '
                'memory may have more"))); '
                f'static ::cuda_on_cpu::SharedArray cuda_on_cpu_array_{number}_{i}{{0, "{name}", {file}}}; '
                f"{whole} (&{name}){dimensions} = *reinterpret_cast<{whole} (*){dimensions}>(::cuda_on_cpu::shared_array("
                f"cuda_on_cpu_array_{number}_{i}, (({size}) <= 48 << 10 ? void() : {large}(), {size})));"
            )
    # What stands before in the same statement is on the lines before.
    blank = re.match(r"\s*", lead)[0]
    return [(start + len(blank), end, " ".join(made) + lines[text.count(chr(10), start, start + len(blank)) :])]


def _is_outside_functions(text, at):
    """Whether the braces that are open at ``at`` are those of namespaces."""
    (opened,) = brackets.open_braces(text, [at])
    return all(_NAMESPACE.search(text, max(0, brace - 300), brace) for brace in opened)


def _words(text):
    words, skip = [], 0
    for token in brackets.TOKEN.finditer(text):
        if token.start() < skip or token[0].startswith("#"):
            continue
        if token[0] in ("__attribute__", "alignas"):
            skip = brackets.closing(text, brackets.skip_space(text, token.end())) + 1
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
            skip = brackets.closing(text, brackets.skip_space(text, token.end())) + 1
            continue
        if word == "(" or word == "{" or word == "[":
            depth += 1
        elif word in brackets.CLOSING:
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
        raise brackets.Unreadable("a shared array: expected a type and names", tokens[0].start())
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
        raise brackets.Unreadable(f"a shared array: expected a name, got {first[name_at]!r}", tokens[0].start())
    pointer_at = name_at
    while first[pointer_at - 1] == "*":
        pointer_at -= 1
    declarators = [("*" * (name_at - pointer_at), first[name_at], " ".join(first[name_at + 1 :]))]
    for part in parts[1:]:
        stars = next(i for i, word in enumerate(part) if word != "*")
        declarators.append(("*" * stars, part[stars], " ".join(part[stars + 1 :])))
    return first[:pointer_at], declarators

"""tests/bindings/test_hostile_names.py: C's names that a language, or a generated file, has for itself.

Each becomes a declaration that compiles, or is left out with a line that names it and the language.
"""

import builtins
import re
import subprocess
import sys

import pytest
from hypothesis import given, strategies as st
from test_generator import JNA, foreign, needs, run, zig

from torchthaw.base import emitter
from torchthaw.declarations import render
from torchthaw.declarations.interface import Function, Interface, Parameter, Type
from torchthaw.declarations.languages import LANGUAGES

C = {
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float",
    "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof",
    "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while", "_Bool", "_Complex",
}  # fmt: skip
LONG = "a" * 63
OTHERS = {
    "_", "__", "_x", "__x", "__x__", "x", "X", "x_", "X_", "x__", "f", "f_heap", "f_native", "F", LONG, f"{LONG}b", f"{LONG}c",
    f"{LONG[1:]}b", f"{LONG.upper()[1:]}B", "handle", "text", "thrown", "value", "result", "name", "library", "options",
    "declare", "ctypes", "Hostile", "hostile", "hostile_c", "Native", "i7", "u65535", "u0", "i32", "main", "end", "nil",
    "kind", "real", "integer", "String", "Object", "java", "System", "std", "core", "malloc", "memcpy", "printf", "_handle",
    "equals", "ToString", "Equals", "Finalize", "MemberwiseClone", "builtin", "root", "record", "yield", "var",
}  # fmt: skip


def words_of(language):
    """Those of its templates, outside of their fields."""
    fields = language._asdict().values()
    texts = [each for each in fields if isinstance(each, str)]
    texts += [part for row in (*language.columns.values(), *language.results.values()) for part in row[1:] if part]
    return {*re.findall(r"[A-Za-z_]\w*", re.sub(r"(?<!\{)\{\w+\}", " ", " ".join(texts)))}


RESERVED = {word for words in emitter.RESERVED.values() for word in words}
SPELLED = {word for language in LANGUAGES.values() for row in language.columns.values() for spelled in row.scalars.values()
           for word in re.findall(r"\w+", spelled)}  # fmt: skip
NAMES = sorted(
    OTHERS | RESERVED | SPELLED | {each for one in LANGUAGES.values() for each in words_of(one)} | {*dir(builtins)}
)
NAMES = [name for name in NAMES if name not in C and re.fullmatch(r"[A-Za-z_]\w*", name)]

INT, FLOATS, TEXT, VOID = Type("scalar", "int"), Type("pointer", "float"), Type("text", "char", True), Type("void")


def function(name, *parameters, result=INT):
    return Function(name, result, [Parameter(each, type, "") for each, type in parameters], f"int {name}()", "")


def as_functions(names):
    """Each name is a function with a parameter of the same name; the results are of three types, and none has pointers."""
    made = [function(name, (name, FLOATS), ("x", INT), result=(INT, TEXT, VOID)[i % 3]) for i, name in enumerate(names)]
    return Interface("hostile.h", made, [], [])


def as_parameters(names):
    parts = [names[i : i + 40] for i in range(0, len(names), 40)]
    made = [function(f"part{i}", *((name, (FLOATS, INT)[k % 2]) for k, name in enumerate(part)), result=TEXT)
            for i, part in enumerate(parts)]  # fmt: skip
    return Interface("hostile.h", made, [], [])


def as_constants(names):
    made = [function("call", ("x", FLOATS), result=TEXT), function("nothing", result=VOID)]
    return Interface("hostile.h", made, [], [(name, (3, 2**40)[i % 2]) for i, name in enumerate(names)])


def mixed(names):
    """A third each, and the words of one are parameters of the next."""
    functions, constants = names[::3], names[1::3]
    made = [function(name, (names[i], INT), (names[-i], FLOATS)) for i, name in enumerate(functions)]
    return Interface("hostile.h", made, [], [(name, i) for i, name in enumerate(constants)])


MADE = {each.__name__: each for each in (as_functions, as_parameters, as_constants, mixed)}


# Without a compiler


def declared(key, found):
    """[(function, [parameters])], [constants], {what is left out: why}, by the language's own rules."""
    language = LANGUAGES[key]._replace(
        file="{functions}\n{constants}\n{left_out}", function="FUNCTION {name}({parameters})", procedure="",
        without_pointers="", lists={"parameters": ("{name}", ", ")}, columns={}, says_prototype=False, constants="{constants}",
        constant="CONSTANT {name}", long_constant="CONSTANT {name}", remark="", width=1_000_000,
    )  # fmt: skip
    text = render.text(language, found, "a command")
    functions = [(name, parameters.split(", ") if parameters else [])
                 for name, parameters in re.findall(r"FUNCTION (\S+)\((.*)\)", text)]  # fmt: skip
    return functions, re.findall("CONSTANT (.+)", text), dict(re.findall("Left out: (.+?): (.+)", text))


def check(key, found):
    language = LANGUAGES[key]
    functions, constants, left_out = declared(key, found)
    assert len(functions) + len(constants) + len(left_out) == len(found.functions) + len(found.constants)
    for name, reason in left_out.items():
        assert language.title in reason, (name, reason)
    fold = str.casefold if language.folds_case else str
    quotes = [part for part in language.quoted.split("{}") if part]

    def bare(name):
        for part in quotes:
            name = name.removeprefix(part).removesuffix(part)
        is_quoted = bool(quotes) and name.startswith(quotes[0])
        assert is_quoted or not language.reserved or not emitter.is_reserved(language.reserved, fold(name)) or quotes
        assert re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII), name
        return fold(name)

    top = [bare(name) for name in [*constants, *(name for name, _ in functions)]]
    assert len({*top}) == len(top)
    for _, parameters in functions:
        names = [bare(name) for name in parameters]
        assert len({*names}) == len(names) and not {*names} & {*top}
        assert all(len(name) <= language.longest for name in names)


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("key", LANGUAGES)
def test_no_name_is_declared_twice_and_none_is_reserved(key, kind):
    check(key, MADE[kind](NAMES))


NAME = st.one_of(
    st.sampled_from(NAMES), st.from_regex(r"[A-Za-z_]\w{0,4}", fullmatch=True).filter(str.isascii),
    st.from_regex(r"[aAbB_]{1,3}", fullmatch=True), st.from_regex(r"[aA]{62,66}", fullmatch=True),
).filter(lambda name: name not in C)  # fmt: skip


@pytest.mark.slow
@given(st.lists(NAME, min_size=2, max_size=24, unique=True), st.data())
def test_any_names_are_declared_once(names, data):
    key = data.draw(st.sampled_from([*LANGUAGES]))
    check(key, MADE[data.draw(st.sampled_from([*MADE]))](names))


# Reserved words are quoted where the language can: nothing is left out for them.


@pytest.mark.parametrize("key, name, written", [
    ("rust", "type", "r#type"), ("zig", "u7", '@"u7"'), ("zig", "error", '@"error"'), ("csharp", "lock", "@lock"),
])  # fmt: skip
def test_a_reserved_word_is_quoted(key, name, written):
    functions, constants, left_out = declared(key, as_functions([name, "other"]))
    assert functions[0][0] == written and not left_out
    assert declared(key, as_constants([name]))[1] == [written]


@pytest.mark.parametrize("key, name", [
    ("fortran", "c_int"), ("fortran", "hostile_c"), ("fortran", f"{LONG}b"), ("csharp", "Library"), ("csharp", "Native"),
    ("java-ffm", "hashCode"), ("java-jna", "class"), ("python", "lambda"), ("python", "_handle"), ("rust", "crate"),
    ("luajit", "bool"), ("php", "asm"),
])  # fmt: skip
def test_a_function_without_a_name_in_the_language_is_named(key, name):
    text = render.text(LANGUAGES[key], as_functions([name]), "a command")
    assert re.search(rf"Left out: {name}: .*{re.escape(LANGUAGES[key].title)}", text), text


def test_of_two_functions_that_differ_in_capitals_fortran_has_one():
    text = render.text(LANGUAGES["fortran"], as_functions(["Twice", "twice"]), "a command")
    assert "Left out: twice: Fortran" in text and text.count("end function") == 1


@pytest.mark.parametrize("key, header, name", [
    ("java-ffm", "string.h", "String"), ("java-jna", "native.h", "Native"), ("ruby", "fiddle.h", "Fiddle"),
    ("fortran", "2d.h", "_2d_c"), ("csharp", "odd.h", "a.lock"),
])  # fmt: skip
def test_a_module_that_the_language_cannot_name_is_an_error(key, header, name, tmp_path, capsys):
    (tmp_path / header).write_text("int f(int x);\n")
    given = ["--name", name] if "." in name else []
    done = subprocess.run([sys.executable, "-m", "torchthaw", "bindings", key, tmp_path / header, *given],
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 1 and not done.stdout
    assert re.search(
        rf"^torchthaw: {name.rpartition('.')[2]}: .*{re.escape(LANGUAGES[key].title)}.*--name", done.stderr
    )


# With the compilers that this machine has. Warnings are left out: names cause them.


def library(folder, found):
    """A shared object that has the functions."""
    lines = (
        f'void f{i}(void) __asm__("{each.name}");\nvoid f{i}(void) {{}}\n' for i, each in enumerate(found.functions)
    )
    text = "".join(lines)  # words of the compiler's own among them
    (folder / "library.c").write_text(text)
    run("cc", "-shared", "-fPIC", "-o", "library.so", "library.c", cwd=folder)
    return folder / "library.so"


def compile_rust(folder, found):
    needs("rustc")
    run("rustc", "--crate-type=lib", "--edition=2021", "--emit=metadata", "-Awarnings", "hostile", cwd=folder)


def compile_zig(folder, found):
    compiler = zig()
    (folder / "hostile").rename(folder / "hostile.zig")
    (folder / "all.zig").write_text('comptime { @import("std").testing.refAllDecls(@import("hostile.zig")); }\n')
    run(*compiler, "build-obj", "-fno-emit-bin", "all.zig", cwd=folder)


def compile_fortran(folder, found):
    needs("gfortran")
    run("gfortran", "-std=f2018", "-x", "f95", "-ffree-form", "-c", "hostile", cwd=folder)


def compile_csharp(folder, found):
    needs("mcs")
    run("mcs", "-unsafe", "-target:library", "-out:hostile.dll", "hostile", cwd=folder)


def compile_java_jna(folder, found):
    needs("javac", JNA)
    (folder / "hostile").rename(folder / "Hostile.java")
    run("javac", "-cp", JNA, "-d", "out", "Hostile.java", cwd=folder)


def compile_java_ffm(folder, found):
    needs("javac")
    (folder / "hostile").rename(folder / "Hostile.java")
    patched = foreign(folder)
    run("javac", "--patch-module", f"java.base={folder}", "-d", "out", *patched, "Hostile.java", cwd=folder)


def compile_luajit(folder, found):
    needs("luajit")
    run("luajit", "hostile", cwd=folder)


def compile_php(folder, found):
    needs("php")
    names = {name for name, _ in declared("php", found)[0]}
    path = library(folder, found._replace(functions=[each for each in found.functions if each.name in names]))
    run("php", "-r", f'$text = require "./hostile"; FFI::cdef($text, "{path}");', cwd=folder)


def compile_ruby(folder, found):
    needs("ruby")
    run("ruby", "-W0", "-e", 'load "./hostile"; Hostile::FUNCTIONS.size', cwd=folder)


def compile_python(folder, found):
    names = {name for name, _ in declared("python", found)[0]}
    path = library(folder, found._replace(functions=[each for each in found.functions if each.name in names]))
    script = "import ctypes, hostile, sys; hostile.declare(ctypes.CDLL(sys.argv[1]))"
    (folder / "hostile").rename(folder / "hostile.py")
    run(sys.executable, "-c", script, path, cwd=folder)


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("key", LANGUAGES)
def test_compilers_take_every_name(key, kind, tmp_path):
    found = MADE[kind](NAMES)
    (tmp_path / "hostile").write_text(render.text(LANGUAGES[key], found, "a command"))
    globals()[f"compile_{key.replace('-', '_')}"](tmp_path, found)

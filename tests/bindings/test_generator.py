"""tests/bindings/test_generator.py: declarations of odd.h in every language: compiled, called, and what is left out."""

import ctypes
import importlib.util
import os
import re
import subprocess
import sys

import cffi
import pytest

from support import ROOT
from torchthaw.base import config
from torchthaw.declarations import interface, render, types
from torchthaw.declarations.languages import LANGUAGES
from torchthaw.header import c_type_kinds
from torchthaw.header.annotations import AnnotationError
from torchthaw.header.cffi_names import model

sys.path.insert(0, str(ROOT / "bindings"))
from tools import is_there  # noqa: E402

HERE = ROOT / "tests" / "bindings"
ODD = HERE / "odd.h"
INCLUDE = ROOT / "c_api" / "include"

STATIC = "static: a library has no symbol for it"
LEFT_OUT = {
    "odd_calls": "call: int(*)(int)", "odd_struct_pointer": "handle: odd_handle *", "odd_struct": "result: odd_pair",
    "odd_rows": "texts: char * *", "odd_variadic": "a variable number of arguments",
    "odd_long_double": "result: long double", **dict.fromkeys(["odd_inline", "odd_static"], STATIC),
    "ODD_TOO_LARGE": "18446744073709551615 is too large",
}  # fmt: skip
# What a language has no name for, besides.
UNNAMED = {
    "csharp": {}, "fortran": {"_odd_leading", "ODD_SECOND"}, "java-ffm": {}, "java-jna": {}, "rust": {}, "zig": {},
    "luajit": {"ODD_MASK"}, "php": {"ODD_MASK"}, "python": {"lambda"}, "ruby": {"odd_lower"},
}  # fmt: skip


@pytest.fixture(scope="module")
def odd():
    return interface.read(ODD, [INCLUDE])


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """odd.c as a shared object."""
    path = tmp_path_factory.mktemp("odd") / "libodd.so"
    run("cc", "-shared", "-fPIC", f"-I{INCLUDE}", "-o", path, HERE / "odd.c")
    return path


def run(*command, **options):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


def needs(*commands):
    for command in commands:
        if not is_there(command):
            pytest.skip(f"needs {command}")


def command_line(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "torchthaw", "bindings", *map(str, arguments)], capture_output=True, text=True, **options
    )


def declared(language, odd, **options):
    return render.text(LANGUAGES[language], odd, "a command", **options)


def load(text, folder, name="declarations"):
    """Python text as a module."""
    path = folder / f"{name}.py"
    path.write_text(text)
    specification = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


# What is read of a header


def test_sizes_and_signs_are_those_of_c():
    ffi = cffi.FFI()
    for name, (bits, is_signed) in types.INTEGERS.items():
        assert ffi.sizeof(name) * 8 == bits, name
        if name != "char":  # its sign is the machine's
            assert c_type_kinds.number(ffi, model.PrimitiveType(name)).code == (0 if is_signed else 1), name


def test_every_scalar_is_read(odd):
    functions = {each.name: each for each in odd.functions}
    scalars = [each.type for each in functions["odd_scalars"].parameters]
    assert {each.scalar for each in scalars} == {*types.SCALARS} and {each.form for each in scalars} == {"scalar"}
    *pointers, any, const_any, text = [each.type for each in functions["odd_pointers"].parameters]
    assert [each.scalar for each in pointers] == [each.scalar for each in scalars]
    assert {each.scalar for each in pointers if each.is_const} == {"unsigned char", "uint64_t", "double"}
    assert any == ("pointer", "void", False) and const_any == ("pointer", "void", True) and text.form == "text"
    assert functions["odd_nothing"].result.form == "void" and functions["odd_enum"].result.scalar == "int"
    assert functions["odd_typedef"].result.scalar == "double"
    assert functions["odd_typedef"].parameters[1].type.scalar == "int64_t"
    assert [each.name for each in functions["odd_unnamed"].parameters] == ["argument1", "argument2"]


def test_annotations_become_notes(odd):
    annotated = next(each for each in odd.functions if each.name == "odd_annotated")
    input, count, output = annotated.parameters
    assert input.type == ("pointer", "uint16_t", True) and input.note == "(count, 2), read"
    assert output.note == "(count,), written, may be input, may be NULL" and not count.note
    assert annotated.comment == "Halves of numbers." and "const thaw_bfloat16 *input" in annotated.prototype


def test_constants_have_the_values_of_c(odd):
    assert odd.constants == [
        ("ODD_VERSION", 3), ("ODD_SUM", 4), ("ODD_MASK", 0xFFFFFFFF), ("ODD_TOO_LARGE", 2**64 - 1), ("odd_lower", 7),
        ("ODD_FIRST", -2), ("ODD_SECOND", -1),
    ]  # fmt: skip


# Every language


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_left_out_is_named_with_the_reason(odd, language):
    text = declared(language, odd)
    rows = dict(re.findall(r"Left out: (\w+): (.+)", text))
    assert {**LEFT_OUT, **dict.fromkeys(UNNAMED[language])}.keys() == rows.keys()
    assert {name: rows[name] for name in LEFT_OUT} == LEFT_OUT
    code = re.sub(r".*Left out: .*", "", text)
    for name in rows:
        assert not re.search(rf"\b{name}\b[^,;\n]*[(=:]", code), name


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_line_says_how_it_was_made(language):
    text = command_line(language, ODD, "-I", INCLUDE).stdout
    first = text.split("\n", 3)[:3]
    assert any(f"Generated by `python -m torchthaw bindings {language} odd.h`; do not edit." in line for line in first)
    assert str(ROOT) not in text and text == command_line(language, ODD, "-I", INCLUDE).stdout


# A compiler of each language, with all warnings that it has but those that the header's own names cause.

FOREIGN = {  # as much of java.lang.foreign as is declared with, for compilers that do not have it
    "Arena": "interface Arena { static Arena global() { return null; } }",
    "MemoryLayout": "interface MemoryLayout {}",
    "AddressLayout": "interface AddressLayout extends ValueLayout {}",
    "FunctionDescriptor": "interface FunctionDescriptor {"
    " static FunctionDescriptor of(MemoryLayout result, MemoryLayout... parameters) { return null; }"
    " static FunctionDescriptor ofVoid(MemoryLayout... parameters) { return null; } }",
    "SymbolLookup": "interface SymbolLookup {"
    " static SymbolLookup libraryLookup(String name, Arena arena) { return null; }"
    " java.util.Optional<MemorySegment> find(String name); }",
    "MemorySegment": "interface MemorySegment { MemorySegment NULL = null;"
    " MemorySegment reinterpret(long size); String getString(long offset); boolean isNative(); }",
    "ValueLayout": "interface ValueLayout extends MemoryLayout { AddressLayout ADDRESS = null;"
    " MemoryLayout JAVA_BYTE = null, JAVA_SHORT = null, JAVA_INT = null, JAVA_LONG = null, JAVA_FLOAT = null,"
    " JAVA_DOUBLE = null, JAVA_BOOLEAN = null; }",
    "Linker": "interface Linker { interface Option { static Option critical(boolean heap) { return null; } }"
    " static Linker nativeLinker() { return null; }"
    " java.lang.invoke.MethodHandle downcallHandle(MemorySegment f, FunctionDescriptor d, Linker.Option... o); }",
}
JNA = "/usr/share/java/jna.jar"


def zig():
    """The command: of PyPI's ziglang, which .ci/toolchains installs, or one on PATH."""
    for python in (ROOT / "build" / "languages" / "tools" / "bin" / "python", sys.executable):
        finds = [python, "-c", "import ziglang"]
        if os.path.exists(python) and subprocess.run(finds, capture_output=True).returncode == 0:
            return [python, "-m", "ziglang"]
    needs("zig")
    return ["zig"]


def compile_rust(folder):
    needs("rustc")
    warnings = ["-Dwarnings", "-Anon-upper-case-globals"]
    run("rustc", "--crate-type=lib", "--edition=2021", "--emit=metadata", *warnings, "odd", cwd=folder)
    if is_there("rustfmt"):
        run("rustfmt", "--check", "--edition=2021", "odd", cwd=folder)
    if is_there("rustdoc"):  # a comment is no program to test
        run("rustdoc", "--crate-name=odd", "-Dwarnings", "odd", cwd=folder)
        assert "0 passed" in run("rustdoc", "--crate-name=odd", "--test", "odd", cwd=folder)


def compile_zig(folder):
    compiler = zig()
    (folder / "odd").rename(folder / "odd.zig")
    (folder / "all.zig").write_text('comptime { @import("std").testing.refAllDecls(@import("odd.zig")); }\n')
    run(*compiler, "build-obj", "-fno-emit-bin", "all.zig", cwd=folder)
    run(*compiler, "fmt", "--check", "odd.zig", cwd=folder)


def compile_fortran(folder):
    needs("gfortran")
    run("gfortran", "-std=f2018", "-Wall", "-Wextra", "-Werror", "-x", "f95", "-ffree-form", "-c", "odd", cwd=folder)


def compile_csharp(folder):
    needs("mcs")
    warnings = ["-warn:4", "-warnaserror"]
    run("mcs", "-unsafe", *warnings, "-doc:odd.xml", "-target:library", "-out:odd.dll", "odd", cwd=folder)
    assert "BADLY FORMED" not in (folder / "odd.xml").read_text()


def compile_java_jna(folder):
    needs("javac", JNA)
    (folder / "odd").rename(folder / "Odd.java")
    run("javac", "-Xlint:all", "-Xdoclint:all,-missing", "-Werror", "-cp", JNA, "-d", "out", "Odd.java", cwd=folder)


def foreign(folder):
    """The files of FOREIGN, written below the folder."""
    patched = folder / "java" / "lang" / "foreign"
    patched.mkdir(parents=True)
    for name, text in FOREIGN.items():
        (patched / f"{name}.java").write_text(f"package java.lang.foreign;\npublic {text}\n")
    return sorted(patched.iterdir())


def compile_java_ffm(folder):
    needs("javac")
    (folder / "odd").rename(folder / "Odd.java")
    patched = foreign(folder)
    run("javac", "-Xdoclint:all,-missing", "--patch-module", f"java.base={folder}", "-d", "out", *patched,
        "Odd.java", cwd=folder)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("language", ["rust", "zig", "fortran", "csharp", "java-jna", "java-ffm"])
def test_compilers_take_it(odd, language, tmp_path):
    (tmp_path / "odd").write_text(declared(language, odd))
    globals()[f"compile_{language.replace('-', '_')}"](tmp_path)


# Calls, in the languages that need no compiler. Each script prints what the functions give back, one line each.

ECHOED = {
    "odd_bool": ("true", "1"), "odd_char": ("65", "65"), "odd_byte": ("255", "255"), "odd_short": ("-2", "-2"),
    "odd_half": ("65535", "65535"), "odd_unsigned": ("4294967295", "4294967295"),
    "odd_long": ("-1099511627776", "-1099511627776"), "odd_size": ("1099511627776", "1099511627776"),
    "odd_float": ("1.5", "1.5"), "odd_double": ("-0.1", "-0.1"), "odd_enum": ("-2", "-2"),
}  # fmt: skip


def script_of_luajit(library):
    calls = "".join(f"print(show(odd.{name}({value})))\n" for name, (value, _) in ECHOED.items())
    return f"""
    local ffi = require("ffi")
    dofile("odd")
    local odd = ffi.load("{library}")
    local function show(value)
        if type(value) == "boolean" then return value and 1 or 0 end
        return (tostring(value):gsub("U?LL$", ""))
    end
    {calls.replace("-1099511627776", "-1099511627776LL")}
    print(ffi.string(odd.odd_text("text")), odd.ODD_SUM, odd.odd_second(ffi.new("float[2]", 1, 2))[0])
    """


def script_of_php(library):
    given = {name: value for name, (value, _) in ECHOED.items()} | {"odd_char": '"A"'}
    calls = "".join(f"show($odd->{name}({value}));\n" for name, value in given.items())
    return f"""<?php
    $text = require "./odd";
    # Of the other functions there is nothing in the library.
    $kept = array_filter(preg_split('/(?<=;)\\n/', $text), function ($part) {{
        preg_match('/(\\w+)\\([^()]*\\);$/', $part, $name);
        return !$name || in_array($name[1], {[*ECHOED, "odd_text", "odd_second"]!r});
    }});
    $odd = FFI::cdef(implode("\\n", $kept), "{library}");
    function show($value) {{ echo is_bool($value) ? (int) $value : (is_string($value) ? ord($value) : $value), "\\n"; }}
    {calls}
    $values = FFI::new("float[2]");
    $values[1] = 2;
    echo $odd->odd_text("text"), "\\t", $odd->ODD_SUM, "\\t", $odd->odd_second($values)[0], "\\n";
    """


def script_of_ruby(library):
    calls = "".join(f'show(odd["{name}"].call({value}))\n' for name, (value, _) in ECHOED.items()).replace("true", "1")
    return f"""
    load "./odd"
    handle = Fiddle.dlopen("{library}")
    Odd::FUNCTIONS.dup.each_key do |name|
      handle[name]
    rescue Fiddle::DLError
      Odd.send(:remove_const, :FUNCTIONS).then {{ |all| Odd.const_set(:FUNCTIONS, all.except(name)) }}
    end
    odd = Odd.declare(handle)
    def show(value) = puts(value)
    {calls}
    second = odd["odd_second"].call([1, 2].pack("f2"))
    puts [odd["odd_text"].call("text").to_s, Odd::ODD_SUM, second[0, 4].unpack1("f").to_i].join("\\t")
    """


@pytest.mark.parametrize("language, command", [("luajit", "luajit"), ("php", "php"), ("ruby", "ruby")])
def test_interpreters_call_it(odd, language, command, library, tmp_path):
    needs(command)
    (tmp_path / "odd").write_text(declared(language, odd))
    (tmp_path / "script").write_text(globals()[f"script_of_{language}"](library))
    printed = run(command, "script", cwd=tmp_path).splitlines()
    assert printed == [*(expected for _, expected in ECHOED.values()), "text\t4\t2"]


def test_python_calls_it(odd, library, tmp_path):
    module = load(declared("python", odd), tmp_path)
    loaded = ctypes.CDLL(str(library))
    for each in odd.functions:  # those that are declared only
        if not hasattr(loaded, each.name):
            setattr(loaded, each.name, type(each.name, (), {}))
    assert module.declare(loaded) is loaded and module.ODD_SUM == 4
    values = {"odd_char": b"A", "odd_bool": True, "odd_float": 1.5, "odd_double": -0.1}
    for name, (value, _) in ECHOED.items():
        given = values[name] if name in values else int(value)
        assert getattr(loaded, name)(given) == given, name
    assert loaded.odd_text(b"text") == b"text"
    values = (ctypes.c_float * 2)(1, 2)
    assert ctypes.c_float.from_address(loaded.odd_second(ctypes.addressof(values))).value == 2


# The size of every spelling, as each language itself has it: a program, and its line for one type.

PRINTS_SIZES = {
    "rust": (
        "use std::os::raw::*;\nfn main() {{\n{}}}\n", 'println!("{{}}", std::mem::size_of::<{}>());\n',
        [["rustc", "-o", "sizes", "{}"], ["./sizes"]],
    ),
    "fortran": (
        "use iso_c_binding\n{}end\n", "block\n{} :: x\nprint '(i0)', storage_size(x) / 8\nend block\n",
        [["gfortran", "-x", "f95", "-ffree-form", "-o", "sizes", "{}"], ["./sizes"]],
    ),
    "csharp": (
        "using System;\nunsafe class P {{\nstatic void Main() {{\n{}}}\n}}\n", "Console.WriteLine(sizeof({}));\n",
        [["mcs", "-unsafe", "-out:sizes.exe", "{}"], ["mono", "sizes.exe"]],
    ),
    "luajit": ("local ffi = require('ffi')\n{}", "print(ffi.sizeof('{}'))\n", [["luajit", "{}"]]),
    "ruby": ("require 'fiddle'\nrequire 'fiddle/pack'\n{}", "puts Fiddle::PackInfo::SIZE_MAP[{}]\n", [["ruby", "{}"]]),
    "python": ("import ctypes\n{}", "print(ctypes.sizeof({}))\n", [[sys.executable, "{}"]]),
}  # fmt: skip


@pytest.mark.parametrize("language", PRINTS_SIZES)
def test_spellings_have_the_size_of_c(language, tmp_path):
    program, line, commands = PRINTS_SIZES[language]
    needs(*(command[0] for command in commands if not command[0].startswith("./")))
    spelled = next(iter(LANGUAGES[language].columns.values())).scalars
    assert spelled.keys() == {*types.SCALARS}
    (tmp_path / "sizes.txt").write_text(program.format("".join(line.format(spelled[name]) for name in types.SCALARS)))
    for command in commands:
        printed = run(*(word.format("sizes.txt") for word in command), cwd=tmp_path)
    ffi = cffi.FFI()
    assert [*map(int, printed.split())] == [ffi.sizeof(name) for name in types.SCALARS]


def test_zig_has_the_sizes_of_c(tmp_path):
    compiler, ffi = zig(), cffi.FFI()
    spelled = LANGUAGES["zig"].columns["type"].scalars
    checks = "".join(f"if (@sizeOf({spelled[name]}) != {ffi.sizeof(name)}) @compileError(\"{name}\");\n"
                     for name in types.SCALARS)  # fmt: skip
    (tmp_path / "sizes.zig").write_text(f"comptime {{\n{checks}}}\n")
    run(*compiler, "build-obj", "-fno-emit-bin", "sizes.zig", cwd=tmp_path)


# The command


def test_a_name_has_a_package(odd):
    assert "package org.example;" in declared("java-jna", odd, name="org.example.Raw")
    assert "final class Raw {" in declared("java-jna", odd, name="org.example.Raw")
    assert "package" not in declared("java-jna", odd)
    assert "namespace Raw\n" in declared("csharp", odd, name="Raw.Calls") and "class Native" in declared("csharp", odd)
    assert "module odd_c\n" in declared("fortran", odd) and "module raw\n" in declared("fortran", odd, name="raw")
    assert '"libodd.so.1"' in declared("csharp", odd, library="libodd.so.1")


@pytest.mark.slow
def test_output_is_a_file(tmp_path):
    path = tmp_path / "odd.rs"
    done = command_line("rust", ODD, "-I", INCLUDE, "--output", path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert path.read_text() == command_line("rust", ODD, "-I", INCLUDE).stdout


def test_a_macro_is_defined(tmp_path):
    (tmp_path / "macro.h").write_text("#ifdef WIDE\nint wide(int value);\n#endif\nint narrow(void);\n")
    text = command_line("rust", tmp_path / "macro.h", "-D", "WIDE=1").stdout
    assert "bindings rust macro.h -DWIDE=1`" in text and "pub fn wide" in text and "pub fn narrow" in text
    assert "wide" not in command_line("rust", tmp_path / "macro.h").stdout


@pytest.mark.slow
def test_what_cannot_be_read_is_an_error(tmp_path):
    done = command_line("rust", tmp_path / "missing.h")
    assert done.returncode == 1 and done.stderr.startswith("torchthaw: ") and "missing.h" in done.stderr
    done = command_line("cobol", ODD)
    assert done.returncode == 2 and "cobol" in done.stderr
    (tmp_path / "bad.h").write_text("int f(float x")
    done = command_line("rust", tmp_path / "bad.h")
    assert done.returncode == 1 and done.stderr.startswith("torchthaw: ") and "Traceback" not in done.stderr


def test_a_wrong_annotation_is_an_error(tmp_path):
    (tmp_path / "wrong.h").write_text("#include <torchthaw/annotate.h>\nint f(const float *x THAW_SHAPE(size));\n")
    with pytest.raises(AnnotationError, match=r"wrong.h:2: f: x: THAW_SHAPE: .* integer parameters of f, got size"):
        interface.read(tmp_path / "wrong.h", [config.my_lib_includes()])


def test_no_pytorch_is_needed():
    code = "import sys, torchthaw.cli as c; c.main(sys.argv[1:]); assert 'torch' not in sys.modules"
    run(sys.executable, "-c", code, "bindings", "rust", ODD, "-I", INCLUDE)

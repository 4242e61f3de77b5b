# tests/legacy/create_extension/test_options.py: what create_extension takes, and what importing torch.utils.ffi needs.
import subprocess
import warnings

import pytest

from support.legacy_project import files, imported, output, run_compiler
from support.rows import named, row

HEADERS = {
    "src/first.h": """
        int of_text_macro(void);
        int of_bare_macro(void);
        int of_undefined_macro(void);
        int of_flag(void);
    """,
    "src/second.h": """
        int of_header(void);
        int of_object(void);
        int of_absolute_object(void);
        int of_library(void);
        int of_link_argument(void);
        int of_absolute_source(void);
        int of_cpp(void);
        int of_cc(void);
        int of_cxx(void);
        int of_c(int new, int class);
    """,
    "include/inner.h": "#define INNER 5\n",
    "include/TH/TH.h": "#error this is not TH\n",
}  # fmt: skip
SOURCES = {
    "src/all.c": """
        #include <TH/TH.h>
        #include "inner.h"
        int of_text_macro(void) { return MACRO; }
        #ifdef BARE
        int of_bare_macro(void) { return 1; }
        #endif
        #ifndef UNDEFINED
        int of_undefined_macro(void) { return 1; }
        #endif
        int of_flag(void) { return FLAG; }
        int of_header(void) { return INNER; }
        int of_c(int new, int class) { return new + class; }
    """,
    "src/one.cpp": '#include <TH/TH.h>\nextern "C" int of_cpp(void) { return static_cast<int>(FLAG); }\n',
    "src/two.cc": '#include <vector>\nextern "C" int of_cc(void) { return std::vector<int>(2).size(); }\n',
    "src/three.cxx": 'extern "C" int of_cxx(void) { return MACRO; }\n',
    "elsewhere/all.c": "int of_absolute_source(void) { return 8; }\n",
}  # fmt: skip
OBJECTS = {
    "made/object.c": "int of_object(void) { return 11; }\n",
    "made/absolute_object.c": "int of_absolute_object(void) { return 12; }\n",
    "made/library.c": "int of_library(void) { return 13; }\n",
    "made/argument.c": "int of_link_argument(void) { return 14; }\n",
}


@pytest.fixture(scope="module")
def everything(create, folder):
    """A module built with every argument at once."""
    files(folder, {**HEADERS, **SOURCES, **OBJECTS})
    for name in ("object", "absolute_object", "argument"):
        run_compiler(folder, "gcc", "-fPIC", "-c", f"made/{name}.c", "-o", f"made/{name}.o")
    words = ["-fPIC", "-shared", "made/library.c", "-Wl,-soname,libhelper.so", "-o", "made/libhelper.so"]
    run_compiler(folder, "gcc", *words)
    create(
        "deep.er.everything", ["src/first.h", "src/second.h"],
        ["src/all.c", "src/one.cpp", "src/two.cc", "src/three.cxx", str(folder / "elsewhere" / "all.c")],
        verbose=False, relative_to=str(folder / "build.py"), include_dirs=["include"], language="c++",
        define_macros=[("MACRO", "7"), ("BARE", None), ("UNDEFINED", "1")], undef_macros=["UNDEFINED"],
        extra_compile_args=["-DFLAG=3", "-std=c99"],
        library_dirs=["made"], libraries=["helper", "TH", "THC"],
        extra_objects=["made/object.o", str(folder / "made" / "absolute_object.o")],
        extra_link_args=[str(folder / "made" / "argument.o")], runtime_library_dirs=[str(folder / "made")],
        depends=["src/first.h"],
    ).build()  # fmt: skip
    return imported("deep.er.everything")


ARGUMENTS = {
    "name-dotted": lambda lib: lib.__name__ == "deep.er.everything",
    "headers-list": lambda lib: lib.of_flag() == 3 and lib.of_header() == 5,
    "sources-absolute": lambda lib: lib.of_absolute_source() == 8,
    "source-suffixes": lambda lib: (lib.of_cpp(), lib.of_cc(), lib.of_cxx()) == (3, 2, 7),
    "define-macros": lambda lib: (lib.of_text_macro(), lib.of_bare_macro()) == (7, 1),
    "undef-macros": lambda lib: lib.of_undefined_macro() == 1,
    "extra-objects": lambda lib: (lib.of_object(), lib.of_absolute_object()) == (11, 12),
    "extra-compile-args": lambda lib: (lib.of_flag(), lib.of_cpp()) == (3, 3),
    "include-dirs": lambda lib: lib.of_header() == 5,
    "library-dirs": lambda lib: lib.of_library() == 13,
    "libraries": lambda lib: lib.of_library() == 13,
    "extra-link-args": lambda lib: lib.of_link_argument() == 14,
    "language": lambda lib: lib.of_c(1, 2) == 3,
}


@pytest.mark.parametrize("argument", named(ARGUMENTS))
def test_argument(argument, everything):
    assert ARGUMENTS[argument](everything)


@row("runtime-library-dirs")
def test_run_path(row, everything, folder):
    words = ["readelf", "-d", folder / "deep" / "er" / "everything" / "_everything.so"]
    dynamic = subprocess.run(words, capture_output=True, text=True).stdout
    assert f"[{folder / 'made'}]" in dynamic and "[libhelper.so]" in dynamic


@row("kwargs-forwarded")
def test_other_arguments_of_extension(row, create, project):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        create(
            "forwarded", "src/twice.h", ["src/twice.c"], False, depends=[], optional=False, export_symbols=[],
            swig_opts=[],
        ).build()  # fmt: skip
    assert imported("forwarded").twice(21) == 42


@row("name-plain")
def test_plain_name_and_header_string(row, create, project):
    create("plain", "src/twice.h", ["src/twice.c"], False).build()
    assert (project / "plain" / "_plain.so").exists() and imported("plain").twice(21) == 42


@row("headers-string", "package")
def test_string_and_package(row, create, project):
    ffi = create("str.ing", "src/twice.h", ["src/twice.c"], package=row == "package")
    assert ffi._assigned_source[0] == ("str.ing._ing" if row == "package" else "_ing")
    assert "twice" in ffi._assigned_source[1]


@row("sources-relative")
def test_sources_of_the_base_folder(row, create, project, monkeypatch):
    (project / "elsewhere").mkdir()
    monkeypatch.chdir(project / "elsewhere")
    create("moved.lib", "src/twice.h", ["src/twice.c"], False, relative_to=str(project / "build.py")).build()
    assert (project / "moved" / "lib" / "_lib.so").exists() and imported("moved.lib").twice(21) == 42


@row("sources-empty")
def test_everything_in_an_object(row, create, project):
    (project / "object.c").write_text("int twice(int value) { return value * 2; }\n")
    run_compiler(project, "gcc", "-fPIC", "-c", "object.c", "-o", "twice.o")
    create("objects", "src/twice.h", [], False, extra_objects=["twice.o"]).build()
    assert imported("objects").twice(21) == 42


@row("verbose-true", "verbose-false")
def test_verbose(row, create, project, capfd):
    given = () if row == "verbose-true" else (False,)  # True is the default
    create(f"verbose_{len(given)}", "src/twice.h", ["src/twice.c"], *given).build()
    printed = capfd.readouterr().out
    assert printed == "" if given else all(word in printed for word in ("twice.c", "-fPIC", "-shared"))


@row("with-cuda")
def test_with_cuda_defines_no_macro(row, create, project):
    given = [("MINE", "1")]
    macros = {
        with_cuda: create(
            f"cuda_{with_cuda}", "src/twice.h", ["src/twice.c"], False, with_cuda, define_macros=given
        )._assigned_source[3]["define_macros"]
        for with_cuda in (False, True)
    }
    assert macros[True] == macros[False] and given[0] in macros[True]


RELATIVE_TO = {
    "relative-to-dot": [(".", "."), ("build.py", ".")],
    "relative-to-file": [("{folder}/sub/build.py", "sub"), ("sub/build.py", "sub")],
    "relative-to-folder": [("{folder}/sub", "."), ("{folder}/sub/", "sub")],
}


@pytest.mark.parametrize("row", named(RELATIVE_TO))
def test_relative_to(row, create, project):
    (project / "sub").mkdir()
    for index, (given, base) in enumerate(RELATIVE_TO[row]):
        create(f"based_{index}", [], [], False, relative_to=given.format(folder=project))
        assert (project / base / f"based_{index}" / "__init__.py").exists()


@row("source-extension")
def test_generated_file_in_cpp(row, create, project):
    """Its header is C++ too: the function has C++ linkage."""
    (project / "src" / "twice.cpp").write_text("int twice(int value) { return 2 * value; }\n")
    create("in_cpp", "src/twice.h", ["src/twice.cpp"], False, source_extension=".cpp").build()
    assert imported("in_cpp").twice(21) == 42


@row("misspelt")
def test_misspelt_argument_warns_and_builds(row, create, project):
    ffi = create("spelling", "src/twice.h", ["src/twice.c"], False, langauge="c++")
    with pytest.warns(UserWarning, match="^Unknown Extension options: 'langauge'$"):
        ffi.build()
    assert imported("spelling").twice(21) == 42


@row("two-names")
def test_what_can_be_imported(row, project):
    code = "from torch.utils.ffi import create_extension, _wrap_function\nprint(create_extension.__name__)\n"
    assert output(project, code) == "create_extension\n"


CFFI = {
    "cffi-missing": ("None", "torch.utils.ffi requires the cffi package"),
    "cffi-too-old": (
        "types.SimpleNamespace(__version__='1.2.1', __version_info__=(1, 2, 1))",
        "torch.utils.ffi requires cffi version >= 1.4, but got 1.2.1",
    ),
}


@pytest.mark.parametrize("row", named(CFFI))
def test_cffi(row, project):
    module, message = CFFI[row]
    code = f"import sys, types, torch\nsys.modules['cffi'] = {module}\n"
    code += "try:\n  import torch.utils.ffi\nexcept ImportError as error:\n  print(error)\n"
    assert output(project, code) == message + "\n"


@row("import-without-compiler")
def test_import_without_compiler(row, project):
    code = "import shutil\nassert shutil.which('gcc') is None\nimport torch.utils.ffi\nprint('ok')\n"
    assert output(project, code, PATH="/nonexistent", CC="", CXX="") == "ok\n"

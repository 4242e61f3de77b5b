# tests/legacy/create_extension/test_options.py: what create_extension takes, and what importing torch.utils.ffi needs.
import os
import subprocess
import warnings

import pytest
import torch
from cffi import VerificationError

from support.legacy_project import files, imported, output, run_compiler
from support.messages import names

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
        library_dirs=["made"], libraries=["helper", "TH", "THC", "ATen"],
        extra_objects=["made/object.o", str(folder / "made" / "absolute_object.o")],
        extra_link_args=[str(folder / "made" / "argument.o")], runtime_library_dirs=[str(folder / "made")],
        depends=["src/first.h"],
    ).build()  # fmt: skip
    return imported("deep.er.everything")


ARGUMENTS = {
    "name-dotted": lambda lib: lib.__name__ == "deep.er.everything",
    "headers-list": lambda lib: lib.of_flag() == 3 and lib.of_header() == 5,
    # files of one name in different folders do not collide
    "sources-absolute": lambda lib: lib.of_absolute_source() == 8,
    "source-suffixes": lambda lib: (lib.of_cpp(), lib.of_cc(), lib.of_cxx()) == (3, 2, 7),
    "define-macros": lambda lib: (lib.of_text_macro(), lib.of_bare_macro()) == (7, 1),
    "undef-macros": lambda lib: lib.of_undefined_macro() == 1,
    # a relative path starts in the current folder
    "extra-objects": lambda lib: (lib.of_object(), lib.of_absolute_object()) == (11, 12),
    "extra-compile-args": lambda lib: (lib.of_flag(), lib.of_cpp()) == (3, 3),  # for C and C++, after our own
    "include-dirs": lambda lib: lib.of_header() == 5,  # after the headers of TH
    "library-dirs": lambda lib: lib.of_library() == 13,  # a relative one starts in the current folder
    "libraries": lambda lib: lib.of_library() == 13,  # TH, THC and ATen mean ours
    "extra-link-args": lambda lib: lib.of_link_argument() == 14,
    "language": lambda lib: lib.of_c(1, 2) == 3,  # C++ concerns linking alone: .c files stay C
}


@pytest.mark.slow
@pytest.mark.parametrize("argument", ARGUMENTS)
def test_argument(argument, everything):
    assert ARGUMENTS[argument](everything)


@pytest.mark.slow
def test_runtime_library_dirs_are_in_the_run_path(everything, folder):
    words = ["readelf", "-d", folder / "deep" / "er" / "everything" / "_everything.so"]
    dynamic = subprocess.run(words, capture_output=True, text=True).stdout
    assert f"[{folder / 'made'}]" in dynamic and "[libhelper.so]" in dynamic


@pytest.mark.slow
def test_other_arguments_of_extension_are_accepted(create, project):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        create(
            "forwarded", "src/twice.h", ["src/twice.c"], False, depends=[], optional=False, export_symbols=[],
            swig_opts=[],
        ).build()  # fmt: skip
    assert imported("forwarded").twice(21) == 42


@pytest.mark.slow
def test_plain_name_and_header_string(create, project):
    """A name of one word is a package of that name; one header may be given as a string."""
    create("plain", "src/twice.h", ["src/twice.c"], False).build()
    assert (project / "plain" / "_plain.so").exists() and imported("plain").twice(21) == 42


@pytest.mark.parametrize("package", [False, True], ids=["script", "package"])
def test_package_changes_the_name_that_cffi_gets(package, create, project):
    """It changes nothing else. One header may be given as a string."""
    ffi = create("str.ing", "src/twice.h", ["src/twice.c"], package=package)
    assert ffi._assigned_source[0] == ("str.ing._ing" if package else "_ing")
    assert "twice" in ffi._assigned_source[1]


@pytest.mark.slow
def test_relative_sources_start_in_the_base_folder(create, project, monkeypatch):
    """The process may be in any folder."""
    (project / "elsewhere").mkdir()
    monkeypatch.chdir(project / "elsewhere")
    create("moved.lib", "src/twice.h", ["src/twice.c"], False, relative_to=str(project / "build.py")).build()
    assert (project / "moved" / "lib" / "_lib.so").exists() and imported("moved.lib").twice(21) == 42


@pytest.mark.slow
@pytest.mark.parametrize("name", ["libATen.so", "libATen.so.1", "libTH.so.1", "libTHC.so"])
def test_the_libraries_of_pytorch_0_4_by_their_paths(create, project, name):
    """The build links what has their symbols."""
    path, module = os.path.join(os.path.dirname(torch.__file__), "lib", name), name.replace(".", "_")
    ffi = create(module, "src/twice.h", ["src/twice.c"], False, extra_objects=[path])
    ffi.build()
    assert imported(module).twice(2) == 4
    assert path not in ffi.distutils_extension().extra_objects
    with pytest.raises(VerificationError, match=names("file", "'libother.so'")):
        create("other", "src/twice.h", ["src/twice.c"], False, extra_objects=["libother.so"]).build()


@pytest.mark.slow
@pytest.mark.parametrize("flag", ["{}", "-Wl,{}", "-Wl,--as-needed,{},--no-as-needed"])
def test_the_libraries_of_pytorch_0_4_among_the_flags_of_the_linker(create, project, flag):
    path = os.path.join(os.path.dirname(torch.__file__), "lib", "libATen.so")
    module = f"flag_{len(flag)}"
    flags = [flag.format(path), "-lATen", "-l:libATen.so", "-lm"]
    ffi = create(module, "src/twice.h", ["src/twice.c"], False, extra_link_args=flags)
    ffi.build()
    assert imported(module).twice(2) == 4
    assert (
        "ATen" not in str(ffi.distutils_extension().extra_link_args)
        and "-lm" in ffi.distutils_extension().extra_link_args
    )


def test_no_sources(create, project):
    """The functions may be in extra_objects."""
    (project / "object.c").write_text("int twice(int value) { return value * 2; }\n")
    run_compiler(project, "gcc", "-fPIC", "-c", "object.c", "-o", "twice.o")
    create("objects", "src/twice.h", [], False, extra_objects=["twice.o"]).build()
    assert imported("objects").twice(21) == 42


@pytest.mark.slow
@pytest.mark.parametrize("given", [(), (False,)], ids=["default", "false"])
def test_verbose(given, create, project, capfd):
    """The compiler's command lines are on stdout, or stdout stays empty."""
    create(f"verbose_{len(given)}", "src/twice.h", ["src/twice.c"], *given).build()
    printed = capfd.readouterr().out
    assert printed == "" if given else all(word in printed for word in ("twice.c", "-fPIC", "-shared"))


def test_with_cuda_defines_no_macro(create, project):
    given = [("MINE", "1")]
    macros = {
        with_cuda: create(
            f"cuda_{with_cuda}", "src/twice.h", ["src/twice.c"], False, with_cuda, define_macros=given
        )._assigned_source[3]["define_macros"]
        for with_cuda in (False, True)
    }
    assert macros[True] == macros[False] and given[0] in macros[True]


RELATIVE_TO = {
    "relative-to-dot": [(".", "."), ("build.py", ".")],  # the current folder, as is "build.py"
    "relative-to-file": [("{folder}/sub/build.py", "sub"), ("sub/build.py", "sub")],  # the folder of that file
    # without a slash at the end its parent, with one the folder itself
    "relative-to-folder": [("{folder}/sub", "."), ("{folder}/sub/", "sub")],
}


@pytest.mark.parametrize("case", RELATIVE_TO)
def test_relative_to(case, create, project):
    (project / "sub").mkdir()
    for index, (given, base) in enumerate(RELATIVE_TO[case]):
        create(f"based_{index}", [], [], False, relative_to=given.format(folder=project))
        assert (project / base / f"based_{index}" / "__init__.py").exists()


@pytest.mark.slow
def test_source_extension_cpp_makes_the_generated_file_cpp(create, project):
    """Its header is C++ too: the function has C++ linkage."""
    (project / "src" / "twice.cpp").write_text("int twice(int value) { return 2 * value; }\n")
    create("in_cpp", "src/twice.h", ["src/twice.cpp"], False, source_extension=".cpp").build()
    assert imported("in_cpp").twice(21) == 42


@pytest.mark.slow
def test_misspelt_argument_warns_and_builds(create, project):
    ffi = create("spelling", "src/twice.h", ["src/twice.c"], False, langauge="c++")
    with pytest.warns(UserWarning, match="^Unknown Extension options: 'langauge'$"):
        ffi.build()
    assert imported("spelling").twice(21) == 42


@pytest.mark.slow
def test_what_can_be_imported(project):
    """torch.utils.ffi has create_extension and _wrap_function."""
    code = "from torch.utils.ffi import create_extension, _wrap_function\nprint(create_extension.__name__)\n"
    assert output(project, code) == "create_extension\n"


CFFI = {
    "cffi-missing": ("None", "torch.utils.ffi requires the cffi package"),
    "cffi-too-old": (
        "types.SimpleNamespace(__version__='1.2.1', __version_info__=(1, 2, 1))",
        "torch.utils.ffi requires cffi version >= 1.4, but got 1.2.1",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CFFI)
def test_cffi(case, project):
    module, message = CFFI[case]
    code = f"import sys, types, torch\nsys.modules['cffi'] = {module}\n"
    code += "try:\n  import torch.utils.ffi\nexcept ImportError as error:\n  print(error)\n"
    assert output(project, code) == message + "\n"


@pytest.mark.slow
def test_import_without_compiler(project):
    """Importing torch.utils.ffi needs none."""
    code = "import shutil\nassert shutil.which('gcc') is None\nimport torch.utils.ffi\nprint('ok')\n"
    assert output(project, code, PATH="/nonexistent", CC="", CXX="") == "ok\n"

# tests/legacy/create_extension/test_search_paths.py: include folders, compile flags, and how an extension's symbols are
# found.
import subprocess

import cffi
import pytest

from support.legacy_project import files, imported, output
from torchthaw.base import config
from torchthaw.legacy.ffi import gnu89

FORMS = [
    "<TH/TH.h>", '"TH/TH.h"', "<TH.h>", '"TH.h"', '"THTensor.h"', '"THStorage.h"', '"THGeneral.h"', '"THRandom.h"',
    '"generic/THTensor.h"',
]  # fmt: skip


@pytest.mark.slow
def test_header_uses_types_of_th(create, project):
    """A header's text is C behind TH/TH.h."""
    files(project, {
        "src/sized.h": "int64_t first_size(THFloatTensor *tensor);\nptrdiff_t elements(const THLongTensor *tensor);\n",
        "src/sized.c": """
            #include <TH/TH.h>
            int64_t first_size(THFloatTensor *tensor) { return tensor->size[0]; }
            ptrdiff_t elements(const THLongTensor *tensor) { return THLongTensor_nElement(tensor); }
        """,
    })  # fmt: skip
    create("sized", "src/sized.h", ["src/sized.c"], False).build()
    import torch

    assert imported("sized").first_size(torch.ones(3, 2)) == 3
    assert imported("sized").elements(torch.LongTensor(2, 2)) == 4


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["c", "cpp"])
def test_own_headers_come_first(suffix, create, project, monkeypatch):
    """The folders of TH come before those of the user."""
    files(project, {
        "include/TH/TH.h": "#error this is the project's\n", "include/TH.h": "#error this is the project's\n",
        "include/mine.h": "#define MINE 6\n",
        f"src/order.{suffix}": "#include <TH/TH.h>\n#include \"TH.h\"\n#include <mine.h>\nTH_API int order(void);\n"
        "int order(void) { return MINE; }\n",
        "src/order.h": "int order(void);\n",
    })  # fmt: skip
    create(f"order_{suffix}", "src/order.h", [f"src/order.{suffix}"], False, include_dirs=["include"]).build()
    assert imported(f"order_{suffix}").order() == 6


@pytest.mark.slow
def test_include_forms(create, project):
    """TH/TH.h, TH.h, THTensor.h, generic/THTensor.h: one file for each form, in one build."""
    sources = {
        f"src/form{index}.c": f"#include <TH/TH.h>\n#include {form}\n#undef TH_GENERIC_FILE\nint form{index}(void) "
        f"{{ return {index}; }}\n"
        if "generic" in form
        else f"#include {form}\nint form{index}(void) {{ return {index}; }}\n"
        for index, form in enumerate(FORMS)
    }
    header = "".join(f"int form{index}(void);\n" for index in range(len(FORMS)))
    files(project, {**sources, "src/forms.h": header})
    create("forms", "src/forms.h", list(sources), False).build()
    assert [getattr(imported("forms"), f"form{index}")() for index in range(len(FORMS))] == list(range(len(FORMS)))


@pytest.mark.slow
def test_default_flags(create, project, capfd):
    """-fPIC and -O2, no -fopenmp."""
    create("flags", "src/twice.h", ["src/twice.c"]).build()
    command = next(line for line in capfd.readouterr().out.splitlines() if "twice.c" in line).split()
    assert {"-fPIC", "-O2", "-fwrapv", "-Wall"} <= set(command) and "-fopenmp" not in command and "-O0" not in command


def test_flags_of_the_environment(create, project, monkeypatch, capfd):
    """CFLAGS, CPPFLAGS and LDFLAGS, as distutils took them; the project's own flags come later."""
    files(project, {
        "src/by.h": "int by(void);\nint other(void);\n", "src/by.c": "int by(void) { return BY * UP; }\n",
        "src/other.cpp": 'extern "C" int other(void) { return BY + UP; }\n',
    })  # fmt: skip

    def build():
        create("by", "src/by.h", ["src/by.c", "src/other.cpp"], extra_compile_args=["-DUP=5"]).build()

    monkeypatch.setenv("CFLAGS", "-std=c99 -DBY=3 -DUP=4")
    monkeypatch.setenv("LDFLAGS", "-Wl,--build-id=none")
    build()
    assert "-Wl,--build-id=none" in capfd.readouterr().out.split()
    assert (imported("by").by(), imported("by").other()) == (15, 8)
    monkeypatch.setenv("CPPFLAGS", "-DBY=7")
    build()
    assert "-DBY=7" in capfd.readouterr().out.split()


RECURSIVE = "inline int sum(int n) { return n ? n * n % 7 + sum(n - 1) * sum(n / 2) : 0; }\n"


def test_inline_made_a_function_before_gcc_5(create, project, capfd):
    """-O2 does not inline this one."""
    files(project, {"src/twice.c": f"{RECURSIVE}int twice(int v) {{ return 2 * v + 0 * sum(v); }}\n"})
    ffi = create("gnu89", "src/twice.h", ["src/twice.c"])
    ffi.build()
    assert imported("gnu89").twice(4) == 8 and "-fgnu89-inline" in capfd.readouterr().out
    files(project, {"src/twice.c": f"static {RECURSIVE}int twice(int v) {{ return 2 * v + 0 * sum(v); }}\n"})
    ffi.build()
    assert "-fgnu89-inline" not in capfd.readouterr().out


@pytest.mark.parametrize("a, b, header, flagged", [
    (RECURSIVE, "", "", True),
    ('#include "x.h"\n', "", f"/* {RECURSIVE} */\n", False),
    ('#include "x.h"\n', "", RECURSIVE, True),
    ('#include "x.h"\n', '#include "x.h"\n', RECURSIVE, False),
    (RECURSIVE, "extern inline int sum(int n);\n", "", False),
    (f"static {RECURSIVE}", f"inline static int f(void) {{ return 1; }}\n// {RECURSIVE}", "", False),
    ("inline int sum(int n);\n", "int inline = 3;\n", "", False),
])  # fmt: skip
def test_which_code_means_the_inline_before_c99(a, b, header, flagged, tmp_path):
    files(tmp_path, {"a.c": a, "b.c": b, "x.h": header, "other.h": "int sum(int n);\n", "c.cpp": RECURSIVE})
    paths = [tmp_path / name for name in ("a.c", "b.c", "c.cpp")]
    assert gnu89.flags([tmp_path / "other.h"], paths, []) == (["-fgnu89-inline"] if flagged else [])


@pytest.mark.slow
def test_missing_function(create, project):
    """A BuildError; with -Wl,-z,undefs an ImportError when the module is imported."""
    files(project, {"src/twice.c": "int missing_function(int);\nint twice(int v) { return missing_function(v); }\n"})
    with pytest.raises(cffi.VerificationError, match="undefined symbols: missing_function[.]"):
        create("undefined", "src/twice.h", ["src/twice.c"], False).build()
    create("undefined", "src/twice.h", ["src/twice.c"], False, extra_link_args=["-Wl,-z,undefs"]).build()
    with pytest.raises(ImportError, match="undefined symbol: missing_function"):
        imported("undefined")


@pytest.mark.slow
def test_functions_of_libth_are_known(create, project):
    """They resolve without -lTH. What TH never had is named."""
    text = "#include <TH/TH.h>\nvoid THFloatTensor_never(void);\nint twice(int v) {{ {call}; return v; }}\n"
    files(project, {"src/twice.c": text.format(call="THFloatTensor_free(THFloatTensor_new())")})
    create("th_known", "src/twice.h", ["src/twice.c"], False).build()
    assert imported("th_known").twice(1) == 1
    files(project, {"src/twice.c": text.format(call="THFloatTensor_never()")})
    with pytest.raises(cffi.VerificationError, match="undefined symbols: THFloatTensor_never[.]"):
        create("th_known", "src/twice.h", ["src/twice.c"], False).build()


def test_setup_wrapper(create, project, monkeypatch):
    """What the generated C begins with, and the folders of its headers. For build files that call cffi themselves."""
    from torchthaw.legacy.ffi.create import _setup_wrapper

    text, folders = _setup_wrapper(False)
    ffi = cffi.FFI()
    ffi.cdef("long elements(void);")
    elements = "long elements(void) { return THFloatTensor_nElement(THFloatTensor_newWithSize2d(2, 3)); }"
    ffi.set_source("wrapped", text + elements, include_dirs=folders, extra_objects=[str(config.library("th"))])
    ffi.compile()
    assert imported("wrapped").lib.elements() == 6
    monkeypatch.setenv("CUDA_HOME", "/without/nvcc")
    with_cuda, more = _setup_wrapper(True)
    assert with_cuda == text + "#include <THC/THC.h>\n" and more == [*folders, str(config.includes() / "THC")]


@pytest.mark.slow
def test_wrapper_imports_torch(create, project):
    """The wrapper imports it before the extension, which needs it."""
    create("first", "src/twice.h", ["src/twice.c"], False).build()
    code = "import sys\nassert 'torch' not in sys.modules\nimport first\nprint('torch' in sys.modules)\n"
    assert output(project, code) == "True\n"


OLD_C = """
#include <TH/TH.h>
static float *numbers;
int twice(int value) {
    THLongTensor *other = THFloatTensor_new(); /* incompatible pointers */
    double *wrong = numbers;
    int address = value ? 0 : other;           /* an integer made of a pointer */
    THFloatTensor_free(other);
    puts_nothing(wrong);                       /* declared nowhere */
    return 2 * value + address;
}
int puts_nothing(double *pointer) { return !pointer; }
"""


@pytest.mark.slow
def test_what_newer_compilers_refuse(create, project, monkeypatch):
    """Implicit declarations and incompatible pointers are warnings. gcc 14 takes these for errors by itself; here
    the compiler is told so.
    """
    names = ("implicit-function-declaration", "implicit-int", "incompatible-pointer-types", "int-conversion")
    monkeypatch.setenv("CC", "gcc " + " ".join(f"-Werror={name}" for name in names))
    files(project, {"src/twice.c": OLD_C})
    create("old_c", "src/twice.h", ["src/twice.c"], False).build()
    assert imported("old_c").twice(21) == 42


@pytest.mark.slow
def test_needed_libth_by_soname_without_run_path(create, project):
    files(project, {"src/twice.c": "#include <TH/TH.h>\nint twice(int v) { THFree(THAlloc(8)); return 2 * v; }\n"})
    create("linked", "src/twice.h", ["src/twice.c"], False).build()
    words = ["readelf", "-d", str(project / "linked" / "_linked.so")]
    dynamic = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert "[libth.so.1]" in dynamic and "PATH" not in dynamic
    assert imported("linked").twice(21) == 42

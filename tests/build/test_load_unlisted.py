"""tests/build/test_load_unlisted.py: load builds again after a change of what a compiler reads or looks for, and does not list."""

import pytest

import torchthaw
from support.load_project import LOAD, python

ASKING = """
#include "factor.h"
int scaled(const float *input, long count, float *output) {
#if defined(__has_include) && \\
    __has_include(NAME)
    return 7;
#else
    return FACTOR;
#endif
}
"""


def answer(folder, **options):
    """What the C function returns in a process that begins now, or what that prints."""
    printed = python(LOAD.replace(".h')", f".h', **{options!r})"), folder).communicate()[0]
    return int(printed) if printed.strip().isdigit() else printed


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, place", [('"opt.h"', "opt.h"), ("<opt.h>", "more/opt.h"), ("<deep/opt.h>", "more/deep/opt.h")]
)
def test_a_header_that_is_asked_for_comes_and_goes(project, compiled, name, place):
    (project / "more" / "deep").mkdir(parents=True)
    (project / "scaling.c").write_text(ASKING.replace("NAME", name))
    options = {"extra_include_paths": ["more"]}
    assert answer(project, **options) == 2
    compiled()
    assert answer(project, **options) == 2 and compiled() == []
    (project / place).touch()
    assert answer(project, **options) == 7
    compiled()
    assert answer(project, **options) == 7 and compiled() == []
    (project / place).unlink()
    assert answer(project, **options) == 2


@pytest.mark.slow
def test_a_name_that_a_macro_makes_builds_each_time(project):
    (project / "scaling.c").write_text('#define NAME "opt.h"\n' + ASKING)
    assert answer(project) == 2
    (project / "opt.h").touch()
    assert answer(project) == 7


def test_words_that_look_like_it_do_not(project, compiled):
    (project / "scaling.c").write_text(
        "// __has_include (see there), x.include and .incbin\n" + ASKING.replace("NAME", "<none.h>")
    )
    assert answer(project) == 2
    compiled()
    assert answer(project) == 2 and compiled() == []


@pytest.mark.slow
@pytest.mark.parametrize("text", ['"data: .incbin \\"{}\\"\\n"', '"data:\\n" "\\t.incbin \\"{}\\"\\n"'])
def test_a_file_that_the_assembler_reads(project, compiled, text):
    (project / "data.bin").write_bytes(b"\\3")
    words = text.format(project / "data.bin")
    (project / "scaling.c").write_text(
        f"""__asm__(".pushsection .rodata\\n.global data\\n" {words} ".popsection\\n");
extern const signed char data[] __attribute__((visibility("hidden")));
int scaled(const float *input, long count, float *output) {{ return data[0]; }}
"""
    )
    assert answer(project) == 0o134
    compiled()
    assert answer(project) == 0o134 and compiled() == []
    (project / "data.bin").write_bytes(b"\\5")
    (project / "data.bin").write_bytes(b"A")
    assert answer(project) == ord("A")


@pytest.mark.slow
def test_words_of_a_file(project, compiled):
    (project / "factor.h").write_text("")
    (project / "flags.rsp").write_text(f"@{project}/more.rsp")
    (project / "more.rsp").write_text("-DFACTOR=3")
    options = {"extra_cflags": [f"@{project}/flags.rsp"]}
    assert answer(project, **options) == 3
    compiled()
    assert answer(project, **options) == 3 and compiled() == []
    (project / "more.rsp").write_text("-DFACTOR=4")
    assert answer(project, **options) == 4
    (project / "more.rsp").unlink()
    assert "more.rsp" in answer(project, **options)


@pytest.mark.slow
def test_words_of_a_file_for_create_extension(project):
    (project / "factor.h").write_text("")
    for factor in (3, 4):
        (project / "flags.rsp").write_text(f"-DFACTOR={factor}")
        extension = torchthaw.create_extension(
            "made", "scaling.h", ["scaling.c"], project / "build.py", extra_compile_args=[f"@{project}/flags.rsp"]
        )
        extension.build()
        printed = python("import made; print(made.scaled(None, 0, None))", project).communicate()[0]
        assert printed == f"{factor}\n"

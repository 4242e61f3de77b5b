"""tests/abi/test_abi_exports.py: what the C libraries have exported since their first version is there, as it was."""

import subprocess

import pytest

from support import abi_exports
from torchthaw.base import config, toolchain
from torchthaw.cuda_on_cpu import toolkit_folder

EVERY_LIBRARY = pytest.mark.parametrize("name", abi_exports.LIBRARIES)


def compile_declarations(name, lines):
    """Compiles ``lines`` after the library's headers, which must declare the same; CUDA's types are those of CUDA on the CPU."""
    includes = "".join(f"#include <{header}>\n" for header in abi_exports.headers(name))
    there = "".join(f"extern __typeof__({each}) {each};\n" for each in map(abi_exports.name_of, lines))
    source = includes + 'extern "C" {\n' + there + "\n".join(lines) + "\n}\n"
    folders = [abi_exports.INCLUDES, toolkit_folder.HEADERS]
    command = [*toolchain.cxx_compiler(), "-std=c++17", "-fsyntax-only", "-x", "c++", "-"]
    return subprocess.run(
        [*command, *(f"-I{folder}" for folder in folders)], input=source, capture_output=True, text=True
    )


def exported(name):
    library = config.libdir() / f"lib{name}.so.1"
    if not library.exists():
        pytest.skip(f"lib{name} was not built")
    command = ["nm", "-D", "--defined-only", str(library)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return {line.split()[-1].partition("@")[0] for line in lines}


@EVERY_LIBRARY
def test_every_prototype_is_as_it_was(name):
    lines = abi_exports.listed(name)
    assert len(lines) > 40
    done = compile_declarations(name, lines)
    assert done.returncode == 0, done.stderr


@EVERY_LIBRARY
def test_every_name_is_exported(name):
    names = {abi_exports.name_of(line) for line in abi_exports.listed(name)}
    assert sorted(names - exported(name)) == []


@pytest.mark.parametrize("line, complaint", [
    ("int my_lib_gone(void);", "my_lib_gone"),
    ("int my_lib_set_num_threads(long);", "conflicting declaration"),
    ("long my_lib_get_num_threads(void);", "my_lib_get_num_threads"),
    ("const char *my_lib_error_name(int, int);", "conflicting declaration"),
], ids=["removed", "parameter", "result", "one more parameter"])  # fmt: skip
def test_a_change_is_noticed(line, complaint):
    done = compile_declarations("my_lib", [line])
    assert done.returncode != 0 and complaint in done.stderr


def test_a_list_only_grows(tmp_path, monkeypatch, capsys):
    """A new function is added below its version; a line that the headers no longer have stays."""
    (tmp_path / "libmy_lib.txt").write_text(
        "/* head */\n/* 0.9 */\nint my_lib_gone(void);\nint my_lib_abi_version(long);\n"
    )
    monkeypatch.setattr(abi_exports, "LIBRARIES", ["my_lib"])
    monkeypatch.setattr(abi_exports, "path_of", lambda name: tmp_path / f"lib{name}.txt")
    abi_exports.main()
    assert capsys.readouterr().out.startswith("libmy_lib: 2 known, ")
    text = (tmp_path / "libmy_lib.txt").read_text()
    assert text.startswith(
        "/* head */\n/* 0.9 */\nint my_lib_gone(void);\nint my_lib_abi_version(long);\n"
        f"/* {abi_exports.version()} */\nint lltm_backward("
    )
    abi_exports.main()
    assert capsys.readouterr().out.endswith(" 0 new\n")
    assert (tmp_path / "libmy_lib.txt").read_text() == text

"""tests/th/test_blas_variable.py: THAW_BLAS names a library that is loaded, but not into a program of other rights."""

import os
import subprocess

import pytest

from torchthaw.base import config

NOBODY = 65534
PROGRAM = """
#include <TH/TH.h>
#include <stdio.h>
#include <sys/auxv.h>
int main(void) {
    float x[1] = {2};
    printf("%lu %g", getauxval(AT_SECURE), THFloatBlas_dot(1, x, 1, x, 1));
    return 0;
}
"""
PLANTED = '#include <stdio.h>\n__attribute__((constructor)) static void begin(void) { fputs("planted ", stdout); }\n'


@pytest.fixture
def program(tmp_path):
    """A program that calls BLAS, and the library that THAW_BLAS names; everybody can run and read them."""
    (tmp_path / "program.c").write_text(PROGRAM)
    (tmp_path / "planted.c").write_text(PLANTED)
    library = config.library("th")
    subprocess.run(
        ["cc", "program.c", f"-I{config.includes()}", library, f"-Wl,-rpath,{library.parent}", "-o", "program"],
        cwd=tmp_path, check=True,
    )  # fmt: skip
    subprocess.run(["cc", "-shared", "-fPIC", "planted.c", "-o", "planted.so"], cwd=tmp_path, check=True)
    return tmp_path / "program"


def run(program, **options):
    environment = {**os.environ, "THAW_BLAS": str(program.with_name("planted.so"))}
    return subprocess.run([program], capture_output=True, text=True, env=environment, **options)


def test_the_library_is_loaded(program):
    assert run(program).stdout.startswith("planted ")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a program of root's that others run with its rights")
def test_a_program_with_more_rights_than_its_caller_loads_none(program):
    for folder in [program.parent, *program.parent.parents]:
        if not os.stat(folder).st_mode & 0o001:
            folder.chmod(0o755)
    program.chmod(0o4755)
    done = run(program, user=NOBODY)
    if done.stdout.startswith(("0 ", "planted 0 ")):
        pytest.skip("this file system gives programs no other rights")
    assert (done.stdout, done.stderr) == ("1 4", "")

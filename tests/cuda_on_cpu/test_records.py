"""tests/cuda_on_cpu/test_records.py: launches of TORCHTHAW_CUDA_RECORD, and what runs them again alone."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from support import SRC, TESTS, cuda_device, cuda_on_cpu

pytestmark = [pytest.mark.slow, *cuda_device.NEEDED]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return cuda_on_cpu.program("records", tmp_path_factory.mktemp("records"))


@pytest.fixture
def recorded(program, tmp_path):
    """Runs the program with a last launch; its process, and {kernel: file}."""

    def run(which, **variables):
        made = cuda_on_cpu.run(program, which, TORCHTHAW_CUDA_RECORD=str(tmp_path / "launches"), **variables)
        files = (tmp_path / "launches").glob("*") if (tmp_path / "launches").is_dir() else ()
        return made, {re.match(r"(\w+?)-\d+-[0-9a-f]{8}\.launch$", path.name)[1]: path for path in files}

    return run


def replay(program, file, **variables):
    return cuda_on_cpu.run(program, TORCHTHAW_CUDA_REPLAY=str(file), **variables)


def test_the_last_launch_of_each_kernel_runs_again_with_its_memory(recorded, program):
    made, files = recorded("ordered")
    assert (made.stdout, made.stderr, sorted(files)) == (f"ordered: 31 {999 * 9}\n", "", ["ordered", "scale"])
    for kernel, file in files.items():
        again = replay(program, file)
        assert (again.returncode, again.stdout) == (0, ""), again
        assert re.search(rf"kernel {kernel}: the arrays are what they had become", again.stderr), again.stderr


def test_another_result_is_named(recorded, program):
    _, files = recorded("scale")
    content = bytearray(files["scale"].read_bytes())
    last = (999 * 9).to_bytes(4, "little")
    assert content.count(last) == 1
    content[content.index(last)] ^= 1
    files["scale"].write_bytes(content)
    again = replay(program, files["scale"])
    assert again.returncode == 1 and re.search(
        r"the array at 0x\w+, of 4000 bytes, differs .* at byte 3996", again.stderr
    ), again


def test_a_kernel_that_ends_the_process_is_there_and_does_it_again(recorded, program):
    made, files = recorded("faulty")
    assert made.returncode < 0 and "kernel faulty" in made.stderr and set(files) == {"scale", "faulty"}
    again = replay(program, files["faulty"])
    assert again.returncode == made.returncode and "kernel faulty" in again.stderr and "null pointer" in again.stderr


def test_the_orders_are_compared_when_it_runs_again(recorded, program):
    _, files = recorded("ordered")
    again = replay(program, files["ordered"], TORCHTHAW_CUDA_CHECK="1")
    assert "ascending and descending order" in again.stderr and "kernel ordered" in again.stderr, again


def test_the_variable_of_kernels_chooses_and_a_launch_by_pointer_is_named(recorded):
    made, files = recorded("pointer", TORCHTHAW_CUDA_RECORD_KERNELS="other,kernel")
    assert made.returncode == 0 and not files and "by its name" in made.stderr


@pytest.mark.parametrize("change, words", [
    (lambda content: content[:-9], "ended, which it had not"),
    (lambda content: content[:200], "expected a whole file"),
    (lambda content: b"x" + content, "expected a launch that this torchthaw recorded"),
    (None, "No such file"),
])  # fmt: skip
def test_a_file_that_is_none_is_named(change, words, recorded, program, tmp_path):
    _, files = recorded("scale")
    bad = tmp_path / "bad.launch"
    if change:
        bad.write_bytes(change(files["scale"].read_bytes()))
    again = replay(program, bad)
    assert again.returncode == 1 and words in again.stderr, again


def test_a_size_in_a_file_that_is_not_that_of_its_array_is_refused(recorded, program):
    """Nothing is written behind an array, and no memory is taken for more bytes than the file has."""
    _, files = recorded("scale")
    content, file = files["scale"].read_bytes(), files["scale"]
    bytes_of_piece = (4000).to_bytes(8, "little") + bytes(4)  # the array of zeros and what follows, 4,000 bytes long
    at = content.index(bytes_of_piece)
    for size, words in ((4001, "whole file"), (1 << 50, "whole file"), (0, "replay: ")):
        file.write_bytes(content[:at] + size.to_bytes(8, "little") + content[at + 8 :])
        again = replay(program, file)
        assert again.returncode == 1 and words in again.stderr, again


def test_a_program_that_was_built_since_is_refused(recorded, program, tmp_path):
    _, files = recorded("scale")
    other = shutil.copy(program, tmp_path / "other")
    os.utime(other, (1, 1))
    again = replay(other, files["scale"])
    assert again.returncode == 1 and "the program as it was" in again.stderr, again


def test_a_folder_that_cannot_be_is_named(recorded, program):
    made = cuda_on_cpu.run(program, "scale", TORCHTHAW_CUDA_RECORD=os.devnull + "/x")
    assert made.returncode == 0 and "TORCHTHAW_CUDA_RECORD: /dev/null/x" in made.stderr, made


def test_gcov_counts_the_lines_of_a_kernel(tmp_path):
    flags = ["-g", "-O0", "-Xcompiler", "--coverage,-fprofile-update=atomic"]
    shutil.copy(cuda_on_cpu.SAMPLES / "records.cu", tmp_path)
    for words in (["-c", "-o", "records.o", "records.cu"], ["-o", "records", "records.o"]):
        made = cuda_on_cpu.nvcc(*flags, *words, cwd=tmp_path)
        assert made.returncode == 0, made.stderr
    assert cuda_on_cpu.run(tmp_path / "records", cwd=tmp_path).returncode == 0
    counted = cuda_on_cpu.run("gcov", "-t", "records.gcda", cwd=tmp_path).stdout
    assert re.search(r"^ +3072: *\d+:.*// INSIDE$", counted, re.M), counted


@pytest.mark.skipif(not shutil.which("gdb"), reason="gdb is not installed")
def test_gdb_stops_in_a_kernel(tmp_path):
    program = cuda_on_cpu.program("records", tmp_path, flags=["-g", "-O0"])
    commands = [
        f"break {cuda_on_cpu.line('records', 'INSIDE')} if i == 700",
        "run",
        "print table.by",
        "print threadIdx.x",
    ]
    words = [word for command in commands for word in ("-ex", command)]
    said = cuda_on_cpu.run("gdb", "-nx", "-batch", "-ex", "set debuginfod enabled off", *words, program).stdout
    assert "$1 = 1" in said and "$2 = 188" in said, said


def test_a_launch_of_an_extension_runs_again_in_a_process_of_its_own(tmp_path):
    sample = shutil.copytree(TESTS / "cuda_on_cpu" / "samples" / "extension", tmp_path / "sample")
    (tmp_path / "made").mkdir()
    variables = {"PYTHONPATH": str(SRC), "TORCHTHAW_CUDA": "cpu", "TORCHTHAW_CUDA_CHECK": "0"}

    def run(*words, **more):
        command = [sys.executable, "-m", "torchthaw", "run", *map(str, words)]
        return subprocess.run(command, cwd=sample, capture_output=True, text=True, env=os.environ | variables | more)

    made = run("faults.py", tmp_path / "made", TORCHTHAW_CUDA_RECORD="launches")
    assert (made.returncode, made.stdout) == (0, "end\n"), made.stderr
    (file,) = (sample / "launches").glob("double_it-*.launch")
    again = run("-m", "torchthaw.cuda_on_cpu.replay", file)
    assert again.returncode == 0 and "kernel double_it: the arrays" in again.stderr, again
    assert run("-m", "torchthaw.cuda_on_cpu.replay").returncode == 2
    (tmp_path / "made" / "faults.so").touch()
    again = run("-m", "torchthaw.cuda_on_cpu.replay", file)
    assert again.returncode == 1 and "faults.so as it was" in again.stderr, again

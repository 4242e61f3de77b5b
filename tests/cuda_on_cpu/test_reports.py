"""tests/cuda_on_cpu/test_reports.py: the files of TORCHTHAW_CUDA_REPORT, for programs that show findings in code."""

import json
import os
import re
import shutil
import subprocess

import pytest

from support import cuda_on_cpu


@pytest.fixture(scope="module", params=[True, False], ids=["checked", "plain"])
def faults(request, tmp_path_factory):
    """Runs the program with one fault, compiled in a folder with an odd name: its process, and its file's results."""
    folder = tmp_path_factory.mktemp("reports") / 'a "folder" with ä'
    folder.mkdir()
    shutil.copy(cuda_on_cpu.SAMPLES / "faults.cu", folder)
    words = ["-o", folder / "faults", folder / "faults.cu"]  # an absolute path, as torch.utils.cpp_extension gives
    made = cuda_on_cpu.nvcc(*words, check=request.param)
    assert made.returncode == 0, made.stderr

    def run(which, cwd=folder, **variables):
        reports = folder / f"reports of {which}"
        made = cuda_on_cpu.run(folder / "faults", which, check=request.param, cwd=cwd,
                               **{"TORCHTHAW_CUDA_REPORT": str(reports), "ASAN_OPTIONS": "detect_leaks=0"} | variables)  # fmt: skip
        files = sorted(reports.iterdir()) if reports.is_dir() else []
        assert len(files) <= 1 and all(re.fullmatch(r"torchthaw-\d+\.sarif", path.name) for path in files), files
        results = read(files[0]) if files else []
        shutil.rmtree(reports, ignore_errors=True)
        return made, results

    run.checked = request.param
    return run


def read(path):
    """(rule, level, file, line, text) of each result; what SARIF requires is there."""
    log = json.loads(path.read_text())
    assert log["version"] == "2.1.0" and "sarif-2.1.0" in log["$schema"]
    (only,) = log["runs"]
    known = {rule["id"] for rule in only["tool"]["driver"]["rules"]}
    assert only["tool"]["driver"]["name"] == "torchthaw" and len(known) == 16
    found = []
    for result in only["results"]:
        assert result["ruleId"] in known
        (location,) = result["locations"]
        physical = location["physicalLocation"]
        line = physical["region"]["startLine"]
        found.append(
            (result["ruleId"], result["level"], physical["artifactLocation"]["uri"], line, result["message"]["text"])
        )
    return found


def number(mark):
    return int(cuda_on_cpu.line("faults", mark).split(":")[1])


@pytest.mark.slow
@pytest.mark.parametrize("which, rule, level, mark", [
    ("missing_barrier", "missing-barrier", "error", None),
    ("unwritten_shared", "unwritten-shared-memory", "error", None),
    ("two_barriers", "divergent-barrier", "error", "FIRST"),
    ("divergent_barrier", "divergent-barrier", "note", "DIVERGENT"),
    ("misaligned_load", "misaligned-access", "error", "LOAD"),
    ("overrun_global", "memory", "error", "GLOBAL"),
    ("overrun_shared", "memory", "error", "SHARED"),
    ("host_reads", "device-memory-on-host", "error", "HOST"),
])  # fmt: skip
def test_a_finding_of_the_check_is_a_result(which, rule, level, mark, faults):
    process, results = faults(which)
    if not faults.checked:
        assert results == []
        return
    ((got, got_level, uri, line, text),) = results
    assert (got, got_level, uri) == (rule, level, "faults.cu"), (results, process.stderr)
    if mark:
        assert line == number(mark), results
    assert rule in ("device-memory-on-host", "memory") or text in process.stderr
    assert which.startswith("host") or which in text


@pytest.mark.slow
@pytest.mark.parametrize("which, rule, mark", [("stuck", "deadlock", "STUCK"), ("launches", "not-served", None)])
def test_an_error_of_a_kernel_is_a_result_without_the_check_too(which, rule, mark, faults):
    _, results = faults(which)
    got, level, uri, line, text = results[0]
    assert (got, level, uri) == (rule, "error", "faults.cu") and which in text and (not mark or line == number(mark))


@pytest.mark.slow
def test_a_process_without_a_finding_has_no_file(faults):
    _, results = faults("count_once")
    assert results == []


@pytest.mark.slow
def test_a_file_outside_of_the_current_folder_has_a_whole_uri(faults, tmp_path):
    _, (first, *_) = faults("stuck", cwd=tmp_path)
    assert re.fullmatch(r"file:///.*/a%20%22folder%22%20with%20%C3%A4/faults\.cu", first[2]), first


@pytest.mark.slow
def test_a_folder_that_cannot_be_is_named_once(faults):
    process, _ = faults("stuck", TORCHTHAW_CUDA_REPORT=os.devnull + "/reports")
    (line,) = [line for line in process.stderr.splitlines() if "TORCHTHAW_CUDA_REPORT" in line]
    assert (
        "/dev/null/reports/torchthaw-" in line
        and "Not a directory" in line
        and "cudaErrorLaunchFailure" in process.stdout
    )


@pytest.mark.slow
def test_a_name_that_is_no_text_leaves_the_file_readable(tmp_path):
    folder = os.fsencode(tmp_path) + b"/\xff\xe0\x80 \xf0\x9f\x98\x80"
    os.mkdir(folder)
    source, program = folder + b"/faults.cu", folder + b"/faults"
    shutil.copy(cuda_on_cpu.SAMPLES / "faults.cu", source)
    assert cuda_on_cpu.nvcc("-o", program, source).returncode == 0
    variables = {"TORCHTHAW_CUDA_CHECK": "0", "TORCHTHAW_CUDA_REPORT": str(tmp_path / "reports")}
    subprocess.run([program, "stuck"], capture_output=True, env=os.environ | variables)
    (file,) = (tmp_path / "reports").iterdir()
    (first, *_) = json.loads(file.read_text("utf-8"))["runs"][0]["results"]
    uri = first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert "\ufffd\ufffd\ufffd \U0001f600" in first["message"]["text"] and "%FF%E0%80%20%F0%9F%98%80" in uri, first

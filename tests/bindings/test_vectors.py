# tests/bindings/test_vectors.py: bindings/vectors is what make.py writes, and libmy_lib computes it.
import array
import ctypes
import json
import math
import re
import subprocess
import sys

import pytest

from support import ROOT, instruction_sets

VECTORS = ROOT / "bindings/vectors"
INDEX = json.loads((VECTORS / "index.json").read_text())
# In a process of its own for each CPU path: the library chooses when it is loaded.
PATHS = ["portable", "avx2", "avx512"]


def numbers(path):
    found = array.array("f", path.read_bytes())
    assert sys.byteorder == "little"
    return found


def close(got, expected, rtol, atol):
    return len(got) == len(expected) and all(abs(g - e) <= atol + rtol * abs(e) for g, e in zip(got, expected))


def call(library, declared, entry, arrays, needs_workspace=True):
    """Calls a C function as its declaration asks; `arrays` {name: float array, or None for NULL}."""
    function = getattr(library, declared["name"])
    shapes = {each["name"]: each["shape"] for key in ("inputs", "outputs") for each in entry.get(key, [])}
    arguments = []
    for each in declared["parameters"]:
        if each["kind"] == "array":
            value = arrays.get(each["name"])
            # An empty array.array has the address of a char, which is not aligned.
            arguments.append(None if not value else (ctypes.c_float * len(value)).from_buffer(value))
        elif each["kind"] == "sizes":
            shape = shapes[each["source"][0]]
            arguments.append((ctypes.c_int64 * len(shape))(*shape))
        elif each["kind"] == "integer":
            source = each["source"]
            size = entry["sizes"].get(each["name"])
            arguments.append(ctypes.c_int64(len(shapes[source[0]]) if size is None else size))
        elif each["kind"] == "workspace":
            name, sizes = each["call"]
            measure = getattr(library, name)
            measure.restype = ctypes.c_size_t
            bytes_needed = measure(*(ctypes.c_int64(entry["sizes"][size]) for size in sizes)) if needs_workspace else 0
            arguments.append(ctypes.create_string_buffer(bytes_needed) if bytes_needed else None)
            arguments.append(ctypes.c_size_t(bytes_needed))
    return function(*arguments)


def declaration(function):
    from _ext.my_lib import _my_lib

    declared = {each["name"]: each for each in json.loads(_my_lib.description)["functions"]}
    return declared.get(f"my_lib_{function}") or declared[function]


def my_lib():
    library = ctypes.CDLL(str(ROOT / "build/lib/libmy_lib.so"))
    library.my_lib_last_error_message.restype = ctypes.c_char_p
    library.my_lib_error_name.restype = ctypes.c_char_p
    library.my_lib_build_info.restype = ctypes.c_char_p
    return library


def replay(path):
    """Every case through libmy_lib; called in a process whose MY_LIB_CPU is `path`."""
    library = my_lib()
    for entry in INDEX["cases"]:
        values, position = numbers(VECTORS / entry["file"]), 0
        given, expected = {}, {}
        for target, key in ((given, "inputs"), (expected, "outputs")):
            for each in entry[key]:
                count = 0 if each["shape"] is None else math.prod(each["shape"])
                target[each["name"]] = None if each["shape"] is None else values[position : position + count]
                position += count
        assert position == len(values), entry["name"]
        outputs = {
            name: None if value is None else array.array("f", [math.nan] * len(value))
            for name, value in expected.items()
        }
        assert call(library, declaration(entry["function"]), entry, {**given, **outputs}), entry["name"]
        for name, value in expected.items():
            same = value is None or close(outputs[name], value, entry["rtol"], entry["atol"])
            assert same, (path, entry["name"], name)
    print(library.my_lib_build_info().decode())


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_the_c_library_computes_the_vectors(path, monkeypatch):
    instruction_sets.require(path)
    monkeypatch.setenv("MY_LIB_CPU", path)
    program = (
        f"import sys; sys.path[:0] = {[str(ROOT), str(ROOT / 'tests'), str(ROOT / 'tests/bindings')]}\n"
        f"import test_vectors; test_vectors.replay({path!r})"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert "cpu=" in done.stdout


@pytest.mark.parametrize("entry", INDEX["errors"], ids=lambda entry: entry["name"])
def test_the_c_library_reports_the_errors(entry):
    library = my_lib()
    arrays = {each["name"]: array.array("f", [1] * math.prod(each["shape"])) for each in entry["inputs"]}
    declared = declaration(entry["function"])
    for each in declared["parameters"]:
        if each["kind"] == "array" and each["written"]:
            arrays[each["name"]] = array.array("f", [0] * 64)
    assert call(library, declared, entry, arrays, needs_workspace=False) == 0
    assert library.my_lib_last_error_code() == entry["code"]
    assert library.my_lib_error_name(entry["code"]).decode() == entry["code_name"]
    assert library.my_lib_last_error_message().decode() == entry["text"]


@pytest.mark.slow
def test_make_writes_the_same_vectors(tmp_path):
    subprocess.run([sys.executable, VECTORS / "make.py", tmp_path], check=True, timeout=240)
    assert {path.name for path in tmp_path.iterdir()} == {
        path.name for path in VECTORS.iterdir() if path.is_file() and path.suffix != ".py"
    }
    for name in ("index.txt", "index.json"):
        assert (tmp_path / name).read_text() == (VECTORS / name).read_text(), name
    for entry in INDEX["cases"]:  # another PyTorch may round the last bit of a float64 otherwise
        assert close(numbers(tmp_path / entry["file"]), numbers(VECTORS / entry["file"]), 1e-6, 1e-9), entry["name"]


def test_both_indexes_say_the_same():
    entries, text, current = [], iter((VECTORS / "index.txt").read_text().splitlines()), None
    for line in text:
        word, *rest = line.split(" ")
        if word == "case":
            name, function, file, rtol, atol = rest
            current = {
                "name": name,
                "function": function,
                "file": file,
                "rtol": float(rtol),
                "atol": float(atol),
                "sizes": {},
                "inputs": [],
                "outputs": [],
            }
        elif word == "error":
            name, function, code, code_name = rest
            current = {
                "name": name,
                "function": function,
                "code": int(code),
                "code_name": code_name,
                "sizes": {},
                "inputs": [],
            }
        elif word == "size":
            current["sizes"][rest[0]] = int(rest[1])
        elif word in ("in", "out"):
            ndim, *shape = map(int, rest[1:])
            assert ndim == -1 and not shape or ndim == len(shape), line
            current["inputs" if word == "in" else "outputs"].append(
                {"name": rest[0], "shape": None if ndim == -1 else shape}
            )
        elif word == "text":
            current["text"] = line.removeprefix("text ")
        else:
            assert line == "end"
            entries.append(current)
    assert entries == [*INDEX["cases"], *INDEX["errors"]]


def test_the_vectors_cover_what_a_binding_can_do_wrong():
    functions = {each["function"] for each in INDEX["cases"]}
    assert len(functions) == 8
    for function in functions:
        shapes = [
            each["shape"]
            for entry in INDEX["cases"]
            if entry["function"] == function
            for key in ("inputs", "outputs")
            for each in entry[key]
        ]
        assert any(shape and 0 in shape for shape in shapes), function  # without elements
        assert any(shape and math.prod(shape) > 200 for shape in shapes), function
        assert None in shapes or function == "add_forward"
    assert sum(path.stat().st_size for path in VECTORS.iterdir() if path.is_file()) < 2_000_000


def test_the_case_in_the_documentation_is_one():
    text = (ROOT / "docs/languages.md").read_text()
    (block,) = re.findall(r"^```text\n(case .*?)^```", text, re.DOTALL | re.MULTILINE)
    assert block in (VECTORS / "index.txt").read_text()

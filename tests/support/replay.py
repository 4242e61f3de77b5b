"""tests/support/replay.py: replays the recorded calls of the original TH on another library. README.md has the format.

python tests/support/replay.py LIBTH [--only NAME,...] [--unwind]      NAME: a function or a family
python tests/support/replay.py show CASE
"""

import argparse
import base64
import ctypes
import gzip
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parents[1] / "th" / "golden"

DTYPE = {
    "Byte": np.uint8, "Char": np.int8, "Short": np.int16, "Int": np.int32, "Long": np.int64,
    "Float": np.float32, "Double": np.float64, "Half": np.uint16,
}  # fmt: skip


def families():
    return sorted(path.name.removesuffix(".jsonl.gz") for path in FOLDER.glob("*.jsonl.gz"))


def load(family):
    with gzip.open(FOLDER / f"{family}.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


def decode(text, kind):
    return np.frombuffer(base64.b64decode(text), DTYPE[kind]).copy()


def encode(data):
    return base64.b64encode(data).decode()


# ---- The library ----------------------------------------------------------------------------------------------------


class Raised(Exception):
    """An error of the library: kind "E" or "A" (argument), argument number, message without its place."""

    def __init__(self, kind, argument, message):
        self.value = [kind, argument, re.sub(r" at \S+:\d+$", "", message)]


class Missing(Exception):
    """A function that the library does not export."""


def compile_helper(unwind):
    compiler = os.environ.get("CXX", "c++") if unwind else os.environ.get("CC", "cc")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder, "helper.so")
        language = ["-x", "c++"] if unwind else []
        flags = ["-O1", "-w", "-fexceptions", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, *language, str(FOLDER / "helper.c"), "-o", str(library)], check=True)
        helper = ctypes.CDLL(str(library))
    helper.replay_message.restype = ctypes.c_char_p
    helper.replay_call.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int] + [ctypes.c_void_p] * 2
    helper.replay_install.argtypes = [ctypes.c_void_p] * 2
    return helper


class Library:
    def __init__(self, path, unwind=False):
        self.library = ctypes.CDLL(str(Path(path).resolve()), mode=ctypes.RTLD_GLOBAL)
        self.helper = compile_helper(unwind)
        self.addresses = {}
        self.words, self.reals = (ctypes.c_int64 * 20)(), (ctypes.c_double * 8)()
        self.word, self.real = ctypes.c_int64(), ctypes.c_double()
        self.helper.replay_install(self.address("THSetErrorHandler"), self.address("THSetArgErrorHandler"))

    def address(self, name):
        if name not in self.addresses:
            try:
                self.addresses[name] = ctypes.cast(getattr(self.library, name), ctypes.c_void_p).value
            except AttributeError:
                raise Missing(name) from None
        return self.addresses[name]

    def call(self, name, arguments, returns="v"):
        """The result: None for "v", int for "i32", "u8", "P" ..., hex bits for "f32" and "f64", str for "desc"."""
        words = [a for a in arguments if not isinstance(a, float)]
        if returns == "desc":  # a struct: the caller gives its place as first argument
            buffer = ctypes.create_string_buffer(256)
            words.insert(0, ctypes.addressof(buffer))
        for i, word in enumerate(words):
            self.words[i] = (word + (1 << 63)) % (1 << 64) - (1 << 63)
        for i, real in enumerate(a for a in arguments if isinstance(a, float)):
            self.reals[i] = real
        kind = self.helper.replay_call(
            self.address(name), self.words, self.reals, returns in ("f32", "f64"),
            ctypes.byref(self.word), ctypes.byref(self.real),
        )  # fmt: skip
        if kind:
            message = self.helper.replay_message().decode("latin1")
            raise Raised("EA"[kind - 1], self.helper.replay_argument(), message)
        if returns == "v":
            return None
        if returns == "desc":
            return buffer.value.decode("latin1")
        if returns in ("f32", "f64"):
            return bytes(self.real)[: int(returns[1:]) // 8].hex()
        if returns in ("i64", "P"):
            return self.word.value
        bits = int(returns[1:])
        value = self.word.value % (1 << bits)
        return value - (1 << bits) if returns[0] == "i" and value >> (bits - 1) else value


# ---- One case -------------------------------------------------------------------------------------------------------


class Run:
    """The objects of a case: index -> (kind, element type, address, array or None)."""

    def __init__(self, library, case, folder):
        self.library, self.case, self.folder = library, case, folder
        self.objects, self.alive, self.new_storages = {}, [], []

    def call(self, kind, element, name, arguments, returns="v"):
        return self.library.call(f"TH{element}{kind}_{name}", arguments, returns)

    def new_list(self, numbers):
        address = self.call("Storage", "Long", "newWithSize", [len(numbers)], "P")
        if numbers:
            data = self.call("Storage", "Long", "data", [address], "P")
            ctypes.memmove(data, np.array(numbers, np.int64).tobytes(), 8 * len(numbers))
        return address

    def build(self, index, spec):
        kind = spec[0]
        array = None
        if kind == "s":
            element, data = spec[1], base64.b64decode(spec[2])
            address = self.call("Storage", element, "newWithSize", [len(data) // DTYPE[element]().itemsize], "P")
            if data:
                ctypes.memmove(self.call("Storage", element, "data", [address], "P"), data, len(data))
        elif kind == "L":
            kind, element, address = "s", "Long", self.new_list(spec[1])
        elif kind == "t":
            element, size, stride = spec[1], self.new_list(spec[4]), self.new_list(spec[5])
            arguments = [self.objects[spec[2]][2], spec[3], size, stride]
            address = self.call("Tensor", element, "newWithStorage", arguments, "P")
            self.library.call("THLongStorage_free", [size])
            self.library.call("THLongStorage_free", [stride])
        elif kind == "e":
            kind, element, address = "t", spec[1], self.call("Tensor", spec[1], "new", [], "P")
        elif kind == "g":
            element, address = None, self.library.call("THGenerator_new", [], "P")
            if spec[1] is not None:
                self.library.call("THRandom_manualSeed", [address, spec[1]])
        elif kind == "b":
            element, array = spec[1], decode(spec[2], spec[1])
            address = array.ctypes.data
        elif kind in "cp":
            element = None
            if kind == "c":
                memory = ctypes.create_string_buffer(spec[1].encode())
            else:
                addresses = [None if i is None else self.objects[i][2] for i in spec[1]]
                memory = (ctypes.c_void_p * max(1, len(addresses)))(*addresses)
            self.alive.append(memory)
            address = ctypes.addressof(memory)
        self.objects[index] = (kind, element, address, array)

    def argument(self, text):
        if isinstance(text, int):
            return text
        kind, value = text[0], text[1:]
        if kind == "n":
            return 0
        if kind == "@":
            return self.objects[int(value)][2]
        if kind == "f":  # a float travels in the low half of its register
            return struct.unpack("<d", bytes.fromhex(value) + bytes(4))[0]
        if kind == "d":
            return struct.unpack("<d", bytes.fromhex(value))[0]
        if kind == "%":
            return self.library.address(value)
        memory = ctypes.create_string_buffer(value.replace("$TMP", self.folder).encode())
        self.alive.append(memory)
        return ctypes.addressof(memory)

    def look(self, name, arguments):
        """What is read without the library: names that begin with @."""
        values = [self.objects[int(a[1:])] if isinstance(a, str) and a[0] == "@" else a for a in arguments]
        kind, element, address, array = values[0]
        if name == "@refcount":
            return ctypes.c_int.from_address(address + (40 if kind == "t" else 16)).value
        if name == "@flag":
            return ctypes.c_byte.from_address(address + (44 if kind == "t" else 20)).value
        if name == "@eq":
            return int(address == values[1][2])
        if name == "@obs":
            return self.observe(values[0])
        if name == "@dataeq":
            storage = self.call("Tensor", element, "storage", [address], "P")
            offset = self.call("Tensor", element, "storageOffset", [address], "i64") * DTYPE[element]().itemsize
            start = self.call("Storage", element, "data", [storage], "P")
            return int(self.call("Tensor", element, "data", [address], "P") == start + offset)
        if name == "@peek":
            return ctypes.string_at(address, values[2] * DTYPE[values[1]]().itemsize).hex()
        if name == "@peeks":
            return ctypes.string_at(address).decode("latin1").replace(self.folder, "$TMP")
        pointer = int(array.view(np.int64)[0])
        if name == "@derefL":
            return np.frombuffer(ctypes.string_at(pointer, 8 * values[1]), np.int64).tolist()
        assert name == "@derefB", name
        return ctypes.string_at(pointer, values[1]).hex()

    def observe(self, item):
        """The state of a storage, tensor or buffer, in the form of the files."""
        kind, element, address, array = item
        if kind == "b":
            return encode(array.tobytes())
        width = DTYPE[element]().itemsize
        if kind == "s":
            n = self.call("Storage", element, "size", [address], "i64")
            if not 0 < n <= 1 << 24:
                return [n, ""]
            return [n, encode(ctypes.string_at(self.call("Storage", element, "data", [address], "P"), n * width))]
        dims = self.call("Tensor", element, "nDimension", [address], "i32")
        if not 0 <= dims < 64:
            return {"nd": dims}
        size = [self.call("Tensor", element, "size", [address, d], "i64") for d in range(dims)]
        stride = [self.call("Tensor", element, "stride", [address, d], "i64") for d in range(dims)]
        offset = self.call("Tensor", element, "storageOffset", [address], "i64")
        storage = self.call("Tensor", element, "storage", [address], "P")
        state = {"z": size, "st": stride, "o": offset, "s": None}
        for index, other in self.objects.items():
            if other[0] == "s" and other[2] == storage:
                return state | {"s": index}
        if not storage:
            return state
        if storage not in self.new_storages:
            self.new_storages.append(storage)
        n = self.call("Storage", element, "size", [storage], "i64")
        state |= {"s": f"new{self.new_storages.index(storage)}", "sn": n}
        if dims:
            last = offset + sum((a - 1) * b for a, b in zip(size, stride))
            if last >= n or min(size) < 1 or min(stride) < 0 or offset < 0:
                return state | {"v": "OOB"}
            data = ctypes.string_at(self.call("Storage", element, "data", [storage], "P"), n * width)
            values = np.frombuffer(data, DTYPE[element])[offset:]
            view = np.lib.stride_tricks.as_strided(values, size, [s * width for s in stride])
            state["v"] = encode(np.ascontiguousarray(view).tobytes())
        return state

    def state(self):
        return {i: self.observe(item) for i, item in self.objects.items() if item[0] in "stb"}

    def outcome(self):
        for index, spec in enumerate(self.case["o"]):
            self.build(index, spec)
        before, results = self.state(), []
        try:
            for name, returns, *arguments in self.case["k"]:
                if name[0] == "@":
                    results.append(self.look(name, arguments))
                    continue
                values = [self.argument(a) for a in arguments]
                if isinstance(returns, list):  # a new object: ["t:Float", index]
                    address = self.library.call(name, values, "P")
                    if address:
                        self.objects[returns[1]] = (returns[0][0], returns[0][2:] or None, address, None)
                    else:
                        results.append("NULL")
                elif returns == "v":
                    self.library.call(name, values)
                else:
                    results.append(self.library.call(name, values, returns))
        except Raised as error:
            kind, argument, message = error.value
            return {"err": [kind, argument, message.replace(self.folder, "$TMP")]} | self.changes(before)
        outcome = ({"r": results} if results else {}) | self.changes(before)
        self.release()
        return outcome

    def changes(self, before):
        """{"a": the objects that are no longer as they were before}; empty where there are none."""
        if self.case.get("nostate"):
            return {}
        changed = {str(i): s for i, s in self.state().items() if i not in before or s != before[i]}
        return {"a": changed} if changed else {}

    def release(self):
        """Frees everything: a second free shows as a crash."""
        left = {i: item for i, item in self.objects.items() if i not in self.case.get("freed", ())}
        for kind, element, address, _ in left.values():
            if kind == "t":
                self.call("Tensor", element, "free", [address])
        for index, (kind, element, address, _) in left.items():
            if kind == "s":
                self.call("Storage", element, "free", [address])
            elif kind == "g" and index < len(self.case["o"]):
                self.library.call("THGenerator_free", [address])


def outcome_of(library, case, folder):
    try:
        return Run(library, case, folder).outcome()
    except Missing as name:
        return {"missing": str(name)}
    except Raised as error:
        return {"err": ["setup", *error.value]}


def outcomes(library, cases, seconds=20):
    """Runs cases in forked children: a crash or hang costs one case, and an error leaves nothing to the next one."""
    results = []
    folder = tempfile.mkdtemp()
    while len(results) < len(cases):
        first, (reader, writer) = len(results), os.pipe()
        child = os.fork()
        if not child:
            os.close(reader)
            silence = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silence, 1)
            with os.fdopen(writer, "w") as out:
                for case in cases[first:]:
                    signal.alarm(seconds)
                    out.write(json.dumps(outcome_of(library, case, folder)) + "\n")
                    out.flush()
                    if "err" in case["x"]:
                        break
            ctypes.CDLL(None).exit(0)  # C's own, which leaves gcov's counters; a child ends nothing of Python
        os.close(writer)
        with os.fdopen(reader) as lines:
            results += [json.loads(line) for line in lines if line.endswith("\n")]
        _, status = os.waitpid(child, 0)
        if status or len(results) == first:
            results.append({"crash": f"status {status}"})
    shutil.rmtree(folder)
    return results


# ---- Comparing ------------------------------------------------------------------------------------------------------


def differ(expected, got, tolerance, what):
    """Arrays: the same bits, any NaN for any NaN, or within [relative, absolute] tolerance. None or a sentence."""
    if expected.shape != got.shape:
        return f"{what}: {got.size} elements, expected {expected.size}"
    if expected.dtype.kind == "f":
        unsigned = f"u{expected.dtype.itemsize}"
        same = (np.isnan(expected) & np.isnan(got)) | (expected.view(unsigned) == got.view(unsigned))
        if tolerance:
            with np.errstate(all="ignore"):
                x, y = expected.astype(float), got.astype(float)
                same |= (np.abs(x - y) <= tolerance[1] + tolerance[0] * np.abs(x)) | (x == y)
    else:
        same = expected == got
    if same.all():
        return None
    i = int(np.flatnonzero(~same.ravel())[0])
    return f"{what}: element {i} is {got.ravel()[i]}, expected {expected.ravel()[i]} ({int((~same).sum())} differ)"


class Comparison:
    def __init__(self, case, got):
        self.case, self.got = case, got
        self.tolerance, self.modes = case.get("t"), case.get("m", {})

    def verdict(self):
        """None where the outcome is the recorded one, else a sentence."""
        expected, got = self.case["x"], self.got
        if "crash" in got:
            return f"crash: {got['crash']}"
        if "missing" in got:
            return f"missing symbol {got['missing']}"
        if "err" in expected or "err" in got:
            e, g = expected.get("err"), got.get("err")
            if e and g and e[:2] == g[:2] and (e[2] == g[2] or self.case.get("anymsg")):
                return None
            return f"error {g}, expected {e}"
        return self.returned(expected.get("r", []), got.get("r", [])) or self.left(expected, got)

    def returned(self, expected, got):
        if len(expected) != len(got):
            return f"returned {got}, expected {expected}"
        steps = [step for step in self.case["k"] if step[1] != "v" and not isinstance(step[1], list)]
        for n, (e, g) in enumerate(zip(expected, got)):
            if e == g:
                continue
            returns = steps[n][1] if n < len(steps) else None
            if returns in ("f32", "f64") and isinstance(g, str):
                dtype = np.float32 if returns == "f32" else np.float64
                values = [np.frombuffer(bytes.fromhex(x), dtype) for x in (e, g)]
                difference = differ(*values, self.tolerance, f"result {n}")
            elif steps[n][0] == "@obs" and isinstance(e, (dict, list)) and isinstance(g, type(e)):
                difference = self.item(steps[n][2][1:], e, g)
            else:
                difference = f"result {n} of {steps[n][0]} is {g}, expected {e}"
            if difference:
                return difference
        return None

    def left(self, expected, got):
        e, g = expected.get("a", {}), got.get("a", {})
        for index in sorted(set(e) | set(g), key=int):
            difference = self.item(index, e.get(index), g.get(index))
            if difference:
                return difference
        return None

    def element(self, index):
        index = int(index)
        if index < len(self.case["o"]):
            spec = self.case["o"][index]
            return "Long" if spec[0] == "L" else spec[1]
        return next(s[1][0][2:] for s in self.case["k"] if isinstance(s[1], list) and s[1][1] == index)

    def initial(self, index):
        """What an unchanged buffer or storage holds; None for tensors."""
        spec = self.case["o"][int(index)] if int(index) < len(self.case["o"]) else [""]
        if spec[0] == "b":
            return spec[2]
        if spec[0] == "s":
            return [len(base64.b64decode(spec[2])) // DTYPE[spec[1]]().itemsize, spec[2]]
        return None

    def item(self, index, e, g):
        """The state of one object; None stands for unchanged."""
        if e == g:
            return None
        kind, mode, what = self.element(index), self.modes.get(str(index)), f"object {index}"
        e, g = (self.initial(index) if x is None else x for x in (e, g))
        if e is None or g is None:
            return f"{what} {'changed' if e is None else 'did not change'}"
        if isinstance(e, str):  # a buffer
            return None if mode == "skip" else differ(decode(e, kind), decode(g, kind), self.tolerance, what)
        if isinstance(e, list):  # a storage
            if e[0] != g[0]:
                return f"{what}: storage size {g[0]}, expected {e[0]}"
            return None if mode == "skip" else differ(decode(e[1], kind), decode(g[1], kind), self.tolerance, what)
        for field, name in dict(z="sizes", st="strides", o="offset", s="storage", sn="storage size").items():
            if e.get(field) != g.get(field) and not (mode == "skipst" and field in ("st", "sn")):
                return f"{what}: {name} {g.get(field)}, expected {e.get(field)}"
        if ("v" in e) != ("v" in g) or g.get("v") == "OOB":
            return f"{what}: values unreadable"
        if "v" not in e or mode in ("skip", "skipst"):
            return None
        return self.values(decode(e["v"], kind).reshape(e["z"]), decode(g["v"], kind).reshape(g["z"]), mode, what)

    def values(self, e, g, mode, what):
        if mode == "sign":  # columns up to their sign
            g = g.copy()
            for c in range(g.shape[-1]):
                if np.vdot(e[..., c].astype(float), g[..., c].astype(float)) < 0:
                    g[..., c] = -g[..., c]
        elif mode == "rowset":  # rows in any order
            e, g = (x[np.lexsort(np.round(x.T[::-1].astype(float), 3))] for x in (e, g))
        elif mode == "set0":  # elements in any order along the last dimension
            e, g = np.sort(e, axis=-1), np.sort(g, axis=-1)
        elif mode == "sumset":
            e, g = np.sort(e.ravel()), np.sort(g.ravel())
        elif isinstance(mode, list):
            return self.indices(g, *mode[1:], what)
        return differ(e, g, self.tolerance, what)

    def indices(self, index, source, dim, values, distinct, what):
        """Where values tie, any index will do that leads to them."""
        spec = self.case["o"][source]
        data = decode(self.case["o"][spec[2]][2], spec[1])[spec[3] :]
        array = np.lib.stride_tricks.as_strided(data, spec[4], [s * data.itemsize for s in spec[5]])
        state = self.got["a"][str(values)]
        try:
            found = np.take_along_axis(array, index, dim)
        except IndexError as error:
            return f"{what}: {error}"
        if not np.array_equal(found, decode(state["v"], self.element(values)).reshape(state["z"])):
            return f"{what}: the source at these indices is not the values"
        lines = np.moveaxis(index, dim, -1).reshape(-1, index.shape[dim]).tolist()
        return f"{what}: repeated indices" if distinct and any(len(set(x)) < len(x) for x in lines) else None


def failures(library, cases):
    """[(case id, sentence)] for the cases whose outcome is not the recorded one."""
    verdicts = [(case["id"], Comparison(case, got).verdict()) for case, got in zip(cases, outcomes(library, cases))]
    return [(name, sentence) for name, sentence in verdicts if sentence]


def wanted(case, family, names):
    short = case["f"].removeprefix("TH<Real>")
    return not names or {family, case["f"], short, short.split("_", 1)[-1]} & set(names)


def main():
    if sys.argv[1:2] == ["show"]:
        found = [case for family in families() for case in load(family) if case["id"] == sys.argv[2]]
        print(json.dumps(found, indent=1))
        return 0 if found else 1
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--only", default="")
    parser.add_argument("--unwind", action="store_true")
    arguments = parser.parse_args()
    library = Library(arguments.library, arguments.unwind)
    names = [name for name in arguments.only.split(",") if name]
    total = failed = 0
    for family in families():
        cases = [case for case in load(family) if wanted(case, family, names)]
        bad = failures(library, cases)
        total, failed = total + len(cases), failed + len(bad)
        for name, sentence in bad:
            print(f"{name}: {sentence}")
    print(f"{total} cases, {failed} failed")
    return 0 if total and not failed else 1


if __name__ == "__main__":
    sys.exit(main())

"""tests/fuzz/cuda_calls.py: calls of CUDA's runtime on the CPU in any order, against a model of the errors of a card.

    python tests/fuzz/cuda_calls.py --seconds N
    python tests/fuzz/cuda_calls.py SEED …

Memory of the device, managed, page-locked, registered and of the host; copies of each kind; streams and events. The seed
of a list of calls whose error or whose bytes are others than the model's is printed; the second form tries it again.
"""

import ctypes
import random
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests" / "fuzz")]

import by_seed  # noqa: E402

from torchthaw.base import config  # noqa: E402

OK, VALUE, HANDLE, ALREADY, UNREGISTERED = 0, 1, 400, 712, 713
HOST, DEVICE, MANAGED, PINNED, REGISTERED = "host", "device", "managed", "pinned", "registered"
TO_HOST, TO_DEVICE = {0, 2}, {1, 3}  # numbers of cudaMemcpyKind
FROM_HOST, FROM_DEVICE = {0, 1}, {2, 3}
SIZE = 1024
MAKE = {DEVICE: "cudaMalloc", MANAGED: "cudaMallocManaged", PINNED: "cudaMallocHost"}


class Broken(Exception):
    """A property that does not hold."""


class Machine:
    """The runtime and its model, side by side."""

    def __init__(self, library, seed):
        self.library, self.choose = library, random.Random(seed)
        self.buffers = [ctypes.create_string_buffer(SIZE) for _ in range(2)]
        self.kinds, self.bytes = {}, {}  # of addresses: what they are, what they hold
        for buffer in self.buffers:
            self.kinds[ctypes.addressof(buffer)] = HOST
            self.bytes[ctypes.addressof(buffer)] = bytes(SIZE)
        self.freed, self.objects = [], {"Stream": [], "Event": []}
        self.gone, self.recorded = {"Stream": [], "Event": []}, set()

    def call(self, name, expected, *arguments):
        got = getattr(self.library, name)(*arguments)
        if got != expected:
            raise Broken(f"expected error {expected} of {name}{arguments}, got {got}")

    def address(self):
        return self.choose.choice([*self.kinds, *self.freed[-2:]])

    def step(self):
        getattr(
            self,
            self.choose.choice(["make", "free", "register", "unregister", "copy", "copy", "set", "object", "event"]),
        )()

    def make(self):
        kind, made = self.choose.choice(list(MAKE)), ctypes.c_void_p()
        self.call(
            MAKE[kind], OK, ctypes.byref(made), ctypes.c_size_t(SIZE), *([ctypes.c_uint(1)] if kind == MANAGED else [])
        )
        self.freed = [each for each in self.freed if each != made.value]
        self.kinds[made.value], self.bytes[made.value] = kind, b"\1" * SIZE
        self.call("cudaMemset", OK, made, 1, ctypes.c_size_t(SIZE))

    def free(self):
        address, of_host = self.address(), self.choose.random() < 0.5
        right = self.kinds.get(address) in ([PINNED] if of_host else [DEVICE, MANAGED])
        self.call("cudaFreeHost" if of_host else "cudaFree", OK if right else VALUE, ctypes.c_void_p(address))
        if right:
            del self.kinds[address], self.bytes[address]
            self.freed.append(address)

    def register(self):
        address = self.choose.choice(list(self.kinds))
        kind = self.kinds[address]
        expected = {HOST: OK, PINNED: ALREADY, REGISTERED: ALREADY}.get(kind, VALUE)
        self.call("cudaHostRegister", expected, ctypes.c_void_p(address), ctypes.c_size_t(SIZE), ctypes.c_uint(0))
        if not expected:
            self.kinds[address] = REGISTERED

    def unregister(self):
        address = self.address()
        right = self.kinds.get(address) == REGISTERED
        self.call("cudaHostUnregister", OK if right else UNREGISTERED, ctypes.c_void_p(address))
        if right:
            self.kinds[address] = HOST

    def part(self):
        """(address, offset, size), beyond the end at times; not of memory that nobody can check."""
        address = self.address()
        offset, size = self.choose.randrange(SIZE), self.choose.randrange(1, SIZE)
        if self.kinds.get(address) == HOST or self.choose.random() < 0.8:
            size = min(size, SIZE - offset)
        return address, offset, size

    def fits(self, address, offset, size, on_device):
        kind = self.kinds.get(address)
        return kind is not None and offset + size <= SIZE and kind != {True: HOST, False: DEVICE}.get(on_device)

    def copy(self):
        (to, to_at, size), (source, source_at, more) = self.part(), self.part()
        size, kind = min(size, more), self.choose.randrange(5)
        to_device = None if kind == 4 else kind in TO_DEVICE
        from_device = None if kind == 4 else kind in FROM_DEVICE
        right = self.fits(to, to_at, size, to_device) and self.fits(source, source_at, size, from_device)
        self.call("cudaMemcpy", OK if right else VALUE, ctypes.c_void_p(to + to_at), ctypes.c_void_p(source + source_at),
                  ctypes.c_size_t(size), kind)  # fmt: skip
        if right:
            self.write(to, to_at, self.bytes[source][source_at : source_at + size])

    def set(self):
        to, at, size = self.part()
        right, value = self.fits(to, at, size, True), self.choose.randrange(256)
        self.call("cudaMemset", OK if right else VALUE, ctypes.c_void_p(to + at), value, ctypes.c_size_t(size))
        if right:
            self.write(to, at, bytes([value]) * size)

    def write(self, address, at, content):
        before = self.bytes[address]
        self.bytes[address] = before[:at] + content + before[at + len(content) :]

    def object(self):
        kind = self.choose.choice(["Stream", "Event"])
        alive, gone, made = self.objects[kind], self.gone[kind], ctypes.c_void_p()
        if not alive or self.choose.random() < 0.5:
            self.call(f"cuda{kind}Create", OK, ctypes.byref(made))
            alive.append(made.value)
            self.gone[kind] = [each for each in gone if each != made.value]
            self.recorded.discard(made.value)
            return
        which = self.choose.choice([*alive, *gone[-2:]])
        self.call(f"cuda{kind}Query", OK if which in alive else HANDLE, ctypes.c_void_p(which))
        self.call(f"cuda{kind}Destroy", OK if which in alive else HANDLE, ctypes.c_void_p(which))
        if which in alive:
            alive.remove(which)
            gone.append(which)

    def event(self):
        alive, streams = self.objects["Event"], [0, *self.objects["Stream"], *self.gone["Stream"][-1:]]
        events = [*alive, *self.gone["Event"][-1:]]
        if not events:
            return
        event, other, stream = self.choose.choice(events), self.choose.choice(events), self.choose.choice(streams)
        right = event in alive and (stream == 0 or stream in self.objects["Stream"])
        self.call("cudaEventRecord", OK if right else HANDLE, ctypes.c_void_p(event), ctypes.c_void_p(stream))
        if right:
            self.recorded.add(event)
        right, time = all(each in alive and each in self.recorded for each in (event, other)), ctypes.c_float()
        self.call(
            "cudaEventElapsedTime",
            OK if right else HANDLE,
            ctypes.byref(time),
            ctypes.c_void_p(event),
            ctypes.c_void_p(other),
        )

    def end(self):
        for address, content in self.bytes.items():
            if ctypes.string_at(address, SIZE) != content:
                raise Broken(f"expected {content[:20]}… in memory of the kind {self.kinds[address]}, got others")
        for address, kind in list(self.kinds.items()):
            if kind == REGISTERED:
                self.call("cudaHostUnregister", OK, ctypes.c_void_p(address))
            elif kind != HOST:
                self.call("cudaFreeHost" if kind == PINNED else "cudaFree", OK, ctypes.c_void_p(address))
        for kind, alive in self.objects.items():
            for each in alive:
                self.call(f"cuda{kind}Destroy", OK, ctypes.c_void_p(each))


def check(seed, library=None):
    machine = Machine(library or ctypes.CDLL(str(config.library("cuda_on_cpu"))), seed)
    try:
        for _ in range(300):
            machine.step()
        machine.end()
    finally:  # another machine may get this memory
        for buffer in machine.buffers:
            machine.library.cudaHostUnregister(buffer)


if __name__ == "__main__":
    sys.exit(by_seed.main("cuda_calls", __doc__, check, Broken))

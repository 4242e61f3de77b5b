"""calls.py FOLDER: builds kernels.cu and thc.cu in FOLDER as portable extensions, calls all that they have, and prints "right".

It runs on a GPU, and with TORCHTHAW_CUDA=cpu on torchthaw's device.
"""

import sys
import warnings
from pathlib import Path

import torch

from torchthaw import portable

HERE = Path(__file__).resolve().parent
ADDS = range(4)  # of kernels.cu's ways
MUL, MAX, MIN = 4, 5, 6
FLOATS = torch.float32, torch.float64, torch.float16, torch.bfloat16
INTEGERS = torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64
COMPLEX = torch.complex64, torch.complex128


def close(found, wanted, what=None):
    torch.testing.assert_close(found.cpu(), wanted, msg=lambda text: f"{what} {wanted.dtype}: {text}")


def values(shape, dtype, most=4):
    """Whole numbers, so that sums in any order are exact."""
    found = torch.randint(0, most, shape)
    return found.to(dtype) + 1j * torch.randint(0, most, shape) if dtype.is_complex else found.to(dtype)


def raises(kind, *parts):
    """A function that calls another and wants an error with these parts."""

    def call(function, *args):
        try:
            function(*args)
        except kind as error:
            assert all(part in str(error) for part in parts), error
            return
        raise AssertionError(f"expected {kind.__name__} of {function}{args}")

    return call


def matrices(kernels):
    for dtype in (*FLOATS, *INTEGERS, *COMPLEX):
        a, b = values((5, 67), dtype), values((67, 5), dtype)
        close(kernels.add(a.cuda(), b.cuda().t()), a + b.t())
    assert kernels.add(torch.empty(0, 3).cuda(), torch.empty(0, 3).cuda()).shape == (0, 3)
    raises(RuntimeError, "a: expected a tensor of CUDA", "cpu")(kernels.add, torch.ones(1, 1), torch.ones(1, 1))


def scattered(kernels):
    index = torch.randint(0, 7, (300,))

    def check(how, out, source, wanted):
        found = out.cuda()
        kernels.scatter(found, index.cuda(), source.cuda(), how)
        close(found, wanted, f"way {how}")

    for how in ADDS:
        for dtype in (*FLOATS, *INTEGERS, *COMPLEX):
            out, source = values((7,), dtype), values((300,), dtype)
            wanted = out.to(torch.complex128 if dtype.is_complex else torch.float64, copy=True)
            wanted.index_add_(0, index, source.to(wanted.dtype))
            check(how, out, source, wanted.to(torch.int64).to(dtype) if dtype in INTEGERS else wanted.to(dtype))
        source = torch.rand(300) < 0.02
        check(how, torch.zeros(7, dtype=torch.bool), source, torch.zeros(7).index_add_(0, index, source.float()) > 0)
    for dtype in (*FLOATS, *INTEGERS):
        source = values((300,), dtype, 100)
        for how, reduce in ((MAX, "amax"), (MIN, "amin")):
            out = values((7,), dtype, 100)
            check(how, out, source, out.double().scatter_reduce(0, index, source.double(), reduce).to(dtype))
        ones = torch.ones(300).to(dtype)
        ones[5] = 3
        check(
            MUL,
            torch.ones(7).to(dtype),
            ones,
            torch.ones(7).double().scatter_reduce(0, index, ones.double(), "prod").to(dtype),
        )
    for how in (MAX, MIN):  # not a number stays, and comes
        for out, source in ((float("nan"), 1.0), (1.0, float("nan"))):
            found = torch.full((1,), out).cuda()
            kernels.scatter(found, torch.zeros(1, dtype=torch.long).cuda(), torch.full((1,), source).cuda(), how)
            assert found.isnan().all()


def exchanged(kernels):
    for dtype in (*FLOATS, *COMPLEX):
        lanes = values((3, 32), dtype)
        found, ballots = kernels.warps(lanes.cuda())
        sums = lanes.to(torch.complex128 if dtype.is_complex else torch.float64).sum(1).to(dtype)
        close(found, torch.stack([sums, sums, lanes[:, 30], lanes[:, 0]], 1))
        assert ballots.cpu().tolist() == [1, 1, 1]


def indexed(kernels):
    base = torch.randn(4, 6, 5, 3).cuda()
    for tensor, exclude, left, kept in (
        (base, -1, [360, 1], -1), (base, 1, [4, 90, 6, 15, 15, 1], 1), (base[:, :, :1], -1, [24, 15, 3, 1], -1),
        (base.permute(3, 1, 0, 2), -1, [3, 1, 6, 15, 4, 90, 5, 3], -1), (base[:1, :1, :1, :1], 2, [1, 3], 0),
    ):  # fmt: skip
        found, sizes, where = kernels.copy(tensor, exclude)
        close(found, tensor.cpu())
        assert (sizes, where) == (left, kept), (sizes, where)
    raises(RuntimeError, "excluded dim")(kernels.copy, base, 4)


def random(kernels):
    def drawn(*given, **options):
        return kernels.philox(*given, **options).tolist()

    torch.cuda.manual_seed(11)
    assert [drawn(increment=5), drawn(increment=1)] == [[11, 0], [11, 8]]
    generator = torch.Generator("cuda").manual_seed(2**40)
    assert drawn(generator, 4) == [2**40, 0] and drawn(generator, 4) == [2**40, 4]
    assert drawn(increment=4) == [11, 12]
    raises(RuntimeError, "generator", "cpu")(kernels.philox, torch.Generator(), 4)


def errors(kernels):
    raises(RuntimeError, "CUDA error: ", "CUDA_LAUNCH_BLOCKING")(kernels.wrong, "call")
    raises(RuntimeError, "CUDA error: ")(kernels.wrong, "launch")
    kernels.devices()  # none of them is told again
    raises(RuntimeError, "device: expected one of CUDA, got cpu")(kernels.wrong, "guard")
    raises(RuntimeError, "device: expected an index below", "99")(kernels.wrong, "device")
    raises(RuntimeError, "N=0")(kernels.wrong, "blocks")
    raises(RuntimeError, "recorded")(kernels.wrong, "events")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        kernels.wrong("warning")
        kernels.wrong("ignored")
    assert len(said) == 1 and "CUDA warning: " in str(said[0].message)


def products(thc):
    def column_major(tensor, leading):
        """The numbers of a matrix with columns `leading` apart, and what lies between."""
        stored = torch.full((tensor.shape[1], leading), -1.0, dtype=tensor.dtype)
        stored[:, : tensor.shape[0]] = tensor.t()
        return stored

    for dtype in (torch.float64, torch.float32):
        for ops in ("nn", "nt", "tn", "TT", "nc"):
            m, n, k = 3, 4, 5
            a, b, c = (torch.randn(shape, dtype=dtype) for shape in ((m, k), (k, n), (m, n)))
            stored = [
                column_major(a if ops[0] in "nN" else a.t(), 7).cuda(),
                column_major(b if ops[1] in "nN" else b.t(), 6).cuda(),
                column_major(c, 8).cuda(),
            ]
            thc.gemm(ops, m, n, k, 0.5, stored[0], 7, stored[1], 6, 2.0, stored[2], 8)
            close(stored[2][:, :m].t(), 0.5 * a @ b + 2 * c)
            assert (stored[2][:, m:] == -1).all()
    for op in "nt":
        a = torch.randn(3, 4, dtype=torch.float64)
        x, y = torch.randn(4 if op == "n" else 3, 2).double(), torch.randn(3 if op == "n" else 4, 3).double()
        found, matrix = y.cuda(), column_major(a, 5).cuda()
        thc.gemv(op, 3, 4, 0.5, matrix, 5, x.cuda(), 2, 2.0, found, 3)
        close(found[:, 0], 0.5 * (a if op == "n" else a.t()) @ x[:, 0] + 2 * y[:, 0])
        assert torch.equal(found[:, 1:].cpu(), y[:, 1:])
    raises(RuntimeError, "transa", "'x'")(
        thc.gemm, "xn", 1, 1, 1, 1.0, *[torch.ones(1).cuda(), 1] * 2, 0.0, torch.ones(1).cuda(), 1
    )


def main(folder):
    flags = [] if torch.version.cuda else ["-O1"]
    kernels, thc = (
        portable.load(name, HERE / f"{name}.cu", extra_cflags=flags, build_directory=Path(folder, name))
        for name in ("kernels", "thc")
    )
    for checks in (matrices, scattered, exchanged, indexed, random, errors):
        torch.manual_seed(0)
        checks(kernels)
    limits = torch.finfo(torch.float32).min, 2**31 - 1, float("-inf"), 255, 11, 3
    close(kernels.limits(), torch.tensor(limits, dtype=torch.float64))
    assert kernels.streams() and kernels.events()
    with torch.cuda.stream(torch.cuda.Stream()):
        assert kernels.streams() and kernels.events()
        close(kernels.through_raw_memory(torch.arange(9.0).cuda()), torch.arange(9.0))
    warp = torch.cuda.get_device_properties(0).warp_size
    count, major = torch.cuda.device_count(), torch.cuda.get_device_capability()[0]
    assert kernels.devices() == [0, count, warp, major, 0, 0, 0, 0, 4, 1, count]
    close(thc.doubled(torch.arange(50.0).cuda()), torch.arange(50.0) * 2)
    raises(RuntimeError, "7 of nine")(thc.wrong)
    assert thc.handles()
    products(thc)
    print("right")


if __name__ == "__main__":
    main(sys.argv[1])

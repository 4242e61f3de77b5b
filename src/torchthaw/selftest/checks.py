"""torchthaw/selftest/checks.py: what `selftest` builds, calls and compares, each in a process of its own."""

import os
import random
import subprocess
import sys
from pathlib import Path

from . import LACKS, PASSED

HEADER = """
#include <stdint.h>
#include <torchthaw/annotate.h>

/* y = a x + b x^2, of any shape. */
THAW_STATUS THAW_ELEMENTWISE
int curve_forward(const double *x THAW_LIKE(shape, ndim), const int64_t *shape, int64_t ndim, double a, double b,
                  double *y THAW_LIKE(shape, ndim));
THAW_STATUS THAW_BACKWARD_OF(curve_forward)
int curve_backward(const double *grad_y THAW_LIKE(shape, ndim), const double *x THAW_LIKE(shape, ndim),
                   const int64_t *shape, int64_t ndim, double a, double b, double *grad_x THAW_LIKE(shape, ndim));

/* The sum of each row. */
THAW_STATUS
int rows_forward(const float *x THAW_SHAPE(rows, columns), int64_t rows, int64_t columns, float *y THAW_SHAPE(rows));
"""
SOURCE = """
static int64_t count(const int64_t *shape, int64_t ndim) {
    int64_t found = 1;
    for (int64_t i = 0; i < ndim; ++i) found *= shape[i];
    return found;
}
int curve_forward(const double *x, const int64_t *shape, int64_t ndim, double a, double b, double *y) {
    for (int64_t i = 0; i < count(shape, ndim); ++i) y[i] = a * x[i] + b * x[i] * x[i];
    return 1;
}
int curve_backward(const double *grad_y, const double *x, const int64_t *shape, int64_t ndim, double a, double b,
                   double *grad_x) {
    for (int64_t i = 0; i < count(shape, ndim); ++i) grad_x[i] = grad_y[i] * (a + 2 * b * x[i]);
    return 1;
}
int rows_forward(const float *x, int64_t rows, int64_t columns, float *y) {
    for (int64_t i = 0; i < rows; ++i) {
        y[i] = 0;
        for (int64_t j = 0; j < columns; ++j) y[i] += x[i * columns + j];
    }
    return 1;
}
"""
CALLS = 500


def run(name, seed):
    """Ends the process: with 0 where the check holds, with LACKS where something is not installed."""
    random.seed(seed)
    lacks = {"c": c, "old_c": old_c, "cpp": cpp, "cuda": cuda}[name]()
    if lacks:
        print(lacks)
    sys.exit(LACKS if lacks else PASSED)


def c():
    """Random arrays, right and wrong, against PyTorch's own operators."""
    try:
        import torch
    except ImportError as error:
        return f"PyTorch is needed: {error}"
    import torchthaw

    module = torchthaw.load_inline("selftest_c", c_sources=SOURCE, headers=HEADER)
    curve = module.functions.curve
    torch.manual_seed(random.randrange(1 << 31))
    for _ in range(CALLS):
        shape = [random.randrange(4) for _ in range(random.randrange(4))]
        x, a, b = torch.randn(shape, dtype=torch.float64), random.uniform(-2, 2), random.uniform(-2, 2)
        compare(curve(x, a, b), a * x + b * x * x, f"curve of shape {shape}")
        wrong = random.choice([x.float(), x.int(), torch.randn(3, 2).t(), "text", None, x.to_sparse()])
        y = torch.empty(2)
        try:
            module.rows_forward(wrong, 2, 3, y)
        except (TypeError, ValueError) as error:
            if "x" not in str(error):
                raise AssertionError(f"expected an error that names x, got {error}") from None
        else:
            if not (isinstance(wrong, torch.Tensor) and wrong.dtype is torch.float32 and wrong.shape == (2, 3)):
                raise AssertionError(f"expected an error for {wrong!r}, got none")
    x = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    if not torch.autograd.gradcheck(lambda x: curve(x, 0.5, -1.5), (x,)):
        raise AssertionError("gradcheck fails")
    compare(torch.vmap(curve, (0, None, None))(x, 0.5, -1.5), 0.5 * x - 1.5 * x * x, "vmap of curve")
    return ""


def compare(found, expected, what):
    import torch

    torch.testing.assert_close(found, expected, msg=lambda text: f"{what}: {text}")


OLD_HEADER = "int scaled(THFloatTensor *input, float by, THFloatTensor *output);\n"
OLD_SOURCE = """
#include <TH/TH.h>
int scaled(THFloatTensor *input, float by, THFloatTensor *output) {
    THFloatTensor_resizeAs(output, input);
    THFloatTensor_mul(output, input, by);
    return 1;
}
"""
OLD_BUILD = """
from torch.utils.ffi import create_extension
ffi = create_extension("_ext.scaled", headers=["scaled.h"], sources=["scaled.c"], relative_to=__file__)
if __name__ == "__main__":
    ffi.build()
"""
OLD_USE = """
import torch
from _ext import scaled
x, y = torch.randn({shape}), torch.FloatTensor()
assert scaled.scaled(x, {by}, y) == 1
assert torch.equal(y, x * torch.tensor({by})), (x, y)
print("right")
"""


def old_c():
    """A project of PyTorch 0.4, unmodified."""
    from ..base import config

    if not config.library_path("th").exists():
        return f"libth is needed: {config.library_path('th')} is not there"
    shape, by = (random.randrange(1, 5), random.randrange(1, 5)), random.uniform(-2, 2)
    write({
        "scaled.h": OLD_HEADER, "scaled.c": OLD_SOURCE, "build.py": OLD_BUILD,
        "use.py": OLD_USE.format(shape=shape, by=by),
    })  # fmt: skip
    under_run("build.py")
    expect(under_run("use.py"), "right")
    return ""


CPP_USE = r'''
import torch
from torch.utils.cpp_extension import load_inline

module = load_inline("selftest_cpp", cpp_sources="""
#include <torch/torch.h>
at::Tensor twice(at::Tensor x) {{
    AT_CHECK(x.type().scalarType() == at::kFloat, "expected float");
    auto y = at::empty(x.sizes(), x.type());
    for (int64_t i = 0; i < x.numel(); i++) y.data<float>()[i] = 2 * x.data<float>()[i];
    return y;
}}
""", functions=["twice"], build_directory="{folder}")
x = torch.randn(3, 4)
assert torch.equal(module.twice(x), 2 * x)
print("right")
'''


def cpp():
    """Old C++, unmodified, by PyTorch's own builder."""
    try:
        import torch  # noqa: F401
    except ImportError as error:
        return f"PyTorch is needed: {error}"
    os.mkdir("build")
    write({"use.py": CPP_USE.format(folder=os.path.abspath("build"))})
    expect(under_run("use.py"), "right")
    return ""


CUDA = r"""
#include <cstdio>
#include <cuda_runtime.h>
__global__ void scale(float *x, float by, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by;
}
int main() {
    float host[1000], *device;
    for (int i = 0; i < 1000; i++) host[i] = i;
    if (cudaMalloc(&device, sizeof host)) return 1;
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    scale<<<8, 128>>>(device, 3, 1000);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 1000; i++)
        if (host[i] != 3 * i) return 1;
    printf("right\n");
    return cudaFree(device);
}
"""


def cuda():
    """CUDA without a GPU."""
    from ..base import config

    if not config.library_path("cuda_on_cpu").exists():
        return f"libcuda_on_cpu is needed: {config.library_path('cuda_on_cpu')} is not there"
    write({"scale.cu": CUDA, "build.sh": '"$CUDA_HOME"/bin/nvcc scale.cu -o scale && ./scale\n'})
    expect(under_run("build.sh", TORCHTHAW_CUDA="cpu"), "right")
    return ""


def write(files):
    for name, text in files.items():
        Path(name).write_text(text, "utf-8")


def under_run(script, **environment):
    """What a script prints under `run`; AssertionError with all that it printed where it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "torchthaw", "run", script], capture_output=True, encoding="utf-8", errors="replace",
        env={**os.environ, **environment},
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{script} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def expect(printed, word):
    if word not in printed:
        sys.exit(f"expected {word!r}, got {printed!r}")

"""tests/sanitize/test_sanitized_cuda.py: programs of CUDA on the CPU, under AddressSanitizer and UBSan.

The runtime has the sanitizers as well. ctest runs libthc and the operators so.
"""

import pytest

from support import TESTS
from support.sanitized import PRELUDE, PROGRAMS, RUN

pytestmark = pytest.mark.timeout(1200)

# Signals, which a sanitizer takes first; Python that loads a kernel; a limit of memory; headers of NVIDIA, which bind a
# reference to a null pointer; and the same code once more.
LEFT_OUT = (
    "processor_ends", "handlers_of_python", "ctrl_c", "without_enough_threads", "thrust", "without_optimization",
)  # fmt: skip

PLANTED = """
#include <cstdio>
#include <cstdlib>
__global__ void beyond(float *x, int n) { x[threadIdx.x + n] = 1; }
__global__ void shifts(int *x, int by) { x[threadIdx.x] = 1 << by; }
int main(int count, char **words) {
    const int which = std::atoi(words[count - 1]);
    float *x, *host = static_cast<float *>(std::malloc(4 * sizeof(float)));
    cudaMalloc(&x, 8 * sizeof(float));
    if (which == 0) beyond<<<1, 4>>>(x, 5);
    if (which == 1) shifts<<<1, 4>>>(reinterpret_cast<int *>(x), 40);
    if (which == 2) cudaMemcpy(host, x, 8 * sizeof(float), cudaMemcpyDeviceToHost);
    std::free(host);
    std::puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
"""


@pytest.mark.parametrize("file", ["test_programs.py", "test_waits.py", "test_wrong_uses.py"])
def test_no_sanitizer_speaks_up(run, file):
    others = " and ".join(f"not {name}" for name in LEFT_OUT)
    done = run(RUN, TESTS / "cuda_on_cpu" / file, "-k", others, **PROGRAMS)
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr


@pytest.fixture(scope="module")
def planted(run):
    """Runs the program of PLANTED, with the number of a fault."""
    (run.folder / "planted.cu").write_text(PLANTED)
    script = f"""{PRELUDE}
from support import cuda_on_cpu
folder = Path(sys.argv[1])
done = cuda_on_cpu.nvcc("-o", folder / "planted", folder / "planted.cu")
if not done.returncode:
    done = cuda_on_cpu.run(folder / "planted", sys.argv[2])
print(done.stdout, done.stderr)
"""
    return lambda number: run(script, str(number), **PROGRAMS).stdout


@pytest.mark.parametrize("number, words", [
    (0, ["heap-buffer-overflow", "Block::entry"]), (1, ["planted.cu:5", "shift exponent 40"]),
    (2, ["heap-buffer-overflow", "WRITE of size 32", "in cudaMemcpy", "memory.cpp"]), (3, ["cudaSuccess"]),
])  # fmt: skip
def test_planted_faults_are_reported(planted, number, words):
    report = planted(number)
    assert all(word in report for word in words), report

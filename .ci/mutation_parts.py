"""mutation_parts.py: the parts of the code that make mutations changes, and how each is built and tested.

The files are those of the net "mutations" of nets.py: all of C, C++ and CUDA, less what exceptions.txt leaves out. Each
is in the part of the first row of PLACES that matches its path.
"""

import re
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Suite:
    """What is built and run for code that changed."""

    folder: str  # as tests/README.md names it, whose row has the tests of Python
    targets: tuple = ()  # of CMake: a change with which one does not compile does not count
    needs: tuple = ()  # other targets, which the tests use as they are
    compiled: str = ""  # a word of compiled_by_tests.py, for code that no target has; it counts as one
    # Below build/: where the bytes of these are the same, the change changes nothing. None where tests compile the code
    # in more ways than the targets do.
    same: tuple = ()
    objects: tuple = ()  # below build/: likewise, without those for instruction sets that this processor lacks
    programs: str = ""  # how the names of the tests in C begin, a regular expression
    seconds: int = 900  # that its tests may take, and one of them a sixth of that
    limited: bool = True  # in addresses; not where tests use AddressSanitizer, or CUDA on the CPU with its many stacks


MY_LIB = Suite(
    "c_api/my_lib/", ("my_lib", "my_lib_static"), same=("lib/libmy_lib.so",), programs="test_",
    objects=("c_api/[bm]*/CMakeFiles/**/*.o",),
)  # fmt: skip
BRIDGE = Suite("src/torchthaw/bridge/", ("bridge",), ("legacy",), same=("lib/_bridge.abi3.so",))
TH = Suite(
    "c_api/th/", ("th",), same=("lib/libth.so",), programs="(th_test|fuzz_th)_", objects=("c_api/[bt]*/CMakeFiles/**/*.o",)
)  # fmt: skip
THC = Suite(
    "c_api/thc/", ("thc_on_cpu",), same=("lib/cuda_on_cpu/libthc.so.*",), programs="thc_test_", limited=False
)  # fmt: skip
CUDA_KERNELS = Suite(
    "c_api/my_lib/**/*.cu", ("my_lib_cuda_on_cpu",), same=("lib/cuda_on_cpu/libmy_lib_cuda.so.*",), programs="cuda_on_cpu_",
    limited=False,
)  # fmt: skip
HEADERS = Suite("c_api/include/", ("th", "thc_on_cpu", "bridge"), programs="(test|th_test|thc_test)_", limited=False)
RUNTIME = Suite(
    "src/torchthaw/cuda_on_cpu/runtime/", ("cuda_on_cpu",), same=("lib/libcuda_on_cpu.so",), programs="cuda_on_cpu_",
    limited=False,
)  # fmt: skip
TOOLKIT = Suite("src/torchthaw/cuda_on_cpu/toolkit/", needs=("cuda_on_cpu",), compiled="samples", limited=False)
DEVICE = Suite(
    "src/torchthaw/cuda_on_cpu/device/", needs=("cuda_on_cpu",), compiled="device", same=("compiled_by_tests/device/*.so",),
    limited=False,
)  # fmt: skip
PYTORCH_HEADERS = Suite("src/torchthaw/cuda_on_cpu/include_pytorch/", needs=("cuda_on_cpu",), limited=False)
TABLE = Suite("src/torchthaw/export/table.c", compiled="export", same=("compiled_by_tests/export/*.o",), limited=False)
ONNX_RUNTIME = replace(TABLE, folder="src/torchthaw/export/onnxruntime.c")
JAX = replace(TABLE, folder="src/torchthaw/export/jax.c")
PORTABLE = Suite("src/torchthaw/portable/", seconds=3600, limited=False)  # each change compiles the runtime again

# (files, their part, its suite)
PLACES = (
    (r"c_api/my_lib/.*\.cuh?", "CUDA kernels", CUDA_KERNELS),
    (r"c_api/my_lib/runtime/(?!convert|elements|simd|vector).*|c_api/base/.*", "checks", MY_LIB),
    (r"c_api/my_lib/.*", "kernels", MY_LIB),
    (r"c_api/th/.*", "libth", TH),
    (r"c_api/thc/.*", "libthc", THC),
    (r"c_api/include/.*", "headers", HEADERS),
    (r"src/torchthaw/bridge/(call/(check|annotated)|regions|values/numbers)\..*", "checks", BRIDGE),
    (r"src/torchthaw/bridge/.*", "bridge", BRIDGE),
    (r"src/torchthaw/legacy/ffi/structs/.*", "legacy structs", BRIDGE),
    (r"src/torchthaw/cuda_on_cpu/runtime/.*", "CUDA runtime", RUNTIME),
    (r"src/torchthaw/cuda_on_cpu/toolkit/.*", "CUDA toolkit", TOOLKIT),
    (r"src/torchthaw/cuda_on_cpu/device/.*", "CUDA device", DEVICE),
    (r"src/torchthaw/cuda_on_cpu/include_(pytorch|for_gpus)/.*", "CUDA device", PYTORCH_HEADERS),
    (r"src/torchthaw/export/onnxruntime\..*", "export", ONNX_RUNTIME),
    (r"src/torchthaw/export/jax\..*", "export", JAX),
    (r"src/torchthaw/export/.*", "export", TABLE),
    (r"src/torchthaw/portable/.*", "portable", PORTABLE),
)
# Part -> how many changes are tried.
COUNTS = {
    "kernels": 30, "checks": 25, "bridge": 30, "legacy structs": 12, "libth": 25, "libthc": 15, "headers": 12,
    "CUDA kernels": 12, "CUDA runtime": 20, "CUDA toolkit": 12, "CUDA device": 12, "export": 15,
    "portable": 20,
}  # fmt: skip


def place_of(path):
    """(part, suite) of a file. ValueError of one that has none."""
    for files, part, suite in PLACES:
        if re.fullmatch(files, path):
            return part, suite
    raise ValueError(f"{path}: expected a row of PLACES in .ci/mutation_parts.py or of .ci/exceptions.txt, got none")

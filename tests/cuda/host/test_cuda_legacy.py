"""tests/cuda/host/test_cuda_legacy.py: old CUDA projects build, link and load as they are, also where there is no
card."""

import os
import re
import shutil
import subprocess
import sys

import pytest
import torch

import torchthaw
from support import ROOT, SRC, TESTS
from support.cuda_toolkit import ARCHITECTURES, toolkit_or_skip
from support.messages import names
from torchthaw.base import config
from torchthaw.extension import cuda

toolkit = toolkit_or_skip()
if not (config.libdir() / "libthc.so.1").exists():
    pytest.skip("libthc was not built", allow_module_level=True)

LIBRARY_DIRS = toolkit.library_dirs


@pytest.fixture
def create():
    from torchthaw.legacy.ffi.create import create_extension

    return create_extension


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "cuda"
    made = shutil.ignore_patterns("__pycache__", "_ext", "build", "*.o")
    shutil.copytree(ROOT / "examples" / "legacy" / "cuda", folder, ignore=made)
    return folder


def run(folder, *arguments, fails=False, **environment):
    """What ``python -m torchthaw run ARGUMENTS…`` prints."""
    result = subprocess.run(
        [sys.executable, "-m", "torchthaw", "run", *arguments], cwd=folder, capture_output=True, text=True,
        env={
            **os.environ, "PYTHONPATH": str(SRC), "TORCH_CUDA_ARCH_LIST": ARCHITECTURES,
            "TORCHTHAW_CACHE": str(folder.parent / "cache"), **environment,
        },
    )  # fmt: skip
    assert bool(result.returncode) == fails, result.stdout + result.stderr
    return result.stdout + result.stderr


def product(folder):
    (made,) = (folder / "my_package" / "_ext" / "my_lib").glob("_my_lib*.so")
    return made


@pytest.mark.slow
@pytest.mark.parametrize("script, build", [
    (True, ["build.py"]), (False, ["setup.py", "-q", "build_ext", "--inplace"]),
], ids=["make.sh and build.py", "setup.py alone"])  # fmt: skip
def test_project(project, script, build):
    if script:
        assert "sm_52: nvcc" in run(project, "make.sh")
        assert cuda.embedded(project / "src" / "add_kernel.cu.o") == ["75", "75+PTX"]
    printed = run(project, *build)
    assert ("add_kernel.cu.o is made from add_kernel.cu: " in printed) == (not script)
    assert run(project, "test.py").splitlines()[-1] == "ok"
    made = product(project)
    assert cuda.embedded(made) == ["75", "75+PTX"]
    dynamic = subprocess.run(["readelf", "-d", made], capture_output=True, text=True).stdout
    assert re.findall(r"NEEDED.*\[(libthc?\.so\.1|libcudart.*)\]", dynamic) == ["libthc.so.1", "libth.so.1"]


@pytest.mark.slow
def test_project_with_cublas(tmp_path):
    """Its script compiles for two cards that are long gone, and calls build.py."""
    made = shutil.ignore_patterns("__pycache__", "_ext", "build", "*.o")
    folder = shutil.copytree(ROOT / "examples" / "legacy" / "cuda_linear", tmp_path / "cuda_linear", ignore=made)
    assert "sm_52 sm_61: nvcc" in run(folder, "make.sh")
    assert cuda.embedded(folder / "_ext" / "linear_cuda" / "_linear_cuda.so") == ["75", "75+PTX"]
    assert run(folder, "-c", "from _ext import linear_cuda; print(linear_cuda.linear_cuda_forward)").startswith(
        "<built-in"
    )


@pytest.mark.slow
def test_objects_of_other_times_are_made_anew(project):
    """A committed object for lost cards, one of an old CUDA, one older than its source."""
    run(project, "make.sh")
    target = project / "src" / "add_kernel.cu.o"
    data = bytearray(target.read_bytes())
    reasons = []
    target.write_bytes(bytes(data) + b"cudaConfigureCall")
    reasons.append(run(project, "build.py"))
    target.write_bytes(data)
    reasons.append(run(project, "build.py", TORCH_CUDA_ARCH_LIST="8.0"))
    assert cuda.embedded(product(project)) == ["75", "75+PTX"], "its PTX serves"
    os.utime(target, (1, 1))
    reasons.append(run(project, "build.py"))
    compiled = [re.findall(r"add_kernel.cu.o is made from add_kernel.cu: (.*)", printed) for printed in reasons]
    assert [len(each) for each in compiled] == [1, 0, 1]
    assert re.search(names("CUDA", "old"), compiled[0][0]) and re.search(names("source", "newer"), compiled[2][0])


@pytest.mark.slow
def test_object_without_a_source(project):
    (project / "src" / "add_kernel.cu").unlink()
    printed = run(project, "build.py", fails=True)
    assert re.search(names("extra_objects", "file", "add_kernel_kernel.cu"), printed)


OLD_OBJECT = """
extern int cudaConfigureCall(int, int, long, void *), cudaLaunch(const void *);
int my_kernel(void) { return cudaConfigureCall(1, 2, 0, 0) + cudaLaunch("kernel"); }
"""


@pytest.mark.slow
@pytest.mark.parametrize("made", ["lib/kernel.so", "lib/libkernel.a", "lib/kernel.cu.o"])
@pytest.mark.parametrize("source", [None, "src/kernel.cu"])
def test_what_an_old_cuda_made_is_named(project, made, source):
    """An archive, an object that the project's script calls x.so, and one whose source is elsewhere."""
    (project / "lib").mkdir()
    (project / "old.c").write_text(OLD_OBJECT)
    subprocess.run(["gcc", "-fPIC", "-c", "old.c", "-o", "old.o"], cwd=project, check=True)
    if made.endswith(".a"):
        subprocess.run(["ar", "rcs", made, "old.o"], cwd=project, check=True)
        with open(project / "src" / "my_lib.c", "a") as file:
            file.write("extern int my_kernel(void);\nint (*used)(void) = my_kernel;\n")
    else:
        shutil.copy(project / "old.o", project / made)
    if source:
        (project / source).write_text("")
    text = (project / "build.py").read_text()
    (project / "build.py").write_text(text.replace('"src/add_kernel.cu.o")]', f'"src/add_kernel.cu.o"), "{made}"]'))
    printed = run(project, "build.py", fails=True)
    again = f"build it again from {project / source}" if source else "build it again from its source"
    if made.endswith(".o"):
        assert re.search(names(f"'{made}'", "CUDA", "old"), printed)
        assert not source or printed.rstrip().endswith(again)
    else:
        assert "undefined symbols: cudaConfigureCall, cudaLaunch. " in printed
        assert re.search(names(project / made, "CUDA", "9.2", again), printed)


BUILDS = pytest.mark.parametrize("build", [["build.py"], ["setup.py", "-q", "build_ext", "--inplace"]], ids=" ".join)


@pytest.mark.slow
@BUILDS
def test_a_script_that_did_not_run_is_named_once(project, build):
    """Its flags are unknown: its source is compiled all the same, and may not compile."""
    source, script = project / "src" / "add_kernel.cu", project / "make.sh"
    errors = "".join(f"static const int a{index} = RADIUS{index};\n" for index in range(10))
    source.write_text(f"#ifndef GIVEN\n{errors}#endif\n" + source.read_text())
    script.write_text(script.read_text().replace(" -arch", " -DGIVEN -arch"))
    printed = run(project, *build, fails=True)
    assert len(re.findall("RADIUS", printed)) == 1, printed
    why = r"src/add_kernel.cu.o is made from add_kernel.cu: it was not built yet, without the flags of make.sh[.] Run "
    assert re.search(why + r"`python -m torchthaw run make.sh` first[.] The first error: .*add_kernel.cu.2.: ", printed)
    run(project, "make.sh")
    run(project, *build)


@pytest.mark.slow
def test_a_source_without_a_script(project):
    (project / "make.sh").unlink()
    (project / "src" / "add_kernel.cu").write_text("#include <flags_of_the_project.h>\n")
    printed = run(project, "build.py", fails=True)
    assert re.search(r"without the flags of the project's script[.] .*: fatal error: flags_of_the_project.h: ", printed)


@pytest.mark.slow
@BUILDS
def test_removed_calls(project, build):
    """Without a declaration, C takes them for functions of some library."""
    with open(project / "src" / "add_kernel.cu", "a") as file:
        file.write("__global__ void votes(int *y) { if (__any(y[0]) && __all(y[1])) y[2] = __ballot(y[3]); }\n")
    with open(project / "src" / "my_lib_cuda.h", "a") as file:
        file.write("int old_calls(void);\n")
    text = "#include <cuda_runtime.h>\nint old_calls(void) { return cudaThreadSynchronize() + cudaThreadExit(); }\n"
    source = project / "src" / "my_lib_cuda.c"
    source.write_text(text + source.read_text())
    run(project, *build)
    if not torch.cuda.is_available():  # cudaThreadExit resets the device
        call(project, "assert my_lib.old_calls() != 0")


@pytest.mark.slow
@BUILDS
def test_common_header_of_thcunn(project, build):
    """It lay beside THCUNN.h; a project's own header of that name comes first."""
    source = project / "src" / "add_kernel.cu"
    source.write_text(
        '#include "THCUNN.h"\n#include "common.h"\n#include <cuda_runtime.h>\n'
        "void grid() { GET_BLOCKS(CUDA_NUM_THREADS); }\n" + source.read_text()
    )
    for name in ("my_lib.c", "my_lib_cuda.c"):
        file = project / "src" / name
        file.write_text('#include "THCUNN.h"\n#include "common.h"\n' + file.read_text())
    own = project / "src" / "own"
    own.mkdir()
    (own / "common.h").write_text("#define OWN 1\n")
    text = (project / "build.py").read_text()
    run(project, *build)
    (project / "build.py").write_text(text.replace("with_cuda=True,", "with_cuda=True, include_dirs=['src/own'],"))
    source.write_text(source.read_text().replace("GET_BLOCKS(CUDA_NUM_THREADS)", "(void)OWN"))
    (project / "src" / "my_lib.c").write_text('#include "common.h"\nint own = OWN;\n')
    (project / "src" / "my_lib.h").write_text("")
    run(project, *build)


# cffi calls alloca, which Python.h makes stdlib.h declare. asprintf and M_PI are no words of C99 either.
FIRST_LINES = """#define _GNU_SOURCE
#define _USE_MATH_DEFINES
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

int first_lines(int *values, int n) {
    char *text;
    int length = asprintf(&text, "%.4f", M_PI);
    free(text);
    for (int i = 0; i < n; ++i) length += values[i];
    return length + 0 * (int)sizeof(cudaThreadSynchronize());
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("standard, build", [
    ("c99", ["build.py"]), ("c11", ["setup.py", "-q", "build_ext", "--inplace"]), ("gnu17", ["build.py"]),
], ids=["c99 build.py", "c11 setup.py", "gnu17 build.py"])  # fmt: skip
def test_sources_that_choose_what_the_c_library_declares(project, build, standard):
    (project / "src" / "my_lib.c").write_text(FIRST_LINES)
    (project / "src" / "my_lib.h").write_text("int first_lines(int *values, int n);\n")
    text = (project / "build.py").read_text()
    text = text.replace("with_cuda=True,", f"with_cuda=True, extra_compile_args=['-std={standard}', '-Werror'],")
    (project / "build.py").write_text(text)
    run(project, *build)
    call(project, "assert my_lib.first_lines([1, 2, 3], 3) == 12")


CALL = """
import torch
from my_package._ext import my_lib
from my_package._ext.my_lib._my_lib import ffi
"""


def call(folder, source):
    (folder / "call.py").write_text(CALL + source)
    result = run(folder, "call.py")
    return result


@pytest.fixture
def built(project):
    if cuda.visible(toolkit):
        pytest.skip("this machine has a card")
    run(project, "build.py")
    return project


@pytest.mark.slow
def test_without_a_card_the_first_use_says_so(built):
    printed = call(built, """
import ctypes
thc = ctypes.CDLL("libthc.so.1")
thc.THCudaTensor_new.restype = ctypes.c_void_p
made = ffi.cast("THCudaTensor *", thc.THCudaTensor_new(None))
try:
    my_lib.my_lib_add_forward_cuda(made, made, made)
except torch.FatalError as error:
    print(error)
""")  # fmt: skip
    assert re.search(r"cuda runtime error \((35|100)\) : .*; this machine has no NVIDIA card, or no driver", printed)


@pytest.mark.slow
def test_cpu_tensors_are_refused_by_cuda_functions(built):
    printed = call(built, """
a = torch.ones(2)
try:
    my_lib.my_lib_add_forward_cuda(a, a, a)
except TypeError as error:
    print(error)
""")  # fmt: skip
    expected = "initializer for ctype 'struct THCudaTensor *' must be a pointer to same type"
    assert f"{expected}, not cdata 'struct THFloatTensor *'" in printed


# Libraries of the toolkit

BLAS = """
#include <TH/TH.h>
extern int cublasSgemm_v2(void), curandGenerate(void);
int calls_blas(void) { return cublasSgemm_v2() + curandGenerate(); }
"""


def build_blas(folder, way, text=BLAS, **options):
    """Builds the extension ``blas_of_old``; the output of readelf for it."""
    from torchthaw.legacy.ffi.create import create_extension

    (folder / "blas.c").write_text(text)
    (folder / "blas.h").write_text("int calls_blas(void);\n")
    places = {"relative_to": str(folder / "build.py"), "with_cuda": True, **options}
    if way == "torch.utils.ffi":
        create_extension("blas_of_old", "blas.h", ["blas.c"], verbose=False, **places).build()
    else:
        torchthaw.create_extension("blas_of_old", "blas.h", ["blas.c"], th=True, **places).build()
    made = folder / "blas_of_old" / "_blas_of_old.so"
    return subprocess.run(["readelf", "-d", made], capture_output=True, text=True).stdout


WAYS = pytest.mark.parametrize("way", ["torch.utils.ffi", "th=True"])


@pytest.mark.slow
@WAYS
def test_libraries_that_pytorch_had_in_the_process(tmp_path, monkeypatch, way):
    """No project named cuBLAS and cuRAND; cuFFT, which nothing calls, is not linked. pip's packages lack libX.so."""
    for name, text in [("libcublas.so.13", "cublasSgemm_v2"), ("libcurand.so", "curandGenerate"), ("libcufft.so", "f")]:
        (tmp_path / "x.c").write_text(f"int {text}(void) {{ return 3; }}\n")
        command = ["gcc", "-shared", "-fPIC", "x.c", f"-Wl,-soname,{name.partition('.')[0]}.so.13", "-o", name]
        subprocess.run(command, cwd=tmp_path, check=True)
    (tmp_path / "libcurand.so.13").symlink_to("libcurand.so")
    monkeypatch.setattr(cuda.Toolkit, "library_dirs", property(lambda self: [tmp_path, *LIBRARY_DIRS]))
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "cache"))
    dynamic = build_blas(tmp_path, way)
    assert re.findall(r"NEEDED.*\[(libcu.*)\]", dynamic) == ["libcublas.so.13", "libcurand.so.13"]
    assert str(tmp_path) in re.search(r"RUNPATH.*", dynamic)[0]
    if torch.cuda.is_available():
        return  # PyTorch has loaded the real ones
    load = "import sys; sys.path.insert(0, '.'); import blas_of_old; print(blas_of_old.calls_blas())"
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    done = subprocess.run([sys.executable, "-c", f"import torchthaw; {load}"], cwd=tmp_path, env=environment,
                          capture_output=True, text=True)  # fmt: skip
    assert done.stdout == "6\n", done.stderr


@pytest.mark.slow
@WAYS
@pytest.mark.parametrize("where", ["header", "object", "comment", "nowhere"])
def test_the_toolkit_is_searched_where_its_libraries_are_linked(tmp_path, monkeypatch, way, where):
    """Not where nothing calls them: the folder may be one of this machine alone."""
    (tmp_path / "x.c").write_text("int cublasSgemm_v2(void) { return 3; }\n")
    subprocess.run(["gcc", "-shared", "-fPIC", "x.c", "-o", "libcublas.so"], cwd=tmp_path, check=True)
    monkeypatch.setattr(cuda.Toolkit, "library_dirs", property(lambda self: [tmp_path, *LIBRARY_DIRS]))
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "cache"))
    calls = "extern int cublasSgemm_v2(void);\nint of_old(void) { return cublasSgemm_v2(); }\n"
    (tmp_path / "own.h").write_text(calls if where == "header" else "int of_old(void);\n")
    (tmp_path / "own.c").write_text(calls if where == "object" else "int of_old(void) { return 3; }\n")
    subprocess.run(["gcc", "-c", "-fPIC", "own.c"], cwd=tmp_path, check=True)
    text = '#include "own.h"\nint calls_blas(void) { return of_old(); }\n' + "/* cublas */ struct cublasContext;\n"
    objects = {} if where == "header" else {"extra_objects": ["own.o"]}
    dynamic = build_blas(tmp_path, way, text, **objects)
    is_linked = where in ("header", "object")
    assert ("libcublas" in dynamic, f"{tmp_path}" in dynamic.partition("RUNPATH")[2]) == (is_linked, is_linked)


@pytest.mark.slow
@WAYS
def test_a_library_that_the_toolkit_lacks_is_named(tmp_path, monkeypatch, way):
    monkeypatch.setattr(cuda.Toolkit, "math_libraries", [])
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "cache"))
    with pytest.raises(RuntimeError, match="cublasSgemm_v2: a function of cublas, .* nvidia-cublas") as error:
        build_blas(tmp_path, way)
    assert re.search(names("curandGenerate", "curand"), str(error.value))


# The headers


# As NVIDIA's is where a toolkit has it: it deprecates types that its own functions take.
CUSPARSE = """#if defined(DISABLE_CUSPARSE_DEPRECATED)
#define CUSPARSE_DEPRECATED_TYPE
#else
#define CUSPARSE_DEPRECATED_TYPE __attribute__((deprecated))
#endif
typedef struct cusparseContext *cusparseHandle_t;
typedef int cusparseStatus_t;
typedef struct pruneInfo *pruneInfo_t CUSPARSE_DEPRECATED_TYPE;
cusparseStatus_t cusparseCreatePruneInfo(pruneInfo_t *info);
"""


@pytest.mark.slow
def test_headers_are_clean(tmp_path):
    (tmp_path / "last").mkdir()
    (tmp_path / "last" / "cusparse.h").write_text(CUSPARSE)
    names = ["<THC/THC.h>", '"THC.h"', '"THCTensor.h"', '"THCGeneral.h"']
    text = "".join(f"#include {name}\n" for name in names) + "extern THCState *state;\n"
    include = config.includes()
    searched = include, include / "TH", include / "THC", toolkit.include, tmp_path / "last"
    folders = [f"-I{folder}" for folder in searched]
    warnings = ["-Wall", "-Wextra", "-Werror"]
    device = "".join(f"#include <THC/{each.name}>\n" for each in sorted((include / "THC").glob("*.cuh")))
    nvcc = [toolkit.nvcc, "-arch=sm_75", "-std=c++17", "-Werror", "all-warnings", "-Xcompiler", ",".join(warnings)]
    for name, command, source in [
        ("a.c", ["gcc", "-std=c99", *warnings], text), ("b.c", ["gcc", "-std=gnu17", *warnings], text),
        ("c.cpp", ["g++", "-std=c++11", *warnings], text), ("d.cpp", ["g++", "-std=c++17", *warnings], text),
        ("e.cu", nvcc, text + device),
    ]:  # fmt: skip
        (tmp_path / name).write_text(source)
        subprocess.run([*command, *folders, "-c", tmp_path / name, "-o", tmp_path / "x.o"], check=True)


@pytest.mark.slow
def test_each_header_for_kernels_stands_alone(tmp_path):
    include = config.includes()
    command = [toolkit.nvcc, "-arch=sm_75", "-std=c++17", "-ptx", "-Werror", "all-warnings", f"-I{include}"]
    headers = sorted((include / "THC").glob("*.cuh"))
    assert len(headers) >= 15
    for header in headers:
        source = tmp_path / f"{header.stem}.cu"
        source.write_text(f"#include <THC/{header.name}>\n")
        subprocess.run([*command, source, "-o", tmp_path / "x.ptx"], check=True)


@pytest.mark.slow
def test_headers_for_kernels(tmp_path):
    """Compiled for a card, and run as far as the host goes."""
    include = config.includes()
    folders = [f"-I{folder}" for folder in (include, include / "TH", include / "THC", config.my_lib_includes())]
    libraries = ["-Xlinker", f"{config.library('thc')},{config.library('th')},-rpath={config.libdir()}"]
    source = TESTS / "thc" / "device_headers.cu"
    command = [toolkit.nvcc, "-arch=sm_75", "-std=c++17", "-Werror", "all-warnings", *folders, source, *libraries]
    subprocess.run([*command, "-o", tmp_path / "program"], check=True)
    subprocess.run([tmp_path / "program"], check=True)

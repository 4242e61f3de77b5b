# tests/portable/build/conftest.py: headers that compile in no time, for tests of what is built with them, and projects.
import os
import subprocess
import sys

import pytest

from support import SRC
from torchthaw.portable import headers, jit, operators, runtime_library

# As much of torch/extension.h as makes a module of functions that return a number.
EXTENSION_H = r"""
#pragma once
#include <Python.h>
#include <portable/runtime.h>
namespace at { struct Tensor {}; }
struct Module {
    PyObject *object;
    static PyObject *call(PyObject *self, PyObject *) {
        return PyLong_FromLong(reinterpret_cast<long (*)()>(PyCapsule_GetPointer(self, nullptr))());
    }
    void def(const char *name, long (*function)(), const char *doc = nullptr) {
        auto made = new PyMethodDef{name, call, METH_NOARGS, doc};
        PyObject *capsule = PyCapsule_New(reinterpret_cast<void *>(function), nullptr, nullptr);
        PyObject_SetAttrString(object, name, PyCFunction_NewEx(made, capsule, nullptr));
    }
};
#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)
#define PYBIND11_MODULE(name, m)                                                                  \
    static void fill(Module m);                                                                   \
    extern "C" __attribute__((visibility("default"))) PyObject *JOINED(PyInit_, name)() {         \
        static PyModuleDef definition = {PyModuleDef_HEAD_INIT, TEXT(name), nullptr, -1, nullptr}; \
        Module made{PyModule_Create(&definition)};                                                \
        fill(made);                                                                               \
        return made.object;                                                                       \
    }                                                                                             \
    static void fill(Module m)
"""
RUNTIME_H = "namespace portable { long runtime(); }\n"
RUNTIME = "#include <portable/runtime.h>\nlong portable::runtime() { return 40; }\n"


@pytest.fixture
def small(tmp_path, monkeypatch):
    """The folder of the headers above, which stand for torchthaw's; a cache and a memory of what was loaded of its own."""
    root = tmp_path / "small"
    files = {
        "include/torch/extension.h": EXTENSION_H,
        "own/portable/runtime.h": RUNTIME_H,
        "runtime/runtime.cpp": RUNTIME,
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True)
        (root / name).write_text(text)
    monkeypatch.setattr(headers, "folder", lambda: root / "include")
    monkeypatch.setattr(headers, "OWN", root / "own")
    monkeypatch.setattr(runtime_library, "RUNTIME", root / "runtime")
    monkeypatch.setattr(operators, "write", lambda folder, sources, include_dirs: folder.mkdir(exist_ok=True))
    monkeypatch.setattr(jit, "_loaded", {})
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("TORCH_EXTENSIONS_DIR", raising=False)
    for name in ("CFLAGS", "CPPFLAGS", "CXXFLAGS", "LDFLAGS", "MAX_JOBS"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return root


ADD = """
#include <torch/extension.h>
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("add", [](at::Tensor a, at::Tensor b) { return a + b; });
}
"""
SETUP = """
from setuptools import setup
from BUILDER import BuildExtension, CppExtension

setup(
    name="adding", version="1.0", packages=["adding"], install_requires=["torch"],
    ext_modules=[CppExtension("adding._C", ["add.cpp"], extra_compile_args={"cxx": ["-O0", "-std=c++14"]})],
    cmdclass={"build_ext": BuildExtension},
)
"""


@pytest.fixture
def project(tmp_path):
    """project(module): the folder of one with a setup.py that imports BuildExtension of that module."""

    def write(module="torchthaw.portable", **changes):
        folder = tmp_path / "adding"
        files = {"setup.py": SETUP, "add.cpp": ADD, "adding/__init__.py": "from ._C import add\n", **changes}
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text.replace("BUILDER", module))
        return folder

    return write


@pytest.fixture
def python():
    """python(folder, *words): what a Python of this environment prints there, errors too."""

    def run(folder, *words, code=0, **variables):
        done = subprocess.run(
            [sys.executable, *map(str, words)], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(SRC), *variables.pop("path", ())]), **variables},
        )  # fmt: skip
        assert done.returncode == code, done.stdout
        return done.stdout

    return run

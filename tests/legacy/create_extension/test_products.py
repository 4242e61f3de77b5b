# tests/legacy/create_extension/test_products.py: what create_extension writes, and what its result builds.
import re

import cffi
import pytest

from support.legacy_project import files, imported, output, python
from support.messages import names
from torchthaw.extension import BuildError

SOURCES = ["src/twice.c", "src/twice.h"]
PACKAGE = "__init__.py", "__init__.pyi"


def made(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


NAMES = {
    "module-script": [("pkg._ext.lib", False, "_lib"), ("lib", False, "_lib")],
    "module-package": [("pkg._ext.lib", True, "pkg._ext.lib._lib"), ("lib", True, ".lib._lib")],
}


@pytest.mark.parametrize("case", NAMES)
def test_module_name(case, create, project):
    for name, package, module in NAMES[case]:
        assert create(name, [], [], package=package)._assigned_source[0] == module


def test_create_extension_makes_the_folder(create, project):
    create("one.two", "src/twice.h", ["src/twice.c"])
    create("one.two", "src/twice.h", ["src/twice.c"])  # existing is fine
    assert made(project) == ["one/__init__.py", "one/two/__init__.py", *SOURCES]


def test_packages_on_the_way(create, project):
    """Each gets an empty __init__.py; one that is there stays as it is."""
    files(project, {"one/__init__.py": "kept = 1\n"})
    create("one.two.three", "src/twice.h", ["src/twice.c"])
    assert (project / "one" / "__init__.py").read_text() == "kept = 1\n"
    assert (project / "one" / "two" / "__init__.py").read_text() == ""


def test_create_extension_writes_the_wrapper(create, project):
    """The package's own __init__.py, over an older one."""
    files(project, {"one/__init__.py": "", "one/two/__init__.py": "old = 1\n"})
    create("one.two", "src/twice.h", ["src/twice.c"])
    text = (project / "one" / "two" / "__init__.py").read_text()
    assert "create_extension" in text and "old" not in text
    assert not re.search("torchthaw.* import _", text), "it uses no private name of torchthaw"


@pytest.mark.slow
def test_build_returns_none(create, project):
    assert create("one.two", "src/twice.h", ["src/twice.c"], False).build() is None


def test_build_leaves_nothing_but_the_product(create, project):
    """_ext/my_lib/_my_lib.so, without a tag, and the stub."""
    create("one.two", "src/twice.h", ["src/twice.c"], False).build()
    assert made(project) == ["one/__init__.py", *(f"one/two/{name}" for name in (*PACKAGE, "_two.so")), *SOURCES]


def test_result_is_an_ffi(create, project):
    """A cffi.FFI with set_source and cdef done, and build."""
    ffi = create("one.two", "src/twice.h", ["src/twice.c"])
    assert isinstance(ffi, cffi.FFI) and callable(ffi.build) and ffi._assigned_source
    assert ffi.typeof("struct THFloatTensor *").kind == "pointer"
    with pytest.raises(ValueError, match="set_source"):
        ffi.set_source("again", "")


def test_failing_build(create, project, capfd):
    """cffi's VerificationError; no wrapper stays without its module."""
    files(project, {"src/twice.c": "int twice(int value) { return value + }\n"})
    ffi = create("failing.deep", "src/twice.h", ["src/twice.c"], False)
    with pytest.raises(cffi.VerificationError, match="failed with exit status") as raised:
        ffi.build()
    assert "twice.c:1:39: error: expected expression" in str(raised.value)
    assert capfd.readouterr() == ("", "")
    assert made(project) == SOURCES and not (project / "failing").exists()
    files(project, {"src/twice.c": "int twice(int value) { return 2 * value; }\n"})
    ffi.build()
    products = [f"failing/deep/{name}" for name in (*PACKAGE, "_deep.so")]
    assert made(project) == ["failing/__init__.py", *products, *SOURCES]


@pytest.mark.parametrize("suffix, header, source, said", [
    ("c", "int f(THCudaTensor *x);\n", "int f(void *x) { return 1; }\n", names("THC", "with_cuda", "TORCHTHAW_BUILD_CUDA=1")),
    ("cpp", "int f(THFloatTensor *x);\n", "#include <ATen/ATen.h>\nat::Tensor x;\n", names("ATen", "cpp_extension")),
])  # fmt: skip
def test_a_failing_build_says_what_is_wrong_in_old_code(suffix, header, source, said, create, project):
    files(project, {"src/f.h": header, f"src/f.{suffix}": source})
    with pytest.raises(BuildError, match="failed with exit status") as raised:
        create("failing", "src/f.h", [f"src/f.{suffix}"], False).build()
    assert re.search(said, str(raised.value).splitlines()[-1])


def test_a_wrapper_without_its_module_says_so(create, project):
    create("lonely.lib", [], [], False)
    with pytest.raises(ModuleNotFoundError, match="^lonely.lib: expected its library _lib beside this file; run the"):
        imported("lonely.lib")


@pytest.mark.slow
def test_a_failing_build_leaves_what_was_there(create, project):
    """Files of the project, and the packages of other extensions, stay as they were."""
    files(project, {"src/twice.c": "int twice(int value) { return value + }\n", "one/deep/__init__.py": "old = 1\n"})
    committed = create("one.deep", "src/twice.h", ["src/twice.c"], False)
    first = create("two.first", "src/twice.h", ["src/twice.c"], False)
    create("two.second", [], [], False).build()
    for ffi in (committed, first):
        with pytest.raises(cffi.VerificationError):
            ffi.build()
    assert (project / "one" / "deep" / "__init__.py").read_text() == "old = 1\n"
    assert not (project / "two" / "first").exists()
    assert imported("two.second") and (project / "two" / "__init__.py").exists()


def test_a_failed_build_leaves_the_good_one(create, project):
    """The module that was good before stays in place."""
    create("lasting", "src/twice.h", ["src/twice.c"], False).build()
    good = (project / "lasting" / "_lasting.so").read_bytes()
    files(project, {"src/twice.c": "int twice(int value) { return value + }\n"})
    with pytest.raises(BuildError):
        create("lasting", "src/twice.h", ["src/twice.c"], False).build()
    assert (project / "lasting" / "_lasting.so").read_bytes() == good
    assert imported("lasting").twice(21) == 42


def test_package_mode_in_place(create, project):
    """In package mode build() makes a module that can be imported in place."""
    create("pkg.ext.lib", "src/twice.h", ["src/twice.c"], False, package=True).build()
    assert (project / "pkg" / "ext" / "lib" / "_lib.so").exists() and imported("pkg.ext.lib").twice(21) == 42


@pytest.mark.parametrize("tmpdir", [None, "generated"])
def test_distutils_extension(tmpdir, create, project):
    """cffi's own method; it writes the C file below build/ or tmpdir."""
    ffi = create("pkg.lib", "src/twice.h", ["src/twice.c"], package=True, define_macros=[("A", "1")])
    ext = ffi.distutils_extension(**({"tmpdir": tmpdir} if tmpdir else {}), verbose=False)
    assert ext.name == "pkg.lib._lib" and ("A", "1") in ext.define_macros
    generated, *rest = ext.sources
    assert (project / generated).exists() and generated.startswith(tmpdir or "build")
    assert rest == [str(project / "src" / "twice.c")]
    assert {"-lstdc++", "-lgomp"} <= set(ext.extra_link_args), "objects compiled elsewhere need them"
    assert "-std=gnu17" in ext.extra_compile_args, "gcc 15 takes C for C23"
    (project / "src" / "more.cpp").touch()
    both = create("pkg.lib", "src/twice.h", ["src/twice.c", "src/more.cpp"], package=True).distutils_extension()
    assert "-std=gnu17" not in both.extra_compile_args, "C++ has no such standard"


SETUP = """
from setuptools import setup
setup(name="p", version="1", packages=["p"], setup_requires=["cffi>=1.0.0"], install_requires=["cffi>=1.0.0"],
      cffi_modules=["native/build.py:{name}"])
"""
BUILD = """
from torch.utils.ffi import create_extension
print("as", __name__, __file__)
def make():
    return create_extension("p._ext.lib", headers=["src/twice.h"], sources=["src/twice.c"], package=True,
                            relative_to="build.py")
ffi = make()
if __name__ == "__main__":
    ffi.build()
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A package project, built by setup.py."""
    folder = tmp_path_factory.mktemp("package")
    files(folder, {
        "p/__init__.py": "", "native/build.py": BUILD, "setup.py": SETUP.format(name="ffi"),
        "src/twice.h": "int twice(int value);\n", "src/twice.c": "int twice(int value) { return 2 * value; }\n",
    })  # fmt: skip
    built = python(folder, "setup.py", "build_ext", "--inplace")
    assert built.returncode == 0, built.stdout + built.stderr
    return folder, built.stdout


@pytest.mark.slow
def test_setup_puts_the_module_into_the_package(package):
    """setup.py with cffi_modules; the module has a tag."""
    folder, _ = package
    assert [path.name for path in (folder / "p" / "_ext" / "lib").glob("*.so")] == ["_lib.abi3.so"]
    assert output(folder, "from p._ext import lib\nprint(lib.twice(4))\n") == "8\n"


@pytest.mark.slow
def test_cffi_modules_runs_the_build_file_as_cffi(package):
    """__name__ is __cffi__, and __file__ is as written."""
    assert "as __cffi__ native/build.py" in package[1]


@pytest.mark.slow
def test_cffi_modules_names_a_function(package):
    """The name after the colon may be a function that returns the FFI."""
    folder, _ = package
    files(folder, {"setup.py": SETUP.format(name="make")})
    for product in (folder / "p" / "_ext" / "lib").glob("*.so"):
        product.unlink()
    built = python(folder, "setup.py", "-q", "build_ext", "--inplace", "--force")
    assert built.returncode == 0 and (folder / "p" / "_ext" / "lib" / "_lib.abi3.so").exists(), built.stderr


CALL = "create_extension('s.lib', 'src/twice.h', [{sources}], False, relative_to=__file__)"
BUILDS = {
    # built where __name__ is "__main__", not where imported
    "main-guard": f"from torch.utils.ffi import create_extension\nffi = {CALL.format(sources=repr('src/twice.c'))}\n"
    "if __name__ == '__main__':\n    ffi.build()\n",
    # without the guard, importing the build file builds
    "built-at-import": "from torch.utils.ffi import create_extension\n"
    f"{CALL.format(sources=repr('src/twice.c'))}.build()\n",
    # torch.cuda.is_available() chooses the sources
    "cuda-decides": "import torch\nfrom torch.utils.ffi import create_extension\nsources = ['src/twice.c']\n"
    "if torch.cuda.is_available():\n    sources += ['src/twice_cuda.c']\n"
    f"ffi = {CALL.format(sources='*sources')}\nif __name__ == '__main__':\n    ffi.build()\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("case", BUILDS)
def test_build_file(case, project):
    files(project, {"build.py": BUILDS[case]})
    product = project / "s" / "lib" / "_lib.so"
    assert output(project, "import build\n") == "" and product.exists() == (case == "built-at-import")
    built = python(project, "build.py")
    assert built.returncode == 0 and product.exists(), built.stderr
    assert output(project, "from s import lib\nprint(lib.twice(1))\n") == "2\n"

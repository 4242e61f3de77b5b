# tests/legacy/create_extension/test_products.py: what create_extension writes, and what its result builds.
import cffi
import pytest

from support.legacy_project import files, imported, output, python
from support.rows import named, row
from torchthaw.build import BuildError

SOURCES = ["src/twice.c", "src/twice.h"]


def made(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


NAMES = {
    "module-script": [("pkg._ext.lib", False, "_lib"), ("lib", False, "_lib")],
    "module-package": [("pkg._ext.lib", True, "pkg._ext.lib._lib"), ("lib", True, ".lib._lib")],
}


@pytest.mark.parametrize("row", named(NAMES))
def test_module_name(row, create, project):
    for name, package, module in NAMES[row]:
        assert create(name, [], [], package=package)._assigned_source[0] == module


@row("folder-at-once")
def test_folder(row, create, project):
    create("one.two", "src/twice.h", ["src/twice.c"])
    create("one.two", "src/twice.h", ["src/twice.c"])  # existing is fine
    assert made(project) == ["one/__init__.py", "one/two/__init__.py", *SOURCES]


@row("init-touched")
def test_packages_on_the_way(row, create, project):
    files(project, {"one/__init__.py": "kept = 1\n"})
    create("one.two.three", "src/twice.h", ["src/twice.c"])
    assert (project / "one" / "__init__.py").read_text() == "kept = 1\n"
    assert (project / "one" / "two" / "__init__.py").read_text() == ""


@row("wrapper-at-once")
def test_wrapper(row, create, project):
    files(project, {"one/__init__.py": "", "one/two/__init__.py": "old = 1\n"})
    create("one.two", "src/twice.h", ["src/twice.c"])
    text = (project / "one" / "two" / "__init__.py").read_text()
    assert "_wrap_function" in text and "old" not in text


@row("product", "build-returns-none")
def test_product(row, create, project):
    assert create("one.two", "src/twice.h", ["src/twice.c"], False).build() is None
    assert made(project) == ["one/__init__.py", "one/two/__init__.py", "one/two/_two.so", *SOURCES]


@row("returns-ffi")
def test_result(row, create, project):
    ffi = create("one.two", "src/twice.h", ["src/twice.c"])
    assert isinstance(ffi, cffi.FFI) and callable(ffi.build) and ffi._assigned_source
    assert ffi.typeof("struct THFloatTensor *").kind == "pointer"
    with pytest.raises(ValueError, match="set_source"):
        ffi.set_source("again", "")


@row("build-fails")
def test_failing_build(row, create, project, capfd):
    files(project, {"src/twice.c": "int twice(int value) { return value + }\n"})
    ffi = create("failing.deep", "src/twice.h", ["src/twice.c"], False)
    with pytest.raises(cffi.VerificationError, match="failed with exit status") as raised:
        ffi.build()
    assert "twice.c:1:39: error: expected expression" in str(raised.value)
    assert capfd.readouterr() == ("", "")
    assert made(project) == SOURCES and not (project / "failing").exists()
    files(project, {"src/twice.c": "int twice(int value) { return 2 * value; }\n"})
    ffi.build()
    assert made(project) == ["failing/__init__.py", "failing/deep/__init__.py", "failing/deep/_deep.so", *SOURCES]


@row("wrapper-at-once")
def test_a_wrapper_without_its_module_says_so(row, create, project):
    create("lonely.lib", [], [], False)
    with pytest.raises(ModuleNotFoundError, match="^lonely.lib: expected its library _lib beside this file; run the"):
        imported("lonely.lib")


@row("build-fails")
def test_a_failing_build_leaves_what_was_there(row, create, project):
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


@row("build-fails-later")
def test_a_failed_build_leaves_the_good_one(row, create, project):
    create("lasting", "src/twice.h", ["src/twice.c"], False).build()
    good = (project / "lasting" / "_lasting.so").read_bytes()
    files(project, {"src/twice.c": "int twice(int value) { return value + }\n"})
    with pytest.raises(BuildError):
        create("lasting", "src/twice.h", ["src/twice.c"], False).build()
    assert (project / "lasting" / "_lasting.so").read_bytes() == good
    assert imported("lasting").twice(21) == 42


@row("build-package")
def test_package_mode_in_place(row, create, project):
    create("pkg.ext.lib", "src/twice.h", ["src/twice.c"], False, package=True).build()
    assert (project / "pkg" / "ext" / "lib" / "_lib.so").exists() and imported("pkg.ext.lib").twice(21) == 42


@row("distutils-extension")
@pytest.mark.parametrize("tmpdir", [None, "generated"])
def test_distutils_extension(tmpdir, row, create, project):
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


@row("product-of-setup")
def test_setup_puts_the_module_into_the_package(row, package):
    folder, _ = package
    assert [path.name for path in (folder / "p" / "_ext" / "lib").glob("*.so")] == ["_lib.abi3.so"]
    assert output(folder, "from p._ext import lib\nprint(lib.twice(4))\n") == "8\n"


@row("cffi-modules")
def test_how_the_build_file_runs(row, package):
    assert "as __cffi__ native/build.py" in package[1]


@row("cffi-modules-callable")
def test_callable(row, package):
    folder, _ = package
    files(folder, {"setup.py": SETUP.format(name="make")})
    for product in (folder / "p" / "_ext" / "lib").glob("*.so"):
        product.unlink()
    built = python(folder, "setup.py", "-q", "build_ext", "--inplace", "--force")
    assert built.returncode == 0 and (folder / "p" / "_ext" / "lib" / "_lib.abi3.so").exists(), built.stderr


CALL = "create_extension('s.lib', 'src/twice.h', [{sources}], False, relative_to=__file__)"
BUILDS = {
    "main-guard": f"from torch.utils.ffi import create_extension\nffi = {CALL.format(sources=repr('src/twice.c'))}\n"
    "if __name__ == '__main__':\n    ffi.build()\n",
    "built-at-import": "from torch.utils.ffi import create_extension\n"
    f"{CALL.format(sources=repr('src/twice.c'))}.build()\n",
    "cuda-decides": "import torch\nfrom torch.utils.ffi import create_extension\nsources = ['src/twice.c']\n"
    "if torch.cuda.is_available():\n    sources += ['src/twice_cuda.c']\n"
    f"ffi = {CALL.format(sources='*sources')}\nif __name__ == '__main__':\n    ffi.build()\n",
}


@pytest.mark.parametrize("row", named(BUILDS))
def test_build_file(row, project):
    files(project, {"build.py": BUILDS[row]})
    product = project / "s" / "lib" / "_lib.so"
    assert output(project, "import build\n") == "" and product.exists() == (row == "built-at-import")
    built = python(project, "build.py")
    assert built.returncode == 0 and product.exists(), built.stderr
    assert output(project, "from s import lib\nprint(lib.twice(1))\n") == "2\n"

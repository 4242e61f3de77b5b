# tests/build/conftest.py: a project for torchthaw.load, a record of what is compiled, and a CUDA toolkit.
import pytest

from support import load_project
from torchthaw.extension import cuda, jit


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with sources, which is the current one; a cache and a memory of what was loaded of its own."""
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("TORCH_EXTENSIONS_DIR", raising=False)
    monkeypatch.setattr(jit, "_loaded", {})
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "scaling.h").write_text(load_project.HEADER)
    (folder / "scaling.c").write_text(load_project.SOURCE)
    (folder / "factor.h").write_text("#define FACTOR 2\n")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """compiled(): the names of the files that were compiled since the last time."""
    log = tmp_path / "log"
    load_project.compiler(tmp_path, log, monkeypatch)

    def taken():
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return sorted(line.split()[1] for line in lines if line.startswith("end"))

    return taken


@pytest.fixture
def cuda_home(project, monkeypatch):
    try:
        root = cuda.toolkit().root
    except FileNotFoundError:
        pytest.skip("no nvcc on this machine")
    monkeypatch.setenv("CUDA_HOME", str(root))
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "7.5+PTX")

"""tests/cuda_on_cpu/test_objects.py: extra_objects of old projects that were made for GPUs."""

import re

import pytest

from support.messages import names
from torchthaw.cuda_on_cpu import toolkit_folder
from torchthaw.legacy.ffi import extra_objects


@pytest.fixture
def made(tmp_path):
    """made(name, content): a file there."""

    def write(name, content=b""):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        return path

    return write


@pytest.mark.parametrize("name", ["libcudart_static.a", "libcudadevrt.a", "libculibos.a", "libcublas.so"])
def test_a_library_of_another_toolkit_is_the_runtime(made, monkeypatch, name):
    path, other = made(f"lib64/{name}"), made("lib64/libother.a")
    assert extra_objects.for_cuda(path.parent, [path, other], ["80"]) == ({}, [path, other])
    monkeypatch.setenv("TORCHTHAW_CUDA", "cpu")
    assert extra_objects.for_cuda(path.parent, [path, other], ["80"]) == (
        {},
        [toolkit_folder.home() / "lib64" / name, other],
    )


def test_an_object_for_gpus_is_made_anew(made, monkeypatch, capfd):
    monkeypatch.setenv("TORCHTHAW_CUDA", "cpu")
    source, built = made("src/kernel.cu"), made("src/kernel.cu.o", b"__cudaRegisterFatBinary")
    sources, linked = extra_objects.for_cuda(built.parent, [built.name], ["80"])
    assert [*sources] == [source] and not linked
    assert re.search(names("kernel.cu.o", "kernel.cu", "GPUs", "CUDA on the CPU"), capfd.readouterr().err)

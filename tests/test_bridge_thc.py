"""tests/test_bridge_thc.py: THC structs without a GPU: pretended CUDA tensors, libthc and kernels on the CPU."""

import shutil
import sys

import pytest
import thc_probe

pytestmark = pytest.mark.timeout(900)  # the first test waits for the stand-in for CUDA


@pytest.mark.parametrize("exact, dlpack", [(True, False), (False, True)], ids=["exact-attributes", "partial-dlpack"])
def test_structs(exact, dlpack):
    assert len(thc_probe.passed(exact, dlpack)) > 40


RUN = "import sys, legacy; from torchthaw import cli; sys.exit(cli.main(['run', *sys.argv[1:]]))"


@pytest.mark.parametrize("scripts", [["make.sh", "build.py"], ["build.py"]], ids=["script", "build file"])
def test_the_example(tmp_path, scripts):
    made = shutil.ignore_patterns("__pycache__", "_ext", "build", "*.o")
    folder = shutil.copytree(thc_probe.ROOT / "examples" / "legacy" / "cuda", tmp_path / "cuda", ignore=made)
    for script in scripts:
        thc_probe.run(sys.executable, "-c", RUN, script, cwd=folder)
    assert thc_probe.run(sys.executable, "-c", RUN, "test.py", cwd=folder) == "ok\n"

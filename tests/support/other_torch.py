"""tests/support/other_torch.py: wheels of torch under any version, which import the PyTorch of the tests."""

import zipfile

import torch

# The rest of its packages, such as sympy, lie beside it. fault: a line of Python, for a version that lacks something.
INIT = """
import importlib.util, sys
sys.path.append({packages!r})
spec = importlib.util.spec_from_file_location("torch", {packages!r} + "/torch/__init__.py", submodule_search_locations=[{packages!r} + "/torch"])
torch = sys.modules["torch"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(torch)
torch.__version__ = {version!r}
{fault}
"""


def wheel(folder, version, fault=""):
    """The path of a wheel torch==``version``, which a folder of wheels may have beside those of an index."""
    packages = torch.__path__[0].rpartition("/")[0]
    info = f"torch-{version}.dist-info"
    files = {
        "torch/__init__.py": INIT.format(packages=packages, version=version, fault=fault),
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    path = folder / f"torch-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path

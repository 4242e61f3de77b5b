"""torchthaw/base/installed_torch.py: the PyTorch that is installed, looked at without the seconds that its import takes."""

import importlib.util
import runpy
from pathlib import Path


def folder() -> Path | None:
    """The folder of the package ``torch``; None without one."""
    found = importlib.util.find_spec("torch")
    return Path(found.origin).parent if found and found.origin else None


def about() -> dict:
    """What ``torch.version`` has, such as __version__ and cuda; empty without PyTorch."""
    root = folder()
    file = root / "version.py" if root else None
    return runpy.run_path(str(file)) if file and file.is_file() else {}


def include() -> list[Path]:
    """The folders of PyTorch's headers, of which each is there; empty without them."""
    root = folder()
    folders = [root / "include" / more for more in ("", "torch/csrc/api/include")] if root else []
    return folders if all(each.is_dir() for each in folders) else []

"""wheel_pytorch.py: gives each Python of `make wheel` a PyTorch, which the legacy sample needs.

That of `make wheel` has its own. The others get the newest that the package index has for them, up to the one in
requirements/newest-torch.txt. TORCH_INDEX names another index for it, such as PyTorch's public CPU index; PyPI's brings
CUDA's libraries along, about 5 GB for each Python.
"""

import subprocess
import sys

from compat import index, no_wheel, recorded

OWN = "{}.{}".format(*sys.version_info)


def folders(version, base, folder, environment):
    """The folders where that Python, whose program is ``base``, finds PyTorch; [] where the index has none for it.

    One is made in the empty ``folder``. RuntimeError carries what pip printed. environment: the variables for pip.
    """
    if version == OWN:
        return [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    subprocess.run([base, "-m", "venv", folder], check=True)
    words = ["--no-compile", "--only-binary", ":all:", *index(), f"torch<={recorded()}"]
    log = folder / "pip.log"
    with open(log, "w") as output:
        done = subprocess.run([folder / "bin" / "python", "-m", "pip", "install", "-q", *words], stdout=output,
                              stderr=subprocess.STDOUT, env=environment)  # fmt: skip
    if done.returncode == 0:
        return [str(path) for path in folder.glob("lib/python*/site-packages")]
    if no_wheel(log):
        return []
    raise RuntimeError(f"torch for Python {version}: {log.read_text()}")

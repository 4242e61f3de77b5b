"""torchthaw/legacy/run/cpath.py: compilers that a project runs itself find the headers of TH. Imports neither PyTorch nor the bridge."""

import os

from ...base import config


def point_compilers_at_headers():
    """Compilers that a project runs itself look into PyTorch's folders for TH: CPATH names ours as well.

    Not CPLUS_INCLUDE_PATH: what that names comes last even if it is also given by -I, behind the project's own folders.
    """
    include = os.fspath(config.includes())
    folders = [folder for folder in os.environ.get("CPATH", "").split(os.pathsep) if folder]
    for folder in (include, os.path.join(include, "TH"), os.path.join(include, "THC")):
        if folder not in folders:
            folders.append(folder)
    os.environ["CPATH"] = os.pathsep.join(folders)

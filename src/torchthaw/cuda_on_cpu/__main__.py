"""python -m torchthaw.cuda_on_cpu FOLDER RUNTIME: makes the toolkit FOLDER, for torchthaw's own build."""

import sys
from pathlib import Path

from ..base import cache
from . import toolkit_folder

cache.write(Path(sys.argv[1]), *toolkit_folder.content(Path(sys.argv[2])))

"""python -m torchthaw.cuda_on_cpu FOLDER RUNTIME: makes the toolkit FOLDER, for torchthaw's own build."""

import sys
from pathlib import Path

from .home import fill

fill(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[1])

"""torchthaw/__main__.py: `python -m torchthaw`."""

import os
import sys

if sys.argv[1:2] in (["doctor"], ["modernize"]) and sys.path[:1] == [os.getcwd()]:
    del sys.path[0]  # a project in the current folder is read, and its modules are never imported

from .cli import main  # noqa: E402

raise SystemExit(main())

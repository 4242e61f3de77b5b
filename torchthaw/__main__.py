"""torchthaw/__main__.py: `python -m torchthaw`."""

from .cli import main

raise SystemExit(main())

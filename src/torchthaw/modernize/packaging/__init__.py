"""torchthaw/modernize/packaging: what the new package says of itself: pyproject.toml, setup.py, requirements, scripts."""

"""benchmarks/peers/__init__.py: the same work done in other ways."""

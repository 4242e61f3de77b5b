"""tests/support: what several tests share and no test is; ROOT, SRC and TESTS say where everything lies."""

from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
SRC = ROOT / "src"

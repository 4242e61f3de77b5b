"""benchmarks/cards.py: what was found on a GPU: one file in benchmarks/results/ for each kind of card."""

import json
import re
import shutil
import subprocess
from datetime import date
from pathlib import Path

RESULTS = Path(__file__).resolve().parent / "results"


def name():
    """The first card's name, such as "NVIDIA H200"; "" where there is none."""
    smi = shutil.which("nvidia-smi")
    if not smi:
        return ""
    listed = subprocess.run([smi, "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True)
    return listed.stdout.splitlines()[0].strip() if listed.returncode == 0 and listed.stdout.strip() else ""


def keep(card, section, found, folder=RESULTS):
    """Writes ``found`` under ``section``, with the date, and leaves the other sections; the file's path."""
    path = folder / f"{re.sub(r'[^a-z0-9]+', '-', card.lower()).strip('-')}.json"
    results = json.loads(path.read_text()) if path.exists() else {"device": card}
    results[section] = {"date": date.today().isoformat(), **found}
    path.write_text(json.dumps(results, indent=1) + "\n")
    return path

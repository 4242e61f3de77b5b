"""torchthaw/doctor/patch_list.py: what is patched in PyTorch, and what this PyTorch does not take."""

import json
import sys

from ..bridge import private_names
from ..legacy.ffi import semantics
from ..legacy.run import patches

HEADS = {
    "patches": "Made when torch.utils.ffi is first imported; TORCHTHAW_NO_PATCH=NAME,... or all leaves them out:",
    "semantics": "Made only where TORCHTHAW_LEGACY_SEMANTICS=1 or NAME,... asks for them:",
    "private_names": "Private names that this PyTorch does not have as torchthaw knows them, and what stands in:",
}


def collect():
    """One JSON object. ``not_available`` says why PyTorch does not take a patch; null: it does, or is not installed."""
    off = patches.switched_off()
    try:
        import torch
    except ImportError:
        version, refused, missing = None, {}, {}
    else:
        version, refused, missing = torch.__version__, patches.unavailable(), private_names.missing()

    def rows(listing):
        return [
            {"name": name, "restores": restores, "off": name in off, "not_available": refused.get(name)}
            for name, restores, _ in listing
        ]

    return {
        "pytorch": version,
        "patches": rows(patches.listing()),
        "semantics": rows(semantics.SEMANTICS.listing()),
        "private_names": [{"name": path, "stands_in": without} for path, without in missing.items()],
    }


def show(as_json):
    """Prints the list, for ``doctor --patches``; returns the exit status."""
    try:
        found = collect()
    except ValueError as error:
        print(f"torchthaw: {error}", file=sys.stderr)
        return 2
    if as_json:
        print(json.dumps(found, indent=2))
        return 0
    for kind in ("patches", "semantics"):
        print(HEADS[kind])
        for row in found[kind]:
            print(f"  {row['name']:22} {row['restores']}{_state(row)}")
    if found["private_names"]:
        print(HEADS["private_names"])
        for row in found["private_names"]:
            print(f"  {row['name']}: {row['stands_in']}")
    return 0


def _state(row):
    off = " (off)" if row["off"] else ""
    why = row["not_available"]
    return f" (not available: {why}){off}" if why else off

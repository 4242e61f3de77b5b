"""portable_page.py: writes the tables of docs/reference/portable.md from the headers that they describe.

python .ci/portable_page.py
"""

import re
from pathlib import Path

import page

from torchthaw.portable import headers

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "portable.md"
ROW = re.compile(r'^    _\((\w+), +"(\w+)".*?"([\d.]+)", *"([^"]*)"\)', re.M | re.S)


def purpose(name):
    """What a header of portable/ has, from its first line."""
    line = (headers.OWN / "portable" / name).read_text("utf-8").splitlines()[0]
    return re.sub(r"^// portable/\S+: ", "", line)


def tables():
    """{part of the page: its table}"""
    names = [["names", "what they have"]]
    names += [[", ".join(f"`{each}`" for each in served), purpose(own)] for own, served in headers.NAMES.items()]
    text = (headers.OWN / "portable" / "pytorch.h").read_text("utf-8")
    functions = [["name", "symbol", "since", "without it"]]
    functions += [[f"`{name}`", f"`{symbol}`", since, without] for name, symbol, since, without in ROW.findall(text)]
    return {"headers": page.table(names), "functions": page.table(functions)}


if __name__ == "__main__":
    for name, table in tables().items():
        page.write(PAGE, name, table)

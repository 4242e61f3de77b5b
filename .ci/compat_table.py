"""compat_table.py: the table of docs/reference/compatibility.md, and what README may claim from it.

A row is a dict: torch, python, passed (or NO_WHEEL), failed, skipped, degraded, date. Columns that do not apply are
absent.
"""

import re

import page

NO_WHEEL = "no wheel"
COLUMNS = {
    "torch": "PyTorch", "python": "Python", "passed": "passed", "failed": "failed", "skipped": "skipped",
    "degraded": "degraded patches", "date": "date",
}  # fmt: skip
COUNTS = ("passed", "failed", "skipped", "degraded")


def numbers(version):
    """ "2.10.0" as (2, 10, 0), to sort by."""
    return tuple(int(part) for part in re.findall(r"\d+", version))


def order(row):
    return numbers(row["torch"]), numbers(row["python"])


def render(rows):
    """The rows as a Markdown table, by version."""
    cells = [[str(row.get(name, "")) for name in COLUMNS] for row in sorted(rows, key=order)]
    return page.table([list(COLUMNS.values()), *cells])


def parse(document):
    """The rows of the document's table."""
    lines = page.cells(page.part(document, "compat"))
    rows = [{name: value for name, value in zip(COLUMNS, line, strict=True) if value} for line in lines]
    return [{name: int(value) if name in COUNTS and value.isdigit() else value for name, value in row.items()}
            for row in rows]  # fmt: skip


def publish(document, rows):
    """Writes the rows into the document; rows of other cells stay, with their dates."""
    merged = {order(row): row for row in [*parse(document), *rows]}
    page.write(document, "compat", render(merged.values()))


def claims(readme):
    """(versions of PyTorch, versions of Python) that README calls tested."""
    (sentence,) = re.findall(r"Tested with PyTorch (.*?), on\s+Python (.*?):", readme, re.DOTALL)
    return tuple(re.findall(r"[\d.]*\d", part) for part in sentence)


def unfounded(readme, rows):
    """What README claims and the rows do not show, in words; failures count unless README names their version's."""
    versions, pythons = claims(readme)
    run = [row for row in rows if row["passed"] != NO_WHEEL]
    known = readme.partition("Known failures:")[2].partition("\n\n")[0]
    found = [f"PyTorch {version} is in no row" for version in versions if version not in {row["torch"] for row in run}]
    found += [f"Python {version} is in no row" for version in pythons if version not in {row["python"] for row in run}]
    found += [
        f"PyTorch {row['torch']} on Python {row['python']} failed {row['failed']}"
        for row in run if row["torch"] in versions and row["failed"] and row["torch"] not in known
    ]  # fmt: skip
    return found

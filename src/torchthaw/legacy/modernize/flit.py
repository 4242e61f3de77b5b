"""torchthaw/legacy/modernize/flit.py: what [tool.flit] says, in the keywords of setup()."""

from .poetry import NOTHING, Translated, has_shape

# What the keys of [tool.flit.metadata] are for setup().
SAME = {
    "dist-name": "name", "requires": "install_requires", "requires-extra": "extras_require", "license": "license",
    "requires-python": "python_requires", "author": "author", "author-email": "author_email", "home-page": "url",
    "maintainer": "maintainer", "maintainer-email": "maintainer_email", "keywords": "keywords", "urls": "project_urls",
    "classifiers": "classifiers", "description-file": "readme",
}  # fmt: skip
SHAPES = {"metadata": dict, "scripts": {str: str}, "entrypoints": {str: {str: str}}}


def translate(table):
    """The Translated of the table [tool.flit]."""
    found = {key: value for key, value in table.items() if key in SHAPES and has_shape(value, SHAPES[key])}
    metadata = found.get("metadata", {})
    entries = {"console_scripts": found.get("scripts", {}), **found.get("entrypoints", {})}
    setup = {SAME[key]: value for key, value in metadata.items() if key in SAME}
    setup["entry_points"] = {group: [f"{name} = {value}" for name, value in each.items()]
                             for group, each in entries.items()}  # fmt: skip
    left = [(("metadata", key), NOTHING) for key in metadata if key not in SAME]
    return Translated(setup, left + [((key,), NOTHING) for key in table if key not in found])

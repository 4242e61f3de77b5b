"""docs/_site/conf.py: the configuration of Sphinx: `make docs` builds docs/ with it into build/site/."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from torchthaw import __version__  # noqa: E402

project, author = "torchthaw", "the torchthaw authors"
copyright = f"{author}; MIT licence"
version = release = __version__

extensions = [
    "myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode", "sphinx_copybutton", "_site.pages", "_site.sources",
]  # fmt: skip
source_suffix = {".md": "markdown"}
exclude_patterns = ["_site"]

myst_heading_anchors = 4  # links name headings as in a plain view of the repository
autodoc_mock_imports = ["torch"]  # no PyTorch in the environment that builds the site
autodoc_member_order = "bysource"
c_maximum_signature_line_length = python_maximum_signature_line_length = 72
toc_object_entries_show_parents = "hide"
highlight_language = "text"

html_theme = "furo"
html_title = f"torchthaw {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": ["view"]}
copybutton_selector = "div:not(.highlight-text) > div.highlight > pre"  # text is what a program printed

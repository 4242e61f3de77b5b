"""docs/_site: what makes the site of docs/; see docs/internals/site.md."""

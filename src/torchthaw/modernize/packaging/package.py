"""torchthaw/modernize/packaging/package.py: pyproject.toml and MANIFEST.in of the new package."""

import os
import re

from ... import __version__
from ..remarks import Remark
from .package_list import packages_of
from .pyproject import merge
from .requirements import OLD_PYTHON, SETUPTOOLS, kept, python_versions
from .toml import literal, table

NEEDED = ["torch>=2.4", f"torchthaw[legacy]>={__version__}"]  # of the package, whose extensions have TH types
LICENCES = re.compile(r"(?:LICEN[CS]E|COPYING|NOTICE|AUTHORS)[^/]*$", re.IGNORECASE)
MANIFEST = "MANIFEST.in"
READMES = ("README.md", "README.rst", "README.txt", "README")
ADDRESS = re.compile(r"[^@\s<>]+@[^@\s<>]+")
C_FILES = (".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hxx", ".cu", ".cuh", ".inc", ".inl")
# What a licence file begins with or says, and its name in the list of SPDX.
SPDX = (
    ("Apache-2.0", r"Apache License\s+Version 2\.0"), ("GPL-3.0-only", r"GNU GENERAL PUBLIC LICENSE\s+Version 3"),
    ("GPL-2.0-only", r"GNU GENERAL PUBLIC LICENSE\s+Version 2"),
    ("MIT", r"Permission is hereby granted, free of charge"),
    ("BSD-3-Clause", r"Redistribution and use in source and binary forms.*Neither the name"),
    ("BSD-2-Clause", r"Redistribution and use in source and binary forms"),
    ("MPL-2.0", r"Mozilla Public License Version 2\.0"), ("Unlicense", r"This is free and unencumbered software"),
)  # fmt: skip
# What setup.py says in its argument ``license``.
NAMES = {
    "mit": "MIT", "mit license": "MIT", "apache": "Apache-2.0", "apache 2.0": "Apache-2.0", "apache-2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0", "apache license, version 2.0": "Apache-2.0", "gplv3": "GPL-3.0-only",
    "bsd-3-clause": "BSD-3-Clause", "bsd-2-clause": "BSD-2-Clause", "bsd 3-clause": "BSD-3-Clause",
}  # fmt: skip


class Package:
    """What setup.py said of the project, as tables of pyproject.toml.

    setup: the keywords of setup(), as far as they are known. path: of setup.py, or of the build file without one.
    owner: the Pyproject that the project has already, or None.
    """

    def __init__(self, project, layout, setup, path, owner, needs_torch, remarks):
        self.project, self.layout, self.path, self.owner = project, layout, path, owner
        self.setup = setup or {}
        self.needs_torch, self.remarks = needs_torch, remarks

    def say(self, message, kind="done", rule="package"):
        self.remarks.append(Remark(self.path, 0, rule, message, kind))

    def pyproject(self):
        """The text of pyproject.toml."""
        if self.owner:
            merged = merge(self.owner, self.tables(), self.layout)
            self.remarks += merged.remarks
            return merged.text
        return "\n".join(table(name, values) for name, values in self.tables().items() if values)

    def tables(self):
        """{name: {key: value}} of all tables; of an owner's [project] only the fields that it must get."""
        requires = [SETUPTOOLS, f"torchthaw>={__version__}", *(["torch>=2.4"] if self.needs_torch else [])]
        further = self.further_tables()
        if self.owner and self.owner.has_project:
            further = {
                name: values for name, values in further.items()
                if not name.startswith("project.") or self.owner.lost(name.split(".")[1])
            }  # fmt: skip
        return {
            "build-system": {"requires": requires, "build-backend": "setuptools.build_meta"},
            "project": self.project_table(), **further,
        }  # fmt: skip

    def project_table(self):
        fields = {
            "name": lambda: re.sub(r"[^\w.-]+", "-", self.text("name") or self.layout.package),
            "version": self.version,
            "description": lambda: " ".join(self.text("description").split()),
            "readme": self.readme,
            "license": self.licence,
            "license-files": self.licence_files,
            "authors": lambda: self.people("author"),
            "maintainers": lambda: self.people("maintainer"),
            "keywords": lambda: _words(self.setup.get("keywords")),
            "classifiers": self.classifiers,
            "requires-python": lambda: python_versions(self.text("python_requires")),
            "dependencies": self.dependencies,
        }
        if self.owner and self.owner.has_project:
            needed = {name for name in ("name", "version", "requires-python") if self.owner.is_missing(name)}
            needed |= {name for name in fields if self.owner.lost(name)} | {"dependencies"}
            fields = {name: value for name, value in fields.items() if name in needed}
        values = {name: value() for name, value in fields.items()}
        return {key: value for key, value in values.items() if value}

    def readme(self):
        return next((name for name in READMES[:3] if name in self.layout.files.values()), None)

    def people(self, kind):
        """The authors, or maintainers, of setup()'s two keywords."""
        whole, given = self.text(kind), [each.strip() for each in re.split("[,;]", self.text(f"{kind}_email"))]
        emails = [each for each in given if ADDRESS.fullmatch(each)]
        for each in filter(None, given):
            if each not in emails:
                self.say(f"{kind}_email: {each!r} is no address; it is left out", "look")
        names = [each.strip() for each in whole.split(",")]
        if len(emails) > 1 and len(names) == len(emails):
            return [{"name": name, "email": email} for name, email in zip(names, emails)]
        if len(emails) > 1:
            return [*({"name": name} for name in names if name), *({"email": email} for email in emails)]
        found = {"name": whole, "email": "".join(emails)}
        return [{key: value for key, value in found.items() if value}] if whole or emails else []

    def text(self, key):
        value = self.setup.get(key)
        return value.strip() if isinstance(value, str) else ""

    def version(self):
        given = str(self.setup.get("version", "") or "").strip()
        if re.fullmatch(r"v?\d+(?:\.\d+)*(?:[-_.]?(?:a|b|c|rc|alpha|beta|post|dev)[-_.]?\d*)*(?:\+[\w.]+)?", given):
            return given
        why = f"its version {given!r} is none that pip takes" if given else "its version is not known"
        self.say(f"version: {why}; 0.1.0 stands in pyproject.toml", "look" if given or self.setup else "done")
        return "0.1.0"

    def licence_files(self):
        return [new for new in self.layout.files.values() if LICENCES.match(new)]

    def licence(self):
        stated = self.text("license")
        found = NAMES.get(stated.lower(), stated if stated in dict(SPDX) else None)
        for name in self.licence_files():
            source = self.project.text(next(old for old, new in self.layout.files.items() if new == name))
            for spdx, pattern in SPDX if source and not found else ():
                if re.search(pattern, source.text, re.DOTALL):
                    found = spdx
                    break
        if not found:
            said = f"license={stated!r} in setup.py is no SPDX name" if stated else "no licence is named"
            self.say(f'licence: {said}; add license = "…" to pyproject.toml', "look" if stated else "hint")
        return found

    def classifiers(self):
        given = [each for each in _words(self.setup.get("classifiers"), None) if not each.startswith("License ::")]
        return [each for each in given if not OLD_PYTHON.match(each)]

    def dependencies(self):
        given = [*_words(self.setup.get("install_requires"), None), *_words(self.setup.get("requires"), None)]
        return list(dict.fromkeys([*NEEDED, *kept(given, NEEDED)]))

    def lists(self, keyword):
        """{name: requirements} of a keyword, without what the dependencies have in a version of today."""
        given = self.setup.get(keyword)
        named = given.items() if isinstance(given, dict) else ()
        return {str(name): kept(_words(each, None), NEEDED) for name, each in named}

    def further_tables(self):
        setup, entries = self.setup, self.entry_points()
        more = setup.get("project_urls")
        urls = {"Homepage": self.text("url"), "Download": self.text("download_url")}
        urls |= more if isinstance(more, dict) else {}
        data = setup.get("package_data")
        data = (
            {self.package_of(str(name)): _words(each, None) for name, each in data.items()}
            if isinstance(data, dict)
            else {}
        )
        packages = [*dict.fromkeys(name.partition(".")[0] for name in self.layout.extensions)]
        others = packages_of(self)
        packages += [name for name in others if name not in packages]
        scripts = [self.layout.files.get(name, name) for name in _words(setup.get("scripts"), None)]
        return {
            "project.urls": {key: value for key, value in urls.items() if value and isinstance(value, str)},
            "project.optional-dependencies": self.lists("extras_require"),
            "project.scripts": entries.pop("console_scripts", {}),
            "project.gui-scripts": entries.pop("gui_scripts", {}),
            **{f"project.entry-points.{literal(group)}": values for group, values in entries.items()},
            "tool.setuptools": {"script-files": scripts} if scripts else {},
            "tool.setuptools.packages.find": {
                "where": [*dict.fromkeys([*self.layout.roots, *others.values()])],
                "include": [each for name in packages for each in (name, f"{name}.*")],
                "namespaces": False,  # folders of C files are no packages
            },
            "tool.setuptools.package-data": data,
            "tool.pytest.ini_options": {"testpaths": ["tests"]},
        }  # fmt: skip

    def package_of(self, name):
        return self.layout.modules.get(name, name) or "*"

    def entry_points(self):
        """{group: {name: object}}, with modules named as they are in the new package."""
        given = self.setup.get("entry_points")
        found = {}
        for group, lines in given.items() if isinstance(given, dict) else ():
            for line in _words(lines, None):
                name, _, target = (part.strip() for part in line.partition("="))
                module, colon, attribute = target.partition(":")
                found.setdefault(str(group), {})[name] = self.layout.modules.get(module, module) + colon + attribute
        return found

    def manifest(self):
        """The text of MANIFEST.in: the C files, which a source distribution needs, and what an old one named."""
        folders, alone = {}, []
        for name in self.layout.files.values():
            ending = os.path.splitext(name)[1]
            if ending in C_FILES:
                top = name.partition("/")[0]
                folders.setdefault(top, set()).add(ending) if "/" in name else alone.append(name)
        kept = [name for name in self.layout.files.values() if name.endswith((".a", ".so", ".o"))]
        lines = [f"recursive-include {folder} {' '.join(f'*{each}' for each in sorted(endings))}"
                 for folder, endings in sorted(folders.items())]  # fmt: skip
        lines += [f"include {name}" for name in [*alone, *kept]]
        lines += ["recursive-include tests *"]
        old = self.project.text(MANIFEST) if MANIFEST in self.project.files else None
        before = [line for line in (old.text.splitlines() if old else ()) if line.strip() and line not in lines]
        return "\n".join([*before, *lines]) + "\n"


def _words(value, separator=r"[,\s]+"):
    """A list of texts of what setup.py gives for one: a list, or one text that has several."""
    if isinstance(value, str):
        parts = re.split(separator, value) if separator else value.splitlines()
        return [part.strip() for part in parts if part.strip()]
    return [each for each in value if isinstance(each, str)] if isinstance(value, (list, tuple)) else []

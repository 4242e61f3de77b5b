"""torchthaw/modernize/packaging/pyproject.py: the pyproject.toml that an old project has, which the new one keeps.

Its tables, comments and layout stay; what setuptools and torchthaw need is added, and what they contradict is replaced
and remarked.
"""

import re
from typing import NamedTuple

from ...base import extras
from ..project import Refused
from ..remarks import Remark
from . import toml
from .requirements import OLD_PYTHON, kept, name_of, python_versions

NAME = "pyproject.toml"
SETUPTOOLS = "setuptools.build_meta"
# First word of another build backend: what it is called, and its table below [tool].
BACKENDS = {
    "poetry": ("Poetry", "poetry"), "flit_core": ("Flit", "flit"), "flit": ("Flit", "flit"),
    "hatchling": ("Hatch", "hatch"), "pdm": ("PDM", "pdm"), "mesonpy": ("meson-python", "meson-python"),
    "maturin": ("Maturin", "maturin"), "scikit_build_core": ("scikit-build-core", "scikit-build"),
}  # fmt: skip
PLUGINS = {"setuptools-scm", "setuptools-git-versioning", "versioningit"}  # of setuptools, which find a version
FIND, PYTEST = "tool.setuptools.packages.find", "tool.pytest.ini_options"


class Merged(NamedTuple):
    """text: of the new pyproject.toml. remarks: a Remark for each thing that was changed or must be looked at."""

    text: str
    remarks: list


def of(project):
    """The Pyproject of an old project; None without one. Refused where it cannot be read."""
    source = project.text(NAME) if NAME in project.files else None
    return Pyproject(source.text) if source else None


class Pyproject:
    """A pyproject.toml: ``document`` is tomlkit's, ``project`` and ``tool`` are these tables as plain Python.

    name: of the project, "" where it has none. backend: the module that builds it. title, backend_name: what another
    backend is called, and its table below [tool], which stays as it is.
    """

    def __init__(self, text):
        try:
            tomlkit = extras.require("tomlkit", "modernize")
        except ImportError as error:
            raise Refused(f"{NAME}: {error}") from None
        try:
            self.document = tomlkit.parse(text)
        except tomlkit.exceptions.TOMLKitError as error:
            raise Refused(f"{NAME}: expected TOML: {error}") from None
        plain = self.document.unwrap()
        for name in ("build-system", "project", "tool"):
            if not isinstance(plain.get(name, {}), dict):
                raise Refused(f"{NAME}: {name}: expected a table, got {plain[name]!r}")
        self.has_project = "project" in plain
        self.project, self.tool = plain.get("project", {}), plain.get("tool", {})
        build = plain.get("build-system", {})
        old_poetry = not self.has_project and "poetry" in self.tool  # its first releases wrote no [build-system]
        default = "poetry.masonry.api" if old_poetry else SETUPTOOLS
        self.backend, self.requires = build.get("build-backend") or default, build.get("requires", [])
        first = re.split(r"\W", self.backend)[0]
        self.is_setuptools = first == "setuptools" and "backend-path" not in build
        self.title, self.backend_name = BACKENDS.get(first, (self.backend, ""))
        self.name = self.project.get("name") or ""

    def lost(self, field):
        """Whether [project] leaves this field to the old setup.py or to another backend, which are no more."""
        return field in self.project.get("dynamic", ()) and self.is_missing(field)

    def is_missing(self, field):
        """Whether [project] has neither this field nor what finds it when setuptools builds the new project."""
        if field not in self.project.get("dynamic", ()):
            return field not in self.project
        by_plugin = field == "version" and any(name_of(each) in PLUGINS for each in self.requires)
        found = by_plugin or field in self.tool.get("setuptools", {}).get("dynamic", {})
        return not (found and self.is_setuptools)


def merge(owner, tables, layout):
    """The Merged of an old project's Pyproject and what the new one needs.

    tables: {name of a table: {key: value}}, as of package.Package; where the owner has [project], "project" has only
    the fields that it must get. layout: where files and modules went.
    """
    return _Merge(owner, tables, layout).merged()


class _Merge:
    def __init__(self, owner, tables, layout):
        self.owner, self.tables, self.layout = owner, tables, layout
        self.document, self.remarks, self.new = owner.document, [], {}

    def say(self, message, kind="done"):
        self.remarks.append(Remark(NAME, 0, "package", message, kind))

    def merged(self):
        from tomlkit import dumps

        self.say("its tables and comments are kept; what setuptools and torchthaw need is added")
        self.build_system(self.tables["build-system"])
        self.project(self.tables["project"])
        self.setuptools(self.at("tool.setuptools"))
        self.packages(self.tables[FIND])
        self.pytest(self.tables[PYTEST])
        for name, values in self.tables.items():
            if values and name not in ("build-system", "project", FIND, PYTEST):
                self.fill(name, values)
        self.moved(self.owner.tool, "tool")
        text = dumps(self.document)
        parts = [text.rstrip("\n") + "\n"] if text.strip() else []
        return Merged("\n".join([*parts, *(toml.table(*each) for each in self.new.items())]), self.remarks)

    def at(self, name):
        """The table ``a.b."c"`` of the document; None where it is not there."""
        found = self.document
        for word in re.findall(r'"[^"]*"|[^.]+', name):
            found = found.get(word.strip('"')) if hasattr(found, "get") else None
        return found if hasattr(found, "get") else None

    @staticmethod
    def put(there, key, value):
        """Adds a key behind the last one, before empty lines and comments, which belong to what follows."""
        from tomlkit import items

        if not isinstance(there, items.Table):
            there[key] = value
            return
        body, behind, last = there.value.body, "", None
        for index, (name, item) in enumerate(body):
            if isinstance(item, (items.Table, items.AoT)):
                break
            if name is not None:
                behind, last = "", index
        for moved in range(0 if last is None else last + 1, index + 1 if body else 0):
            if isinstance(body[moved][1], (items.Whitespace, items.Comment)):
                behind += body[moved][1].as_string()
                body[moved] = None, items.Null()
        if last is not None:  # an earlier put has left them there
            trivia = body[last][1].trivia
            trivia.trail, behind = "\n", trivia.trail.removeprefix("\n") + behind
        there[key] = value
        there.value.item(key).trivia.trail = "\n" + behind

    def fill(self, name, values):
        """Adds the keys that a table lacks, and the items that its lists lack; without the table, a new one."""
        there = self.at(name)
        if there is None:
            self.new.setdefault(name, {}).update(values)
            return
        for key, value in values.items():
            if isinstance(value, list) and isinstance(there.get(key), list):
                self.set_list(there, key, [*there[key], *value])
            elif key not in there:
                self.put(there, key, value)

    def set_list(self, there, key, wanted):
        """Makes a list ``wanted``; what stays, or is there for the same package, keeps its place and comment."""
        array = there.get(key)
        if not isinstance(array, list):
            self.put(there, key, list(dict.fromkeys(wanted)))
            return
        for index in reversed(range(len(array))):
            if array[index] not in wanted:
                same = [each for each in wanted if name_of(each) == name_of(array[index]) and each not in array]
                if same:
                    array[index] = same[0]
                else:
                    del array[index]
        for each in wanted:
            if each not in array:
                array.append(each)

    def build_system(self, ours):
        owner, there = self.owner, self.at("build-system")
        if not owner.is_setuptools:
            self.other_backend()
        if there is None:
            self.new["build-system"] = ours
            return
        stay = kept(owner.requires, ours["requires"]) if owner.is_setuptools else []
        gone = [each for each in owner.requires if each not in stay]
        self.set_list(there, "requires", [*stay, *ours["requires"]])
        if gone:
            new = ", ".join(ours["requires"])
            self.say(f"build-system.requires: {new} in place of {', '.join(gone)}")
        if "backend-path" in there:
            del there["backend-path"]
        if "build-backend" not in there:
            self.put(there, "build-backend", ours["build-backend"])
        elif there["build-backend"] != ours["build-backend"]:
            there["build-backend"] = ours["build-backend"]

    def other_backend(self):
        """Says what a person must do, since setuptools does not read the table of another build backend."""
        message = f"its build backend was {self.owner.title}; setuptools builds it now, since it compiles the extension"
        if self.owner.backend_name in self.owner.tool:
            table = f"[tool.{self.owner.backend_name}]"
            message += (
                f"; {table} is left, and nothing reads it any more: write what [project] lacks of it into [project]"
            )
        self.say(f"{message}; see whether [{FIND}] names all packages", "look")

    def project(self, ours):
        there, owner = self.at("project"), self.owner
        if there is None:
            self.new["project"] = ours
            return
        self.dynamic(there, ours)
        for key, value in ours.items():
            if key not in there and key != "dependencies":
                self.put(there, key, value)
                self.say(f"project.{key}: {value} is added")
        self.dependencies(there, ours["dependencies"])
        before = owner.project.get("requires-python", "")
        after = python_versions(before)
        if before and before != after:
            there["requires-python"] = after
            self.say(f"project.requires-python: {after} in place of {before}")
        if old := [each for each in owner.project.get("classifiers", ()) if OLD_PYTHON.match(each)]:
            self.set_list(there, "classifiers", [each for each in owner.project["classifiers"] if each not in old])
            self.say(f"project.classifiers: {', '.join(old)} left out")
        for name in ("project.scripts", "project.gui-scripts", *map('project.entry-points."{}"'.format,
                                                                   owner.project.get("entry-points", ()))):  # fmt: skip
            for key, value in (self.at(name) or {}).items():
                self.replace(self.at(name), key, self.new_object(value), f"{name}.{key}")
        readme = there.get("readme")
        if isinstance(readme, dict):
            self.replace(readme, "file", self.layout.files.get(readme.get("file"), readme.get("file")), "readme")
        elif readme:
            self.replace(there, "readme", self.layout.files.get(readme, readme), "project.readme")

    def dynamic(self, there, ours):
        """Fields that the old setup.py or another backend found are no longer dynamic."""
        given = self.owner.project.get("dynamic", [])
        gone = [field for field in given if self.owner.lost(field)]
        if not gone:
            return
        self.set_list(there, "dynamic", [field for field in given if field not in gone])
        if not there["dynamic"]:
            del there["dynamic"]
        for field in gone:
            if field not in ours and not self.tables.get(f"project.{field}"):
                message = f"project.dynamic named {field}, which setuptools cannot find any more"
                self.say(f"{message}: write it into [project]", "look")

    def dependencies(self, there, ours):
        before = self.owner.project.get("dependencies", [])
        if not self.owner.is_missing("dependencies") and "dependencies" not in there:
            self.say(f"its dependencies are found when it is built: add {' and '.join(ours)} where they stand", "look")
            return
        stay = kept(before, ours)
        if gone := [each for each in before if each not in [*stay, *ours]]:
            self.say(f"project.dependencies: {', '.join(ours)} in place of {', '.join(gone)}")
        self.set_list(there, "dependencies", [*stay, *ours])

    def replace(self, there, key, value, place):
        """Another value for what moved; says so."""
        if key in there and there[key] != value:
            self.say(f"{place}: {value} in place of {there[key]}")
            there[key] = value

    def new_object(self, text):
        """``module:function`` with the module as it is called now."""
        module, colon, attribute = text.partition(":")
        return self.layout.modules.get(module.strip(), module) + colon + attribute

    def setuptools(self, there):
        """What [tool.setuptools] says of modules that have another name now."""
        if there is None:
            return
        if modules := there.get("py-modules"):
            self.set_list(there, "py-modules", [each for each in modules if self.new_object(each) == each])
        data = there.get("package-data") or {}
        for old in list(data):
            new = self.new_object(old)
            if new != old:
                data[new] = data.pop(old)
                self.say(f"tool.setuptools.package-data: {new} in place of {old}")
        version = (there.get("dynamic") or {}).get("version") or {}
        if "attr" in version:
            module, _, attribute = version["attr"].rpartition(".")
            self.replace(version, "attr", f"{self.new_object(module)}.{attribute}", "tool.setuptools.dynamic.version")
        for key in ("cmdclass", "ext-modules"):
            if key in there:
                self.say(f"tool.setuptools.{key}: setup.py has the extension and its build_ext now", "look")

    def packages(self, ours):
        """Which folders are packages."""
        there, given = self.at("tool.setuptools"), self.owner.tool.get("setuptools", {}).get("packages")
        if isinstance(given, list):
            names = [self.new_object(each) for each in given]
            more = [each for each in names if not f"{each}.".startswith(tuple(_tops(ours)))]
            del there["packages"]
            self.say(f"[{FIND}] in place of the list tool.setuptools.packages")
            self.new[FIND] = {**ours, "include": [*ours["include"], *more]}
            return
        find = self.at(FIND)
        if find is None:
            self.new[FIND] = ours
            return
        self.set_list(find, "where", [*find.get("where", []), *ours["where"]])
        if "include" in find:
            self.set_list(find, "include", [*find["include"], *ours["include"]])
            self.say(f"[{FIND}]: {', '.join(ours['include'])} added")
        find.pop("namespaces", None)
        self.put(find, "namespaces", ours["namespaces"])

    def pytest(self, ours):
        """The tests are in ``tests``, beside what else the owner names."""
        is_native = "pytest" in self.owner.tool and "ini_options" not in self.owner.tool["pytest"]
        name = "tool.pytest" if is_native else PYTEST
        there = self.at(name)
        before = there.get("testpaths", []) if there is not None else []
        before = before.split() if isinstance(before, str) else list(before)
        stay = [each for each in before if self.has(each)]
        if gone := [each for each in before if each not in stay]:
            self.say(f"{name}.testpaths: {ours['testpaths'][0]} in place of {', '.join(gone)}")
        if there is None:
            self.new[name] = ours
        else:
            there.pop("testpaths", None)
            self.put(there, "testpaths", list(dict.fromkeys([*stay, *ours["testpaths"]])))

    def has(self, folder):
        prefix = folder.removeprefix("./").rstrip("/")
        return any(new == prefix or new.startswith(f"{prefix}/") for new in self.layout.files.values())

    def moved(self, value, place):
        """Says where a table of another tool names a file, a folder or a module that has another place now."""
        if isinstance(value, dict):
            for key, each in value.items():
                if (place, key) not in (("tool", "setuptools"), ("tool", "pytest"), ("tool", self.owner.backend_name)):
                    self.moved(key, place)
                    self.moved(each, f"{place}.{key}")
        elif isinstance(value, list):
            for each in value:
                self.moved(each, place)
        elif isinstance(value, str) and (new := self.new_place(value)):
            self.say(f"{place} names {value}, which is {new} now", "look")

    def new_place(self, text):
        """Where a file or folder went, or what a module is called; None where it is the same, or is none."""
        path = text.removeprefix("./").rstrip("/*")
        if path in self.layout.files:
            return self.layout.files[path] if self.layout.files[path] != path else None
        below = {new[: -len(old) + len(path)] for old, new in self.layout.files.items()
                 if old.startswith(f"{path}/") and new.endswith(old[len(path) :])}  # fmt: skip
        if path and below:
            return min(below) if path not in below else None
        name = self.layout.modules.get(text)
        return name if name != text else None


def _tops(find):
    """What the names of packages begin with that a table find includes."""
    return [f"{each}." for each in find["include"] if not each.endswith("*")]

"""torchthaw/legacy/modernize/poetry.py: what [tool.poetry] says, in the keywords of setup().

The rules are those of Poetry's pages "The pyproject.toml file" and "Dependency specification"; what no other builder
has a word for is left, with the reason.
"""

import re
from typing import NamedTuple

from .requirements import OLDEST_PYTHON, name_of

# One condition on a version: an operator, numbers, and ``.*`` or the name of a version before or after a release.
CLAUSE = re.compile(
    r"(\^|~=|~|==|=|!=|<=|>=|<|>|)\s*v?(\d+(?:\.\d+)*)"
    r"(\.\*|[-._]?(?:a|b|c|rc|alpha|beta|pre|preview|post|dev)[-._]?\d*)?"
)
# Conditions stand behind commas or blanks, alternatives behind bars.
BETWEEN, OR = r"\s*,\s*|(?<=[\w*])\s+(?=[\^~<>=!\d])", r"\s*\|\|?\s*"
# Keys of a dependency that say where it comes from or when Poetry takes it, which a requirement cannot.
UNSAID = {
    "source": "which index it comes from is not said in a package: give it to pip, as --extra-index-url",
    "allow-prereleases": "a requirement takes these only where it names one, as >=2.0a1 does",
    "develop": "a package is installed as editable by pip install -e alone",
}
TEXTS = {"version", "markers", "python", "platform", "url", "git", "rev", "tag", "branch", "subdirectory", "source"}
KNOWN = TEXTS | UNSAID.keys() | {"extras", "optional"}
REMOTE = re.compile(r"(?:https?|ssh|git|file)://")
GROUP_KEYS = {"dependencies", "optional"}
NAME = re.compile(r"[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?", re.ASCII)
PERSON = re.compile(r"(?P<name>[^<>@]+?)\s*(?:<(?P<email>[^<>\s]+@[^<>\s]+)>)?")
# Why a key of [tool.poetry] is left, where another reason than NOTHING is known.
NOTHING = "nothing reads this any more"
LEFT = {
    "packages": "setuptools takes the packages of [tool.setuptools.packages.find]",
    "include": "setuptools takes the files of MANIFEST.in and of [tool.setuptools.package-data]",
    "exclude": "setuptools takes the files of MANIFEST.in and of [tool.setuptools.package-data]",
    "build": "setup.py builds the extensions",
    "source": UNSAID["source"],
}


class Left(ValueError):
    """Why something has no translation."""


class Translated(NamedTuple):
    """setup: keywords of setup(); besides, ``authors`` and ``maintainers`` are lists of tables as in [project], and
    ``dependency_groups`` is {name: requirements}. left: (keys on the way from [tool.poetry], why) of what is not in it.
    """

    setup: dict
    left: list


def translate(table):
    """The Translated of the table [tool.poetry]."""
    return _Translation(table).translated()


def has_shape(value, shape):
    """Whether a value of TOML is of a type, ``[type]`` a list of such, or ``{str: type}`` a table of such."""
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(has_shape(each, shape[str]) for each in value.values())
    if isinstance(shape, list):
        return isinstance(value, list) and all(has_shape(each, shape[0]) for each in value)
    return isinstance(value, shape)


def versions(constraint):
    """The versions that a constraint of Poetry allows, as a requirement says it: ``^1.2`` is ``>=1.2,<2``, ``*`` is "".

    Left for one with alternatives, or that Poetry does not know either.
    """
    return ",".join(operator + version for operator, version in _clauses(constraint))


def _clauses(constraint):
    """[(operator of a requirement, version)]"""
    found = []
    for part in re.split(BETWEEN, constraint.strip()):
        clause = CLAUSE.fullmatch(part)
        if part == "*":
            continue
        if not clause or clause[3] == ".*" and clause[1] not in ("", "=", "==", "!="):
            raise Left(f"its version {constraint!r} has no words in a requirement")
        operator, text, more = clause[1], clause[2], clause[3] or ""
        numbers = [int(each) for each in text.split(".")]
        if operator == "^":  # the first number that is not 0 stays, or the last one
            stays = next((index for index, number in enumerate(numbers) if number), len(numbers) - 1)
        else:
            stays = min(1, len(numbers) - 1)
        if operator in ("^", "~"):
            following = [*numbers[:stays], numbers[stays] + 1]
            found += [(">=", text + more), ("<", ".".join(map(str, following)))]
        else:
            found.append((operator if operator not in ("", "=") else "==", text + more))
    return found


def python_marker(constraint):
    """The marker of a constraint on Python; its alternatives are joined by ``or``."""
    alternatives = [[_python_clause(*each) for each in _clauses(part)] for part in re.split(OR, constraint)]
    if not all(alternatives):
        return ""
    return " or ".join(" and ".join(each) for each in alternatives)


def _python_clause(operator, version):
    """``python_version`` is 3.9 for 3.9.2 too, which is neither above nor within 3.9."""
    is_full = version.removesuffix(".*").count(".") > 1 or operator in (">", "<=")
    return f'python_{"full_" * is_full}version {operator} "{version}"'


def requires_python(constraint):
    """The alternative of a constraint on Python that has a Python which torchthaw runs on; "" where none has."""
    alternatives = [part for part in re.split(OR, constraint) if not _is_old(part)]
    if len(alternatives) > 1:
        raise Left(f"requires-python has no words for {constraint!r}: write the Pythons that it runs on into [project]")
    return versions(alternatives[0]) if alternatives else ""


def _is_old(constraint):
    for operator, version in _clauses(constraint):
        numbers = tuple(map(int, re.match(r"\d+(?:\.\d+)*", version)[0].split(".")))
        if operator in ("<", "<=", "==") and (numbers < OLDEST_PYTHON or operator == "<" and numbers == OLDEST_PYTHON):
            return not (version.endswith(".*") and numbers == OLDEST_PYTHON[: len(numbers)])
    return False


def requirement(name, given):
    """A dependency as a requirement: ``name[extra]>=1.2,<2; marker``. given: its constraint, or its table."""
    table = {"version": given} if isinstance(given, str) else given
    if not has_shape(table, dict) or any(not isinstance(table.get(key, ""), str) for key in TEXTS):
        raise Left(f"expected a constraint or a table, got {given!r}")
    if unknown := sorted(table.keys() - KNOWN):
        raise Left(f"a requirement has no words for its {' and '.join(unknown)}")
    if not NAME.fullmatch(name) or not has_shape(table.get("extras", []), [str]):
        raise Left("expected the name of a package, and a list of extras")
    extras = f"[{','.join(table['extras'])}]" if table.get("extras") else ""
    where, marker = _where(table), _marker(table)
    if where:
        return f"{name}{extras} @ {where}" + (f" ; {marker}" if marker else "")
    return f"{name}{extras}{versions(table.get('version', '*'))}" + (f"; {marker}" if marker else "")


def _where(table):
    """The address of a dependency that comes from no index."""
    if "git" not in table:
        return table.get("url", "")
    if not REMOTE.match(table["git"]):
        raise Left(f"an address begins with https:// or ssh://, and not as {table['git']!r} does")
    at = next((f"@{table[key]}" for key in ("rev", "tag", "branch") if key in table), "")
    below = f"#subdirectory={table['subdirectory']}" if "subdirectory" in table else ""
    return f"git+{table['git']}{at}{below}"


def _marker(table):
    parts = [table.get("markers", ""), python_marker(table.get("python", "*"))]
    if table.get("platform"):
        parts.append(f'sys_platform == "{table["platform"]}"')
    parts = [part for part in parts if part]
    return " and ".join(f"({part})" if " or " in part and len(parts) > 1 else part for part in parts)


def _is_optional(given):
    """Whether only extras have a dependency; given: its constraint, its table, or a list of these."""
    tables = [each for each in (given if isinstance(given, list) else [given]) if isinstance(each, dict)]
    return any(each.get("optional") is True for each in tables)


class _Translation:
    def __init__(self, table):
        self.table, self.setup, self.left = table, {}, []

    def translated(self):
        for key, value in self.table.items():
            shape, how = KEYS.get(key, (None, None))
            if how is None:
                self.leave(LEFT.get(key, NOTHING), key)
            elif not has_shape(value, shape):
                self.leave(f"Poetry takes something else than {value!r} there", key)
            elif isinstance(how, str):
                self.setup[how] = value
            else:
                how(self, key, value)
        return Translated(self.setup, self.left)

    def leave(self, why, *keys):
        if (keys, str(why)) not in self.left:  # a dependency may be in several extras
            self.left.append((keys, str(why)))

    def add(self, keyword, values):
        """More of a dict among the keywords of setup()."""
        self.setup.setdefault(keyword, {}).update(values)

    def url(self, key, value):
        self.add("project_urls", {key.capitalize(): value})

    def urls(self, key, table):
        self.add("project_urls", table)

    def people(self, key, lines):
        found = [PERSON.fullmatch(line.strip()) for line in lines]
        self.setup[key] = [{name: text for name, text in each.groupdict().items() if text} for each in found if each]
        if not all(found):
            self.leave("a person is written as Name <address>", key)

    def readme(self, key, value):
        if isinstance(value, str):
            self.setup[key] = value
        else:
            self.leave("[project] takes one file", key)

    def dependencies(self, key, table):
        required = {}
        for name, given in table.items():
            if name.lower() == "python" and isinstance(given, str):
                self.python(key, name, given)
            else:
                required[name] = given
        optional = {name for name, given in required.items() if _is_optional(given)}
        self.setup["install_requires"] = self.requirements(
            {name: given for name, given in required.items() if name not in optional}, key
        )
        extras = self.table.get("extras", {})
        lists = extras.values() if has_shape(extras, {str: [str]}) else ()
        wanted = {name_of(name) for names in lists for name in names}
        for name in sorted(optional):
            if name_of(name) not in wanted:
                self.leave("it is optional and in none of the extras, so nothing installs it", key, name)

    def python(self, key, name, given):
        try:
            self.setup["python_requires"] = requires_python(given)
        except Left as why:
            self.leave(why, key, name)

    def requirements(self, table, *keys):
        """The requirements of a table of dependencies, which stands under ``keys``."""
        found = []
        for name, given in table.items():
            for each in given if isinstance(given, list) else [given]:
                try:
                    found.append(requirement(name, each))
                except Left as why:
                    self.leave(why, *keys, name)
                    continue
                for unsaid in sorted(UNSAID.keys() & (each if isinstance(each, dict) else {})):
                    self.leave(UNSAID[unsaid], *keys, name)
        return found

    def extras(self, key, table):
        given = {}
        if isinstance(self.table.get("dependencies"), dict):
            given = {name_of(name): (name, value) for name, value in self.table["dependencies"].items()}
        for extra, names in table.items():
            if unknown := [name for name in names if name_of(name) not in given]:
                self.leave(f"tool.poetry.dependencies does not have {' and '.join(unknown)}", key, extra)
            chosen = dict(given[name_of(name)] for name in names if name_of(name) in given)
            self.add("extras_require", {extra: self.requirements(chosen, "dependencies")})

    def group(self, key, table):
        for name, group in table.items():
            for other in sorted(group.keys() - GROUP_KEYS):
                self.leave(LEFT.get(other, NOTHING), key, name, other)
            self.add_group(name, group.get("dependencies", {}), key, name, "dependencies")

    def development(self, key, table):
        self.add_group("dev", table, key)

    def add_group(self, name, table, *keys):
        if not isinstance(table, dict):
            self.leave(f"Poetry takes something else than {table!r} there", *keys)
            return
        before = self.setup.get("dependency_groups", {}).get(name, [])
        self.add("dependency_groups", {name: [*before, *self.requirements(table, *keys)]})

    def scripts(self, key, table):
        texts = {name: value for name, value in table.items() if isinstance(value, str)}
        self.add("entry_points", {"console_scripts": [f"{name} = {value}" for name, value in texts.items()]})
        for name in sorted(table.keys() - texts.keys()):
            self.leave("a script that is a file, or for an extra, is no entry of [project.scripts]", key, name)

    def plugins(self, key, table):
        for group, entries in table.items():
            self.add("entry_points", {group: [f"{name} = {value}" for name, value in entries.items()]})


# Each key of [tool.poetry]: what Poetry takes there, and the keyword of setup() that says the same, or what translates
# it.
KEYS = {
    "name": (str, "name"), "version": (str, "version"), "description": (str, "description"),
    "license": (str, "license"), "keywords": ([str], "keywords"), "classifiers": ([str], "classifiers"),
    "homepage": (str, "url"),
    "authors": ([str], _Translation.people), "maintainers": ([str], _Translation.people),
    "readme": ((str, list), _Translation.readme), "repository": (str, _Translation.url),
    "documentation": (str, _Translation.url), "urls": ({str: str}, _Translation.urls),
    "dependencies": (dict, _Translation.dependencies), "extras": ({str: [str]}, _Translation.extras),
    "group": ({str: dict}, _Translation.group), "dev-dependencies": (dict, _Translation.development),
    "scripts": (dict, _Translation.scripts), "plugins": ({str: {str: str}}, _Translation.plugins),
}  # fmt: skip

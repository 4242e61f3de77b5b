"""torchthaw/extension/build.py: Extension: how one extension is generated, compiled, linked and put in place."""

import copy
import functools
import hashlib
import itertools
import json
import os
import time
from pathlib import Path
from typing import Any

from ..base import cache, config, toolchain, writing
from ..base.config import __version__
from ..base.errors import BuildError
from . import header_folders, ninja, record, stubs
from .generation import Generation

INIT = '''"""{name}: made by {maker}; help() of a function shows its C declaration."""

{opens}
try:
    from . import {module} as _extension
except ImportError as _error:
    if _error.name != __name__:
        raise
    _message = "{name}: expected its library {module} beside this file; run the project's build file, which makes it"
    raise ModuleNotFoundError(_message, name=f"{{__name__}}.{module}") from None

__all__ = _bind(globals(), _extension)
'''


class Extension(Generation):
    """What create_extension returns.

    name, base: as given, and the folder that relative paths start from. options: as in inputs.DEFAULTS, ``headers`` and
        ``sources`` besides, with absolute paths.
    package: the folder that ``build()`` makes, with the extension module ``target``.
    module_name: the full name of that module.
    state: the folder of the build's own files, in the user's ``cache``; that is None for one elsewhere.
    """

    maker = "torchthaw.create_extension"  # as the package's __init__.py has it

    def __init__(self, name: str, base: Path, **options: Any) -> None:
        super().__init__(name, base, **options)
        self.package = base.joinpath(*name.split("."))
        self.target = self.package / f"{self.module}.so"
        self.cache = cache.root()
        self.state = self.cache / "build" / f"{name}-{cache.digest(os.fspath(self.target))}"

    def build(self) -> None:
        """Brings the package up to date. Raises BuildError, and leaves the previous good one in place, on failure."""
        vars(self).pop("cuda", None)  # the environment may ask for other architectures by now
        with cache.locked(self.state, self.cache, BuildError):
            self.generate()
            self.compile()
            self.install()

    def staged(self, package, target, state):
        """This extension, which ends in another folder ``package`` and is made in that of ``target`` before."""
        staged = copy.copy(self)
        staged.package, staged.target, staged.state, staged.cache = package, target, state, None
        return staged

    def generate(self):
        """Writes the C file and build.ninja, unless nothing that they depend on changed."""
        stamp = self.state / "generated.json"
        facts, before = self.facts(), stamp.read_text("utf-8", "surrogateescape") if stamp.exists() else ""
        if facts == before and self.generated.exists():
            return
        # The headers of another torchthaw may be older than the objects that its predecessor compiled; and ninja does not
        # know of files of words.
        if before and _makers(before) != _makers(facts):
            ninja.forget(self.state)
        self.forget_product()
        self.write_generated()
        ninja.write_if_changed(self.state / "build.ninja", self.ninja_text([self.generated]))
        writing.write(stamp, facts)

    def facts(self):
        """Everything that the generated files depend on, as text."""
        options = self.options
        return json.dumps({
            "torchthaw": [__version__, _digest_of_torchthaw()],
            "python": toolchain.python_include(),
            "compilers": [os.environ.get("CC"), os.environ.get("CXX")],
            "cuda": vars(self.cuda) if self.cuda else None,
            "interface": self.facts_of_interface(),
            "link": self.link_flags(),
            "linked": self.linked(),
            "words_of_files": self.words_of_files(),
            "options": {key: repr(value) for key, value in options.items() if key != "verbose"},
        }, default=str)  # fmt: skip

    def compile(self):
        """Compiles and links in the folder ``state`` what was made of files with other content."""
        stamp, started, made = self.state / "record.json", time.time_ns(), self.state / self.target.name
        before = record.read(stamp)
        self.forget_outdated(before)
        unchanged = before and made.exists() and made.stat().st_mtime_ns
        ninja.run(self.state, verbose=self.options["verbose"])
        if made.stat().st_mtime_ns != unchanged:
            record.of(self.state, "", [], started, self.searched()).write(stamp)

    def forget_outdated(self, before):
        """Removes the objects that ninja takes for good, as it goes by times: their sources were replaced by older files."""
        for name in before.outdated() if before else ():
            (self.state / name).unlink(missing_ok=True)

    def forget_product(self):
        """Lets ninja link again: libraries are no inputs that it knows."""
        (self.state / self.target.name).unlink(missing_ok=True)

    def searched(self):
        """The header_folders.Folders, with absolute paths; those of flags are relative to where compilers run."""
        args = self.options["extra_compile_args"]
        found = header_folders.find([*args["cxx"], *args["nvcc"]]) or header_folders.find() or ([], [])
        given = [self.state / folder for folder in [*self.options["include_dirs"], *found[0]]]
        own = [*found[1], toolchain.python_include(), config.annotate_includes()]
        return header_folders.Folders(given, [*map(Path, own), *([self.cuda.toolkit.include] if self.cuda else [])])

    def install(self):
        """Puts the package in place: an __init__.py in each folder of the name, and the shared object."""
        folder = self.target.parent
        folder.mkdir(parents=True, exist_ok=True)
        if folder == self.package:
            for name in itertools.takewhile(lambda parent: parent != self.base, folder.parents):
                (name / "__init__.py").touch()
        ninja.install(self.state / self.target.name, self.target, self.libraries_of_types(), self.places)
        self.write_init(folder)

    def write_init(self, folder):
        """Writes the package's __init__.py, and the stub that write_generated() made."""
        ninja.write_if_changed(folder / "__init__.py", self.init_text())
        stub = self.generated.with_name(stubs.FILE)
        if stub.exists():
            ninja.write_if_changed(folder / stubs.FILE, stub.read_text("utf-8", "surrogateescape"))

    def init_text(self):
        return INIT.format(name=self.name, module=self.module, maker=self.maker, opens=self.opens)

    @property
    def opens(self):
        """The lines of the package's __init__.py that import _bind, and come before the extension module is loaded."""
        return "from torchthaw.library import bind as _bind\n" + (self.types.OPENS if self.types else "")


@functools.cache
def _digest_of_torchthaw():
    """Of the content of what makes the generated files: installing the same version again changes nothing."""
    found = hashlib.sha256()
    for path in sorted(config.PACKAGE.glob("*/*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()


def _makers(facts):
    """Which torchthaw wrote facts(), and the files of words that its compilers read; None for a text that is not whole."""
    try:
        found = json.loads(facts)
        return found["torchthaw"], found["words_of_files"]
    except (ValueError, KeyError, TypeError):
        return None

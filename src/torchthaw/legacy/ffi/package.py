"""torchthaw/legacy/ffi/package.py: the folders and __init__.py files around an extension of the old kind."""

import shutil

from ...base import writing


class Package:
    """The folders ``parts`` below ``base``, with an ``__init__.py`` each; that of the last one has ``text``."""

    def __init__(self, base, parts, text):
        self.folders = [base.joinpath(*parts[: count + 1]) for count in range(len(parts))]
        self.wrapper = self.folders[-1] / "__init__.py"
        self.text = text
        self.before = self.wrapper.read_bytes() if self.wrapper.exists() else None
        self.new = set()  # the paths that make() made

    def make(self):
        """Makes what is not there. ``__init__.py`` files on the way stay as they are."""
        for folder in self.folders:
            if not folder.exists():
                folder.mkdir(parents=True)
                self.new.add(folder)
            init = folder / "__init__.py"
            if not init.exists():
                init.touch()
                self.new.add(init)
        writing.write(self.wrapper, self.text)

    def take_back(self):
        """Leaves what was there before make(). A folder that holds something else by now stays a package."""
        if self.before is None:
            self.wrapper.unlink(missing_ok=True)
        else:
            writing.write(self.wrapper, self.before)
        for folder in reversed(self.folders):
            init = folder / "__init__.py"
            if {path.name for path in folder.iterdir()} - {"__init__.py", "__pycache__"}:
                break
            if init in self.new:
                init.unlink(missing_ok=True)
            if folder in self.new:
                shutil.rmtree(folder)

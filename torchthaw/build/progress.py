"""torchthaw/build/progress.py: one line on a terminal that says how far a build is; nothing where output is piped.

ninja counts already, so this needs no package for progress bars.
"""

import re
import sys

COUNT = re.compile(r"\[\d+/\d+\] ")
ERASE = "\r\033[K"  # the line, from its beginning


class Progress:
    """Shows the counts in ninja's lines on standard error, in place of each other. A context: its end erases the line.

    is_shown: False where the output itself is shown.
    """

    def __init__(self, is_shown=True):
        self.stream = sys.stderr if is_shown and sys.stderr is not None and sys.stderr.isatty() else None

    def __enter__(self):
        self._show("torchthaw: compiling")
        return self

    def __exit__(self, *_):
        self._show("")

    def read(self, line):
        """Takes a line that ninja printed."""
        found = COUNT.match(line)
        if found:
            self._show(f"torchthaw: compiling {found[0]}")

    def _show(self, text):
        if self.stream:
            self.stream.write(ERASE + text)
            self.stream.flush()

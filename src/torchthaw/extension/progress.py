"""torchthaw/extension/progress.py: one line on a terminal that says how far long work is.

What does the work counts its steps as ninja does, so this needs no package for progress bars.
"""

import re
import sys

COUNT = re.compile(r"\[\d+/\d+\] ")
ERASE = "\r\033[K"  # the line, from its beginning


class Progress:
    """Shows ``text`` and the count in lines such as ninja's on standard error, in place of each other.

    A context: its end erases the line. is_shown: False where the output itself is shown. tells_pipes: whether
    standard error gets ``text`` as a line where it is no terminal; otherwise it gets nothing then.
    """

    def __init__(self, is_shown=True, text="compiling", tells_pipes=False):
        is_there = is_shown and sys.stderr is not None
        self.stream = sys.stderr if is_there and sys.stderr.isatty() else None
        self.text, self.tells_pipes = text, tells_pipes and is_there and not self.stream

    def __enter__(self):
        if self.tells_pipes:
            print(self.text, file=sys.stderr, flush=True)
        self._show(f"torchthaw: {self.text}")
        return self

    def __exit__(self, *_):
        self._show("")

    def read(self, line):
        """Takes a line of output; one that begins with a count such as ``[1/4]`` changes what is shown."""
        found = COUNT.match(line)
        if found:
            self._show(f"torchthaw: {self.text} {found[0]}")

    def _show(self, text):
        if self.stream:
            self.stream.write(ERASE + text)
            self.stream.flush()

"""torchthaw/extension/arguments.py: the types of arguments that several public functions have in common."""

import os
from collections.abc import Iterable, Mapping

AnyPath = str | os.PathLike[str]
Paths = AnyPath | Iterable[AnyPath]  # one or several
Texts = str | Iterable[str]
Macros = Iterable[tuple[str, str | None]]
CompileArgs = Iterable[str] | Mapping[str, Iterable[str]]

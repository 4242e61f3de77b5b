# tests/legacy/headers/test_errors_and_memory.py: the rows of errors_and_memory.c, one by one.
import shutil

import pytest
import torch

from support import th_rows
from support.rows import row

program = th_rows.program("errors_and_memory")


@pytest.mark.parametrize("row", th_rows.rows("errors_and_memory"))
def test_row(program, row):
    th_rows.run(program, row)


@row("THError")
def test_in_a_folder_with_a_long_name(tmp_path, row):
    """Messages name the source file: the rows neither overflow nor warn where its path is long."""
    folder = tmp_path / ("long_" * 40)
    folder.mkdir()
    source = shutil.copy(th_rows.FOLDER / "errors_and_memory.c", folder)
    th_rows.run(th_rows.compile_program(source, folder / "rows", *th_rows.FLAGS), row)


@row("torch's handlers")
def test_handlers_throw(calls, row):
    """Python goes on, where the built-in handlers end the process."""
    with pytest.raises(torch.FatalError, match="^count -1"):
        calls.fresh(-1)
    with pytest.raises(torch.FatalError, match="^invalid argument 1"):
        calls.same(torch.ones(3))

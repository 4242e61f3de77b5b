# tests/legacy/headers/test_errors_and_memory.py: handlers of an extension, and long names of folders.
import shutil

import pytest
import torch

from support import th_cases


def test_in_a_folder_with_a_long_name(tmp_path):
    """Messages name the source file: the program neither overflows nor warns where its path is long."""
    folder = tmp_path / ("long_" * 40)
    folder.mkdir()
    source = shutil.copy(th_cases.FOLDER / "errors_and_memory.c", folder)
    th_cases.run(th_cases.compile_program(source, folder / "cases", *th_cases.FLAGS), "th_error")


def test_handlers_of_an_extension_throw(calls):
    """Python goes on, where the built-in handlers end the process."""
    with pytest.raises(torch.FatalError, match="^count -1"):
        calls.fresh(-1)
    with pytest.raises(torch.FatalError, match="^invalid argument 1"):
        calls.same(torch.ones(3))

# tests/legacy/headers/test_topics.py: the cases of each C file beside this one, one by one.
import functools

import pytest

from support import th_cases

TOPICS = sorted(path.stem for path in th_cases.FOLDER.glob("*.c"))


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """topic -> its program, compiled once."""

    @functools.cache
    def compiled(topic):
        folder = tmp_path_factory.mktemp(topic)
        return th_cases.compile_program(th_cases.FOLDER / f"{topic}.c", folder / "cases", *th_cases.FLAGS)

    return compiled


@pytest.mark.parametrize("topic, case", [(topic, case) for topic in TOPICS for case in th_cases.names(topic)])
def test_in_c(program, topic, case):
    th_cases.run(program(topic), case)

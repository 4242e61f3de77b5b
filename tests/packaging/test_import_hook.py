"""tests/packaging/test_import_hook.py: functions that wait for the import of a module are called once, whatever threads do."""

import importlib
import sys
import threading

import pytest

from torchthaw.base import import_hook


@pytest.fixture
def module(tmp_path, monkeypatch):
    """The name of a module that can be imported once."""
    (tmp_path / "awaited_module.py").write_text("import sys\nsys.is_executing.set()\nsys.may_end.wait(60)\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "is_executing", threading.Event(), raising=False)
    monkeypatch.setattr(sys, "may_end", threading.Event(), raising=False)
    yield "awaited_module"
    sys.modules.pop("awaited_module", None)
    import_hook._once.pop("awaited_module", None)


def test_an_import_that_ends_in_another_thread_while_somebody_looks(module, monkeypatch):
    thread, called = threading.Thread(target=importlib.import_module, args=(module,)), []

    class Executing(set):
        """The set whose answer is old as soon as it is given."""

        def __contains__(self, name):
            found = super().__contains__(name)
            if found:
                sys.may_end.set()
                thread.join()
            return found

    monkeypatch.setattr(import_hook, "_executing", Executing())
    import_hook.after_import(module, lambda: called.append("first"))
    thread.start()
    assert sys.is_executing.wait(60)
    import_hook.after_import(module, lambda: called.append("second"))
    assert called == ["first", "second"]


def test_each_function_is_called_once(module):
    sys.may_end.set()
    called = []
    for number in range(3):
        import_hook.after_import(module, lambda number=number: called.append(number))
    assert called == []
    importlib.import_module(module)
    assert called == [0, 1, 2]
    import_hook.after_import(module, lambda: called.append(3))
    importlib.reload(sys.modules[module])
    assert called == [0, 1, 2, 3]

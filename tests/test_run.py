# tests/test_run.py: the import finder, and the commands run, enable and disable.
import os
import subprocess
import sys
from pathlib import Path

import torchthaw
from torchthaw.legacy import environment

ROOT = Path(torchthaw.__file__).parents[1]
IMPORT = "from torch.utils.ffi import create_extension, _wrap_function"


def python(*arguments, **variables):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env={**os.environ, **variables}
    )


def test_import_registers_a_finder_and_nothing_else():
    code = "import sys, torchthaw; print('torch' in sys.modules, 'cffi' in sys.modules, len(sys.meta_path)); "
    code += "import importlib; importlib.reload(torchthaw); print(len(sys.meta_path))"
    before = int(python("-c", "import sys; print(len(sys.meta_path))").stdout)
    result = python("-c", code, PYTHONPATH=str(ROOT))
    assert result.stdout.split() == ["False", "False", str(before + 1), str(before + 1)], result.stderr


def test_run_reaches_the_script_and_its_children(tmp_path):
    script = tmp_path / "build.py"
    script.write_text(
        f"{IMPORT}\nimport subprocess, sys, os\n"
        f"subprocess.run([sys.executable, '-c', '{IMPORT}; print(1)'], check=True)\n"
        "print(sys.argv[1:], __name__, sys.path[0] == os.path.dirname(__file__))\n"
        "subprocess.run('echo \"#include <TH/TH.h>\" | gcc -fsyntax-only -xc - && echo found', shell=True)\n"
    )
    result = python("-u", "-m", "torchthaw", "run", str(script), "--flag", "2", PYTHONPATH=str(ROOT))
    assert result.stdout.splitlines() == ["1", "['--flag', '2'] __main__ True", "found"], result.stderr


def test_run_of_a_shell_script(tmp_path):
    script = tmp_path / "make.sh"
    script.write_text(f"python -c '{IMPORT}; import sys; print(sys.executable)'\necho \"$1\"\nexit 3\n")
    result = python("-m", "torchthaw", "run", str(script), "two words", PYTHONPATH=str(ROOT), PATH=os.defpath)
    assert result.returncode == 3, result.stderr
    assert result.stdout.splitlines() == [os.path.join(os.path.dirname(sys.executable), "python"), "two words"]


def test_run_without_the_file():
    result = python("-m", "torchthaw", "run", "absent.py", PYTHONPATH=str(ROOT))
    assert result.returncode == 1 and "expected a Python file or a shell script, got 'absent.py'" in result.stderr


def test_enable_and_disable(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(environment.sysconfig, "get_path", lambda name: str(tmp_path))
    environment.enable()
    code = f"import site, sys; site.addsitedir({str(tmp_path)!r}); assert 'torch' not in sys.modules\n{IMPORT}"
    assert python("-c", code).returncode == 0
    environment.disable()
    assert list(tmp_path.iterdir()) == []
    assert "No module named 'torch.utils.ffi'" in python("-c", code).stderr

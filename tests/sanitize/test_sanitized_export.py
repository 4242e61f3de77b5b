"""tests/sanitize/test_sanitized_export.py: what `export` writes, in its hosts, under AddressSanitizer and UBSan.

`.ci/hosts onnxruntime jax` installs the hosts, which have no sanitizers of their own.
"""

import pytest

from support import TESTS
from support.sanitized import PRELUDE, RUN

pytestmark = pytest.mark.timeout(1200)

# Which tests of a file, as -k takes them. Those that are left out look at what is linked, or are long and in Python alone.
SELECTED = {
    "test_table.py": "not links_nothing",
    "test_onnxruntime.py":
        "not lowest and not hand_written and not any_shape and not served_without and not modules_with_parameters",
    "test_jax.py": "newest and (each_function or kinds_of_parameters or pairs_of_every_kind or refused_in_words)",
}  # fmt: skip

PLANTED = """
#include <torchthaw/annotate.h>
#include <stdint.h>
/* Writes one number more than it may. */
THAW_STATUS
int planted_fill(const float *x THAW_SHAPE(n), int64_t n, float *y THAW_SHAPE(n));
"""
PLANTED_C = """
#include "planted.h"
int planted_fill(const float *x, int64_t n, float *y) {
    int64_t i;
    for (i = 0; i <= n; ++i) y[i] = x[0];
    return 1;
}
"""


@pytest.mark.parametrize("file", SELECTED)
def test_no_sanitizer_speaks_up(run, file):
    done = run(RUN, TESTS / "export" / file, "-k", SELECTED[file], THAW_HOST_PRELOAD=run.preload)
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr


def test_planted_faults_are_reported(run):
    (run.folder / "planted.h").write_text(PLANTED)
    (run.folder / "planted.c").write_text(PLANTED_C)
    done = run(f"""{PRELUDE}
import torch
from support import table_host
import subprocess
folder = Path(sys.argv[1])
table_host.export(folder / "planted.h", folder)
command = table_host.compiler("-shared", "-fPIC", f"-I{{folder}}")
library = folder / "libplanted_table.so"
subprocess.run([*command, folder / "planted_table.c", folder / "planted.c", "-o", library], check=True)
table_host.Host(library, "planted").call("planted_fill", x=torch.ones(4), y=torch.ones(4))
""")  # fmt: skip
    assert done.returncode and "heap-buffer-overflow" in done.stderr and "thaw_run_planted_fill" in done.stderr, (
        done.stderr
    )

"""tests/fuzz/cuda_text.py: preprocessed CUDA C++ that is cut, doubled and joined by chance, for translate.py.

    python tests/fuzz/cuda_text.py --seconds N
    python tests/fuzz/cuda_text.py SEED …

It is translated or Unreadable, in time, and keeps its lines. The seed of a text that breaks one of these is printed; the
second form tries it again.
"""

import random
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests" / "fuzz")]

import by_seed  # noqa: E402

from torchthaw.cuda_on_cpu.translation import translate  # noqa: E402

SAMPLES = sorted((ROOT / "tests" / "cuda_on_cpu" / "samples").glob("*.cu"))
WORDS = [
    "<<<", ">>>", "<< <", "> >>", "f<<<1, 2>>>(x);", "__shared__ ", "extern __shared__ float a[];", "__device__ ", "__constant__ ",
    "__managed__ ", "__assert_fail", "asm", "__asm__ volatile(", "volatile int *p;", "while (*p)", "for (;;)", "do {", "} while (p[0]);",
    "(", ")", "[", "]", "{", "}", "<", ">", ";", ",", "::", "->", ".", '"', "'", "\\", "\n", '# 3 "a.cu" 1 3\n', 'R"x(', ')x"', "1'000",
    "template <", "template <int n> int f(int);", "x.f<3>(1)", "->f<int>()", "struct A { int f; };", "operator",
    'asm("add.u32 %0, %1, %2;" : "=r"(x) : "r"(y), "r"(z));', 'asm volatile("{ .reg .pred p; setp.lt.s32 p, %0, 0; @!p bra A; A: }" :: "r"(x));',
    'asm("', '" : "=r"(', ') : "r"(', "ld.global.v2.u32 {%0, %1}, [%2+8];", "mov.b64 ", ".reg .b32 r<9>;", "%0", "%%tid.x", "@p ", "|", "!", "0", "__null", "struct", " ", "\u00e9", "\udcff", "\0", "#", "//", "decltype(", "alignas(16)",
]  # fmt: skip
SECONDS = 5  # of the processor, for at most 20,000 characters


class Broken(Exception):
    """A property that does not hold."""


def text(seed):
    choose = random.Random(seed)
    pieces = []
    while sum(map(len, pieces)) < choose.choice([50, 500, 5000]):
        if choose.random() < 0.3:
            sample = choose.choice(SAMPLES).read_text()
            start = choose.randrange(len(sample))
            pieces.append(sample[start : start + choose.randrange(400)])
        else:
            pieces.append(choose.choice(WORDS) * choose.choice([1, 1, 1, 2, 50]))
    return "".join(pieces)[:20000]


def check(seed):
    given = text(seed)
    start = time.process_time()
    try:
        made = list(translate.translations(given))
    except translate.Unreadable as error:
        if not 0 <= error.position <= len(given):
            raise Broken(f"expected a place in the text, got {error.position} of {len(given)}") from error
        translate.place(given, error.position)
        made = []
    except Exception as error:
        raise Broken(f"expected a translation or Unreadable, got {error!r}") from error
    for each in made:
        if each.count("\n") != given.count("\n"):
            raise Broken(f"expected {given.count(chr(10))} lines, got {each.count(chr(10))}")
    if (spent := time.process_time() - start) > SECONDS:
        raise Broken(f"expected an end within {SECONDS} s, got {spent:.1f} s")


if __name__ == "__main__":
    sys.exit(by_seed.main("cuda_text", __doc__, check, Broken))

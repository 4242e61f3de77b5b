"""tests/build/test_mistakes.py: mistakes in headers and sources are named, with the header and its line, or they work."""

import os
import subprocess
import sys

import cffi
import pytest

import torchthaw
from support import SRC
from torchthaw.extension import BuildError
from torchthaw.header import cdef

CXX = "expected a declaration in C, got {}; declare functions with types of C, and put what is C\\+\\+ between "
UNKNOWN = "expected a type that the headers declare, got"

# Header -> the message behind "path:". The first lines are for cffi's parser alone, the others need the preprocessor.
REFUSED = {
    "int größe(int n);": "1: cannot parse 'int größe.*expected names of ASCII letters, digits and _, got größe$",
    "#include <stdint.h>\nint f(int längen);": "2: cannot parse .*expected names of ASCII .*, got längen$",
    "int f(int n);\nint f(double x);": "2: multiple declarations of function f: expected one.* than that of .*broken.h:1$",
    "#include <stdint.h>\nint f(int n);\nint f(int n);": "3: multiple .* f: .* the same .* of .*broken.h:2$",
    "int f(int n);\n\nreal_t g(real_t x);": f"3: cannot parse 'real_t g.real_t x.;': real_t: {UNKNOWN} an unknown name$",
    "#include <stdint.h>\n#define N 3\n\nint g(long n,\n  real_t *x,\n  more_t *y);": f"[56]: .*: real_t: {UNKNOWN} an unknown",
    '#include "inner.h"\nvoid f(inner_t *x);': f"2: .*: inner_t: {UNKNOWN} one of .*inner.h:2, which is not among headers",
    "struct s { real_t x; };": f"1: .*: real_t: {UNKNOWN} an unknown name$",
    "/* one\n two */\n#define N 3\n\nstatic inline int g(int n)\n{\n  return n;\n}\nint f(real_t x);": "9: .*: real_t: ",
    "later f(int);\ntypedef int later;": f"1: .*: later: {UNKNOWN} an unknown name$",
    "int f(int n;": "1: cannot parse 'int f.int n;': expected a declaration in C, got another text",
    "#include <stdint.h>\nint f(int n": "2: cannot parse 'int f.int n': expected a declaration in C, got another text",
    "struct s { int a[2 * sizeof(int)]; };": "1: cannot parse .*got another text .unsupported expression",
    "namespace own { int f(int n); }": "1: .*" + CXX.format("a namespace"),
    "int g(int);\ntemplate <typename T> T f(T x);": "2: .*" + CXX.format("a template"),
    "auto f(int n) -> int;": "1: .*" + CXX.format("auto"),
    "int g(int);\nauto f(int n);": "2: f: expected a function whose result has a type of C, got auto$",
    "class A { int x; };": "1: .*" + CXX.format("a class"),
    "int f(int &n);": "1: .*" + CXX.format("a reference"),
    "int f(int n = 3);": "1: .*" + CXX.format("a default argument"),
    "int f(std::string text);": "1: .*" + CXX.format("a name with ::"),
    "int f(const int n) noexcept;": "1: .*" + CXX.format("a keyword of C\\+\\+"),
    'int g(int);\nextern "C" int f(int n);': '2: .*' + CXX.format('extern "C"'),
    f"int f(int {'*' * 50}x);": "1: f: expected types of at most 50 pointers and arrays, got more$",
    "static int f(int n);": "1: f: expected a function that other files can call, or its body, got static$",
    "#include <stdint.h>\nstatic inline int f(int n);": "2: f: expected a function that other files can call, or its body",
    "int thaw_open(int n);": "1: thaw_open: expected a name that does not begin with thaw_, which generated C begins ",
    "int _cffi_f(int n);": "1: _cffi_f: expected a name that does not begin with _cffi, which cffi begins its own",
    "int __name__(int n);": "1: __name__: expected a name that does not begin with __, which Python's own names begin",
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_headers_that_are_refused(tmp_path, text):
    """Before a compiler runs; and to callers of cffi it is cffi's error."""
    header = tmp_path / "broken.h"
    header.write_text(text + "\n")
    (tmp_path / "inner.h").write_text("\ntypedef struct { int a; } inner_t;\n")
    with pytest.raises(BuildError, match=f"^{tmp_path}/broken.h:{REFUSED[text]}") as caught:
        cdef.parse([header])
    assert isinstance(caught.value, (ValueError, cffi.CDefError, cffi.FFIError))


def test_the_header_of_several(tmp_path):
    for name, text in (("first.h", "#include <stdint.h>\nint f(int n);\n"), ("second.h", "\nint g(real_t x);\n")):
        (tmp_path / name).write_text(text)
    with pytest.raises(BuildError, match=f"^{tmp_path}/second.h:2: cannot parse"):
        cdef.parse([tmp_path / "first.h", tmp_path / "second.h"])


def test_comments_in_any_encoding(tmp_path):
    header = tmp_path / "latin.h"
    header.write_bytes("#include <stdint.h>\n/* Größe */\nint f(int n); // é\n".encode("latin-1"))
    assert set(cdef.signatures(cdef.parse([header]).text)) == {"f"}


# What works: one extension with all of it, in the new way, and with th=True and in the old way.

NAMES = """
index abs read getattr dir callable globals sorted print lambda None True import class self ffi lib bind description
call guard kernel load _ffi _lib _live _found _extension _wrap_function thaw main errno_of sys
""".split()  # fmt: skip
HEADER = """
#include <stdint.h>
{prototypes}
#if 0
int hidden(int n);
#endif
static inline int doubled(int n) {{ return 2 * n; }}
struct pair {{ int first; double second; }};
extern int counter;
extern double table[3];
extern const int fixed[2];
extern const int ten;
extern const char *label;
extern struct pair both;
extern int (*hook)(int);
enum {{ SEVEN = 7 }};
int bump(void);
double total(void);
int length(void);
int call_hook(int n);
"""
SOURCE = """
{definitions}
struct pair {{ int first; double second; }};
int counter = 3;
double table[3] = {{1, 2, 3}};
const int fixed[2] = {{4, 5}};
const int ten = 10;
const char *label = "label";
struct pair both = {{1, 2.5}};
int (*hook)(int);
int bump(void) {{ return ++counter; }}
double total(void) {{ return table[0] + table[1] + table[2] + both.first + both.second; }}
int length(void) {{ int n = 0; while (label[n]) n++; return n; }}
int call_hook(int n) {{ return hook ? hook(n) : -1; }}
"""
USE = """
import warnings
warnings.simplefilter("error")
import odd
from {ffi} import ffi
names = {names!r}
assert [getattr(odd, name)(n) for n, name in enumerate(names)] == [2 * n + 1 for n in range(len(names))]
assert not hasattr(odd, "hidden") and odd.doubled(4) == 8 and (odd.SEVEN, odd.ten) == (7, 10)
public = {{*names, "counter", "table", "fixed", "ten", "label", "both", "hook", "SEVEN", "bump", "total", "doubled"}}
assert public <= set(odd.__all__) and public <= set(dir(odd)) and len(odd.__all__) == len(set(odd.__all__))

# Read where C has them, and written there.
assert odd.counter == 3 and odd.bump() == 4 and odd.counter == 4
odd.counter = 40
assert odd.bump() == 41 and odd.counter == 41
odd.table[0] = 9
assert list(odd.table) == [9, 2, 3] and odd.total() == 14 + 3.5
odd.table = [1, 1, 1]
odd.both.first = 2
assert odd.total() == 3 + 4.5 and odd.both.second == 2.5
odd.both = {{"first": 0, "second": 0}}
assert odd.total() == 3
text = ffi.new("char[]", b"four")
odd.label = text
assert odd.length() == 4 and ffi.string(odd.label) == b"four"
assert odd.call_hook(1) == -1
callback = ffi.callback("int(int)", lambda n: n + 100)
odd.hook = callback
assert odd.call_hook(1) == 101 and odd.hook(2) == 102
assert list(odd.fixed) == [4, 5]
from odd import counter, bump
bump()
assert (counter, odd.counter) == (41, 42)


def refused(error, words, action):
    try:
        action()
    except error as raised:
        assert words in str(raised), raised
    else:
        raise AssertionError(words)


refused(AttributeError, "fixed: expected a variable that is not const", lambda: setattr(odd, "fixed", [1, 2]))
refused(TypeError, "counter: ", lambda: setattr(odd, "counter", "text"))
refused(OverflowError, "counter: ", lambda: setattr(odd, "counter", 2**40))
refused(IndexError, "table: ", lambda: setattr(odd, "table", [1, 2, 3, 4]))
refused(AttributeError, "counter: ", lambda: delattr(odd, "counter"))
assert odd.counter == 42 and list(odd.table) == [1, 1, 1]
print("all")
"""
WAYS = {
    "new": "import torchthaw\ntorchthaw.create_extension('odd', 'odd.h', ['odd.c'], relative_to='x').build()",
    "th": "import torchthaw\ntorchthaw.create_extension('odd', 'odd.h', ['odd.c'], relative_to='x', th=True).build()",
    "old": "import torchthaw.legacy\ntorchthaw.legacy.install()\nfrom torch.utils.ffi import create_extension\ncreate_extension('odd', 'odd.h', ['odd.c'], False).build()",
    "load": "import sys, torchthaw\nsys.modules['odd'] = torchthaw.load('odd', 'odd.c', 'odd.h', build_directory='.')",
}  # fmt: skip


def python(folder, code):
    environment = {**os.environ, "PYTHONPATH": str(SRC), "TORCHTHAW_CACHE": str(folder / "cache")}
    return subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, env=environment)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_odd_names_and_variables(tmp_path, way):
    prototypes = "\n".join(f"int {name}(int n);" for name in NAMES)
    definitions = "\n".join(f"int {name}(int n) {{ return 2 * n + 1; }}" for name in NAMES)
    (tmp_path / "odd.h").write_text(HEADER.format(prototypes=prototypes))
    (tmp_path / "odd.c").write_text(SOURCE.format(definitions=definitions))
    use = USE.format(names=NAMES, ffi="odd._odd" if way != "load" else "cffi")
    if way == "load":
        use = use.replace("from cffi import ffi", "import cffi\nffi = cffi.FFI()")
    done = python(tmp_path, f"import torchthaw\n{WAYS[way]}\n{use}")
    assert done.stdout == "all\n", done.stderr


# Functions that nothing defines

UNDEFINED = {
    "int f(int n) { return n; }": 'x.h:2 declares it, and {0}/x.cpp defines f(int), a function of C++: put extern "C" ',
    "int f(double x) { return x; }\nint f(int n) { return n; }": "{0}/x.cpp defines f(double), a function of C++",
    "namespace own { int f(int n) { return n; } }": "{0}/x.cpp defines own::f(int), a function of C++",
    "template <typename T> T f(T x) { return x; }\ntemplate int f(int);": "{0}/x.cpp defines int f<int>(int), a func",
    "auto f(int n) { return n; }": "{0}/x.cpp defines f(int), a function of C++",
    "static int f(int n) { return n; }\nint g(int n) { return f(n); }": "f: {0}/x.h:2 declares it",
}  # fmt: skip


@pytest.mark.parametrize("text", UNDEFINED)
def test_functions_that_nothing_defines(tmp_path, monkeypatch, text):
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "cache"))
    (tmp_path / "x.h").write_text("#define N 3\nint f(int n);\n")
    (tmp_path / "x.cpp").write_text(text + "\n")
    with pytest.raises(BuildError, match="undefined symbols: f[.] Expected") as caught:
        torchthaw.create_extension("x", "x.h", ["x.cpp"], relative_to=tmp_path / "x").build()
    assert UNDEFINED[text].format(tmp_path) in str(caught.value)

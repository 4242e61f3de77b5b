# tests/legacy/headers/test_declarations.py: what a header may contain.
import itertools

import cffi
import pytest
import torch

from support.legacy_project import files, imported

REALS = ["Double", "Float", "Long", "Int", "Short", "Char", "Byte"]
CUDA = ["" if real == "Float" else real for real in REALS]

HEADER = """
/* a comment */ // and another
extern int plain(int);;
int64_t of_int64(int64_t value);
size_t of_size(size_t value);
uint8_t of_uint8(uint8_t value);
ptrdiff_t of_ptrdiff(ptrdiff_t value);
bool of_bool(bool value);
_Bool of_Bool(_Bool value);
float of_array(const float *restrict values, int numbers[3]);
const char *of_text(char *text, const void *pointer);
typedef int number;
number of_typedef(number value);
enum colour { RED, GREEN = 5 };
enum colour of_enum(enum colour value);
typedef enum { LOW, HIGH = 9 } level;
int of_level(level value);
struct point { int x; double y; };
struct point of_struct(struct point p);
int of_varargs(int count, ...);
int of_tensor_and_more(THFloatTensor *tensor, ...);
#define MAGIC 42
#define SHIFTED (1<<3)
#pragma once
"""
SOURCE = """
#include <TH/TH.h>
#include <stdarg.h>
#include <stdbool.h>
#include <wchar.h>
int plain(int value) { return value; }
int64_t of_int64(int64_t value) { return value; }
size_t of_size(size_t value) { return value; }
uint8_t of_uint8(uint8_t value) { return value; }
ptrdiff_t of_ptrdiff(ptrdiff_t value) { return value; }
bool of_bool(bool value) { return !value; }
_Bool of_Bool(_Bool value) { return !value; }
float of_array(const float *restrict values, int numbers[3]) { return values[0] + numbers[2]; }
const char *of_text(char *text, const void *pointer) { return pointer ? text : "none"; }
typedef int number;
number of_typedef(number value) { return value + 1; }
enum colour { RED, GREEN = 5 };
enum colour of_enum(enum colour value) { return value; }
typedef enum { LOW, HIGH = 9 } level;
int of_level(level value) { return value; }
struct point { int x; double y; };
struct point of_struct(struct point p) { p.x *= 2; p.y *= 3; return p; }
int of_varargs(int count, ...) {
  va_list list;
  int sum = 0;
  va_start(list, count);
  while (count--) sum += va_arg(list, int);
  va_end(list);
  return sum;
}
int of_tensor_and_more(THFloatTensor *tensor, ...) { return (int)THFloatTensor_nElement(tensor); }
"""
TENSORS = [f"int of_{real}{kind}(TH{real}{kind} *x);" for real, kind in itertools.product(REALS, ["Tensor", "Storage"])]
TENSOR_SOURCES = [
    f"int of_{real}Tensor(TH{real}Tensor *x) {{ return (int)TH{real}Tensor_nElement(x); }}\n"
    f"int of_{real}Storage(TH{real}Storage *x) {{ return (int)TH{real}Storage_size(x); }}"
    for real in REALS
]


@pytest.fixture(scope="module")
def lib(create, folder):
    files(folder, {
        "all.h": HEADER, "all.c": SOURCE,
        "th.h": "\n".join(TENSORS), "th.c": "#include <TH/TH.h>\n" + "\n".join(TENSOR_SOURCES),
    })  # fmt: skip
    create("headers", ["all.h", "th.h"], ["all.c", "th.c"], False).build()
    return imported("headers")


def point(lib):
    result = lib.of_struct({"x": 2, "y": 1.5})
    return result.x, result.y


WORKS = {
    "scalars": lambda lib: (
        lib.of_int64(-(2**40)), lib.of_size(2**40), lib.of_uint8(255), lib.of_ptrdiff(-5), lib.of_bool(1),
        lib.of_Bool(0),
    ) == (-(2**40), 2**40, 255, -5, False, True),
    "qualifiers": lambda lib: lib.of_array([1.5], [1, 2, 3]) == 4.5
    and lib._ffi.string(lib.of_text(b"text", lib._ffi.NULL)) == b"none",
    "syntax": lambda lib: (lib.plain(3), lib.of_typedef(1), lib.of_enum(5), lib.of_level(9)) == (3, 2, 5, 9),
    "struct-by-value": lambda lib: point(lib) == (4, 4.5),
    "varargs": lambda lib: lib.of_varargs(2, lib._ffi.cast("int", 3), lib._ffi.cast("int", 4)) == 7
    and lib.of_tensor_and_more(torch.ones(5)) == 5,
    "integer-define": lambda lib: lib.MAGIC == 42 and "MAGIC" in lib.__all__,
    "computed-define": lambda lib: lib.SHIFTED == 8,
    "pragma": lambda lib: lib.plain(1) == 1,
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", WORKS)
def test_declaration(case, lib):
    assert WORKS[case](lib)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
@pytest.mark.parametrize("real", REALS)
def test_prototypes_of_tensors_and_storages(real, lib):
    """Seven types, as pointers."""
    tensor = getattr(torch, f"{real}Tensor")(3)
    assert getattr(lib, f"of_{real}Tensor")(tensor) == 3
    assert getattr(lib, f"of_{real}Storage")(tensor.storage()) == 3


def test_the_names_of_cuda_are_known(create, project):
    """THCuda tensors and storages, as pointers."""
    lines = [f"int f_{name}_{kind}(THCuda{name}{kind} *x);" for name in CUDA for kind in ("Tensor", "Storage")]
    files(project, {"cuda.h": "\n".join(lines)})
    ffi = create("cuda_names", "cuda.h", [])
    assert ffi.typeof("struct THCudaTensor *").kind == ffi.typeof("struct THCudaByteStorage *").kind == "pointer"


@pytest.mark.slow
def test_directives(create, project):
    """#include, guards and extern "C" are accepted; function-like macros are left out."""
    files(project, {
        "src/twice.h": """
            #ifndef TWICE_H
            #define TWICE_H
            #include <TH/TH.h>
            #include <math.h>
            #ifdef __cplusplus
            extern "C" {
            #endif
            TH_API int twice(int value);
            static inline int thrice(int value) { return 3 * value; }
            int elements(THFloatTensor *tensor);
            #define LIMIT 9
            #define SQUARE(x) ((x) * (x))
            #ifdef __cplusplus
            }
            #endif
            #endif
        """,
        "src/twice.c": '#include "twice.h"\nint twice(int value) { return 2 * value; }\n'
        "int elements(THFloatTensor *tensor) { return (int)THFloatTensor_nElement(tensor); }\n",
    })  # fmt: skip
    create("directives", "src/twice.h", ["src/twice.c"], False).build()
    lib = imported("directives")
    assert (lib.twice(2), lib.thrice(2), lib.LIMIT, lib.elements(torch.ones(2, 3))) == (4, 6, 9, 6)
    assert "SQUARE" not in lib.__all__


NO_NAMES = ["THHalfTensor *tensor", "THCState *state", "THGenerator *generator", "THHalfStorage *storage"]


@pytest.mark.parametrize("parameter", NO_NAMES, ids=lambda parameter: parameter.split()[0])
def test_names_that_are_not_known(parameter, create, project):
    """THHalfTensor, THHalfStorage, THCState and THGenerator."""
    files(project, {"names.h": f"int f({parameter});\n"})
    with pytest.raises(cffi.CDefError, match=parameter.split()[0]):
        create("no_names", "names.h", [])
    assert not (project / "no_names").exists()


NOT_C = {
    "default": "int f(int value = 3);", "reference": "int f(int &value);", "unknown": "int f(cudaStream_t stream);",
    "class": "class A { int f(); };",
}  # fmt: skip


@pytest.mark.parametrize("text", NOT_C.values(), ids=list(NOT_C))
def test_not_c(text, create, project):
    """Default arguments, references, unknown types: an error when created."""
    files(project, {"not_c.h": text + "\n"})
    with pytest.raises((cffi.CDefError, ValueError)) as error:
        create("not_c", "not_c.h", [])
    assert "cannot parse" in str(error.value) and text.split("(")[0] in str(error.value)
    assert not (project / "not_c").exists()


@pytest.mark.parametrize("headers", [["src/twice.h", "src/twice.h"], ["src/again.h"]], ids=["file", "prototype"])
def test_the_same_prototype_twice(headers, create, project):
    """cffi's error: multiple declarations."""
    files(project, {"src/again.h": "int twice(int);\nint twice(int);\n"})
    with pytest.raises(cffi.FFIError, match="multiple declarations of function twice"):
        create("double", headers, ["src/twice.c"], False)

# tests/legacy/headers/test_generic_types.py: the headers as compilers see them.
import subprocess

import pytest

from support import th_cases
from torchthaw.base import config


def check(tmp_path, text, standard="c99", folders=("",)):
    source = tmp_path / ("unit.cpp" if "++" in standard else "unit.c")
    source.write_text(text)
    command = ["c++" if "++" in standard else "cc", f"-std={standard}", "-pedantic", "-Wall", "-Wextra", "-Werror"]
    command += [f"-I{config.includes() / folder}" for folder in folders]
    return subprocess.run([*command, "-fsyntax-only", str(source)], capture_output=True, text=True)


@pytest.mark.parametrize("standard", ["c99", "c11", "c++11", "c++14", "c++17", "c++20"])
def test_headers_give_no_warning(standard, tmp_path):
    """From C99 to C++20."""
    text = """
    #include <TH/TH.h>
    float total(THFloatTensor *a, THFloatTensor *b, THDoubleTensor *c);
    float total(THFloatTensor *a, THFloatTensor *b, THDoubleTensor *c) {
      float sum = 0;
      THArgCheck(a->nDimension > 0, 1, "%d dimensions", a->nDimension);
      THArgCheckWithCleanup(sum >= 0, THCleanup(THFree(0);), 2, "sum");
      THAssert(sum >= 0);
      THAssertMsg(sum >= 0, "%f", (double)sum);
      TH_TENSOR_APPLY(float, a, sum += *a_data;);
      TH_TENSOR_APPLY2(float, a, float, b, *a_data = *b_data;);
      TH_TENSOR_APPLY3(float, a, float, b, double, c, *a_data = *b_data + (float)*c_data;);
      TH_TENSOR_APPLY_D(float, a, 0, sum += (float)*a_dimOffset;);
      TH_TENSOR_DIM_APPLY(float, a, 0, sum += *a_data;);
      TH_TENSOR_DIM_APPLY2(float, a, float, b, 0, *a_data = *b_data;);
      TH_TENSOR_DIM_APPLY3(float, a, float, b, double, c, 0, TH_TENSOR_DIM_APPLY3_SIZE_EQ_EXCEPT_DIM, sum++;);
      return sum + THTensor_fastGet1d(a, 0);
    }
    """
    ran = check(tmp_path, text, standard)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize(
    "header", [f"THGenerate{kind}.h" for kind in ("FloatType", "HalfType", "FloatTypes", "IntTypes", "AllTypes")]
)
def test_generator_without_file_is_an_error(header, tmp_path):
    """Without TH_GENERIC_FILE the preprocessor stops."""
    ran = check(tmp_path, f"#include <TH/TH.h>\n#include <TH/{header}>\n")
    assert ran.returncode != 0 and "TH_GENERIC_FILE" in ran.stderr


def test_real_is_free_and_libc_is_there(tmp_path):
    text = """
    #include <TH/TH.h>
    #define real float
    real unit(void);
    real unit(void) {
      char *end;
      printf("%s %" PRId64, strerror(0), (int64_t)INT_MAX);
      return (real)(sin(strtod("1", &end)) + FLT_MAX + (double)time(NULL));
    }
    """
    ran = check(tmp_path, text)
    assert ran.returncode == 0, ran.stderr


def test_calls_on_another_type_compile(tmp_path):
    """A warning for C, as ever: real projects ask a float tensor by THLongTensor_isContiguous."""
    source = tmp_path / "unit.c"
    source.write_text(
        """
        #include <TH/TH.h>
        int main(void) {
          THFloatTensor *t = THFloatTensor_newWithSize2d(2, 3);
          return !(THLongTensor_isContiguous((void *)t) && THIntTensor_size((void *)t, 1) == 3
                   && THDoubleTensor_nElement((void *)t) == 6);
        }
        """
    )
    program = th_cases.compile_program(source, tmp_path / "unit")
    assert subprocess.run([program]).returncode == 0

"""tests/cuda_on_cpu/test_ptx.py: what of inline PTX is read, what is refused, and that CUDA's own compiler takes the samples."""

import re
import subprocess
import time

import pytest

from support import cuda_on_cpu
from support.messages import names
from torchthaw.cuda_on_cpu.translation import ptx, ptx_text
from torchthaw.cuda_on_cpu.translation.translate import Unreadable, place, translate
from torchthaw.extension import cuda


def real_nvcc():
    """The path of CUDA's own nvcc, or None."""
    try:
        return cuda.toolkit().nvcc
    except FileNotFoundError:
        return None


@pytest.mark.slow
@pytest.mark.skipif(not real_nvcc(), reason="no nvcc on this machine")
@pytest.mark.parametrize("name", ["members", "ptx"])
def test_the_compiler_of_cuda_takes_the_sample(name, tmp_path):
    command = [real_nvcc(), "-arch=sm_80", "-c", "-o", tmp_path / "sample.o", cuda_on_cpu.SAMPLES / f"{name}.cu"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_text_is_instructions_labels_and_registers():
    code = ptx_text.read(
        "{ .reg .pred p, %q; .reg .b32 r<2>; // a comment; with ;\n"
        "A: @!p ld.global.L1::no_allocate.v2.u32 {%0, r1}, [%%rd4+-16]; /* another; */ { .reg .b32 r0; setp.lt.s32 p|_, -5, 0x1F; }"
        " fma.rn.f32 %1, 0f3F800000, 1.5, !p; bra A; }"
    )
    assert code.registers == {(1, "p"): "pred", (1, "%q"): "pred", (1, "r0"): "b32", (1, "r1"): "b32", (2, "r0"): "b32"}
    label, load, compare, fma, jump = code.statements
    assert (label.name, label.scopes) == ("A", (1,))
    assert (load.opcode, load.guard) == ("ld.global.L1::no_allocate.v2.u32", ("p", True))
    assert load.operands == [
        ("vector", [("register", "%0"), ("register", "r1")]),
        ("memory", ("register", "%rd4"), -16),
    ]
    assert compare.operands == [("pair", ("register", "p"), ("sink",)), ("number", "-5"), ("number", "0x1F")]
    assert compare.scopes == (1, 2) and compare.text == "setp.lt.s32 p|_, -5, 0x1F"
    assert fma.operands == [("register", "%1"), ("number", "0f3F800000"), ("number", "1.5"), ("not", ("register", "p"))]
    assert (jump.opcode, jump.operands) == ("bra", [("register", "A")])


@pytest.mark.parametrize(
    "text, words",
    [
        ("add.u32 %0, %1;", ["add.u32 %0, %1", "3 operands", "2"]),
        ("add.u64 %0, %1, %1;", ["add.u64 %0, %1, %1", "a register of 64 bits for type u64", "%1 of 32 bits"]),
        ("add.u16 %0, %1, %1;", ["a register of 16 bits"]),
        ("add.u32 %0, %1, %3;", ["an operand of the statement", "%3"]),
        ("mov.u32 %1, %0;", ["an operand with = or + for the result", "%1"]),
        ("mov.u64 %2, %tid.x;", ["64 bits", "32 of %tid.x"]),
        ("ld.global.u32 %0, [%1];", ["an address of 64 bits", "%1 of 32 bits"]),
        ("ld.global.u32 %0, %2;", ["an address", "register"]),
        ("ld.global.v2.u32 {%0}, [%2];", ["2 registers", "1"]),
        ("ld.release.gpu.global.u32 %0, [%2];", ["no .release here"]),
        ("atom.global.add.s64 %2, [%2], 1;", ["s64"]),
        ("cvt.s32.f32 %0, %1;", ["a rounding to an integer"]),
        ("cp.async.cg.shared.global [%1], [%2], 8;", ["16 bytes", "8"]),
        ("{ .reg .pred p; add.u32 %0, p, 1; }", ["p of a predicate"]),
        ("mov.b64 {%0, %0, %0}, %2;", ["2 or 4 registers of b64", "3"]),
        ("setp.lo.f32 %0, 1.0, 2.0;", ["a comparison for f32", "lo"]),
    ],
)
def test_operands_that_do_not_fit_are_an_error_with_a_place(text, words):
    source = f'# 7 "a.cu"\n\nvoid f() {{ asm("{text}" : "=r"(x) : "r"(y), "l"(z)); }}\n'
    with pytest.raises(Unreadable) as raised:
        translate(source)
    assert re.search(names(*words), str(raised.value)) and str(raised.value).startswith("inline PTX: ")
    assert place(source, raised.value.position) == "a.cu:8"


@pytest.mark.parametrize(
    "text, words",
    [
        (
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0}, {%1}, {%1}, {%0};",
            "tensor cores are not served; products by loops",
        ),
        ("wgmma.fence.sync.aligned;", "tensor cores"),
        ("cp.async.bulk.commit_group;", "the tensor memory accelerator is not served; cp.async"),
        ("mbarrier.init.shared.b64 [%1], 1;", "mbarrier is not served; bar.sync"),
        ("tex.2d.v4.f32.f32 {%0, %0, %0, %0}, [%1, {%1, %1}];", "textures and surfaces"),
        ("exit;", "a thread and a function end by return alone"),
        ("vadd.s32.s32.s32 %0, %1, %1;", "this instruction is not served"),
        ("mov.u32 %0, %envreg3;", "the register %envreg3 is not served"),
        ("mov.u32 %0, elsewhere;", "the register elsewhere is not declared in this statement"),
        (".shared .b32 a; mov.u32 %0, 1;", "the directive .shared"),
        (".reg .b128 wide; mov.u32 %0, 1;", "registers of 128 bits"),
        ("mov.u32 %0, 1; ? .u32", "is not read"),
        ("bra ELSEWHERE; mov.u32 %0, 1;", "the label ELSEWHERE is not in this statement"),
    ],
)
def test_what_is_not_served_is_an_error_that_names_it_when_it_is_reached(text, words):
    result = translate(f'void f() {{ asm volatile("{text}" : "=r"(x) : "r"(y)); }}')
    assert "::cuda_on_cpu::unserved(" in result and words in result and "asm" not in result
    assert text.split()[0].rstrip(";") in result


def test_what_precedes_an_instruction_that_is_not_served_still_runs():
    result = ptx.translate("add.u32 %0, %0, 1; exit; sub.u32 %0, %0, 1;", ["+r"])
    assert result.index("P::add") < result.index("unserved") < result.index("P::sub")


def test_expressions_of_operands_stay_on_their_lines_and_may_hold_cuda():
    text = 'void f() {\n asm volatile("add.u32 %0,"\n  " %1, %2;"\n : "=r"(x)\n : "r"(a->t<3>(1)),\n  "r"((y)) : "memory" );\n}'
    text = f"struct A {{ template <int n> int t(int); }};{text}"
    result = translate(text)
    lines = result.split("\n")
    assert len(lines) == text.count("\n") + 1 and "memory" not in result
    assert [i for i, line in enumerate(lines) if "(x)" in line] == [3]
    assert "a->template t<3>(1)" in lines[4] and "((y))" in lines[5]


@pytest.mark.parametrize(
    "constraints",
    [
        '"=r"(s) : "r"(1)',
        '"=r"(f) : "r"(1)',
        '"=f"(i) : "r"(1)',
        '"=r"(i) : "r"(p)',
        '"=r"(i) : "l"(i)',
        '"=r"(i) : "r"(true)',
    ],
)
@pytest.mark.slow
def test_an_expression_that_does_not_fit_its_constraint_is_an_error_with_a_place(constraints, tmp_path):
    (tmp_path / "a.cu").write_text(
        f'__global__ void k(short s, float f, int i, int *p) {{\n    asm("mov.b32 %0, %0;" : {constraints});\n}}\n'
    )
    result = cuda_on_cpu.nvcc("-c", "a.cu", cwd=tmp_path)
    assert result.returncode and re.search(names("inline PTX", "mov.b32 %0, %0", "the type"), result.stderr)
    assert "a.cu:2:" in result.stderr and result.stderr.count("error:") == 1, result.stderr


def test_assembly_with_other_constraints_is_an_error_when_it_is_reached():
    assert "unserved" in translate('void f() { asm("mov.u32 %0, 1;" : "=m"(x)); }')


def test_the_time_grows_with_the_length_of_a_statement():
    def seconds(count):
        text = "".join(f"L{i}: add.cc.u32 %0, %0, 1; addc.u32 %0, %0, 0;" for i in range(count))
        start = time.process_time()
        ptx.translate(text, ["+r"])
        return time.process_time() - start

    assert seconds(2000) < 40 * seconds(200) + 0.2

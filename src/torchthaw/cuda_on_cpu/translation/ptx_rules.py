"""torchthaw/cuda_on_cpu/translation/ptx_rules.py: the instructions of PTX that an expression of C++ serves, and why others are not.

A rule has an opcode, the types of its operands, and an expression. <X> in an opcode stands for a pattern of PATTERNS; what
it names is {t} in the rest. Of operands, the first one gets the result; t is the type that the opcode names, ut the unsigned
one of its size, wt the one of twice its size, bt that of its bits; ? marks one that may be missing. In the expression P:: is
cuda_on_cpu::ptx, {1} the first source, and {name} any other name of the pattern.
"""

import re

PATTERNS = {
    "I": "(?P<t>[us](?:16|32|64))",
    "I32": "(?P<t>[us]32)",
    "I32_64": "(?P<t>[us](?:32|64))",
    "I16_32": "(?P<t>[us](?:16|32))",
    "S": "(?P<t>s(?:16|32|64))",
    "B": "(?P<t>b(?:16|32|64))",
    "B32_64": "(?P<t>b(?:32|64))",
    "F": "(?P<t>f(?:32|64))",
    "H": "(?P<h>f16|bf16)(?P<x2>x2)?",
    "any": "(?P<t>[bus](?:16|32|64)|f(?:32|64)|pred)",
    "round": r"(?:\.(?P<round>r[nzmp]))?",
    "ftz": r"(?P<ftz>\.ftz)?",
    "sat": r"(?P<sat>\.sat)?",
    "approx": r"(?:\.approx|\.full)",
}
# Operations on numbers of 16 bits, in double.
_HALVES = {
    "add": "a + b", "sub": "a - b", "mul": "a * b", "fma": "a * b + c", "min": "P::min<double>(a, b)",
    "max": "P::max<double>(a, b)", "neg": "-a", "abs": "std::fabs(a)", "ex2.approx": "std::exp2(a)", "tanh.approx": "std::tanh(a)",
}  # fmt: skip

RULES = [
    # integers
    ("add.<I>", "t t t", "P::add<{t}>({1}, {2})"),
    ("sub.<I>", "t t t", "P::sub<{t}>({1}, {2})"),
    ("(?P<op>add|sub).sat.s32", "s32 s32 s32", "P::clamp<P::s32>(P::{op}<P::s64>({1}, {2}))"),
    ("(?P<op>add|sub)(?P<carry>).cc.<I32_64>", "ut ut ut", "P::{op}_carry<{ut}>({1}, {2}, false, carry)"),
    ("(?P<op>add|sub)c(?P<carry_in>).<I32_64>", "ut ut ut", "P::{op}_carry<{ut}>({1}, {2}, carry, unused)"),
    ("(?P<op>add|sub)c(?P<carry_in>)(?P<carry>).cc.<I32_64>", "ut ut ut", "P::{op}_carry<{ut}>({1}, {2}, carry, carry)"),
    ("mul.lo.<I>", "t t t", "P::mul<{t}>({1}, {2})"),
    ("mul.hi.<I>", "t t t", "P::mul_hi<{t}>({1}, {2})"),
    ("mul.wide.<I16_32>", "wt t t", "P::mul_wide<{t}>({1}, {2})"),
    ("mad.lo.<I>", "t t t t", "P::add<{t}>(P::mul<{t}>({1}, {2}), {3})"),
    ("mad.hi.<I>", "t t t t", "P::add<{t}>(P::mul_hi<{t}>({1}, {2}), {3})"),
    ("mad.wide.<I16_32>", "wt t t wt", "P::add<{wt}>(P::mul_wide<{t}>({1}, {2}), {3})"),
    ("mad(?P<carry>).(?P<part>lo|hi).cc.<I32_64>", "ut t t ut", "P::add_carry<{ut}>({ut}(P::mul_{part}<{t}>({1}, {2})), {3}, false, carry)"),
    ("madc(?P<carry_in>).(?P<part>lo|hi).<I32_64>", "ut t t ut", "P::add_carry<{ut}>({ut}(P::mul_{part}<{t}>({1}, {2})), {3}, carry, unused)"),
    ("madc(?P<carry_in>)(?P<carry>).(?P<part>lo|hi).cc.<I32_64>", "ut t t ut",
     "P::add_carry<{ut}>({ut}(P::mul_{part}<{t}>({1}, {2})), {3}, carry, carry)"),
    ("mul24.lo.s32", "s32 s32 s32", "::__mul24({1}, {2})"),
    ("mul24.lo.u32", "u32 u32 u32", "::__umul24({1}, {2})"),
    ("mul24.hi.<I32>", "t t t", "P::mul24_hi<{t}>({1}, {2})"),
    ("sad.<I32>", "u32 t t u32", "P::sad<{t}>({1}, {2}, {3})"),
    ("div.<I>", "t t t", "P::div<{t}>({1}, {2})"),
    ("rem.<I>", "t t t", "P::rem<{t}>({1}, {2})"),
    ("abs.<S>", "t t", "P::abs<{t}>({1})"),
    ("neg.<S>", "t t", "P::neg<{t}>({1})"),
    ("(?P<op>min|max).<I>", "t t t", "P::{op}<{t}>({1}, {2})"),
    ("popc.b32", "u32 u32", "P::u32(::__popc({1}))"),
    ("popc.b64", "u32 u64", "P::u32(::__popcll({1}))"),
    ("clz.<B32_64>", "u32 t", "P::u32(P::lead<{t}>({1}))"),
    ("brev.b32", "u32 u32", "::__brev({1})"),
    ("brev.b64", "u64 u64", "::__brevll({1})"),
    ("bfind.<I32_64>", "u32 t", "P::bfind<{t}>({1}, false)"),
    ("bfind.shiftamt.<I32_64>", "u32 t", "P::bfind<{t}>({1}, true)"),
    ("bfe.<I32_64>", "t t u32 u32", "P::bfe<{t}>({1}, {2}, {3})"),
    ("bfi.<B32_64>", "t t t u32 u32", "P::bfi<{t}>({1}, {2}, {3}, {4})"),
    ("fns.b32", "u32 u32 u32 s32", "::__fns({1}, {2}, {3})"),
    ("dp4a.<I32>.(?P<b>[us])32", "u32 u32 u32 u32", "P::dp4a<P::{sign}8, P::{b}8>({1}, {2}, {3})"),
    ("dp2a.(?P<part>lo|hi).<I32>.(?P<b>[us])32", "u32 u32 u32 u32", "P::dp2a<P::{sign}8, P::{b}8>({high}, {1}, {2}, {3})"),
    # bits
    ("and.<B>", "t t t", "{t}({1} & {2})"),
    ("or.<B>", "t t t", "{t}({1} | {2})"),
    ("xor.<B>", "t t t", "{t}({1} ^ {2})"),
    ("not.<B>", "t t", "{t}(~{1})"),
    ("cnot.<B>", "t t", "{t}({1} == 0)"),
    ("and.pred", "pred pred pred", "({1} && {2})"),
    ("or.pred", "pred pred pred", "({1} || {2})"),
    ("xor.pred", "pred pred pred", "({1} != {2})"),
    ("not.pred", "pred pred", "!{1}"),
    ("shl.<B>", "t t u32", "P::shl<{t}>({1}, {2})"),
    ("shr.(?P<t>[bus](?:16|32|64))", "t t u32", "P::shr<{t}>({1}, {2})"),
    ("shf.(?P<way>[lr]).(?P<mode>clamp|wrap).b32", "u32 u32 u32 u32", "P::shf({left}, {wrap}, {1}, {2}, {3})"),
    ("lop3.b32", "u32 u32 u32 u32 u32", "P::lop3({1}, {2}, {3}, {4})"),
    ("prmt.b32", "u32 u32 u32 u32", "::__byte_perm({1}, {2}, {3})"),
    ("prmt.b32.(?P<mode>f4e|b4e|rc8|ecl|ecr|rc16)", "u32 u32 u32 u32", "P::prmt(P::Permute::{mode}, {1}, {2}, {3})"),
    ("selp.<any>", "t t t pred", "({3} ? {1} : {2})"),
    (r"slct<ftz>.<any>.(?P<s>s32|f32)", "t t t s", "({3} >= 0 ? {1} : {2})"),
    # floating-point numbers
    ("(?P<op>add|sub|mul)<round><ftz><sat>.<F>", "t t t", "P::{op}<{t}>({1}, {2})"),
    ("(?:fma|mad)<round><ftz><sat>.<F>", "t t t t", "P::fma<{t}>({1}, {2}, {3})"),
    ("div<round><ftz>.<F>", "t t t", "P::div<{t}>({1}, {2})"),
    ("div<approx><ftz>.f32", "f32 f32 f32", "P::div<P::f32>({1}, {2})"),
    ("(?P<op>rcp|sqrt)<round><ftz>.<F>", "t t", "P::{op}<{t}>({1})"),
    ("(?P<op>rcp|sqrt|rsqrt)<approx><ftz>.<F>", "t t", "P::{op}<{t}>({1})"),
    ("ex2<approx><ftz>.f32", "f32 f32", "std::exp2({1})"),
    ("lg2<approx><ftz>.f32", "f32 f32", "std::log2({1})"),
    ("(?P<op>sin|cos)<approx><ftz>.f32", "f32 f32", "std::{op}({1})"),
    ("tanh<approx>.f32", "f32 f32", "std::tanh({1})"),
    ("(?P<op>abs|neg)<ftz>.<F>", "t t", "P::{op}<{t}>({1})"),
    ("(?P<op>min|max)<ftz>.<F>", "t t t", "P::{op}<{t}>({1}, {2})"),
    ("(?P<op>min|max)<ftz>.NaN.f32", "f32 f32 f32", "P::or_nan<P::f32>({1}, {2}, P::{op}<P::f32>({1}, {2}))"),
    ("copysign.<F>", "t t t", "std::copysign({2}, {1})"),
    ("testp.finite.<F>", "pred t", "std::isfinite({1})"),
    ("testp.infinite.<F>", "pred t", "std::isinf({1})"),
    ("testp.number.<F>", "pred t", "!std::isnan({1})"),
    ("testp.notanumber.<F>", "pred t", "std::isnan({1})"),
    ("testp.normal.<F>", "pred t", "std::isnormal({1})"),
    ("testp.subnormal.<F>", "pred t", "(std::fpclassify({1}) == FP_SUBNORMAL)"),
    # addresses
    ("cvta.shared(?:::cta)?.u64", "u64 u64", "P::u64(P::from_shared({1}))"),
    ("cvta.to.shared(?:::cta)?.u64", "u64 u64", "P::to_shared(P::generic({1}))"),
    ("cvta(?:.to)?.(?:global|local|const).u64", "u64 u64", "{1}"),
    ("isspacep.shared(?:::cta)?", "pred u64", "P::is_shared(P::generic({1}))"),
    ("isspacep.local", "pred u64", "P::is_local(P::generic({1}))"),
    ("isspacep.global", "pred u64", "(!P::is_shared(P::generic({1})) && !P::is_local(P::generic({1})))"),
    ("createpolicy.(?:fractional|range|cvt)[.\\w:]*", "b64 *", "P::u64(0)"),
    # threads
    ("activemask.b32", "u32", "::__activemask()"),
    ("vote.sync.ballot.b32", "u32 pred u32", "::__ballot_sync({2}, {1})"),
    ("vote.sync.(?P<op>any|all).pred", "pred pred u32", "(::__{op}_sync({2}, {1}) != 0)"),
    ("vote.sync.uni.pred", "pred pred u32", "P::vote_uni({2}, {1}, P::here())"),
    ("match.any.sync.<B32_64>", "u32 t u32", "::__match_any_sync({2}, {1})"),
    ("redux.sync.(?P<op>add|min|max).<I32>", "t t u32", "::__reduce_{op}_sync({2}, {1})"),
    ("redux.sync.(?P<op>and|or|xor).b32", "u32 u32 u32", "::__reduce_{op}_sync({2}, {1})"),
    ("(?:bar|barrier(?:.cta)?).red.popc(?:.aligned)?.u32", "u32 u32 pred", "P::u32(P::barrier({2}, P::threads_of_block(), P::here()).sum)"),
    ("(?:bar|barrier(?:.cta)?).red.or(?:.aligned)?.pred", "pred u32 pred", "(P::barrier({2}, P::threads_of_block(), P::here()).sum != 0)"),
    ("(?:bar|barrier(?:.cta)?).red.and(?:.aligned)?.pred", "pred u32 pred", "(P::barrier(!{2}, P::threads_of_block(), P::here()).sum == 0)"),
]  # fmt: skip

# Statements without a result: the operands are all sources.
STATEMENTS = [
    ("(?:bar|barrier(?:.cta)?).sync(?:.aligned)?", "u32 u32?", "P::barrier(false, {2:P::threads_of_block()}, P::here())"),
    ("bar.warp.sync", "u32", "::__syncwarp({1})"),
    ("membar.(?:cta|gl|sys)|fence(?:.[\\w:]+)*", "", "::cuda_on_cpu::fence()"),
    ("nanosleep.u32", "u32", "::__nanosleep({1})"),
    ("trap", "", "::cuda_on_cpu::trap(P::here())"),
    ("brkpt|pmevent(?:.mask)?|prefetchu?[.\\w:]*|discard[.\\w:]*|applypriority[.\\w:]*|griddepcontrol.\\w+|setmaxnreg[.\\w]*", "*", ""),
    ("cp.async.(?:commit_group|wait_group|wait_all)", "*", ""),
]  # fmt: skip


def _compiled(rules):
    """(compiled pattern, types of operands, expression) of each rule. Every . of an opcode is one."""
    found = []
    for opcode, types, expression in rules:
        pattern = re.sub(r"(?<!P)<(\w+)>", lambda name: PATTERNS[name[1]], opcode.replace(".", r"\."))
        found.append((re.compile(f"(?:{pattern})$"), types.split(), expression))
    return found


def _of_halves():
    for name, expression in _HALVES.items():
        count = len(set(re.findall(r"\b[abc]\b", expression)))
        parameters = ", ".join(f"double {letter}" for letter in "abc"[:count])
        sources = ", ".join(f"{{{i}}}" for i in range(1, count + 1))
        called = f"P::each<P::{{format}}>([]({parameters}) {{ return {expression}; }}, {sources})"
        yield f"{name}(?:.rn)?<ftz>.<H>", " ".join(["h"] * (count + 1)), called


RULES = _compiled([*RULES, *_of_halves()])
STATEMENTS = _compiled(STATEMENTS)

# Registers that tell something: type and expression.
SPECIAL = {
    **{f"%{name}.{axis}": ("u32", f"{variable}.{axis}") for axis in "xyz" for name, variable in (
        ("tid", "::threadIdx"), ("ntid", "::blockDim"), ("ctaid", "::blockIdx"), ("nctaid", "::gridDim"))},
    "%laneid": ("u32", "::cuda_on_cpu::lane()"),
    "%warpid": ("u32", "(::cuda_on_cpu::rank_in_block() / 32)"),
    "%nwarpid": ("u32", "P::warps_of_block()"),
    "%smid": ("u32", "0u"),
    "%nsmid": ("u32", "1u"),
    "%gridid": ("u64", "0ull"),
    "%clock": ("u32", "P::u32(::clock64())"),
    "%clock_hi": ("u32", "P::u32(::clock64() >> 32)"),
    "%clock64": ("u64", "P::u64(::clock64())"),
    "%globaltimer": ("u64", "P::u64(::__globaltimer())"),
    "%globaltimer_lo": ("u32", "P::u32(::__globaltimer())"),
    "%globaltimer_hi": ("u32", "P::u32(::__globaltimer() >> 32)"),
    "%lanemask_eq": ("u32", "(1u << ::cuda_on_cpu::lane())"),
    "%lanemask_lt": ("u32", "((1u << ::cuda_on_cpu::lane()) - 1)"),
    "%lanemask_le": ("u32", "((2u << ::cuda_on_cpu::lane()) - 1)"),
    "%lanemask_gt": ("u32", "~((2u << ::cuda_on_cpu::lane()) - 1)"),
    "%lanemask_ge": ("u32", "~((1u << ::cuda_on_cpu::lane()) - 1)"),
    "WARP_SZ": ("u32", "32u"),
}  # fmt: skip

NOT_SERVED = [
    (r"(?:mma|wmma|ldmatrix|stmatrix|movmatrix|wgmma|tcgen05)\b",
     "tensor cores are not served; products by loops, fma or cuBLAS are"),
    (r"cp\.async\.bulk|cp\.reduce|tensormap|st\.bulk|red\.async|multimem",
     "the tensor memory accelerator is not served; cp.async, loads and stores are"),
    (r"mbarrier|cp\.async\.mbarrier|st\.async", "mbarrier is not served; bar.sync and __syncthreads() are"),
    (r"tex|tld4|txq|suld|sust|sured|suq", "textures and surfaces are not served in PTX; tex1Dfetch of linear memory is"),
    (r"(?:exit|ret|call|brx)\b", "a thread and a function end by return alone"),
    (r"mapa|getctarank|barrier\.cluster|clusterlaunchcontrol", "clusters of several blocks are not served"),
    (r"(?:bar|barrier)(?:\.cta)?\.(?:arrive|red)", "this barrier is not served; bar.sync of all threads is"),
]  # fmt: skip


def reason(opcode, other="this instruction is not served; docs/internals/cuda-on-cpu.md lists those that are"):
    """Why an instruction is not served, and what is."""
    return next((why for pattern, why in NOT_SERVED if re.match(pattern, opcode)), other)

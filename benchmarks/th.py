"""benchmarks/th.py: libth's functions beside those of today's PyTorch, on the same memory

Each function on a small tensor (5 × 5), on 10⁶ contiguous elements and on a transposed 1000 × 1000 matrix; float32.
Results go to tensors that exist already, with `out=` where PyTorch has it. The goals are for all functions together:
geometric means, and the largest ratio.

Besides, what one draw of random numbers costs, called from C, beside the generator as its authors published it.
"""

from dataclasses import replace
from statistics import geometric_mean

import cffi
import torch

from torchthaw.base import config

from .harness import Group, Outcome, Spread, compare, statement
from .peers import calls

LAYOUTS = ("small", "contiguous", "transposed")

# name: (declaration, arguments of libth, expression in PyTorch). r, i, n, b: results of float, long, 1-D float and byte;
# x, y, z: inputs; index, mask, v (a vector), s (a sorted index).
FUNCTIONS = {
    "fill": ("void T_fill(P, float)", "r, 1.5", "tr.fill_(1.5)"),
    "copy": ("void T_copy(P, P)", "r, x", "tr.copy_(tx)"),
    "copyDouble": ("void T_copyDouble(P, D)", "r, d", "tr.copy_(td)"),
    "add": ("void T_add(P, P, float)", "r, x, 1.5", "torch.add(tx, 1.5, out=tr)"),
    "mul": ("void T_mul(P, P, float)", "r, x, 1.5", "torch.mul(tx, 1.5, out=tr)"),
    "cadd": ("void T_cadd(P, P, float, P)", "r, x, 2.0, y", "torch.add(tx, ty, alpha=2.0, out=tr)"),
    "cmul": ("void T_cmul(P, P, P)", "r, x, y", "torch.mul(tx, ty, out=tr)"),
    "cdiv": ("void T_cdiv(P, P, P)", "r, x, y", "torch.div(tx, ty, out=tr)"),
    "cmax": ("void T_cmax(P, P, P)", "r, x, y", "torch.maximum(tx, ty, out=tr)"),
    "clamp": ("void T_clamp(P, P, float, float)", "r, x, -0.5, 0.5", "torch.clamp(tx, -0.5, 0.5, out=tr)"),
    "addcmul": ("void T_addcmul(P, P, float, P, P)", "r, x, 2.0, y, z", "torch.addcmul(tx, ty, tz, value=2.0, out=tr)"),
    "neg": ("void T_neg(P, P)", "r, x", "torch.neg(tx, out=tr)"),
    "abs": ("void T_abs(P, P)", "r, x", "torch.abs(tx, out=tr)"),
    "sqrt": ("void T_sqrt(P, P)", "r, z", "torch.sqrt(tz, out=tr)"),
    "exp": ("void T_exp(P, P)", "r, x", "torch.exp(tx, out=tr)"),
    "log": ("void T_log(P, P)", "r, z", "torch.log(tz, out=tr)"),
    "sigmoid": ("void T_sigmoid(P, P)", "r, x", "torch.sigmoid(tx, out=tr)"),
    "tanh": ("void T_tanh(P, P)", "r, x", "torch.tanh(tx, out=tr)"),
    "sin": ("void T_sin(P, P)", "r, x", "torch.sin(tx, out=tr)"),
    "erf": ("void T_erf(P, P)", "r, x", "torch.erf(tx, out=tr)"),
    "pow": ("void T_pow(P, P, float)", "r, z, 1.7", "torch.pow(tz, 1.7, out=tr)"),
    "ltTensor": ("void T_ltTensor(B, P, P)", "b, x, y", "torch.lt(tx, ty, out=tb)"),
    "sumall": ("double T_sumall(P)", "x", "tx.sum()"),
    "meanall": ("double T_meanall(P)", "x", "tx.mean()"),
    "maxall": ("float T_maxall(P)", "x", "tx.max()"),
    "stdall": ("double T_stdall(P, int)", "x, 0", "tx.std()"),
    "normall": ("double T_normall(P, float)", "x, 2.0", "tx.norm()"),
    "sum": ("void T_sum(P, P, int, int)", "n, x, 1, 0", "torch.sum(tx, 1, out=tn)"),
    "sum of columns": ("void T_sum(P, P, int, int)", "n, x, 0, 0", "torch.sum(tx, 0, out=tn)"),
    "max": ("void T_max(P, L, P, int, int)", "n, m, x, 1, 0", "torch.max(tx, 1, out=(tn, tm))"),
    "var": ("void T_var(P, P, int, int, int)", "n, x, 1, 0, 0", "torch.var(tx, 1, out=tn)"),
    "norm": ("void T_norm(P, P, float, int, int)", "n, x, 2.0, 1, 0", "torch.norm(tx, 2.0, 1, out=tn)"),
    "cumsum": ("void T_cumsum(P, P, int)", "r, x, 1", "torch.cumsum(tx, 1, out=tr)"),
    "sort": ("void T_sort(P, L, P, int, int)", "r, i, x, 1, 0", "torch.sort(tx, 1, out=(tr, ti))"),
    "topk": ("void T_topk(P, L, P, int64_t, int, int, int)", "k, j, x, 3, 1, 1, 1", "torch.topk(tx, 3, 1, out=(tk, tj))"),
    "kthvalue": ("void T_kthvalue(P, L, P, int64_t, int, int)", "n, m, x, 3, 1, 0", "torch.kthvalue(tx, 3, 1, out=(tn, tm))"),
    "indexSelect": ("void T_indexSelect(P, P, int, L)", "r, x, 0, index", "torch.index_select(tx, 0, tindex, out=tr)"),
    "gather": ("void T_gather(P, P, int, L)", "r, x, 1, where", "torch.gather(tx, 1, twhere, out=tr)"),
    "scatterAdd": ("void T_scatterAdd(P, int, L, P)", "a, 1, where, x", "ta.scatter_add_(1, twhere, tx)"),
    "maskedFill": ("void T_maskedFill(P, B, float)", "r, mask, 1.5", "tr.masked_fill_(tflags, 1.5)"),
    "cat": ("void T_cat(P, P, P, int)", "c, x, y, 0", "torch.cat((tx, ty), 0, out=tc)"),
    "tril": ("void T_tril(P, P, int64_t)", "r, x, 0", "torch.tril(tx, out=tr)"),
    "addmm": ("void T_addmm(P, float, P, float, P, P)", "a, 0.0, a, 1.0, x, y", "torch.addmm(ta, tx, ty, beta=0.0, out=ta)"),
    "addmv": ("void T_addmv(P, float, P, float, P, P)", "n, 0.0, n, 1.0, x, v", "torch.addmv(tn, tx, tv, beta=0.0, out=tn)"),
}  # fmt: skip

DRAWS = 100_000

# Loops over calls through a pointer; the published generator, mt19937ar, in the loops of its 2002 version.
DRAW_HEADER = """
double words(void *function, void *generator, int64_t n);
double uniforms(void *function, void *generator, int64_t n);
void seed_published(uint32_t seed);
void *published_words(void);
void *published_uniforms(void);
"""
DRAW_SOURCE = """
#include <stdint.h>

double words(void *function, void *generator, int64_t n) {
    uint64_t sum = 0;
    while (n--) sum += ((uint64_t (*)(void *))function)(generator);
    return (double)sum;
}
double uniforms(void *function, void *generator, int64_t n) {
    double sum = 0;
    while (n--) sum += ((double (*)(void *, double, double))function)(generator, 0, 1);
    return sum;
}

static uint32_t state[624];
static int drawn;
void seed_published(uint32_t seed) {
    state[0] = seed;
    for (int k = 1; k < 624; k++) state[k] = 1812433253u * (state[k - 1] ^ (state[k - 1] >> 30)) + (uint32_t)k;
    drawn = 624;
}
static uint32_t published(void) {
    static const uint32_t odd[2] = {0, 0x9908b0df};
    uint32_t y;
    if (drawn == 624) {
        int k;
        for (k = 0; k < 227; k++) {
            y = (state[k] & 0x80000000u) | (state[k + 1] & 0x7fffffff);
            state[k] = state[k + 397] ^ (y >> 1) ^ odd[y & 1];
        }
        for (; k < 623; k++) {
            y = (state[k] & 0x80000000u) | (state[k + 1] & 0x7fffffff);
            state[k] = state[k - 227] ^ (y >> 1) ^ odd[y & 1];
        }
        y = (state[623] & 0x80000000u) | (state[0] & 0x7fffffff);
        state[623] = state[396] ^ (y >> 1) ^ odd[y & 1];
        drawn = 0;
    }
    y = state[drawn++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}
static uint64_t published_word(void *generator) { return published(); }
static double published_uniform(void *generator, double a, double b) {
    const uint64_t high = published();
    return (double)((high << 32 | published()) & 0x1fffffffffffff) / 9007199254740992.0 * (b - a) + a;
}
void *published_words(void) { return (void *)published_word; }
void *published_uniforms(void) { return (void *)published_uniform; }
"""

ELEMENTWISE = list(FUNCTIONS)[: list(FUNCTIONS).index("sumall")]


class Operands:
    """PyTorch tensors of a layout, and TH tensors on the same memory: names as in FUNCTIONS."""

    def __init__(self, ffi, th, layout):
        n = 5 if layout == "small" else 1000
        generator = torch.Generator().manual_seed(0)

        def lay(tensor):
            return tensor.t().contiguous().t() if layout == "transposed" else tensor

        normal = torch.randn(3, n, n, generator=generator)
        x, y, z = lay(normal[0]), lay(normal[1]), lay(normal[2].abs() + 0.1)
        tensors = dict(
            x=x, y=y, z=z, d=x.double(), r=torch.empty(n, n), a=torch.zeros(n, n), c=torch.empty(2 * n, n),
            n=torch.empty(n), v=normal[1, 0].clone(), k=torch.empty(n, 3),
            i=torch.empty(n, n, dtype=torch.long), m=torch.empty(n, dtype=torch.long),
            j=torch.empty(n, 3, dtype=torch.long), index=torch.randperm(n, generator=generator),
            where=lay(torch.randint(n, (n, n), generator=generator)),
            mask=lay((normal[0] > 0).byte()), b=torch.empty(n, n, dtype=torch.bool),
        )  # fmt: skip
        tensors["flags"] = tensors["mask"].bool()
        self.names = {f"t{name}": tensor for name, tensor in tensors.items()} | {"torch": torch}
        kinds = {torch.float32: "Float", torch.float64: "Double", torch.int64: "Long"}
        for name, tensor in tensors.items():
            self.names[name] = wrap(ffi, th, tensor, kinds.get(tensor.dtype, "Byte"))


def wrap(ffi, th, tensor, kind):
    """A TH tensor on a PyTorch tensor's memory, which nothing resizes; both live until the process ends."""

    def call(name, *arguments):
        return getattr(th, f"TH{kind}{name}")(*arguments)

    storage = call(
        "Storage_newWithDataAndAllocator", ffi.cast("void *", tensor.data_ptr()), tensor.numel(), ffi.NULL, ffi.NULL
    )
    call("Storage_clearFlag", storage, b"\x06")  # neither resizable nor freed
    if tensor.dim() == 1:
        return call("Tensor_newWithStorage1d", storage, 0, tensor.size(0), tensor.stride(0))
    return call(
        "Tensor_newWithStorage2d", storage, 0, tensor.size(0), tensor.stride(0), tensor.size(1), tensor.stride(1)
    )


def library():
    ffi = cffi.FFI()
    pointers = {"P": "THFloatTensor *", "D": "THDoubleTensor *", "L": "THLongTensor *", "B": "THByteTensor *"}
    lines = [
        "void THSetNumThreads(int); typedef struct THGenerator THGenerator; THGenerator *THGenerator_new(void);",
        "void THRandom_manualSeed(THGenerator *, uint64_t); uint64_t THRandom_random(THGenerator *);",
        "double THRandom_uniform(THGenerator *, double, double);",
    ]
    for kind in ("Float", "Double", "Long", "Byte"):
        lines += [
            f"typedef struct TH{kind}Tensor TH{kind}Tensor; typedef struct TH{kind}Storage TH{kind}Storage;",
            f"TH{kind}Storage *TH{kind}Storage_newWithDataAndAllocator(void *, ptrdiff_t, void *, void *);",
            f"void TH{kind}Storage_clearFlag(TH{kind}Storage *, const char);",
            f"TH{kind}Tensor *TH{kind}Tensor_newWithStorage1d(TH{kind}Storage *, ptrdiff_t, int64_t, int64_t);",
            f"TH{kind}Tensor *TH{kind}Tensor_newWithStorage2d(TH{kind}Storage *, ptrdiff_t, int64_t, int64_t, int64_t, int64_t);",
        ]
    for declaration in sorted({declaration for declaration, _, _ in FUNCTIONS.values()}):
        head, _, parameters = declaration.partition("(")
        types = ", ".join(pointers.get(p.strip(), p.strip()) for p in parameters.rstrip(")").split(","))
        lines.append(f"{head.replace('T_', 'THFloatTensor_')}({types});")
    ffi.cdef("\n".join(lines))
    return ffi, ffi.dlopen(str(config.library("th")))


def contenders(th, operands, name):
    declaration, arguments, expression = FUNCTIONS[name]
    function = declaration.partition("(")[0].split()[-1].replace("T_", "THFloatTensor_")
    names = operands.names | {"f": getattr(th, function)}
    return [statement("libth", f"f({arguments})", **names), statement("torch", expression, **names)]


def together(case, layout, groups):
    """One group for many: each contender's geometric mean."""
    results = {
        name: Spread(*(geometric_mean(getattr(g.results[name], part) for g in groups) for part in ("value", "low", "high")))
        for name in groups[0].results
    }  # fmt: skip
    return Group("th", case, layout, results)


def draws(ffi, th, effort):
    """Groups that compare 10⁵ calls of THRandom_random and THRandom_uniform with the published generator."""
    loops, own = calls.compiled("draws", DRAW_HEADER, DRAW_SOURCE)
    generator = th.THGenerator_new()

    def address(pointer):
        return loops.cast("void *", int(ffi.cast("intptr_t", pointer)))

    groups = []
    for case, name, published in (
        ("words", "THRandom_random", own.published_words()),
        ("uniforms", "THRandom_uniform", own.published_uniforms()),
    ):
        loop, function = getattr(own, case), address(ffi.addressof(th, name))
        th.THRandom_manualSeed(generator, 5489)
        own.seed_published(5489)
        drawn, expected = loop(function, address(generator), DRAWS), loop(published, loops.NULL, DRAWS)
        assert drawn == expected, f"{name}: the numbers are not those of the published generator"
        names = {"loop": loop, "g": address(generator), "n": DRAWS}
        pair = [
            statement("libth", "loop(f, g, n)", f=function, **names),
            statement("published", "loop(f, g, n)", f=published, **names),
        ]
        groups.append(compare("th", f"{name}, called from C", f"{DRAWS} draws", pair, effort, statistic="minimum"))
    return groups


def measure(effort, layouts=LAYOUTS):
    ffi, th = library()
    th.THSetNumThreads(1)
    effort = replace(effort, group_seconds=effort.group_seconds / 12)  # there are many groups
    outcome, means = Outcome(), []
    for layout in layouts:
        operands = Operands(ffi, th, layout)
        statistic = "minimum" if layout == "small" else "median"
        groups = [
            compare("th", name, layout, contenders(th, operands, name), effort, statistic=statistic)
            for name in FUNCTIONS
        ]
        means.append(together("geometric mean", layout, groups))
        means.append(together("elementwise, geometric mean", layout, [g for g in groups if g.case in ELEMENTWISE]))
        outcome.groups += groups
    worst = max(outcome.groups, key=lambda group: group.ratio("libth", ("torch",)))
    outcome.notes.append(f"the largest ratio is that of {worst.case}, {worst.shape}")
    outcome.groups += [*means, replace(worst, case="largest ratio", shape="any"), *draws(ffi, th, effort)]
    return outcome

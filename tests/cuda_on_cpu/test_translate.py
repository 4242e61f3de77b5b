"""tests/cuda_on_cpu/test_translate.py: what of CUDA's own words is read in preprocessed text."""

import re
import time

import pytest

from torchthaw.cuda_on_cpu.translation.translate import Unreadable, place, translate, translations


def launched(text):
    """(kernel, arguments) of the launch in ``text``, as they are named."""
    result = translate(text)
    assert result.count("\n") == text.count("\n") and "<<<" not in result
    return tuple(result.split('::launch("')[1].split('", [&]')[0].split('", "'))


@pytest.mark.parametrize(
    "text, kernel, arguments",
    [
        ("f<<<1, 2>>>(x);", "f", "x"),
        ("if (a) f << <1, 2 >> > (x, y);", "f", "x, y"),
        ("return f<float, (3 > 2)><<<dim3(1, 2), 3>>>(g(x, y));", "f<float, (3 > 2)>", "g(x, y)"),
        ("{ ::a::b<T>::template f<N><<<n >> 2, 2, 0, s()>>>(); }", "::a::b<T>::template f<N>", ""),
        ("x = 1; (f<T>)<<<1, 2>>>(x);", "(f<T>)", "x"),
        ("else table.f[i](3)<<<1, 2>>>(x);", "table.f[i](3)", "x"),
        ("p->f<A::B<C>>\n<<<1,\n2>>>(x,\n  y);", "p->f<A::B<C>>", "x, y"),
        ("f<<<1, 2>>>(\"a, << <\", '\"', 1'000);", "f", "\\\"a, << <\\\", '\\\"', 1'000"),
    ],
)
def test_a_launch_is_read_with_its_kernel(text, kernel, arguments):
    assert launched(text) == (kernel, arguments)


@pytest.mark.parametrize(
    "text, is_array",
    [
        ("{ alignas(16) __shared__ float a[3]; }", True),
        ("{ __attribute__((aligned(8))) static __shared__ float a[3]; }", True),
        ("{ __shared__ alignas(16) float a[3]; }", True),
        ("void f(__shared__ float *a);", False),
    ],
)
def test_attributes_do_not_hide_a_shared_array(text, is_array):
    assert ("shared_array(" in translate(text)) == is_array


@pytest.mark.parametrize(
    "text, is_object",
    [
        ("namespace a { extern __shared__ float s[]; }", True),
        ('extern "C" { namespace a::b { extern __shared__ float4 s[][2]; } }', True),
        ("void f() { extern __shared__ float s[]; }", False),
        ("struct A { void f() { if (x) { extern __shared__ float s[]; } } };", False),
        ("namespace { char c = '{'; auto t = \"}{\"; } extern __shared__ char s[];", True),
    ],
)
def test_dynamic_shared_memory_may_be_declared_outside_of_functions(text, is_object):
    assert ("DynamicShared<" in translate(text)) == is_object


def test_null_arguments_stay_null_pointers():
    result = translate('f<<<1, 2>>>(__null, 0, x, g(0),\n# 3 "a.h" 3 4\n__null\n# 4 "a.cu"\n);')
    assert result.count("nullptr") == 2 and result.count("Zero()") == 1 and "g(0)" in result


@pytest.mark.parametrize("cast, known", [
    ("(void *)k", "::cuda_on_cpu::address_of_kernel(k)"),
    ("(const void*) &a::k<int, (3 > 2)>", "::cuda_on_cpu::address_of_kernel( &a::k<int, (3 > 2)>)"),
    ("reinterpret_cast<void const *>(k<T>)", "::cuda_on_cpu::address_of_kernel(k<T>)"),
    ("(void *)other", "(void *)other"),
    ("(void *)k_other<3>", "(void *)k_other<3>"),
])  # fmt: skip
def test_the_address_of_a_kernel_keeps_its_parameters(cast, known):
    kernel = "__global__ void __attribute__((used)) k(int *x) {}"
    assert translate(f"{kernel} void *p = {cast};") == f"{kernel} void *p = {known};".replace("__global__", "")


@pytest.mark.parametrize("text", ['"f<<<1, 2>>>(x)"', 'R"(f<<<1, 2>>>(x))"', "a << b < c", "'<', '<'"])
def test_what_is_no_launch_stays(text):
    assert translate(text) == text


@pytest.mark.parametrize(
    "text, variables",
    [
        ("static __device__ int a = 0, b;", ["a"]),
        ("__device__ volatile unsigned a;", ["a"]),
        ("__constant__ float w[3][4];", ["w"]),
        ("__device__ __constant__ A<int, 3> w{1};", ["w"]),
        ("struct S { static __device__ int x; };", ["x"]),
        ("__device__ int f(int x) { return x; }", []),
        ("template <typename T> __device__ T f(T);", []),
        ("extern __device__ int a;", []),
        ("static const __device__ int a = 3;", []),
        ("auto f = [=] __device__ { return 1; };", []),
        ("__device__ __attribute__((noinline)) A operator+(A, A);", []),
        ("__device__ struct S { int x; };", []),
        ("template <> __device__ int A<3>::f() { return 1; }", []),
    ],
)
def test_variables_of_the_device_are_noted(text, variables):
    result = translate(text)
    assert "__device__" not in result and "__constant__" not in result
    assert [part.split("{(void *)&")[1].split(",")[0] for part in result.split("cuda_on_cpu_variable")[1:]] == variables


def test_text_that_cannot_be_read_is_an_error_with_a_place():
    for text, at in (('# 5 "a.cu"\n\nf<<<1, 2;', "a.cu:6"), ('# 2 "b.cu"\nf<<<1, 2>>>;', "b.cu:2")):
        with pytest.raises(Unreadable) as raised:
            translate(text)
        assert place(text, raised.value.position) == at


@pytest.mark.slow
def test_the_time_grows_with_the_length_of_a_line():
    def seconds(count):
        text = "void g() { " + 'f<T><<<1, 2>>>(x, "y"); __shared__ float a[3]; ' * count + "}"
        start = time.process_time()
        translate(text)
        return time.process_time() - start

    assert seconds(4000) < 30 * seconds(400) + 0.1


@pytest.mark.parametrize("word", ["asm", "__asm__", "__asm", "asm volatile", "__asm__ __volatile__", "__asm volatile"])
@pytest.mark.parametrize("code", ["mov.u32 %0, %%laneid;", "membar.gl;", "exit;"])
def test_inline_ptx_does_not_reach_the_assembler_of_the_host(word, code):
    result = translate(f'{{ {word}("{code}" : "=r"(x)); }}')
    assert "asm" not in result and "::cuda_on_cpu::ptx::run(" in result


@pytest.mark.parametrize(
    "text",
    ['int f(int) __asm__("" "g");', 'asm("mfence" ::: "memory");', '__asm__ __volatile__("pause");', "int my__asm;"],
)
def test_assembly_of_the_host_stays(text):
    assert translate(text) == text


@pytest.mark.parametrize(
    "loop",
    [
        "while (p[0] == 0) ;", "while (*(volatile int *)q == 0) {}", "do { x = *p; } while (x == 0);", "for (; !*p;) ;",
        "while (true) { if (*p) break; }", "for (;;) { if (*p) break; }", "while (s->p == f(1, 2)) g();",
    ],
)  # fmt: skip
def test_a_loop_that_reads_volatile_memory_lets_others_run(loop):
    result = translate(f"void f(volatile int *p) {{ {loop} }}")
    assert result.count("::cuda_on_cpu::may_wait()") == 1 and result.count("(") - result.count(")") == 0, result


@pytest.mark.parametrize(
    "text",
    [
        "void f(int *p) { while (p[0] == 0) ; }",
        "void f(volatile int *p) { for (int i = 0; i < 3; i++) p[i] = 0; }",
        "void f(volatile int *p) { while (int x = *p) g(x); }",
        "void f(volatile int *p) { for (int x : range) *p = x; }",
        '# 1 "/usr/include/a.h" 1 3\nvoid f(volatile int *p) { while (*p) ; }',
        "void f(volatile int *p) { while (*p",
    ],
)
def test_other_loops_stay(text):
    assert translate(text) == text


MEMBERS = "struct M { template <int n> int f(int i) const; template <typename T> T g(); struct { int n, m; } inner; };"


@pytest.mark.parametrize(
    "call",
    [
        "x.f<3>(5)", "x->f<(3 > 2)>(5)", "x.m().f<N, A<B>::c>(5)", "x . f <\n# 3 \"a.h\"\n3> (0)", "x.g<A<B<3>>>(0)",
        "x[0].g<T>(y)", "x.f<N == 3>(y)", "y = a < b && x.f<3>(5) > c",
    ],
)  # fmt: skip
def test_a_member_template_is_called_without_the_word(call):
    found = translate(f"{MEMBERS} void h() {{ {call}; }}")
    place = re.search(r"[fg]\s*<", call).start()
    assert found == f"{MEMBERS} void h() {{ {call[:place]}template {call[place:]}; }}"


@pytest.mark.parametrize(
    "text",
    [
        "a.n < b > (c)", "f(a.n < b, c > (d))", "x.f < y && z > (5)", "x.f < y || z > (5)", "x.f < (y = 3) ; z > (5)", "x.f <= 3 > (5)",
        "x.template f<3>(5)", "x.other<3>(5)", "x.f < 3 > y", "(x.f < y) > (5)", "1.f < 3 > (5)", "0x1.f < 3 > (5)", "x.f << 3 > (5)",
        '"x.f<3>(5)"', "f<3>(5)", "x.f < {3} > (5)", "x.f<3>()", "x.g<int>(3)", "x.g<T *, 3>(3)",
    ],
)  # fmt: skip
def test_what_is_no_call_of_a_member_template_stays(text):
    assert translate(f"{MEMBERS} void h() {{ {text}; }}") == f"{MEMBERS} void h() {{ {text}; }}"


@pytest.mark.parametrize(
    "variable, doubtful",
    [
        ("struct V { int f; };", True),
        ("template <class T> class alignas(16) V : B<T> { public: T *e, f = 3; };", True),
        ("union V { struct { char f[3]; }; int i; };", True),
        ("enum V { e = 2, f };", True),
        ("struct V { int a : 3, f : 4; };", True),
        ("struct V { void g() { int f = 3; } };", False),
        ("int f = 3;", False),
        ("struct f : V { };", False),
        ("struct V { void g(int f, int e); template <int f, int e> void h(); };", False),
        ("struct V { using f = int; int off; W<int> g(); };", False),
        ('\n# 3 "/a/include/cuda_on_cpu/runtime.h"\nstruct V { int f; };\n# 3 "a.cu"\n', False),
    ],
)
def test_a_variable_of_the_name_makes_an_expression_doubtful(variable, doubtful):
    """Then it is a call only if the text does not compile else."""
    text = f"{MEMBERS} {variable} void h() {{ x.f<3>(5); }}"
    called = text.replace("x.", "x.template ")
    assert list(translations(text)) == ([text, called] if doubtful else [called])


def test_a_call_within_a_launch_does_not_disturb_it():
    text = f"{MEMBERS} void h() {{ x.f<3>(5).k<<<1, x.f<3>(2)>>>(x.f<3>(1)); }}"
    assert translate(text).count("template f<3>(") == 2 and "<<<" not in translate(text)


@pytest.mark.parametrize(
    "text, is_made_static",
    [
        ("__constant__ float a[3];", True), ("namespace n { __device__ int a = 1; }", True), ("float __device__ a;", True),
        ("static __device__ int a;", False), ("__device__ static int a;", False), ("__device__ inline int a;", False),
        ("extern __device__ int a; __device__ int a;", False), ("extern __constant__ int a[]; int b(); __constant__ int a[2];", False),
        ("struct S { __device__ int a; };", False), ("__device__ int a(int b) { return b; }", False),
    ],
)  # fmt: skip
def test_a_variable_of_the_device_belongs_to_its_source(text, is_made_static):
    (made,) = translations(text, is_relocatable=False)
    assert (
        made.count("static") - made.count("static inline ::cuda_on_cpu") - text.count("static") == 1
    ) == is_made_static
    (made,) = translations(text)
    assert made.count("static") - made.count("static inline ::cuda_on_cpu") == text.count("static")

// tests/operators/test_low_precision.cpp: linear, LLTM and LLTM sequence on bfloat16 and float16, against long double
// of the same elements.
#include "../support/low_precision.h"
#include "../support/lltm_reference.h"
#include "linear/reference.h"
#include "lltm_sequence/reference.h"

// The functions of one format; thaw_bfloat16 and thaw_float16 are the same C type.
struct Operators {
    const Format &format;
    decltype(&my_lib_linear_forward_bf16) linear_forward;
    decltype(&my_lib_linear_backward_bf16) linear_backward;
    decltype(&my_lib_linear_forward_workspace_size) linear_forward_size, linear_backward_size;
    decltype(&lltm_forward_bf16) lltm_forward;
    decltype(&lltm_backward_bf16) lltm_backward;
    decltype(&lltm_forward_workspace_size) lltm_forward_size, lltm_backward_size;
    decltype(&lltm_sequence_forward_bf16) sequence_forward;
    decltype(&lltm_sequence_backward_bf16) sequence_backward;
    decltype(&lltm_sequence_forward_workspace_size) sequence_forward_size, sequence_backward_size;

    Bits random(size_t count, unsigned seed, double scale = 1) const {
        return format.encode(random_values<double>(count, seed, scale));
    }
};

#define OPERATORS(format)                                                                                              \
    {                                                                                                                  \
        format, my_lib_linear_forward_##format, my_lib_linear_backward_##format,                                       \
            my_lib_linear_forward_workspace_size_##format, my_lib_linear_backward_workspace_size_##format,             \
            lltm_forward_##format, lltm_backward_##format, lltm_forward_workspace_size_##format,                       \
            lltm_backward_workspace_size_##format, lltm_sequence_forward_##format, lltm_sequence_backward_##format,    \
            lltm_sequence_forward_workspace_size_##format, lltm_sequence_backward_workspace_size_##format              \
    }
static const Operators every_format[] = {OPERATORS(bf16), OPERATORS(f16)};

static bool uses_bf16_instructions() { return std::strstr(my_lib_build_info(), "_bf16 ") != nullptr; }

// ---- Linear ---------------------------------------------------------------------------------------------------------

struct LinearSizes {
    int64_t batch, in, out;
};

static void test_linear_values(const Operators &o, LinearSizes s) {
    const auto count = [](int64_t a, int64_t b) { return static_cast<size_t>(a * b); };
    const Bits x = o.random(count(s.batch, s.in), 1), w = o.random(count(s.out, s.in), 2), b = o.random(s.out, 3);
    const Bits g = o.random(count(s.batch, s.out), 4);
    guarded<uint16_t> input(x), weight(w), bias(b), grad_output(g);
    const Wide wide_x = o.format.decode(x), wide_w = o.format.decode(w), wide_b = o.format.decode(b);
    const Wide wide_g = o.format.decode(g);

    const size_t size = o.linear_forward_size(s.batch, s.in, s.out);
    guarded<char> workspace(size);
    guarded<uint16_t> output(g.size());
    Wide expected(g.size());
    for (const bool shifted : {false, true}) {
        my_lib::reference::linear_forward<long double>({wide_x.data(), wide_w.data(), shifted ? wide_b.data() : nullptr,
                                                        {s.batch, s.in, s.out}, expected.data(), nullptr, 0});
        CHECK(o.linear_forward(input, weight, shifted ? bias.data() : nullptr, s.batch, s.in, s.out, output, workspace,
                               size));
        CHECK(rounded_once(o.format, output.values(), expected, s.in));
        CHECK(output.intact() && workspace.intact());
    }

    const size_t backward_size = o.linear_backward_size(s.batch, s.in, s.out);
    guarded<char> backward_workspace(backward_size);
    guarded<uint16_t> grad_input(x.size()), grad_weight(w.size()), grad_bias(b.size());
    CHECK(o.linear_backward(grad_output, input, weight, s.batch, s.in, s.out, grad_input, grad_weight, grad_bias,
                            backward_workspace, backward_size));
    Wide wanted_input(x.size()), wanted_weight(w.size()), wanted_bias(b.size());
    my_lib::reference::linear_backward<long double>({wide_g.data(), wide_x.data(), wide_w.data(),
                                                     {s.batch, s.in, s.out}, wanted_input.data(), wanted_weight.data(),
                                                     wanted_bias.data(), nullptr, 0});
    CHECK(rounded_once(o.format, grad_input.values(), wanted_input, s.out));
    CHECK(rounded_once(o.format, grad_weight.values(), wanted_weight, s.batch));
    CHECK(rounded_once(o.format, grad_bias.values(), wanted_bias, s.batch));
    CHECK(grad_input.intact() && grad_weight.intact() && grad_bias.intact() && backward_workspace.intact());

    // Each gradient alone: the same bits, without what only the others read.
    guarded<uint16_t> only_input(x.size()), only_weight(w.size()), only_bias(b.size());
    CHECK(o.linear_backward(grad_output, nullptr, weight, s.batch, s.in, s.out, only_input, nullptr, nullptr,
                            backward_workspace, backward_size));
    CHECK(o.linear_backward(grad_output, input, nullptr, s.batch, s.in, s.out, nullptr, only_weight, nullptr,
                            backward_workspace, backward_size));
    CHECK(o.linear_backward(grad_output, nullptr, nullptr, s.batch, s.in, s.out, nullptr, nullptr, only_bias,
                            backward_workspace, backward_size));
    CHECK(only_input.values() == grad_input.values() && only_weight.values() == grad_weight.values());
    CHECK(only_bias.values() == grad_bias.values());
}

static void test_linear_shapes(const Operators &o) {
    // Around the tile, a pair, the strip of 256 columns, the blocks of depth and rows, and primes; 0.
    const int64_t batches[] = {0, 1, 2, 3, 5, 8, 9, 16, 17, 24, 25, 31, 33, 48, 49, 63, 64, 65, 100, 193, 389};
    const int64_t widths[] = {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 47, 48, 49, 64, 97, 129, 255, 257, 385, 401};
    unsigned pick = 1;
    for (const int64_t batch : batches)
        for (int i = 0; i < 5; ++i) {
            pick = pick * 1103515245u + 12345u;
            const int64_t in = widths[(pick >> 16) % 22], out = widths[(pick >> 8) % 22];
            if (batch * in * out < 600000) test_linear_values(o, {batch, in, out});
        }
    test_linear_values(o, {3, 1031, 5});  // several blocks of the depth in forward, then in each gradient
    test_linear_values(o, {33, 1031, 50});
    test_linear_values(o, {5, 7, 1031});
    test_linear_values(o, {1031, 6, 9});
}

// What is not there must not leak in, neither from the next row into an odd last pair nor from unused lanes.
static void test_linear_special_values(const Operators &o) {
    for (const int64_t batch : {1, 5, 20, 37}) {
        const int64_t in = 19, out = 21;
        Bits input = o.random(batch * in, 1), weight = o.random(out * in, 2), output(batch * out);
        weight[4 * in + in - 1] = o.format.infinity();
        weight[6 * in] = o.format.nan();  // behind row 5
        for (int64_t b = 0; b < batch; ++b) input[b * in + in - 1] = o.format.encode(b % 2);
        std::vector<char> workspace(o.linear_forward_size(batch, in, out));
        CHECK(o.linear_forward(input.data(), weight.data(), nullptr, batch, in, out, output.data(), workspace.data(),
                               workspace.size()));
        for (int64_t b = 0; b < batch; ++b)
            for (int64_t j = 0; j < out; ++j) {
                const long double got = o.format.decode(output[b * out + j]);
                CHECK(j == 6              ? std::isnan(got)
                      : j != 4            ? std::isfinite(got)
                      : b % 2             ? std::isinf(got) && got > 0
                                          : std::isnan(got));
            }
    }
}

// One product, whose result is subnormal, a tie, or too large. Where bfloat16 has instructions, these may take a
// subnormal number for zero.
static void test_roundings(const Operators &o) {
    const Format &f = o.format;
    const auto at = [&](long double value) { return f.encode(value); };
    const long double tiny = std::ldexp(1.0L, f.lowest), last = std::ldexp(1.0L, -f.fraction_bits());
    const long double huge = std::ldexp(2 - last, f.highest);
    const struct { long double a, b; bool subnormal; } cases[] = {
        {1 + last, 1 + last, false}, {1 + last, 1.5L, false}, {1 + 3 * last, 1.5L, false},
        {huge, 1, false}, {huge, 1 + last, false}, {-huge, huge, false},
        {tiny, 0.5L, true}, {tiny * last, 1, true}, {tiny * last, 0.5L, true}, {tiny * last * 3, 0.5L, true},
    };
    for (const auto &c : cases)
        for (const int64_t batch : {1, 40}) {
            const Bits a(static_cast<size_t>(batch), at(c.a)), b = {at(c.b)};
            Bits got(batch);
            std::vector<char> workspace(o.linear_forward_size(batch, 1, 1));
            CHECK(o.linear_forward(a.data(), b.data(), nullptr, batch, 1, 1, got.data(), workspace.data(),
                                   workspace.size()));
            const uint16_t exact = at(f.decode(a[0]) * f.decode(b[0]));
            const bool may_flush = c.subnormal && &f == &bf16 && uses_bf16_instructions();
            for (const uint16_t each : got) CHECK(each == exact || (may_flush && (each & 0x7fff) == 0));
        }
}

static void test_linear_errors(const Operators &o) {
    const Bits input = o.random(6, 1), weight = o.random(12, 2), grad_output = o.random(8, 3);
    Bits output(8, 7);
    const size_t size = o.linear_forward_size(2, 3, 4);
    std::vector<char> workspace(size);
    auto call = [&](const uint16_t *x, int64_t batch, size_t given) {
        return o.linear_forward(x, weight.data(), nullptr, batch, 3, 4, output.data(), workspace.data(), given);
    };
    CHECK_ERROR(call(nullptr, 2, size), MY_LIB_ERROR_NULL_POINTER, "input", "NULL");
    CHECK_ERROR(call(input.data(), -1, size), MY_LIB_ERROR_INVALID_SIZE, "batch", "0", "-1");
    const uint16_t *odd = reinterpret_cast<const uint16_t *>(reinterpret_cast<const char *>(input.data()) + 1);
    CHECK(!call(odd, 1, size) && my_lib_last_error_code() == MY_LIB_ERROR_UNALIGNED_POINTER);
    CHECK(!call(input.data(), 2, size - 1) && my_lib_last_error_code() == MY_LIB_ERROR_WORKSPACE_TOO_SMALL);
    CHECK(!call(input.data(), int64_t{1} << 61, size) && my_lib_last_error_code() == MY_LIB_ERROR_SIZE_OVERFLOW);
    CHECK(output == Bits(8, 7));
    CHECK_ERROR(o.linear_backward(grad_output.data(), nullptr, weight.data(), 2, 3, 4, nullptr, output.data(), nullptr,
                                  workspace.data(), workspace.size()),
                MY_LIB_ERROR_NULL_POINTER, "input", "NULL");
    CHECK(output == Bits(8, 7));
    for (const int64_t huge : {INT64_MAX, INT64_MAX / 2, INT64_MAX / 4}) {
        CHECK(o.linear_forward_size(huge, 2, 1) == SIZE_MAX && o.linear_backward_size(huge, 1, 2) == SIZE_MAX);
        CHECK(o.lltm_forward_size(1, huge, 2) == SIZE_MAX && o.lltm_backward_size(huge, 1, 2) == SIZE_MAX);
        CHECK(o.sequence_forward_size(huge, 2, 1, 1) == SIZE_MAX);
        CHECK(o.sequence_backward_size(1, 1, huge, 2) == SIZE_MAX);
    }
    CHECK(o.linear_backward_size(1, -2, 1) == SIZE_MAX && o.lltm_forward_size(-1, 1, 1) == SIZE_MAX);
}

// ---- LLTM -----------------------------------------------------------------------------------------------------------

struct Sequence {
    const Operators &o;
    int64_t seq_len;
    LltmSizes s;
    Bits input, weights, bias, old_h, old_cell, grad_h, grad_last_h, grad_last_cell;

    // Weights so small that roundings do not grow from step to step.
    Sequence(const Operators &operators, int64_t length, LltmSizes sizes)
        : o(operators), seq_len(length), s(sizes), input(o.random(all(s.inputs()), 1)),
          weights(o.random(s.weights(), 2, 1.0 / std::sqrt(4 + static_cast<double>(s.state_size + s.input_size)))),
          bias(o.random(s.biases(), 3)), old_h(o.random(s.states(), 4)), old_cell(o.random(s.states(), 5, 2)),
          grad_h(o.random(all(s.states()), 6)), grad_last_h(o.random(s.states(), 7)),
          grad_last_cell(o.random(s.states(), 8)) {}

    size_t all(size_t step) const { return static_cast<size_t>(seq_len) * step; }
    size_t forward_size() const { return o.sequence_forward_size(seq_len, s.batch, s.input_size, s.state_size); }
    size_t backward_size() const { return o.sequence_backward_size(seq_len, s.batch, s.input_size, s.state_size); }

    int forward(uint16_t *h, uint16_t *cell, uint16_t *gates, void *workspace, size_t size) const {
        return o.sequence_forward(input.data(), weights.data(), bias.data(), old_h.data(), old_cell.data(), seq_len,
                                  s.batch, s.input_size, s.state_size, h, cell, gates, workspace, size);
    }
    int backward(const uint16_t *h, const uint16_t *cell, const uint16_t *gates, uint16_t *const (&d)[5],
                 void *workspace, size_t size) const {
        return o.sequence_backward(grad_h.data(), grad_last_h.data(), grad_last_cell.data(), cell, gates, input.data(),
                                   h, old_h.data(), old_cell.data(), weights.data(), seq_len, s.batch, s.input_size,
                                   s.state_size, d[0], d[1], d[2], d[3], d[4], workspace, size);
    }
    // The sizes of the five gradients, in their order.
    std::vector<size_t> gradients() const {
        return {all(s.inputs()), s.weights(), s.biases(), s.states(), s.states()};
    }
};

static Bits part(const Bits &all, int64_t index, size_t size) {
    const auto begin = all.begin() + index * static_cast<int64_t>(size);
    return Bits(begin, begin + static_cast<int64_t>(size));
}

// Five gradients, each in guarded memory.
struct Gradients {
    guarded<uint16_t> input, weights, bias, old_h, old_cell;

    explicit Gradients(const std::vector<size_t> &sizes)
        : input(sizes[0]), weights(sizes[1]), bias(sizes[2]), old_h(sizes[3]), old_cell(sizes[4]) {}

    guarded<uint16_t> &operator[](int i) {
        guarded<uint16_t> *all[5] = {&input, &weights, &bias, &old_h, &old_cell};
        return *all[i];
    }
    bool intact() const {
        return input.intact() && weights.intact() && bias.intact() && old_h.intact() && old_cell.intact();
    }
    bool are(const Format &f, const LltmBackward &d, size_t terms) const {
        return rounded_once(f, input.values(), d.input, terms) && rounded_once(f, weights.values(), d.weights, terms) &&
               rounded_once(f, bias.values(), d.bias, terms) && rounded_once(f, old_h.values(), d.old_h, terms) &&
               rounded_once(f, old_cell.values(), d.old_cell, terms);
    }
};

static bool step_is_right(const Sequence &q, const Bits &input, const Bits &old_h, const Bits &old_cell, const Bits &h,
                          const Bits &cell, const Bits &gates) {
    const Format &f = q.o.format;
    const LltmForward expected = reference_forward(q.s, f.decode(input), f.decode(q.weights), f.decode(q.bias),
                                                   f.decode(old_h), f.decode(old_cell));
    const size_t terms = static_cast<size_t>(q.s.state_size + q.s.input_size);
    return rounded_once(f, h, expected.h, terms) && rounded_once(f, cell, expected.cell, terms) &&
           rounded_once(f, gates, expected.gates, terms);
}

static void test_lltm_values(const Operators &o, LltmSizes s) {
    const Sequence q(o, 1, s);
    guarded<uint16_t> h(s.states()), cell(s.states()), gates(s.gates());
    guarded<char> workspace(o.lltm_forward_size(s.batch, s.input_size, s.state_size));
    auto forward = [&](uint16_t *to_h, uint16_t *to_cell, uint16_t *to_gates) {
        return o.lltm_forward(q.input.data(), q.weights.data(), q.bias.data(), q.old_h.data(), q.old_cell.data(),
                              s.batch, s.input_size, s.state_size, to_h, to_cell, to_gates, workspace,
                              workspace.size());
    };
    CHECK(forward(h, cell, gates));
    CHECK(h.intact() && cell.intact() && gates.intact() && workspace.intact());
    CHECK(step_is_right(q, q.input, q.old_h, q.old_cell, h.values(), cell.values(), gates.values()));
    guarded<uint16_t> h_alone(s.states()), cell_alone(s.states());
    CHECK(forward(h_alone, cell_alone, nullptr));
    CHECK(h_alone.values() == h.values() && cell_alone.values() == cell.values());

    Gradients d(q.gradients());
    guarded<char> backward_workspace(o.lltm_backward_size(s.batch, s.input_size, s.state_size));
    auto backward = [&](uint16_t *const (&out)[5]) {
        return o.lltm_backward(q.grad_h.data(), q.grad_last_cell.data(), cell, gates, q.input.data(), q.old_h.data(),
                               q.weights.data(), s.batch, s.input_size, s.state_size, out[0], out[1], out[2], out[3],
                               out[4], backward_workspace, backward_workspace.size());
    };
    CHECK(backward({d[0], d[1], d[2], d[3], d[4]}));
    CHECK(d.intact() && backward_workspace.intact());
    const Format &f = o.format;
    const LltmBackward expected = reference_backward(
        s, f.decode(q.grad_h), f.decode(q.grad_last_cell), f.decode(cell.values()), f.decode(gates.values()),
        f.decode(q.input), f.decode(q.old_h), f.decode(q.weights));
    CHECK(d.are(f, expected, static_cast<size_t>(3 * s.state_size + s.batch)));
    for (int i = 0; i < 5; ++i) {
        guarded<uint16_t> alone(d[i].size());
        uint16_t *out[5] = {};
        out[i] = alone;
        CHECK(backward({out[0], out[1], out[2], out[3], out[4]}) && alone.values() == d[i].values());
    }
}

// NaN and infinities in the state stay in their own element.
static void test_lltm_special_values(const Operators &o) {
    for (const int64_t batch : {2, 40}) {
        const LltmSizes s = {batch, 3, 18};
        Sequence q(o, 1, s);
        const uint16_t infinity = o.format.infinity(), minus = infinity | 0x8000, nan = o.format.nan();
        q.old_cell[0] = nan, q.old_cell[1] = infinity, q.old_cell[20] = minus;
        q.bias[5] = infinity, q.bias[18 + 6] = minus, q.bias[36 + 7] = minus, q.bias[36 + 8] = nan;
        Bits h(s.states()), cell(s.states()), gates(s.gates());
        std::vector<char> workspace(q.forward_size());
        CHECK(q.forward(h.data(), cell.data(), gates.data(), workspace.data(), workspace.size()));
        CHECK(cell[1] == infinity && cell[20] == minus && std::isnan(o.format.decode(cell[8])));
        CHECK(step_is_right(q, q.input, q.old_h, q.old_cell, h, cell, gates));
    }
}

static void test_sequence_values(const Operators &o, int64_t seq_len, LltmSizes s) {
    const Sequence q(o, seq_len, s);
    guarded<uint16_t> h(q.all(s.states())), cell(h.size()), gates(q.all(s.gates()));
    guarded<char> workspace(q.forward_size());
    CHECK(q.forward(h, cell, gates, workspace, workspace.size()));
    CHECK(h.intact() && cell.intact() && gates.intact() && workspace.intact());
    // Each step starts from the state that the one before stored.
    for (int64_t t = 0; t < seq_len; ++t)
        CHECK(step_is_right(q, part(q.input, t, s.inputs()), t ? part(h.values(), t - 1, s.states()) : q.old_h,
                            t ? part(cell.values(), t - 1, s.states()) : q.old_cell, part(h.values(), t, s.states()),
                            part(cell.values(), t, s.states()), part(gates.values(), t, s.gates())));
    guarded<uint16_t> h_alone(h.size()), cell_alone(h.size());
    CHECK(q.forward(h_alone, cell_alone, nullptr, workspace, workspace.size()));
    CHECK(h_alone.values() == h.values() && cell_alone.values() == cell.values());

    Gradients d(q.gradients());
    guarded<char> backward_workspace(q.backward_size());
    CHECK(q.backward(h, cell, gates, {d[0], d[1], d[2], d[3], d[4]}, backward_workspace, backward_workspace.size()));
    CHECK(d.intact() && backward_workspace.intact());
    const Format &f = o.format;
    const Wide grad_h = f.decode(q.grad_h), last_h = f.decode(q.grad_last_h), last_cell = f.decode(q.grad_last_cell);
    const Wide all_cell = f.decode(cell.values()), all_gates = f.decode(gates.values()), all_h = f.decode(h.values());
    const Wide x = f.decode(q.input), old_h = f.decode(q.old_h), old_cell = f.decode(q.old_cell);
    const Wide weights = f.decode(q.weights);
    LltmBackward sum{Wide(d[0].size()), Wide(d[1].size()), Wide(d[2].size()), Wide(d[3].size()), Wide(d[4].size())};
    my_lib::reference::lltm_sequence_backward<long double>(
        {grad_h.data(), last_h.data(), last_cell.data(), all_cell.data(), all_gates.data(), x.data(), all_h.data(),
         old_h.data(), old_cell.data(), weights.data(), {seq_len, {s.batch, s.input_size, s.state_size}},
         sum.input.data(), sum.weights.data(), sum.bias.data(), sum.old_h.data(), sum.old_cell.data(), nullptr, 0});
    CHECK(d.are(f, sum, static_cast<size_t>(3 * s.state_size + seq_len * s.batch + 256)));
    for (int i = 0; i < 5; ++i) {
        guarded<uint16_t> alone(d[i].size());
        uint16_t *out[5] = {};
        out[i] = alone;
        CHECK(q.backward(h, cell, gates, {out[0], out[1], out[2], out[3], out[4]}, backward_workspace,
                         backward_workspace.size()));
        CHECK(alone.values() == d[i].values());
    }
}

// ---- All together ---------------------------------------------------------------------------------------------------

// The same bits for any number of threads and any address of the workspace.
static void test_threads(const Operators &o) {
    const Sequence q(o, 4, {150, 171, 90});
    const auto compute = [&](int threads, size_t shift) {
        my_lib_set_num_threads(threads);
        Bits h(q.all(q.s.states())), cell(h.size()), gates(q.all(q.s.gates()));
        std::vector<Bits> d;
        for (const size_t size : q.gradients()) d.emplace_back(size);
        guarded<char> workspace(q.forward_size() + shift), more(q.backward_size() + shift);
        CHECK(q.forward(h.data(), cell.data(), gates.data(), workspace.data() + shift, q.forward_size()));
        CHECK(q.backward(h.data(), cell.data(), gates.data(),
                         {d[0].data(), d[1].data(), d[2].data(), d[3].data(), d[4].data()}, more.data() + shift,
                         q.backward_size()));
        // linear: 150 rows of the input to 270 columns, and back
        const int64_t batch = q.s.batch, in = 171, out = 150;
        Bits output(batch * out), grad_input(batch * in), grad_weight(out * in), grad_bias(out);
        guarded<char> first(o.linear_forward_size(batch, in, out) + shift);
        guarded<char> second(o.linear_backward_size(batch, in, out) + shift);
        CHECK(o.linear_forward(q.input.data(), q.input.data(), nullptr, batch, in, out, output.data(),
                               first.data() + shift, first.size() - shift));
        CHECK(o.linear_backward(output.data(), q.input.data(), q.input.data(), batch, in, out, grad_input.data(),
                                grad_weight.data(), grad_bias.data(), second.data() + shift, second.size() - shift));
        Bits all;
        for (const Bits *each : {&h, &cell, &gates, &d[0], &d[1], &d[2], &d[3], &d[4], &output, &grad_input,
                                 &grad_weight, &grad_bias})
            all.insert(all.end(), each->begin(), each->end());
        my_lib_set_num_threads(0);
        return all;
    };
    const Bits expected = compute(1, 0);
    for (const int threads : {2, 3, 7, 16}) CHECK(compute(threads, 0) == expected);
    for (const size_t shift : {1, 13, 63}) CHECK(compute(1, shift) == expected);
}

int main() {
    // Around the tile's rows and vectors, pairs that two operands share, the few-rows path, the blocks; 0, 1, primes.
    const LltmSizes sizes[] = {{0, 5, 7},    {3, 0, 7},    {3, 5, 0},    {40, 0, 7},   {1, 1, 1},    {1, 32, 128},
                               {2, 3, 5},    {8, 16, 16},  {9, 31, 15},  {15, 17, 33}, {16, 32, 32}, {17, 7, 48},
                               {25, 19, 20}, {33, 2, 3},   {33, 3, 2},   {47, 5, 11},  {48, 8, 65},  {49, 13, 9},
                               {64, 64, 16}, {65, 3, 31},  {97, 11, 6},  {131, 29, 37}, {20, 300, 150}};
    const struct { int64_t seq_len; LltmSizes s; } sequences[] = {
        {0, {3, 4, 5}},   {1, {1, 1, 1}},  {3, {0, 4, 4}},   {3, {2, 0, 4}},  {3, {2, 4, 0}},  {5, {2, 3, 5}},
        {4, {16, 32, 32}}, {3, {33, 17, 31}}, {2, {65, 7, 17}}, {60, {16, 4, 9}}, {2, {800, 3, 4}}, {600, {1, 2, 3}},
        {7, {9, 40, 50}}};
    for (const Operators &o : every_format) {
        test_linear_shapes(o);
        test_linear_special_values(o);
        test_roundings(o);
        test_linear_errors(o);
        for (const LltmSizes s : sizes) test_lltm_values(o, s);
        test_lltm_special_values(o);
        for (const auto &each : sequences) test_sequence_values(o, each.seq_len, each.s);
        test_threads(o);
    }
    return failures() != 0;
}

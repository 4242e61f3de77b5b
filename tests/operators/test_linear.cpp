// tests/operators/test_linear.cpp: linear forward and backward, which exercise every tile and tail of the matrix
// products.
#include "../support/check.h"
#include "linear/reference.h"

#include <algorithm>

struct Sizes {
    int64_t batch, in, out;
};

template <typename T> struct Case {
    Sizes s;
    std::vector<T> input, weight, bias, grad_output;
};

// Small integers: every sum is exact in T, whatever its order, so results must be equal, not merely near.
template <typename T> static std::vector<T> integers(int64_t count, unsigned seed) {
    std::vector<T> values = random_values<T>(static_cast<size_t>(count), seed, 5);
    for (T &value : values) value = std::trunc(value);
    return values;
}

template <typename T> static Case<T> make_case(Sizes s) {
    return {s, integers<T>(s.batch * s.in, 1), integers<T>(s.out * s.in, 2), integers<T>(s.out, 3),
            integers<T>(s.batch * s.out, 4)};
}

template <typename T> static int forward(const Case<T> &c, const T *bias, T *output, void *workspace, size_t size) {
    return FOR_TYPE(T, my_lib_linear_forward)(c.input.data(), c.weight.data(), bias, c.s.batch, c.s.in, c.s.out,
                                              output, workspace, size);
}

template <typename T> static void test_values(Sizes s) {
    const Case<T> c = make_case<T>(s);
    guarded<T> input(c.input), weight(c.weight), bias(c.bias), grad_output(c.grad_output);
    guarded<T> output(c.grad_output.size()), grad_input(c.input.size()), grad_weight(c.weight.size());
    guarded<T> grad_bias(c.bias.size());

    const size_t size = FOR_TYPE(T, my_lib_linear_forward_workspace_size)(s.batch, s.in, s.out);
    guarded<char> workspace(size);
    std::vector<T> expected(output.size());
    for (const T *shift : {static_cast<const T *>(nullptr), static_cast<const T *>(bias.data())}) {
        my_lib::reference::linear_forward<T>(
            {input, weight, shift, {s.batch, s.in, s.out}, expected.data(), nullptr, 0});
        CHECK(FOR_TYPE(T, my_lib_linear_forward)(input, weight, shift, s.batch, s.in, s.out, output, workspace, size));
        CHECK(output.intact() && output.values() == expected && workspace.intact());
    }

    const size_t backward_size = FOR_TYPE(T, my_lib_linear_backward_workspace_size)(s.batch, s.in, s.out);
    guarded<char> backward_workspace(backward_size);
    CHECK(FOR_TYPE(T, my_lib_linear_backward)(grad_output, input, weight, s.batch, s.in, s.out, grad_input,
                                              grad_weight, grad_bias, backward_workspace, backward_size));
    std::vector<T> wanted_input(grad_input.size()), wanted_weight(grad_weight.size()), wanted_bias(grad_bias.size());
    my_lib::reference::linear_backward<T>({grad_output, input, weight, {s.batch, s.in, s.out}, wanted_input.data(),
                                           wanted_weight.data(), wanted_bias.data(), nullptr, 0});
    CHECK(grad_input.values() == wanted_input);
    CHECK(grad_weight.values() == wanted_weight);
    CHECK(grad_bias.values() == wanted_bias);
    CHECK(grad_input.intact() && grad_weight.intact() && grad_bias.intact());
}

template <typename T> static void test_shapes() {
    // Around the tile (1 to 12 rows, 1 to 4 vectors), the block of the depth, the block of rows, and primes.
    const int64_t batches[] = {0, 1, 2, 3, 5, 8, 9, 12, 16, 17, 24, 25, 31, 33, 40, 48, 49, 63, 64, 65, 100, 193, 389};
    const int64_t widths[] = {0, 1, 3, 7, 8, 15, 16, 17, 31, 32, 33, 47, 48, 49, 64, 97, 129, 385, 401};
    unsigned pick = 1;
    for (const int64_t batch : batches)
        for (int i = 0; i < 9; ++i) {
            pick = pick * 1103515245u + 12345u;
            const int64_t in = widths[(pick >> 16) % 19], out = widths[(pick >> 8) % 19];
            if (batch * in * out < 4000000) test_values<T>({batch, in, out});
        }
    for (int64_t n = 1; n <= 26; ++n) test_values<T>({n, n + 5, 28 - n});
}

// What is not there must not leak in: one infinity spoils one column of the output and one row of grad_input's sum.
template <typename T> static void test_special_values() {
    for (const int64_t batch : {1, 5, 20, 37}) {
        Case<T> c = make_case<T>({batch, 19, 21});
        c.weight[4 * 19 + 18] = std::numeric_limits<T>::infinity();
        for (int64_t b = 0; b < batch; ++b) c.input[b * 19 + 18] = T(b % 2);
        std::vector<T> output(static_cast<size_t>(batch * 21));
        std::vector<char> workspace(FOR_TYPE(T, my_lib_linear_forward_workspace_size)(batch, 19, 21));
        CHECK(forward<T>(c, c.bias.data(), output.data(), workspace.data(), workspace.size()));
        for (int64_t b = 0; b < batch; ++b)
            for (int64_t j = 0; j < 21; ++j) {
                const T got = output[b * 21 + j];
                const bool infinite = got == std::numeric_limits<T>::infinity();
                CHECK(j != 4 ? std::isfinite(got) : b % 2 ? infinite : std::isnan(got));
            }
    }
}

// The bias gradient of many rows: the error of a sum of 400,000 numbers, one after the other, is a thousand times this.
static void test_many_rows() {
    for (const int64_t out : {3, 40}) {
        const std::vector<float> gradient(static_cast<size_t>(400001 * out), 0.1f);
        std::vector<float> grad_bias(static_cast<size_t>(out));
        CHECK(my_lib_linear_backward(gradient.data(), nullptr, nullptr, 400001, 0, out, nullptr, nullptr,
                                     grad_bias.data(), nullptr, 0));
        const double expected = 400001 * static_cast<double>(0.1f);
        for (const float sum : grad_bias) CHECK(std::fabs(sum - expected) <= 1e-5 * expected);
    }
}

// Any address of the workspace; a gradient that is not asked for changes nothing and frees its operand.
template <typename T> static void test_workspace_and_options() {
    const Case<T> c = make_case<T>({70, 33, 29});
    const size_t size = FOR_TYPE(T, my_lib_linear_forward_workspace_size)(70, 33, 29);
    std::vector<T> output(70 * 29), shifted(70 * 29);
    std::vector<char> workspace(size + 64);
    CHECK(forward<T>(c, c.bias.data(), output.data(), workspace.data(), size));
    for (const size_t shift : {1, 13, 63}) {
        guarded<char> tight(size + shift);
        CHECK(forward<T>(c, c.bias.data(), shifted.data(), tight.data() + shift, size));
        CHECK(same_bits(output, shifted));
    }
    std::vector<T> grad_input(70 * 33), only(70 * 33), grad_weight(29 * 33);
    auto backward = FOR_TYPE(T, my_lib_linear_backward);
    CHECK(backward(c.grad_output.data(), c.input.data(), c.weight.data(), 70, 33, 29, grad_input.data(),
                   grad_weight.data(), nullptr, nullptr, 0));
    CHECK(backward(c.grad_output.data(), nullptr, c.weight.data(), 70, 33, 29, only.data(), nullptr, nullptr, nullptr,
                   0));
    CHECK(same_bits(grad_input, only));
    CHECK(backward(c.grad_output.data(), c.input.data(), nullptr, 70, 33, 29, nullptr, grad_weight.data(), nullptr,
                   nullptr, 0));
}

static void test_errors() {
    const Case<float> c = make_case<float>({2, 3, 4});
    std::vector<float> output(8, 7), grad(12, 7);
    const std::vector<float> before = output;
    const size_t size = my_lib_linear_forward_workspace_size(2, 3, 4);
    std::vector<char> workspace(size);
    auto call = [&](const float *input, int64_t batch, size_t given) {
        return my_lib_linear_forward(input, c.weight.data(), nullptr, batch, 3, 4, output.data(), workspace.data(),
                                     given);
    };
    CHECK_ERROR(call(nullptr, 2, size), MY_LIB_ERROR_NULL_POINTER, "input", "NULL");
    CHECK_ERROR(call(c.input.data(), -1, size), MY_LIB_ERROR_INVALID_SIZE, "batch", "0", "-1");
    CHECK_ERROR(call(c.input.data(), 2, size - 1), MY_LIB_ERROR_WORKSPACE_TOO_SMALL, "workspace_size",
                std::to_string(size), std::to_string(size - 1));
    CHECK(!call(c.input.data(), int64_t{1} << 61, size) && my_lib_last_error_code() == MY_LIB_ERROR_SIZE_OVERFLOW);
    CHECK(same_bits(output, before));
    // Nothing has an element but the bias and its gradient, which no memory holds.
    CHECK(!my_lib_linear_backward(nullptr, nullptr, nullptr, 0, 0, INT64_MAX, nullptr, nullptr, output.data(), nullptr,
                                  0) &&
          my_lib_last_error_code() == MY_LIB_ERROR_SIZE_OVERFLOW);
    CHECK(same_bits(output, before));
    CHECK_ERROR(my_lib_linear_backward(c.grad_output.data(), nullptr, c.weight.data(), 2, 3, 4, nullptr, grad.data(),
                                       nullptr, nullptr, 0),
                MY_LIB_ERROR_NULL_POINTER, "input", "NULL");
    CHECK(grad == std::vector<float>(12, 7));

    CHECK(my_lib_linear_forward_workspace_size(-1, 3, 4) == SIZE_MAX);
    CHECK(my_lib_linear_forward_workspace_size(1, INT64_MAX, INT64_MAX) == SIZE_MAX);
    CHECK(my_lib_linear_forward_workspace_size_f64(INT64_MAX / 8, 2, 0) == SIZE_MAX);
    CHECK(my_lib_linear_forward_workspace_size(1, int64_t{1} << 60, 0) == SIZE_MAX);
    CHECK(my_lib_linear_backward_workspace_size(1, 2, -4) == SIZE_MAX);
}

// The packed input of a large batch comes in chunks of half a megabyte, or of one panel where its rows are longer.
static void test_workspace_does_not_grow() {
    for (const int64_t depth : {7, 100, 1024, 5000}) {
        const size_t size = my_lib_linear_forward_workspace_size(1000000, depth, 16);
        const size_t panel = 256 * static_cast<size_t>(depth), most = panel > 512 * 1024 ? panel : 512 * 1024;
        CHECK(size >= panel && size <= most + 128);
        CHECK(my_lib_linear_forward_workspace_size(10000000, depth, 16) == size);
    }
}

int main() {
    test_workspace_does_not_grow();
    test_many_rows();
    test_shapes<float>();
    test_shapes<double>();
    test_special_values<float>();
    test_special_values<double>();
    test_workspace_and_options<float>();
    test_workspace_and_options<double>();
    test_errors();
    return failures() != 0;
}

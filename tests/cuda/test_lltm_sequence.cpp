// tests/cuda/test_lltm_sequence.cpp: an LLTM over a sequence on the device against the CPU: states that one block
// holds, on both sides of each of its sizes; larger ones, which go step by step or which the blocks of a grid share.
#include "device.h"
#include "../support/lltm_reference.h"

// Roundings of T that a result may be off by; with factors in TensorFloat-32, the 8 roundings of that.
constexpr double usual = 256, of_tf32 = 8 * 8192;

template <typename T> static void test_sizes(int64_t seq_len, LltmSizes s, bool last, double tolerance = usual) {
    const LltmSequence<T> q(seq_len, s);
    void *stream = test_stream();
    std::vector<T> h(q.all(s.states())), cell(h.size()), gates(q.all(s.gates())), d_input(q.all(s.inputs()));
    std::vector<T> d_weights(s.weights()), d_bias(s.biases()), d_h(s.states()), d_cell(s.states());
    std::vector<char> space(
        FOR_TYPE(T, lltm_sequence_forward_workspace_size)(seq_len, s.batch, s.input_size, s.state_size));
    CHECK(FOR_TYPE(T, lltm_sequence_forward)(q.input.data(), q.weights.data(), q.bias.data(), q.old_h.data(),
                                             q.old_cell.data(), seq_len, s.batch, s.input_size, s.state_size, h.data(),
                                             cell.data(), gates.data(), space.data(), space.size()));
    space.resize(FOR_TYPE(T, lltm_sequence_backward_workspace_size)(seq_len, s.batch, s.input_size, s.state_size));
    CHECK(FOR_TYPE(T, lltm_sequence_backward)(
        q.grad_h.data(), last ? q.grad_last_h.data() : nullptr, last ? q.grad_last_cell.data() : nullptr, cell.data(),
        gates.data(), q.input.data(), h.data(), q.old_h.data(), q.old_cell.data(), q.weights.data(), seq_len, s.batch,
        s.input_size, s.state_size, d_input.data(), d_weights.data(), d_bias.data(), d_h.data(), d_cell.data(),
        space.data(), space.size()));

    device_array<T> x(q.input), w(q.weights), b(q.bias), old_h(q.old_h), old_cell(q.old_cell), gh(q.grad_h);
    device_array<T> glh(q.grad_last_h), glc(q.grad_last_cell), y(h.size()), c(h.size()), g(gates.size());
    device_array<char> work(
        FOR_CUDA_TYPE(T, lltm_sequence_forward_workspace_size)(seq_len, s.batch, s.input_size, s.state_size), true);
    auto forward = [&](T *gates_or_null) {
        return FOR_CUDA_TYPE(T, lltm_sequence_forward)(x, w, b, old_h, old_cell, seq_len, s.batch, s.input_size,
                                                       s.state_size, y, c, gates_or_null, work, work.size(), stream);
    };
    CHECK(forward(g));
    CHECK(all_close(y.values(), h, tolerance) && all_close(c.values(), cell, tolerance));
    CHECK(all_close(g.values(), gates, tolerance));
    const std::vector<T> with_gates = y.values();
    CHECK(forward(nullptr) && same_bits(y.values(), with_gates));
    CHECK(y.intact() && c.intact() && g.intact() && work.intact());

    device_array<T> dx(q.all(s.inputs())), dw(s.weights()), db(s.biases()), dh(s.states()), dc(s.states());
    device_array<char> back(
        FOR_CUDA_TYPE(T, lltm_sequence_backward_workspace_size)(seq_len, s.batch, s.input_size, s.state_size), true);
    auto backward = [&](T *d_x, T *d_w, T *d_b, T *d_old_h, T *d_old_cell) {
        return FOR_CUDA_TYPE(T, lltm_sequence_backward)(
            gh, last ? glh.data() : nullptr, last ? glc.data() : nullptr, c, g, x, y, old_h, old_cell, w, seq_len,
            s.batch, s.input_size, s.state_size, d_x, d_w, d_b, d_old_h, d_old_cell, back, back.size(), stream);
    };
    CHECK(backward(dx, dw, db, dh, dc));
    CHECK(all_close(dx.values(), d_input, tolerance) && all_close(dw.values(), d_weights, tolerance));
    CHECK(all_close(db.values(), d_bias, tolerance) && all_close(dh.values(), d_h, tolerance));
    CHECK(all_close(dc.values(), d_cell, tolerance));
    CHECK(dx.intact() && dw.intact() && db.intact() && dh.intact() && dc.intact() && back.intact());

    device_array<T> again(s.weights()), again_c(s.states());
    CHECK(backward(nullptr, nullptr, nullptr, nullptr, nullptr));
    CHECK(backward(nullptr, again, nullptr, nullptr, nullptr) && same_bits(again.values(), dw.values()));
    CHECK(backward(nullptr, nullptr, nullptr, nullptr, again_c) && same_bits(again_c.values(), dc.values()));
}

// Whether the device has tensor cores for TensorFloat-32.
static bool has_tf32() {
    int device, major;
    require(cudaGetDevice(&device));
    require(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    return major >= 8;
}

// A state that blocks share: with TensorFloat-32 allowed, as it then stays, its products have other roundings where there
// are tensor cores.
static void test_tf32_is_used() {
    const int64_t seq_len = 2;
    const LltmSizes s = {3, 0, 136};  // no input, whose product is cuBLAS's
    const LltmSequence<float> q(seq_len, s);
    device_array<float> w(q.weights), b(q.bias), old_h(q.old_h), old_cell(q.old_cell), y(q.all(s.states()));
    device_array<float> c(y.size());
    device_array<char> work(lltm_sequence_forward_workspace_size_cuda(seq_len, s.batch, s.input_size, s.state_size));
    std::vector<float> found[2];
    for (int allow : {0, 1}) {
        CHECK(my_lib_cuda_allow_tf32(allow));
        CHECK(lltm_sequence_forward_cuda(nullptr, w, b, old_h, old_cell, seq_len, s.batch, s.input_size, s.state_size,
                                         y, c, nullptr, work, work.size(), test_stream()));
        found[allow] = y.values();
    }
    CHECK(all_close(found[1], found[0], of_tf32));
    CHECK(same_bits(found[1], found[0]) != has_tf32());
}

int main() {
    struct Case {
        int64_t seq_len;
        LltmSizes s;
    };
    // Batches of 1 and 2 have a row per block of the recorder's two processors, larger ones two rows.
    for (const Case &c :
         {Case{3, {1, 2, 1}}, Case{4, {2, 3, 5}}, Case{3, {5, 3, 31}}, Case{2, {3, 2, 32}}, Case{2, {1, 1, 33}},
          Case{3, {3, 4, 63}}, Case{2, {2, 5, 64}}, Case{2, {3, 2, 65}}, Case{2, {1, 3, 127}}, Case{3, {3, 2, 128}},
          Case{2, {2, 3, 129}}, Case{3, {3, 2, 132}}, Case{1, {3, 4, 16}}, Case{0, {2, 3, 8}}, Case{0, {2, 3, 140}},
          Case{2, {0, 3, 8}}, Case{2, {2, 3, 0}}, Case{3, {2, 0, 9}}, Case{30, {20, 2, 4}}})
        for (bool last : {false, true}) {
            test_sizes<float>(c.seq_len, c.s, last);
            test_sizes<double>(c.seq_len, c.s, last);
        }
    // Shared by a grid where there are enough processors: 8 or 16 units and 16 or 32 rows for each block; sizes that are
    // no multiple of 4; rows of several blocks; several tiles for a block, on 40 processors.
    use_large_device();
    for (const Case &c :
         {Case{3, {1, 2, 129}}, Case{4, {3, 5, 131}}, Case{5, {16, 4, 160}}, Case{3, {17, 3, 136}},
          Case{3, {33, 2, 132}}, Case{2, {70, 1, 130}}, Case{2, {4, 2, 300}}, Case{2, {40, 2, 320}}, Case{1, {3, 2, 200}},
          Case{3, {150, 1, 144}}, Case{0, {2, 3, 140}}})
        for (bool last : {false, true}) test_sizes<float>(c.seq_len, c.s, last);
    test_tf32_is_used();
    for (const Case &c : {Case{3, {1, 2, 129}}, Case{4, {17, 3, 136}}, Case{3, {33, 2, 131}}, Case{2, {70, 1, 130}},
                          Case{2, {4, 2, 300}}, Case{2, {150, 1, 144}}})
        test_sizes<float>(c.seq_len, c.s, true, of_tf32);
    CHECK(lltm_sequence_forward_workspace_size_cuda(-1, 1, 1, 1) == SIZE_MAX);
    CHECK(std::strcmp(my_lib_last_error_message(), "seq_len: expected at least 0, got -1") == 0);
    CHECK(kept_to_its_stream());
    return failures() != 0;
}

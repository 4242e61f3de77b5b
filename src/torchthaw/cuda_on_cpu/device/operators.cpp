/* operators.cpp: operators that PyTorch's kernels for the CPU do not compute for CUDA tensors. */
#include <ATen/EmptyTensor.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros_like.h>
#include <torch/library.h>

#include <algorithm>
#include <cstring>

#include "fallback.h"
#include "memory.h"

namespace cuda_on_cpu {

namespace {

using at::Tensor;
using std::optional;

void check(optional<c10::Device> device, optional<c10::Layout> layout, optional<bool> pin_memory) {
    TORCH_CHECK(!device.has_value() || device->index() <= 0,
                "device: expected cuda:0, the only device under TORCHTHAW_CUDA=cpu, got ", *device);
    TORCH_CHECK(layout.value_or(c10::kStrided) == c10::kStrided, "layout: expected strided, got ", *layout);
    TORCH_CHECK(!pin_memory.value_or(false), "Only dense CPU tensors can be pinned");
}

constexpr c10::DispatchKeySet KEYS(c10::DispatchKey::CUDA);

c10::ScalarType type_of(optional<c10::ScalarType> given) {
    return given.has_value() ? *given : c10::typeMetaToScalarType(c10::get_default_dtype());
}

Tensor empty(at::IntArrayRef size, optional<c10::ScalarType> dtype, optional<c10::Layout> layout,
             optional<c10::Device> device, optional<bool> pin_memory, optional<c10::MemoryFormat> format) {
    check(device, layout, pin_memory);
    return at::detail::empty_generic(size, device_allocator(), KEYS, type_of(dtype), format);
}

Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride, optional<c10::ScalarType> dtype,
                     optional<c10::Layout> layout, optional<c10::Device> device, optional<bool> pin_memory) {
    check(device, layout, pin_memory);
    return at::detail::empty_strided_generic(size, stride, device_allocator(), KEYS, type_of(dtype));
}

Tensor zeros(at::IntArrayRef size, optional<c10::ScalarType> dtype, optional<c10::Layout> layout,
             optional<c10::Device> device, optional<bool> pin_memory) {
    return empty(size, dtype, layout, device, pin_memory, std::nullopt).zero_();
}

/* All work on a tensor has ended before the next call. */
void record_stream(Tensor &, c10::Stream) {}

/* The one that is made of other operators: the others have kernels for a card. */
int64_t choose_attention(const Tensor &, const Tensor &, const Tensor &, const optional<Tensor> &, double, bool,
                         optional<double>, bool) {
    return 0;
}

/* Unlike the CPU's, it draws from the generator of CUDA. */
std::tuple<Tensor, Tensor> native_dropout(const Tensor &input, double p, optional<bool> train) {
    if (!train.value_or(true) || input.numel() == 0) {
        return {input.clone(), at::ones_like(input, input.options().dtype(at::kBool))};
    }
    const Tensor mask = at::empty_like(input, input.options().dtype(at::kBool)).bernoulli_(1 - p);
    return {input.mul(mask).mul_(p == 1 ? 0. : 1 / (1 - p)), mask};
}

/* ---- Cells of LSTM and GRU, which PyTorch fuses on GPUs alone; both sums of gates have shape (N, gates * H) ---- */

Tensor sum_of_gates(const Tensor &input, const Tensor &hidden, const optional<Tensor> &input_bias,
                    const optional<Tensor> &hidden_bias) {
    Tensor sum = input + hidden;
    for (const auto *bias : {&input_bias, &hidden_bias}) {
        if (bias->has_value() && (*bias)->defined()) sum.add_(**bias);
    }
    return sum;
}

/* Returns (h, c, workspace); the workspace has the gates i, f, g and o. */
std::tuple<Tensor, Tensor, Tensor> lstm_cell(const Tensor &input, const Tensor &hidden, const Tensor &cx,
                                             const optional<Tensor> &input_bias, const optional<Tensor> &hidden_bias) {
    const auto gates = sum_of_gates(input, hidden, input_bias, hidden_bias).chunk(4, 1);
    const Tensor i = gates[0].sigmoid(), f = gates[1].sigmoid(), g = gates[2].tanh(), o = gates[3].sigmoid();
    Tensor cy = f * cx + i * g;
    return {o * cy.tanh(), cy, at::cat({i, f, g, o}, 1)};
}

std::tuple<Tensor, Tensor, Tensor> lstm_cell_backward(const optional<Tensor> &grad_h, const optional<Tensor> &grad_c,
                                                      const Tensor &cx, const Tensor &cy, const Tensor &workspace,
                                                      bool has_bias) {
    const bool has_h = grad_h.has_value() && grad_h->defined(), has_c = grad_c.has_value() && grad_c->defined();
    if (!has_h && !has_c) return {};
    const auto gates = workspace.chunk(4, 1);
    const Tensor &i = gates[0], &f = gates[1], &g = gates[2], &o = gates[3], tanh_c = cy.tanh();
    Tensor grad = has_c ? *grad_c : at::zeros_like(cy);
    Tensor grad_o = at::zeros_like(o);
    if (has_h) {
        grad = grad + *grad_h * o * (1 - tanh_c * tanh_c);
        grad_o = *grad_h * tanh_c * o * (1 - o);
    }
    const Tensor grad_gates =
        at::cat({grad * g * i * (1 - i), grad * cx * f * (1 - f), grad * i * (1 - g * g), grad_o}, 1);
    return {grad_gates, grad * f, has_bias ? grad_gates.sum(0) : Tensor()};
}

/* Returns (h, workspace); the workspace has the gates r, z and n, the state before, and the hidden part of n. */
std::tuple<Tensor, Tensor> gru_cell(const Tensor &input, const Tensor &hidden, const Tensor &hx,
                                    const optional<Tensor> &input_bias, const optional<Tensor> &hidden_bias) {
    const auto from_input = sum_of_gates(input, at::zeros_like(input), input_bias, {}).chunk(3, 1);
    const auto from_hidden = sum_of_gates(hidden, at::zeros_like(hidden), hidden_bias, {}).chunk(3, 1);
    const Tensor r = (from_input[0] + from_hidden[0]).sigmoid(), z = (from_input[1] + from_hidden[1]).sigmoid();
    const Tensor n = (from_input[2] + r * from_hidden[2]).tanh();
    return {n + z * (hx - n), at::cat({r, z, n, hx, from_hidden[2]}, 1)};
}

/* Returns the gradients of both sums of gates, of the state, and of both biases. */
std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> gru_cell_backward(const Tensor &grad, const Tensor &workspace,
                                                                     bool has_bias) {
    const auto saved = workspace.chunk(5, 1);
    const Tensor &r = saved[0], &z = saved[1], &n = saved[2], &hx = saved[3], &hidden_n = saved[4];
    const Tensor grad_n = grad * (1 - z) * (1 - n * n), grad_z = grad * (hx - n) * z * (1 - z);
    const Tensor grad_r = grad_n * hidden_n * r * (1 - r);
    const Tensor of_input = at::cat({grad_r, grad_z, grad_n}, 1), of_hidden = at::cat({grad_r, grad_z, grad_n * r}, 1);
    return {of_input, of_hidden, grad * z, has_bias ? of_input.sum(0) : Tensor(),
            has_bias ? of_hidden.sum(0) : Tensor()};
}

/* UntypedStorage.resize_: PyTorch for CPUs has none for CUDA. */
void resize_storage(const c10::Storage &storage, int64_t size) {
    TORCH_CHECK(size >= 0, "size: expected a number of bytes, got ", size);
    TORCH_CHECK(storage.resizable(), "Trying to resize storage that is not resizable");
    const size_t before = storage.nbytes(), after = static_cast<size_t>(size);
    c10::DataPtr made = device_allocator()->allocate(after);
    if (std::min(before, after) > 0) {
        const Access access;
        std::memcpy(made.get(), storage.data(), std::min(before, after));
    }
    storage.unsafeGetStorageImpl()->set_data_ptr_noswap(std::move(made));
    storage.unsafeGetStorageImpl()->set_nbytes(after);
}

/* Made of others, which PyTorch chooses by the device: they go to the CPU as a whole. */
const char *const WHOLE[] = {"copy_", "convolution", "convolution_backward"};

}  // namespace

TORCH_LIBRARY_IMPL(aten, CUDA, library) {
    library.impl("empty.memory_format", empty);
    library.impl("empty_strided", empty_strided);
    library.impl("_efficientzerotensor", zeros);
    library.impl("record_stream", record_stream);
    library.impl("_fused_sdp_choice", choose_attention);
    library.impl("native_dropout", native_dropout);
    library.impl("_thnn_fused_lstm_cell", lstm_cell);
    library.impl("_thnn_fused_lstm_cell_backward_impl", lstm_cell_backward);
    library.impl("_thnn_fused_gru_cell", gru_cell);
    library.impl("_thnn_fused_gru_cell_backward", gru_cell_backward);
    for (const char *name : WHOLE) library.impl(name, torch::CppFunction::makeFromBoxedFunction<&call_on_cpu>());
}

TORCH_LIBRARY(cuda_on_cpu, library) { library.def("resize_storage(Storage storage, int size) -> ()", resize_storage); }

}  // namespace cuda_on_cpu

// bindings/cpp/my_lib.hpp: libmy_lib for C++17: views with shapes, a workspace that grows, errors as exceptions.
//
// Arrays are the caller's and are not copied. Functions are those of my_lib.h, which has their formulas, shapes and
// aliasing; sizes come from the shapes, which are checked. The element type is float; for double name it:
// add_forward<double>(...). An optional array is left out with {}: an input counts as zero, an output is not computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "my_lib.h"

namespace my_lib {

using Shape = std::initializer_list<std::int64_t>;

// A failed call. what() is the message, such as `input2: expected shape (2, 3), got (2, 4)`.
class Error : public std::runtime_error {
public:
    Error(int code, const std::string &message) : std::runtime_error(message), code_(code) {}

    int code() const noexcept { return code_; }  // enum my_lib_error
    const char *name() const noexcept { return my_lib_error_name(code_); }

private:
    int code_;
};

namespace detail {

struct ViewBase {};

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_last_error() {
    throw Error(my_lib_last_error_code(), my_lib_last_error_message());
}

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_shape(const char *name, const std::int64_t *expected,
                                                              std::int64_t expected_ndim, const std::int64_t *got,
                                                              std::int64_t ndim) {
    const auto text = [](const std::int64_t *shape, std::int64_t count) {
        std::string found = "(";
        for (std::int64_t i = 0; i < count; ++i) found += (i ? ", " : "") + std::to_string(shape[i]);
        return found + (count == 1 ? ",)" : ")");
    };
    throw Error(MY_LIB_ERROR_SHAPE_MISMATCH, std::string(name) + ": expected shape " + text(expected, expected_ndim) +
                                                 ", got " + (ndim < 0 ? "no array" : text(got, ndim)));
}

inline void check(int success) {
    if (!success) throw_last_error();
}

// void if data() of Elements points to T, or to T without const; views have a constructor of their own.
template <typename Elements, typename T>
using IfElements = std::enable_if_t<
    std::is_convertible_v<std::remove_pointer_t<decltype(std::declval<Elements &>().data())> (*)[], T (*)[]> &&
    !std::is_base_of_v<ViewBase, std::decay_t<Elements>>>;

}  // namespace detail

inline const char *version() noexcept { return my_lib_version(); }
inline const char *build_info() noexcept { return my_lib_build_info(); }

// How many threads a call may use, in the whole process; 0 follows the OpenMP run-time.
inline void set_num_threads(int count) { detail::check(my_lib_set_num_threads(count)); }

// Memory of somebody else with a shape of at most 8 sizes, contiguous and row-major. View<float> converts to
// View<const float>; View{} is an array that is left out.
template <typename T> class View : detail::ViewBase {
public:
    static constexpr std::int64_t max_ndim = 8;

    View() = default;
    View(T *data, const std::int64_t *shape, std::int64_t ndim) : data_(data), ndim_(ndim) {
        if (ndim < 0 || ndim > max_ndim)
            throw Error(MY_LIB_ERROR_INVALID_SIZE, "ndim: expected 0 to 8, got " + std::to_string(ndim));
        for (std::int64_t i = 0; i < ndim; ++i) shape_[i] = shape[i];
    }
    View(T *data, Shape shape) : View(data, shape.begin(), std::int64_t(shape.size())) {}

    View(const View<std::remove_const_t<T>> &other) : data_(other.data()), ndim_(other.ndim()) {
        for (std::int64_t i = 0; i < ndim_; ++i) shape_[i] = other.shape()[i];
    }

    // A std::vector, std::array or other container of contiguous elements: with its own length, or with a shape of as
    // many elements.
    template <typename Elements, typename = detail::IfElements<Elements, T>>
    View(Elements &&elements) : View(elements.data(), {std::int64_t(elements.size())}) {}
    template <typename Elements, typename = detail::IfElements<Elements, T>>
    View(Elements &&elements, Shape shape) : View(elements.data(), shape) {
        const std::int64_t length[] = {std::int64_t(elements.size())};
        if (size() != length[0]) detail::throw_shape("elements", shape_, ndim_, length, 1);
    }

    // C arrays, such as float[3] and float[2][3].
    template <std::size_t a> View(T (&array)[a]) : View(array, {a}) {}
    template <std::size_t a, std::size_t b> View(T (&array)[a][b]) : View(array[0], {a, b}) {}
    template <std::size_t a, std::size_t b, std::size_t c>
    View(T (&array)[a][b][c]) : View(array[0][0], {a, b, c}) {}

    T *data() const noexcept { return data_; }
    const std::int64_t *shape() const noexcept { return shape_; }
    std::int64_t ndim() const noexcept { return ndim_; }
    std::int64_t shape(std::int64_t i) const noexcept { return i < ndim_ ? shape_[i] : 0; }
    bool absent() const noexcept { return ndim_ < 0; }
    std::int64_t size() const noexcept {
        std::int64_t found = !absent();
        for (std::int64_t i = 0; i < ndim_; ++i) found *= shape_[i];
        return found;
    }

    // Throws unless the shape is this one. An array that is left out passes where it is optional.
    void expect(const char *name, const std::int64_t *shape, std::int64_t ndim, bool optional = false) const {
        bool same = ndim_ == ndim;
        for (std::int64_t i = 0; same && i < ndim; ++i) same = shape_[i] == shape[i];
        if (!same && !(absent() && optional)) detail::throw_shape(name, shape, ndim, shape_, ndim_);
    }
    void expect(const char *name, Shape shape, bool optional = false) const {
        expect(name, shape.begin(), std::int64_t(shape.size()), optional);
    }

private:
    T *data_ = nullptr;
    std::int64_t ndim_ = -1;
    std::int64_t shape_[max_ndim] = {};
};

// Memory for a function's intermediate results. It grows when a call needs more and is used again by the next; one for
// each thread.
class Workspace {
public:
    void *reserve(std::size_t size) {
        if (size == SIZE_MAX) detail::throw_last_error();
        if (size > size_) {
            memory_ = std::make_unique<std::byte[]>(size);
            size_ = size;
        }
        return memory_.get();
    }
    std::size_t size() const noexcept { return size_; }

private:
    std::unique_ptr<std::byte[]> memory_;
    std::size_t size_ = 0;
};

namespace detail {

template <typename T> struct Identity {
    using type = T;
};
// Views of T as parameters: T is named or float, never deduced, so that whatever converts to a view may be an argument.
template <typename T> using In = const View<const typename Identity<T>::type> &;
template <typename T> using Out = const View<typename Identity<T>::type> &;

// The C functions of an element type.
template <typename T> struct Functions;
#define MY_LIB_HPP_FUNCTIONS(T, suffix) \
    template <> struct Functions<T> { \
        static constexpr auto *add_forward = my_lib_add_forward##suffix; \
        static constexpr auto *add_backward = my_lib_add_backward##suffix; \
        static constexpr auto *linear_forward = my_lib_linear_forward##suffix; \
        static constexpr auto *linear_forward_size = my_lib_linear_forward_workspace_size##suffix; \
        static constexpr auto *linear_backward = my_lib_linear_backward##suffix; \
        static constexpr auto *linear_backward_size = my_lib_linear_backward_workspace_size##suffix; \
        static constexpr auto *lltm_forward = ::lltm_forward##suffix; \
        static constexpr auto *lltm_forward_size = lltm_forward_workspace_size##suffix; \
        static constexpr auto *lltm_backward = ::lltm_backward##suffix; \
        static constexpr auto *lltm_backward_size = lltm_backward_workspace_size##suffix; \
        static constexpr auto *lltm_sequence_forward = ::lltm_sequence_forward##suffix; \
        static constexpr auto *lltm_sequence_forward_size = lltm_sequence_forward_workspace_size##suffix; \
        static constexpr auto *lltm_sequence_backward = ::lltm_sequence_backward##suffix; \
        static constexpr auto *lltm_sequence_backward_size = lltm_sequence_backward_workspace_size##suffix; \
    };
MY_LIB_HPP_FUNCTIONS(float, )
MY_LIB_HPP_FUNCTIONS(double, _f64)
#undef MY_LIB_HPP_FUNCTIONS

}  // namespace detail

// output = input1 + input2, all of one shape.
template <typename T = float>
void add_forward(detail::In<T> input1, detail::In<T> input2, detail::Out<T> output) {
    output.expect("output", input1.shape(), input1.ndim());
    detail::check(detail::Functions<T>::add_forward(input1.data(), input1.shape(), input1.ndim(), input2.data(),
                                                    input2.shape(), input2.ndim(), output.data()));
}

// grad_input1 and grad_input2, which may be left out, have grad_output's shape.
template <typename T = float>
void add_backward(detail::In<T> grad_output, detail::Out<T> grad_input1, detail::Out<T> grad_input2) {
    grad_input1.expect("grad_input1", grad_output.shape(), grad_output.ndim(), true);
    grad_input2.expect("grad_input2", grad_output.shape(), grad_output.ndim(), true);
    detail::check(detail::Functions<T>::add_backward(grad_output.data(), grad_output.shape(), grad_output.ndim(),
                                                     grad_input1.data(), grad_input2.data()));
}

// input (batch, in_features), weight (out_features, in_features), bias (out_features) or left out -> output (batch,
// out_features).
template <typename T = float>
void linear_forward(detail::In<T> input, detail::In<T> weight, detail::In<T> bias, detail::Out<T> output,
                    Workspace &workspace) {
    const std::int64_t batch = input.shape(0), in_features = input.shape(1), out_features = weight.shape(0);
    input.expect("input", {batch, in_features});
    weight.expect("weight", {out_features, in_features});
    bias.expect("bias", {out_features}, true);
    output.expect("output", {batch, out_features});
    const std::size_t size = detail::Functions<T>::linear_forward_size(batch, in_features, out_features);
    detail::check(detail::Functions<T>::linear_forward(input.data(), weight.data(), bias.data(), batch, in_features,
                                                       out_features, output.data(), workspace.reserve(size), size));
}

// Each gradient may be left out; weight is needed for grad_input alone, input for grad_weight alone.
template <typename T = float>
void linear_backward(detail::In<T> grad_output, detail::In<T> input, detail::In<T> weight, detail::Out<T> grad_input,
                     detail::Out<T> grad_weight, detail::Out<T> grad_bias, Workspace &workspace) {
    const std::int64_t batch = grad_output.shape(0), out_features = grad_output.shape(1);
    const std::int64_t in_features = !input.absent() ? input.shape(1) : weight.shape(1);
    grad_output.expect("grad_output", {batch, out_features});
    input.expect("input", {batch, in_features}, grad_weight.absent());
    weight.expect("weight", {out_features, in_features}, grad_input.absent());
    grad_input.expect("grad_input", {batch, in_features}, true);
    grad_weight.expect("grad_weight", {out_features, in_features}, true);
    grad_bias.expect("grad_bias", {out_features}, true);
    const std::size_t size = detail::Functions<T>::linear_backward_size(batch, in_features, out_features);
    detail::check(detail::Functions<T>::linear_backward(
        grad_output.data(), input.data(), weight.data(), batch, in_features, out_features, grad_input.data(),
        grad_weight.data(), grad_bias.data(), workspace.reserve(size), size));
}

// One step of the LLTM: input (batch, input_size), weights (3 * state_size, state_size + input_size), bias
// (3 * state_size), states (batch, state_size); gates (batch, 3 * state_size) or left out.
template <typename T = float>
void lltm_forward(detail::In<T> input, detail::In<T> weights, detail::In<T> bias, detail::In<T> old_h,
                  detail::In<T> old_cell, detail::Out<T> new_h, detail::Out<T> new_cell, detail::Out<T> gates,
                  Workspace &workspace) {
    const std::int64_t batch = input.shape(0), input_size = input.shape(1), state_size = old_h.shape(1);
    input.expect("input", {batch, input_size});
    old_h.expect("old_h", {batch, state_size});
    weights.expect("weights", {3 * state_size, state_size + input_size});
    bias.expect("bias", {3 * state_size});
    old_cell.expect("old_cell", {batch, state_size});
    new_h.expect("new_h", {batch, state_size});
    new_cell.expect("new_cell", {batch, state_size});
    gates.expect("gates", {batch, 3 * state_size}, true);
    const std::size_t size = detail::Functions<T>::lltm_forward_size(batch, input_size, state_size);
    detail::check(detail::Functions<T>::lltm_forward(
        input.data(), weights.data(), bias.data(), old_h.data(), old_cell.data(), batch, input_size, state_size,
        new_h.data(), new_cell.data(), gates.data(), workspace.reserve(size), size));
}

// Each gradient d_... may be left out.
template <typename T = float>
void lltm_backward(detail::In<T> grad_h, detail::In<T> grad_cell, detail::In<T> new_cell, detail::In<T> gates,
                   detail::In<T> input, detail::In<T> old_h, detail::In<T> weights, detail::Out<T> d_input,
                   detail::Out<T> d_weights, detail::Out<T> d_bias, detail::Out<T> d_old_h, detail::Out<T> d_old_cell,
                   Workspace &workspace) {
    const std::int64_t batch = input.shape(0), input_size = input.shape(1), state_size = old_h.shape(1);
    input.expect("input", {batch, input_size});
    old_h.expect("old_h", {batch, state_size});
    grad_h.expect("grad_h", {batch, state_size});
    grad_cell.expect("grad_cell", {batch, state_size});
    new_cell.expect("new_cell", {batch, state_size});
    gates.expect("gates", {batch, 3 * state_size});
    weights.expect("weights", {3 * state_size, state_size + input_size});
    d_input.expect("d_input", {batch, input_size}, true);
    d_weights.expect("d_weights", {3 * state_size, state_size + input_size}, true);
    d_bias.expect("d_bias", {3 * state_size}, true);
    d_old_h.expect("d_old_h", {batch, state_size}, true);
    d_old_cell.expect("d_old_cell", {batch, state_size}, true);
    const std::size_t size = detail::Functions<T>::lltm_backward_size(batch, input_size, state_size);
    detail::check(detail::Functions<T>::lltm_backward(
        grad_h.data(), grad_cell.data(), new_cell.data(), gates.data(), input.data(), old_h.data(), weights.data(),
        batch, input_size, state_size, d_input.data(), d_weights.data(), d_bias.data(), d_old_h.data(),
        d_old_cell.data(), workspace.reserve(size), size));
}

// A sequence of steps: input (seq_len, batch, input_size); h, cell and gates have every step's, old_h and old_cell are
// the state before the first.
template <typename T = float>
void lltm_sequence_forward(detail::In<T> input, detail::In<T> weights, detail::In<T> bias, detail::In<T> old_h,
                           detail::In<T> old_cell, detail::Out<T> h, detail::Out<T> cell, detail::Out<T> gates,
                           Workspace &workspace) {
    const std::int64_t seq_len = input.shape(0), batch = input.shape(1), input_size = input.shape(2);
    const std::int64_t state_size = old_h.shape(1);
    input.expect("input", {seq_len, batch, input_size});
    old_h.expect("old_h", {batch, state_size});
    weights.expect("weights", {3 * state_size, state_size + input_size});
    bias.expect("bias", {3 * state_size});
    old_cell.expect("old_cell", {batch, state_size});
    h.expect("h", {seq_len, batch, state_size});
    cell.expect("cell", {seq_len, batch, state_size});
    gates.expect("gates", {seq_len, batch, 3 * state_size}, true);
    const std::size_t size = detail::Functions<T>::lltm_sequence_forward_size(seq_len, batch, input_size, state_size);
    detail::check(detail::Functions<T>::lltm_sequence_forward(
        input.data(), weights.data(), bias.data(), old_h.data(), old_cell.data(), seq_len, batch, input_size,
        state_size, h.data(), cell.data(), gates.data(), workspace.reserve(size), size));
}

// grad_last_h and grad_last_cell (batch, state_size) add to the last step's gradients, or are left out, as each d_...
template <typename T = float>
void lltm_sequence_backward(detail::In<T> grad_h, detail::In<T> grad_last_h, detail::In<T> grad_last_cell,
                            detail::In<T> cell, detail::In<T> gates, detail::In<T> input, detail::In<T> h,
                            detail::In<T> old_h, detail::In<T> old_cell, detail::In<T> weights,
                            detail::Out<T> d_input, detail::Out<T> d_weights, detail::Out<T> d_bias,
                            detail::Out<T> d_old_h, detail::Out<T> d_old_cell, Workspace &workspace) {
    const std::int64_t seq_len = input.shape(0), batch = input.shape(1), input_size = input.shape(2);
    const std::int64_t state_size = old_h.shape(1);
    input.expect("input", {seq_len, batch, input_size});
    old_h.expect("old_h", {batch, state_size});
    grad_h.expect("grad_h", {seq_len, batch, state_size});
    grad_last_h.expect("grad_last_h", {batch, state_size}, true);
    grad_last_cell.expect("grad_last_cell", {batch, state_size}, true);
    cell.expect("cell", {seq_len, batch, state_size});
    gates.expect("gates", {seq_len, batch, 3 * state_size});
    h.expect("h", {seq_len, batch, state_size});
    old_cell.expect("old_cell", {batch, state_size});
    weights.expect("weights", {3 * state_size, state_size + input_size});
    d_input.expect("d_input", {seq_len, batch, input_size}, true);
    d_weights.expect("d_weights", {3 * state_size, state_size + input_size}, true);
    d_bias.expect("d_bias", {3 * state_size}, true);
    d_old_h.expect("d_old_h", {batch, state_size}, true);
    d_old_cell.expect("d_old_cell", {batch, state_size}, true);
    const std::size_t size = detail::Functions<T>::lltm_sequence_backward_size(seq_len, batch, input_size, state_size);
    detail::check(detail::Functions<T>::lltm_sequence_backward(
        grad_h.data(), grad_last_h.data(), grad_last_cell.data(), cell.data(), gates.data(), input.data(), h.data(),
        old_h.data(), old_cell.data(), weights.data(), seq_len, batch, input_size, state_size, d_input.data(),
        d_weights.data(), d_bias.data(), d_old_h.data(), d_old_cell.data(), workspace.reserve(size), size));
}

}  // namespace my_lib

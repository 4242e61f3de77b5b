// tests/fuzz/my_lib_sizes.cpp: operators of libmy_lib with any sizes, shapes and pointers, on bytes.
//
// Expected of each call: it succeeds exactly where the manual, my_lib.h, says so, and stays within arrays that have the
// sizes of its parameters and no byte more. Arrays that would be large are not made: such calls must fail for another
// reason, before they touch one.
#include "fuzz/my_lib_sizes.h"
#include "fuzz/target.h"

#include "my_lib.h"

#include <initializer_list>
#include <memory>

namespace {

constexpr int64_t most = 1 << 14;  // bytes of an array that is made

class Call {
public:
    explicit Call(Input &input) : input_(input) {}

    int64_t size() {
        const int64_t size = size_of_choice(input_.up_to(size_choices - 1));
        huge_ |= size > INT32_MAX;
        return size;
    }
    int64_t least(int64_t size, int64_t allowed) {
        invalid_ |= size < allowed;
        return size;
    }

    enum Need { needed, optional };
    // An array of these sizes, or NULL, or one that is not aligned.
    template <typename T> T *array(std::initializer_list<int64_t> sizes, Need need = needed) {
        const int64_t bytes = bytes_of(sizes.begin(), sizes.end(), sizeof(T));
        return pointer<T>(bytes, need == optional || bytes == 0);
    }

    // A shape and arrays that have it.
    const int64_t *shape(int64_t *ndim) {
        *ndim = int64_t(input_.up_to(5)) - (input_.up_to(7) == 1);
        sizes_.emplace_back();
        for (int64_t i = 0; i < *ndim; i++) sizes_.back().push_back(size());
        if (*ndim < 0) return invalid_ = true, nullptr;
        if (*ndim > 0 && input_.up_to(31) == 1) return invalid_ = true, nullptr;
        return sizes_.back().data();
    }
    template <typename T> T *array(const int64_t *shape, int64_t ndim, Need need = needed) {
        const int64_t bytes = shape ? bytes_of(shape, shape + ndim, sizeof(T)) : int64_t(sizeof(T));
        return pointer<T>(bytes, need == optional || bytes == 0);
    }
    // An array that may be NULL, if it has elements, only where nothing is computed from it.
    void read(const void *array, std::initializer_list<int64_t> shape, bool is_read) {
        if (is_read && !array && bytes_of(shape.begin(), shape.end(), 1) != 0) invalid_ = true;
    }
    bool same(const int64_t *a, int64_t a_ndim, const int64_t *b, int64_t b_ndim) {
        bool so = a_ndim == b_ndim;
        for (int64_t i = 0; so && a && b && i < a_ndim; i++) so = a[i] == b[i];
        invalid_ |= !so;
        return so;
    }

    // Of the size that a workspace_size function asked for; SIZE_MAX is its right for large sizes alone, which may be
    // those of arrays without elements.
    void *workspace(size_t asked, size_t *size) {
        if (asked == SIZE_MAX) {
            MUST(invalid_ || large_ || huge_);
            invalid_ = true;
            return nullptr;
        }
        const bool cut = asked && input_.up_to(15) == 1;
        *size = cut ? asked - 1 : asked;
        invalid_ |= cut;
        return pointer<char>(asked > size_t(most) ? most + 1 : int64_t(*size), *size == 0);
    }

    template <typename Body> void run(Body body) {
        if (large_ && !invalid_) return;
        const bool succeeded = body();
        MUST(succeeded == !invalid_);
        if (!succeeded) MUST(my_lib_last_error_code() != MY_LIB_SUCCESS && *my_lib_last_error_message());
    }

private:
    int64_t bytes_of(const int64_t *begin, const int64_t *end, size_t element) {
        bool empty = false;
        for (const int64_t *size = begin; size < end; size++) {
            if (*size < 0) return invalid_ = true, -1;
            empty |= *size == 0;
        }
        int64_t bytes = int64_t(element);
        for (const int64_t *size = begin; size < end && !empty; size++)
            if (__builtin_mul_overflow(bytes, *size, &bytes)) return invalid_ = true, -1;
        return empty ? 0 : bytes;
    }
    template <typename T> T *pointer(int64_t bytes, bool may_be_null) {
        const size_t choice = input_.up_to(31);
        if (choice == 1) {
            invalid_ |= !may_be_null;
            return nullptr;
        }
        if (choice == 2 && alignof(T) > 1) return invalid_ = true, reinterpret_cast<T *>(1);
        large_ |= bytes > most;
        const size_t kept = bytes > most || bytes < 0 ? 0 : size_t(bytes);
        arrays_.emplace_back(new char[kept]());
        return reinterpret_cast<T *>(arrays_.back().get());
    }

    Input &input_;
    bool invalid_ = false, large_ = false, huge_ = false;
    std::vector<std::vector<int64_t>> sizes_;
    std::vector<std::unique_ptr<char[]>> arrays_;
};

// The element type of a function, whose first parameter is an array.
template <typename T, typename... Rest> T element(int (*)(const T *, Rest...));
template <auto function> using Element = decltype(element(function));

template <auto forward> void binary(Input &input) {
    using T = Element<forward>;
    Call call(input);
    int64_t ndim1;
    const int64_t *const shape1 = call.shape(&ndim1);
    int64_t ndim2 = ndim1;
    const int64_t *const shape2 = input.up_to(3) ? shape1 : call.shape(&ndim2);
    call.same(shape1, ndim1, shape2, ndim2);
    T *const input1 = call.array<T>(shape1, ndim1), *const input2 = call.array<T>(shape2, ndim2);
    T *const output = call.array<T>(shape1, ndim1);
    call.run([&] { return forward(input1, shape1, ndim1, input2, shape2, ndim2, output); });
}

template <auto backward> void binary_backward(Input &input) {
    using T = Element<backward>;
    Call call(input);
    int64_t ndim;
    const int64_t *const shape = call.shape(&ndim);
    T *const grad_output = call.array<T>(shape, ndim);
    T *const grad_input1 = call.array<T>(shape, ndim, Call::optional);
    T *const grad_input2 = call.array<T>(shape, ndim, Call::optional);
    call.run([&] { return backward(grad_output, shape, ndim, grad_input1, grad_input2); });
}

template <auto function, Call::Need result> void mul_constant(Input &input) {
    using T = Element<function>;
    Call call(input);
    int64_t ndim;
    const int64_t *const shape = call.shape(&ndim);
    T *const x = call.array<T>(shape, ndim), *const output = call.array<T>(shape, ndim, result);
    call.run([&] { return function(x, shape, ndim, 2, output); });
}

template <auto forward> void cube(Input &input) {
    using T = Element<forward>;
    Call call(input);
    int64_t ndim;
    const int64_t *shape = call.shape(&ndim);
    T *const x = call.array<T>(shape, ndim), *const output = call.array<T>(shape, ndim);
    T *const derivative = call.array<T>(shape, ndim, Call::optional);
    call.run([&] { return forward(x, shape, ndim, output, derivative); });
}

template <auto backward> void cube_backward(Input &input) {
    using T = Element<backward>;
    Call call(input);
    int64_t ndim;
    const int64_t *const shape = call.shape(&ndim);
    T *const grad_output = call.array<T>(shape, ndim);
    T *const grad_derivative = call.array<T>(shape, ndim, Call::optional), *const x = call.array<T>(shape, ndim);
    T *const grad_input = call.array<T>(shape, ndim, Call::optional);
    call.run([&] { return backward(grad_output, grad_derivative, x, shape, ndim, grad_input); });
}

template <auto forward, auto bytes> void linear(Input &input) {
    using T = Element<forward>;
    Call call(input);
    const int64_t batch = call.size(), in = call.size(), out = call.size();
    T *const x = call.array<T>({batch, in}), *const weight = call.array<T>({out, in});
    T *const bias = call.array<T>({out}, Call::optional), *const output = call.array<T>({batch, out});
    size_t size = 0;
    void *const workspace = call.workspace(bytes(batch, in, out), &size);
    call.run([&] { return forward(x, weight, bias, batch, in, out, output, workspace, size); });
}

template <auto backward, auto bytes> void linear_backward(Input &input) {
    using T = Element<backward>;
    Call call(input);
    const int64_t batch = call.size(), in = call.size(), out = call.size();
    T *const grad_output = call.array<T>({batch, out});
    T *const grad_input = call.array<T>({batch, in}, Call::optional);
    T *const grad_weight = call.array<T>({out, in}, Call::optional);
    T *const grad_bias = call.array<T>({out}, Call::optional);
    T *const x = call.array<T>({batch, in}, grad_weight ? Call::needed : Call::optional);
    T *const weight = call.array<T>({out, in}, grad_input ? Call::needed : Call::optional);
    size_t size = 0;
    void *const workspace = call.workspace(bytes(batch, in, out), &size);
    call.run([&] {
        return backward(grad_output, x, weight, batch, in, out, grad_input, grad_weight, grad_bias, workspace, size);
    });
}

// Of the sizes, one value has no variance.
double batch_norm_eps(Call &call, Input &input, int64_t batch, int64_t channels, int64_t height, int64_t width) {
    const double eps = input.up_to(15) == 1 ? -1 : 1e-5;
    call.least(eps >= 0, 1);
    if (batch == 1 && channels >= 0 && height == 1 && width == 1) call.least(0, 1);
    return eps;
}

template <auto forward> void batch_norm2d(Input &input) {
    using T = Element<forward>;
    Call call(input);
    const int64_t batch = call.size(), channels = call.size(), height = call.size(), width = call.size();
    T *const x = call.array<T>({batch, channels, height, width});
    T *const output = call.array<T>({batch, channels, height, width});
    T *const mean = call.array<T>({channels}), *const std = call.array<T>({channels});
    const double eps = batch_norm_eps(call, input, batch, channels, height, width);
    call.run([&] { return forward(x, batch, channels, height, width, eps, output, mean, std); });
}

template <auto backward> void batch_norm2d_backward(Input &input) {
    using T = Element<backward>;
    Call call(input);
    const int64_t batch = call.size(), channels = call.size(), height = call.size(), width = call.size();
    T *const grad_output = call.array<T>({batch, channels, height, width});
    T *const x = call.array<T>({batch, channels, height, width});
    T *const mean = call.array<T>({channels}), *const std = call.array<T>({channels});
    T *const grad_input = call.array<T>({batch, channels, height, width}, Call::optional);
    const double eps = batch_norm_eps(call, input, batch, channels, height, width);
    call.run([&] { return backward(grad_output, x, mean, std, batch, channels, height, width, eps, grad_input); });
}

// Sizes of the weights, which are sums and products of others; where those overflow, the call is invalid.
struct LltmSizes {
    int64_t gates, columns;
    LltmSizes(Call &call, int64_t input_size, int64_t state_size) {
        if (__builtin_mul_overflow(state_size, 3, &gates)) gates = call.least(-1, 0);
        if (__builtin_add_overflow(state_size, input_size, &columns)) columns = call.least(-1, 0);
        call.least(input_size, 0), call.least(state_size, 0);
    }
};

template <auto forward, auto bytes> void step(Input &input) {
    using T = Element<forward>;
    Call call(input);
    const int64_t batch = call.size(), input_size = call.size(), state_size = call.size();
    const LltmSizes lltm(call, input_size, state_size);
    T *const x = call.array<T>({batch, input_size});
    T *const weights = call.array<T>({lltm.gates, lltm.columns}), *const bias = call.array<T>({lltm.gates});
    T *const old_h = call.array<T>({batch, state_size}), *const old_cell = call.array<T>({batch, state_size});
    T *const new_h = call.array<T>({batch, state_size}), *const new_cell = call.array<T>({batch, state_size});
    T *const gates = call.array<T>({batch, lltm.gates}, Call::optional);
    size_t size = 0;
    void *const workspace = call.workspace(bytes(batch, input_size, state_size), &size);
    call.run([&] {
        return forward(x, weights, bias, old_h, old_cell, batch, input_size, state_size, new_h, new_cell, gates,
                       workspace, size);
    });
}

template <auto backward, auto bytes> void step_backward(Input &input) {
    using T = Element<backward>;
    Call call(input);
    const int64_t batch = call.size(), input_size = call.size(), state_size = call.size();
    const LltmSizes lltm(call, input_size, state_size);
    T *const grad_h = call.array<T>({batch, state_size}), *const grad_cell = call.array<T>({batch, state_size});
    T *const new_cell = call.array<T>({batch, state_size}), *const gates = call.array<T>({batch, lltm.gates});
    T *const x = call.array<T>({batch, input_size}, Call::optional);
    T *const old_h = call.array<T>({batch, state_size}, Call::optional);
    T *const weights = call.array<T>({lltm.gates, lltm.columns}, Call::optional);
    T *const d_input = call.array<T>({batch, input_size}, Call::optional);
    T *const d_weights = call.array<T>({lltm.gates, lltm.columns}, Call::optional);
    T *const d_bias = call.array<T>({lltm.gates}, Call::optional);
    T *const d_old_h = call.array<T>({batch, state_size}, Call::optional);
    T *const d_old_cell = call.array<T>({batch, state_size}, Call::optional);
    call.read(x, {batch, input_size}, d_weights);
    call.read(old_h, {batch, state_size}, d_weights);
    call.read(weights, {lltm.gates, lltm.columns}, d_input || d_old_h);
    size_t size = 0;
    void *const workspace = call.workspace(bytes(batch, input_size, state_size), &size);
    call.run([&] {
        return backward(grad_h, grad_cell, new_cell, gates, x, old_h, weights, batch, input_size, state_size, d_input,
                        d_weights, d_bias, d_old_h, d_old_cell, workspace, size);
    });
}

template <auto forward, auto bytes> void sequence(Input &input) {
    using T = Element<forward>;
    Call call(input);
    const int64_t steps = call.size(), batch = call.size(), input_size = call.size(), state_size = call.size();
    const LltmSizes lltm(call, input_size, state_size);
    T *const x = call.array<T>({steps, batch, input_size});
    T *const weights = call.array<T>({lltm.gates, lltm.columns}), *const bias = call.array<T>({lltm.gates});
    T *const old_h = call.array<T>({batch, state_size}), *const old_cell = call.array<T>({batch, state_size});
    T *const h = call.array<T>({steps, batch, state_size}), *const cell = call.array<T>({steps, batch, state_size});
    T *const gates = call.array<T>({steps, batch, lltm.gates}, Call::optional);
    size_t size = 0;
    void *const workspace = call.workspace(bytes(steps, batch, input_size, state_size), &size);
    call.run([&] {
        return forward(x, weights, bias, old_h, old_cell, steps, batch, input_size, state_size, h, cell, gates,
                       workspace, size);
    });
}

template <auto backward, auto bytes> void sequence_backward(Input &input) {
    using T = Element<backward>;
    Call call(input);
    const int64_t steps = call.size(), batch = call.size(), input_size = call.size(), state_size = call.size();
    const LltmSizes lltm(call, input_size, state_size);
    T *const grad_h = call.array<T>({steps, batch, state_size});
    T *const grad_last_h = call.array<T>({batch, state_size}, Call::optional);
    T *const grad_last_cell = call.array<T>({batch, state_size}, Call::optional);
    T *const cell = call.array<T>({steps, batch, state_size});
    T *const gates = call.array<T>({steps, batch, lltm.gates});
    T *const x = call.array<T>({steps, batch, input_size}, Call::optional);
    T *const h = call.array<T>({steps, batch, state_size}, Call::optional);
    T *const old_h = call.array<T>({batch, state_size}, Call::optional);
    T *const old_cell = call.array<T>({batch, state_size}, Call::optional);
    T *const weights = call.array<T>({lltm.gates, lltm.columns});
    T *const d_input = call.array<T>({steps, batch, input_size}, Call::optional);
    T *const d_weights = call.array<T>({lltm.gates, lltm.columns}, Call::optional);
    T *const d_bias = call.array<T>({lltm.gates}, Call::optional);
    T *const d_old_h = call.array<T>({batch, state_size}, Call::optional);
    T *const d_old_cell = call.array<T>({batch, state_size}, Call::optional);
    call.read(x, {steps, batch, input_size}, d_weights);
    call.read(h, {steps, batch, state_size}, d_weights);
    call.read(old_h, {batch, state_size}, d_weights);
    size_t size = 0;
    void *const workspace = call.workspace(bytes(steps, batch, input_size, state_size), &size);
    call.run([&] {
        return backward(grad_h, grad_last_h, grad_last_cell, cell, gates, x, h, old_h, old_cell, weights, steps, batch,
                        input_size, state_size, d_input, d_weights, d_bias, d_old_h, d_old_cell, workspace, size);
    });
}

// Every function of my_lib.h that takes sizes, as test_fuzz_sizes.py sees to. The remainder of a byte chooses one, so
// that saved inputs mean other calls where another number of them stands here.
void (*const operators[])(Input &) = {
    binary<my_lib_add_forward>,
    cube<my_lib_cube_forward_f64>,
    linear<my_lib_linear_forward, my_lib_linear_forward_workspace_size>,
    linear<my_lib_linear_forward_bf16, my_lib_linear_forward_workspace_size_bf16>,
    linear_backward<my_lib_linear_backward, my_lib_linear_backward_workspace_size>,
    batch_norm2d<my_lib_batch_norm2d_forward>,
    step<lltm_forward_f64, lltm_forward_workspace_size_f64>,
    sequence<lltm_sequence_forward, lltm_sequence_forward_workspace_size>,
    binary<my_lib_add_forward_f64>,
    binary<my_lib_scale_add_forward>,
    binary<my_lib_scale_add_forward_f64>,
    binary_backward<my_lib_add_backward>,
    binary_backward<my_lib_add_backward_f64>,
    binary_backward<my_lib_scale_add_backward>,
    binary_backward<my_lib_scale_add_backward_f64>,
    mul_constant<my_lib_mul_constant_forward, Call::needed>,
    mul_constant<my_lib_mul_constant_forward_f64, Call::needed>,
    mul_constant<my_lib_mul_constant_backward, Call::optional>,
    mul_constant<my_lib_mul_constant_backward_f64, Call::optional>,
    cube<my_lib_cube_forward>,
    cube_backward<my_lib_cube_backward>,
    cube_backward<my_lib_cube_backward_f64>,
    linear<my_lib_linear_forward_f64, my_lib_linear_forward_workspace_size_f64>,
    linear<my_lib_linear_forward_f16, my_lib_linear_forward_workspace_size_f16>,
    linear_backward<my_lib_linear_backward_f64, my_lib_linear_backward_workspace_size_f64>,
    linear_backward<my_lib_linear_backward_bf16, my_lib_linear_backward_workspace_size_bf16>,
    linear_backward<my_lib_linear_backward_f16, my_lib_linear_backward_workspace_size_f16>,
    batch_norm2d<my_lib_batch_norm2d_forward_f64>,
    batch_norm2d_backward<my_lib_batch_norm2d_backward>,
    batch_norm2d_backward<my_lib_batch_norm2d_backward_f64>,
    step<lltm_forward, lltm_forward_workspace_size>,
    step<lltm_forward_bf16, lltm_forward_workspace_size_bf16>,
    step<lltm_forward_f16, lltm_forward_workspace_size_f16>,
    step_backward<lltm_backward, lltm_backward_workspace_size>,
    step_backward<lltm_backward_f64, lltm_backward_workspace_size_f64>,
    step_backward<lltm_backward_bf16, lltm_backward_workspace_size_bf16>,
    step_backward<lltm_backward_f16, lltm_backward_workspace_size_f16>,
    sequence<lltm_sequence_forward_f64, lltm_sequence_forward_workspace_size_f64>,
    sequence<lltm_sequence_forward_bf16, lltm_sequence_forward_workspace_size_bf16>,
    sequence<lltm_sequence_forward_f16, lltm_sequence_forward_workspace_size_f16>,
    sequence_backward<lltm_sequence_backward, lltm_sequence_backward_workspace_size>,
    sequence_backward<lltm_sequence_backward_f64, lltm_sequence_backward_workspace_size_f64>,
    sequence_backward<lltm_sequence_backward_bf16, lltm_sequence_backward_workspace_size_bf16>,
    sequence_backward<lltm_sequence_backward_f16, lltm_sequence_backward_workspace_size_f16>,
};
static_assert(sizeof operators / sizeof *operators <= 64, "my_lib_every_size.cpp tries the first 64");

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const bool prepared = (little_memory(), true);
    (void)prepared;
    Input input(bytes, size);
    do input.one_of(operators)(input);
    while (input.more());
    return 0;
}

// tests/fuzz/my_lib_sizes.cpp: operators of libmy_lib with any sizes, shapes and pointers, on bytes.
//
// Expected of each call: it succeeds exactly where the manual, my_lib.h, says so, and stays within arrays that have the
// sizes of its parameters and no byte more. Arrays that would be large are not made: such calls must fail for another
// reason, before they touch one.
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
        static const int64_t extremes[] = {-1, INT64_MIN, INT64_MAX, INT64_MAX / 2, INT64_MAX / 3 + 1, int64_t(1) << 31,
                                           int64_t(1) << 32, int64_t(3) << 61, 1000, 4097};
        const size_t choice = input_.up_to(39);
        const int64_t size = choice < 10 ? extremes[choice] : int64_t(choice - 10) / 3;
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

void add(Input &input) {
    Call call(input);
    int64_t ndim1;
    const int64_t *const shape1 = call.shape(&ndim1);
    int64_t ndim2 = ndim1;
    const int64_t *const shape2 = input.up_to(3) ? shape1 : call.shape(&ndim2);
    call.same(shape1, ndim1, shape2, ndim2);
    float *const input1 = call.array<float>(shape1, ndim1), *const input2 = call.array<float>(shape2, ndim2);
    float *const output = call.array<float>(shape1, ndim1);
    call.run([&] { return my_lib_add_forward(input1, shape1, ndim1, input2, shape2, ndim2, output); });
}

void cube(Input &input) {
    Call call(input);
    int64_t ndim;
    const int64_t *shape = call.shape(&ndim);
    double *const x = call.array<double>(shape, ndim), *const output = call.array<double>(shape, ndim);
    double *const derivative = call.array<double>(shape, ndim, Call::optional);
    call.run([&] { return my_lib_cube_forward_f64(x, shape, ndim, output, derivative); });
}

template <typename T, typename Forward, typename Bytes> void linear(Input &input, Forward forward, Bytes bytes) {
    Call call(input);
    const int64_t batch = call.size(), in = call.size(), out = call.size();
    T *const x = call.array<T>({batch, in}), *const weight = call.array<T>({out, in});
    T *const bias = call.array<T>({out}, Call::optional), *const output = call.array<T>({batch, out});
    size_t size = 0;
    void *const workspace = call.workspace(bytes(batch, in, out), &size);
    call.run([&] { return forward(x, weight, bias, batch, in, out, output, workspace, size); });
}
void linear_f32(Input &input) {
    linear<float>(input, my_lib_linear_forward, my_lib_linear_forward_workspace_size);
}
void linear_bf16(Input &input) {
    linear<thaw_bfloat16>(input, my_lib_linear_forward_bf16, my_lib_linear_forward_workspace_size_bf16);
}

void linear_backward(Input &input) {
    Call call(input);
    const int64_t batch = call.size(), in = call.size(), out = call.size();
    float *const grad_output = call.array<float>({batch, out});
    float *const grad_input = call.array<float>({batch, in}, Call::optional);
    float *const grad_weight = call.array<float>({out, in}, Call::optional);
    float *const grad_bias = call.array<float>({out}, Call::optional);
    float *const x = call.array<float>({batch, in}, grad_weight ? Call::needed : Call::optional);
    float *const weight = call.array<float>({out, in}, grad_input ? Call::needed : Call::optional);
    size_t size = 0;
    void *const workspace = call.workspace(my_lib_linear_backward_workspace_size(batch, in, out), &size);
    call.run([&] {
        return my_lib_linear_backward(grad_output, x, weight, batch, in, out, grad_input, grad_weight, grad_bias,
                                      workspace, size);
    });
}

void batch_norm2d(Input &input) {
    Call call(input);
    const int64_t batch = call.size(), channels = call.size(), height = call.size(), width = call.size();
    float *const x = call.array<float>({batch, channels, height, width});
    float *const output = call.array<float>({batch, channels, height, width});
    float *const mean = call.array<float>({channels}), *const std = call.array<float>({channels});
    const double eps = input.up_to(15) == 1 ? -1 : 1e-5;
    call.least(eps >= 0, 1);
    if (batch == 1 && channels >= 0 && height == 1 && width == 1) call.least(0, 1);  // one value has no variance
    call.run([&] { return my_lib_batch_norm2d_forward(x, batch, channels, height, width, eps, output, mean, std); });
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

void lltm(Input &input) {
    Call call(input);
    const int64_t batch = call.size(), input_size = call.size(), state_size = call.size();
    const LltmSizes lltm(call, input_size, state_size);
    double *const x = call.array<double>({batch, input_size});
    double *const weights = call.array<double>({lltm.gates, lltm.columns}), *const bias = call.array<double>({lltm.gates});
    double *const old_h = call.array<double>({batch, state_size}), *const old_cell = call.array<double>({batch, state_size});
    double *const new_h = call.array<double>({batch, state_size}), *const new_cell = call.array<double>({batch, state_size});
    double *const gates = call.array<double>({batch, lltm.gates}, Call::optional);
    size_t size = 0;
    void *const workspace = call.workspace(lltm_forward_workspace_size_f64(batch, input_size, state_size), &size);
    call.run([&] {
        return lltm_forward_f64(x, weights, bias, old_h, old_cell, batch, input_size, state_size, new_h, new_cell,
                                gates, workspace, size);
    });
}

void lltm_sequence(Input &input) {
    Call call(input);
    const int64_t steps = call.size(), batch = call.size(), input_size = call.size(), state_size = call.size();
    const LltmSizes lltm(call, input_size, state_size);
    float *const x = call.array<float>({steps, batch, input_size});
    float *const weights = call.array<float>({lltm.gates, lltm.columns}), *const bias = call.array<float>({lltm.gates});
    float *const old_h = call.array<float>({batch, state_size}), *const old_cell = call.array<float>({batch, state_size});
    float *const h = call.array<float>({steps, batch, state_size});
    float *const cell = call.array<float>({steps, batch, state_size});
    float *const gates = call.array<float>({steps, batch, lltm.gates}, Call::optional);
    size_t size = 0;
    void *const workspace =
        call.workspace(lltm_sequence_forward_workspace_size(steps, batch, input_size, state_size), &size);
    call.run([&] {
        return lltm_sequence_forward(x, weights, bias, old_h, old_cell, steps, batch, input_size, state_size, h, cell,
                                     gates, workspace, size);
    });
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const bool prepared = (little_memory(), true);
    (void)prepared;
    static void (*const operators[])(Input &) = {add, cube, linear_f32, linear_bf16, linear_backward, batch_norm2d, lltm,
                                                 lltm_sequence};
    Input input(bytes, size);
    do input.one_of(operators)(input);
    while (input.more());
    return 0;
}

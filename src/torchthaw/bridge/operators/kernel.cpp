/* operators/kernel.cpp: one call from PyTorch's dispatcher to C: the stack into the frame, the call, outputs back. */
#include "kernel.h"

#include "arguments.h"
#include "bridge/call/callbacks.h"
#include "bridge/call/check.h"
#include "bridge/values/convert.h"
#include "bridge/values/dlpack.h"
#include "errors.h"
#include "gradients.h"
#include "workspace.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>

namespace bridge {

namespace {

/* Stores an integer as the C type of the parameter. */
void put_integer(const thaw_parameter &parameter, void *place, int64_t value) {
    static const char *const types[] = {"int8_t",  "int16_t",  "int32_t",  "int64_t",
                                        "uint8_t", "uint16_t", "uint32_t", "uint64_t"};
    if (store_integer(parameter.kind, place, value)) return;
    throw KernelError(Failure::OVERFLOW_ERROR, std::string(parameter.name) + ": expected an integer that fits " +
                                               types[parameter.kind - THAW_INT8] + ", got " + std::to_string(value));
}

/* One call, in the steps of kernel(). Owns what PyTorch's stack held until it is given back, and gives it back whatever
 * happens. */
class KernelCall {
public:
    KernelCall(const Plan &plan, void *frame, uint64_t *stack)
        : plan_(plan), variant_(&plan.variants[0]), frame_(static_cast<char *>(frame)), stack_(stack),
          values_(plan, stack) {}

    const thaw_callable &function() const { return *variant_->function; }

    /* The arrays that are compared with each other, as they are read. */
    Array arrays[MAX_CHECKED];
    int array_count = 0;

    /* Reads what the tensors are, refuses what autograd would lose, and chooses the C function by their dtype. */
    void choose_variant() {
        const bool records = shim.aoti_torch_grad_mode_is_enabled();
        for (int i = 0; i < count(); ++i) {
            Value &value = values_[i];
            if (value.tensor == nullptr) continue;
            refuse_gradient(value.tensor, records, plan_, name(i));
            value.layout = layout_of(value.tensor, name(i));
        }
        for (const int i : plan_.choosing) {
            if (values_[i].tensor == nullptr) continue;
            const int32_t dtype = values_[i].layout.dtype;
            std::string names;
            for (const Variant &variant : plan_.variants) {
                if (variant.dtypes[i] == dtype) return void(variant_ = &variant);
                names += (names.empty() ? "" : " or ") + std::string(dtype_name(variant.dtypes[i]));
            }
            refuse_dtype(i, names, plan_.variants.front().dtypes[i], dtype);
        }
    }

    void read_tensor(int index) {
        Value &value = values_[index];
        if (value.tensor == nullptr) return read_nothing(index);
        const Layout &layout = value.layout;
        const int32_t dtype = variant_->dtypes[index];
        if (dtype != Variant::ANY && dtype != layout.dtype) {
            refuse_dtype(index, dtype_name(dtype), dtype, layout.dtype);
        }
        if (plan_.on_cuda || layout.device_type != shim.cpu) check_device(index, layout);
        const bool written = has_flag(index, THAW_WRITTEN);
        check_storage(index);
        const bool is_kept = !*function().has_callback; /* a callback may resize the tensor */
        if (!is_kept) keep_sizes(index);
        if (!is_kept || !layout.contiguous || !is_aligned(index) || (written && plan_.functional)) {
            make_dense(index, written);
        }
        const void *data = value.repeated.get();
        if (data == nullptr) {
            TensorObject *used = value.dense == nullptr ? value.tensor : value.dense;
            void *writable;
            const bool failed = written ? shim.torch_get_mutable_data_ptr(used, &writable) != 0
                                        : shim.torch_get_const_data_ptr(used, &data) != 0;
            if (failed) throw_shim_error(name(index), "PyTorch gives no memory");
            if (written) data = writable;
        }
        if (data == nullptr && layout.count != 0) refuse(index, "a tensor with memory", "one without");
        store(index, data);
        if (!has_flag(index, THAW_CHECKED)) return;
        const auto *begin = layout.count == 0 ? nullptr : static_cast<const char *>(data);
        const size_t bytes = static_cast<size_t>(layout.count) * shim.aoti_torch_dtype_element_size(layout.dtype);
        next_array() = {index, static_cast<int>(layout.dimensions), layout.size, layout.count, begin, begin + bytes};
    }

    void read_list(int index) {
        Value &value = values_[index];
        size_t size;
        if (shim.torch_list_size(value.list, &size) != 0) throw_shim_error(name(index), "its length cannot be read");
        value.sizes.reset(new int64_t[size]);
        value.count = static_cast<int64_t>(size);
        for (size_t i = 0; i < size; ++i) {
            uint64_t item;
            if (shim.torch_list_get_item(value.list, i, &item) != 0) throw_shim_error(name(index), "cannot be read");
            value.sizes[i] = from_stack<int64_t>(item);
        }
        store(index, value.sizes.get());
        if (has_flag(index, THAW_CHECKED)) next_array() = {index, 1, &value.count, value.count, nullptr, nullptr};
    }

    void read_number(int index) {
        const uint64_t number = values_[index].number;
        const thaw_parameter &parameter = this->parameter(index);
        if (parameter.kind == THAW_DOUBLE) {
            std::memcpy(place(index), &number, sizeof number);
        } else if (parameter.kind == THAW_FLOAT) {
            const auto value = static_cast<float>(from_stack<double>(number));
            std::memcpy(place(index), &value, sizeof value);
        } else if (parameter.kind == THAW_BOOL) {
            const bool value = from_stack<bool>(number);
            std::memcpy(place(index), &value, sizeof value);
        } else {
            put_integer(parameter, place(index), from_stack<int64_t>(number));
        }
    }

    void read_source(int index) {
        const thaw_parameter &parameter = this->parameter(index);
        assert(parameter.source > 0 && values_[parameter.source - 1].tensor != nullptr);
        const Layout &source = values_[parameter.source - 1].layout;
        const int dimension = parameter.source_dim;
        if (dimension == THAW_SHAPE_OF_SOURCE) {
            if (has_flag(index, THAW_CHECKED)) {
                next_array() = {index, Array::COUNTED, nullptr, source.dimensions, nullptr, nullptr};
            }
            return store(index, source.size);
        }
        if (dimension >= source.dimensions) {
            refuse(parameter.source - 1,
                   "at least " + std::to_string(dimension + 1) + " dimensions, for " + parameter.name,
                   std::to_string(source.dimensions));
        }
        const bool is_count = dimension == THAW_NDIM_OF_SOURCE;
        put_integer(parameter, place(index), is_count ? source.dimensions : source.size[dimension]);
    }

    void allocate_output(int index) {
        Value &value = values_[index];
        int64_t room[THAW_MAX_DIMENSIONS], other[THAW_MAX_DIMENSIONS], dimensions, other_dimensions;
        const int64_t *size = function().shape(frame_, index, 0, room, &dimensions);
        bool fits = size != nullptr;
        for (int which = 1; fits; ++which) {
            const int64_t *more = function().shape(frame_, index, which, other, &other_dimensions);
            if (more == nullptr && other_dimensions == 0) break;
            fits = more != nullptr && other_dimensions == dimensions &&
                   std::memcmp(more, size, sizeof *size * static_cast<size_t>(dimensions)) == 0;
        }
        if (!fits) refuse_output(index, size, dimensions);
        const Layout &first = device_layout();
        value.tensor = allocate(size, dimensions, variant_->dtypes[index], first.device_type, first.device_index,
                                name(index));
        void *data;
        if (shim.torch_get_mutable_data_ptr(value.tensor, &data) != 0) throw_shim_error(name(index), "has no memory");
        store(index, data);
    }

    void begin_writing_to(int index) {
        if (plan_.functional) return;
        TensorObject *tensor = values_[index].tensor;
        if (tensor != nullptr && has_flag(index, THAW_WRITTEN)) begin_writing(tensor, name(index));
    }

    void provide_stream(int index) { store(index, device_ ? device_->stream() : nullptr); }

    /* And its size, another parameter. */
    void provide_workspace(int index) {
        const size_t size = function().workspace(frame_);
        if (size == std::numeric_limits<size_t>::max()) refuse_sizes();
        void *memory;
        if (plan_.on_cuda) {
            const auto count = static_cast<int64_t>(size);
            const Layout &first = device_layout();
            values_[index].tensor = allocate(&count, 1, dtype_number(DLPACK_UINT, 8), first.device_type,
                                             first.device_index, name(index));
            if (shim.torch_get_mutable_data_ptr(values_[index].tensor, &memory) != 0) {
                throw_shim_error(name(index), "has no memory");
            }
        } else {
            memory = workspace_.take(size);
        }
        store(index, memory);
        const int of_size = function().workspace_size_parameter - 1;
        put_integer(parameter(of_size), place(of_size), static_cast<int64_t>(size));
    }

    void run() {
        follow_thread_count();
        if (__builtin_expect(*function().has_callback, 0)) run_with_callbacks();
        else function().run(frame_);
        check_result();
    }

    void give_back() { plan_.functional ? give_outputs() : copy_back(); }

private:
    const thaw_parameter &parameter(int index) const {
        assert(index >= 0 && index < function().parameter_count);
        return function().parameters[index];
    }
    const char *name(int index) const { return parameter(index).name; }
    bool has_flag(int index, int flag) const { return (parameter(index).flags & flag) != 0; }
    char *place(int index) const { return frame_ + parameter(index).offset; }
    void store(int index, const void *pointer) { std::memcpy(place(index), &pointer, sizeof pointer); }
    int count() const { return static_cast<int>(plan_.from.size()); }
    Array &next_array() {
        assert(array_count < MAX_CHECKED);
        return arrays[array_count++];
    }

    [[noreturn]] void refuse(int index, const std::string &expected, const std::string &got) const {
        throw KernelError(Failure::VALUE_ERROR, std::string(name(index)) + ": expected " + expected + ", got " + got);
    }

    /* For a tensor: `names` of dtypes that are expected, and the one to convert it to. */
    [[noreturn]] void refuse_dtype(int index, const std::string &names, int32_t dtype, int32_t got) const {
        refuse(index, "dtype " + names, std::string(dtype_name(got)) + "; pass tensor.to(" + dtype_name(dtype) + ")");
    }

    /* The operator has no result of its own: in a graph an `int` counts as 1. */
    void check_result() const {
        if (function().result == THAW_VOID) return;
        assert(function().result == THAW_INT32);
        int result;
        std::memcpy(&result, frame_ + function().result_offset, sizeof result);
        const bool is_status = function().status != 0;
        if (is_status && result == 0) throw KernelError(failure_of(&function()));
        if (is_status || result == 1) return;
        throw KernelError(Failure::RUNTIME_ERROR,
                          std::string(function().name) + ": expected 1, which a graph takes for its result, got " +
                              std::to_string(result) + "; call it outside of graphs");
    }

    /* PyTorch passes its number of threads to a new thread's OpenMP only when it is asked for it. */
    static void follow_thread_count() {
        static thread_local bool followed;
        uint32_t threads;
        if (!followed) followed = shim.torch_get_num_threads(&threads) == 0;
    }

    /* Throws what a callback raises. */
    void run_with_callbacks() {
        const Gil gil;
        CallbackScope scope;
        if (!scope.has_entered()) throw RaisedError();
        {
            const WithoutGil released;
            function().run(frame_);
        }
        if (scope.raise()) throw RaisedError();
    }

    /* Refuses a tensor whose storage was made smaller. */
    void check_storage(int index) {
        const Value &value = values_[index];
        const Layout &layout = value.layout;
        if (layout.count == 0) return;
        int64_t bytes, offset, extent = layout.count, needed;
        const bool failed = shim.aoti_torch_get_storage_size(value.tensor, &bytes) != 0 ||
                            shim.aoti_torch_get_storage_offset(value.tensor, &offset) != 0;
        if (failed) throw_shim_error(name(index), "its storage cannot be read");
        if (!layout.contiguous) {
            const int64_t *stride = strides(index);
            extent = 1;
            for (int64_t i = 0; i < layout.dimensions; ++i) extent += (layout.size[i] - 1) * stride[i];
        }
        const auto element = static_cast<int64_t>(shim.aoti_torch_dtype_element_size(layout.dtype));
        if (!__builtin_mul_overflow(extent + offset, element, &needed) && needed <= bytes) return;
        refuse(index, "a tensor whose elements all lie in its storage",
               "one that needs " + std::to_string(extent + offset) + " elements of a storage of " +
                   std::to_string(bytes) + " bytes");
    }

    /* C gets the sizes that the tensor has now, whatever becomes of it. */
    void keep_sizes(int index) {
        Value &value = values_[index];
        const int64_t *size = value.layout.size;
        value.sizes.reset(new int64_t[static_cast<size_t>(value.layout.dimensions)]);
        std::copy(size, size + value.layout.dimensions, value.sizes.get());
        value.layout.size = value.sizes.get();
    }

    /* Whether the memory begins where C's type may. */
    bool is_aligned(int index) {
        const void *data;
        if (plan_.on_cuda || shim.torch_get_const_data_ptr(values_[index].tensor, &data) != 0) return true;
        const size_t below = shim.aoti_torch_dtype_element_size(values_[index].layout.dtype) - 1;
        return (reinterpret_cast<uintptr_t>(data) & below) == 0;
    }

    void read_nothing(int index) {
        store(index, nullptr);
        if (!has_flag(index, THAW_CHECKED)) return;
        next_array() = {index, Array::NOTHING, nullptr, 0, nullptr, nullptr};
    }

    void check_device(int index, const Layout &layout) {
        if (plan_.on_cuda && layout.device_type == shim.cuda) {
            if (!device_) device_.emplace(device_index_ = layout.device_index);
            if (layout.device_index == device_index_) return;
        }
        const std::string here = plan_.on_cuda ? "cuda:" + std::to_string(device_index_) : "the CPU";
        const std::string there = layout.device_type == shim.cpu    ? "the CPU"
                                  : layout.device_type == shim.cuda ? "cuda:" + std::to_string(layout.device_index)
                                                               : "another device";
        refuse(index, "a tensor on " + here, "one on " + there);
    }

    /* Whether a tensor on the CPU is one element expanded, as the gradient of a sum is. C then gets a row-major copy,
     * which takes a tenth of the time of a tensor from PyTorch and its copy. */
    bool repeat(int index) {
        Value &value = values_[index];
        const int64_t elements = value.layout.count;
        if (plan_.on_cuda || elements == 0 || !has_one_element(index)) return false;
        const void *data;
        if (shim.torch_get_const_data_ptr(value.tensor, &data) != 0 || data == nullptr) return false;
        const size_t bytes = shim.aoti_torch_dtype_element_size(value.layout.dtype);
        size_t all;
        if (__builtin_mul_overflow(bytes, static_cast<size_t>(elements), &all)) throw std::bad_alloc();
        value.repeated.reset(new char[all]);
        char *to = value.repeated.get();
        std::memcpy(to, data, bytes);
        for (size_t done = bytes; done < all; done *= 2) std::memcpy(to + done, to, std::min(done, all - done));
        return true;
    }

    /* Whether all elements are in one place. */
    bool has_one_element(int index) {
        const Layout &layout = values_[index].layout;
        const int64_t *stride = strides(index);
        for (int64_t i = 0; i < layout.dimensions; ++i) {
            if (layout.size[i] > 1 && stride[i] != 0) return false;
        }
        return true;
    }

    const int64_t *strides(int index) {
        int64_t *stride;
        if (shim.aoti_torch_get_strides(values_[index].tensor, &stride) != 0) throw_shim_error(name(index), "strides");
        return stride;
    }

    void make_dense(int index, bool written) {
        Value &value = values_[index];
        const Layout &layout = value.layout;
        if (!written && repeat(index)) return;
        if (written && !plan_.functional) check_strides(index);
        value.dense = allocate(layout.size, layout.dimensions, layout.dtype, layout.device_type, layout.device_index,
                               name(index));
        const bool is_read = !written || !has_flag(index, THAW_CHECKED) || has_flag(index, THAW_READ_TOO);
        if (is_read) copy(value.dense, value.tensor, name(index));
    }

    /* An output must not hold several elements in one place. */
    void check_strides(int index) {
        const Layout &layout = values_[index].layout;
        const int64_t *stride = strides(index);
        for (int64_t i = 0; i < layout.dimensions; ++i) {
            if (layout.size[i] > 1 && stride[i] == 0) refuse(index, "memory for each element", "stride 0");
        }
    }

    /* Throws why there is no shape for an output: what check_arrays() says of one whose shape is `size`. */
    [[noreturn]] void refuse_output(int index, const int64_t *size, int64_t dimensions) {
        const int known = size == nullptr ? static_cast<int>(Array::COUNTED) : static_cast<int>(dimensions);
        const Array array = {index, known, size, -1, nullptr, nullptr};
        Failure failure;
        check_arrays(&function(), frame_, &array, 1, &failure);
        throw KernelError(failure);
    }

    /* Of the tensor that was given first: outputs are where it is. */
    const Layout &device_layout() {
        for (int i = 0; i < count(); ++i) {
            if (plan_.from[i] <= From::OPTIONAL && values_[i].tensor != nullptr) return values_[i].layout;
        }
        throw KernelError(Failure::VALUE_ERROR,
                          plan_.name + ": expected a tensor that says where outputs are to be, got none");
    }

    [[noreturn]] void refuse_sizes() const {
        if (function().module->error_message != nullptr) throw KernelError(failure_of(&function()));
        throw KernelError(Failure::VALUE_ERROR, std::string(function().name) + ": expected sizes whose arrays fit in "
                                                "memory, got a workspace of SIZE_MAX bytes");
    }

    void give_outputs() {
        uint64_t *next = stack_;
        for (int i = 0; i < count(); ++i) {
            if (plan_.from[i] > From::NOWHERE || !has_flag(i, THAW_WRITTEN)) continue;
            Value &value = values_[i];
            if (value.tensor == nullptr) value.tensor = nothing_like(i);
            assert(next < stack_ + plan_.outputs);
            Handle &given = value.dense == nullptr ? value.tensor : value.dense;
            *next++ = reinterpret_cast<uint64_t>(given.release());
        }
    }

    /* In place of what was not given. */
    Handle nothing_like(int index) {
        static const int64_t no_elements = 0;
        const Layout &first = device_layout();
        const int32_t dtype = variant_->dtypes[index];
        return allocate(&no_elements, 1, dtype == Variant::ANY ? first.dtype : dtype, first.device_type,
                        first.device_index, name(index));
    }

    void copy_back() {
        for (int i = 0; i < count(); ++i) {
            if (!has_flag(i, THAW_WRITTEN) || values_[i].dense == nullptr) continue;
            copy(values_[i].tensor, values_[i].dense, name(i));
        }
    }

    const Plan &plan_;
    const Variant *variant_;
    char *const frame_;
    uint64_t *const stack_;
    int32_t device_index_ = 0;
    std::optional<OnCudaDevice> device_; /* before the tensors: it stays until they are freed */
    Workspace workspace_;
    Arguments values_;
};

/* PyTorch knows an operator that was defined anew. */
__attribute__((cold)) void refuse_schema(const Plan &plan, uint64_t inputs, uint64_t outputs) {
    throw std::runtime_error(plan.name + ": expected a schema with " + std::to_string(plan.inputs) +
                             " arguments and " + std::to_string(plan.outputs) + " results, got " +
                             std::to_string(inputs) + " and " + std::to_string(outputs));
}

}  // namespace

void kernel(const thaw_callable *function, void *frame, int functional, uint64_t *stack, uint64_t inputs,
            uint64_t outputs) try {
    const Plan &plan = functional != 0 ? *function->plan : *function->plan_out;
    const int count = static_cast<int>(plan.from.size());
    if (inputs != plan.inputs || outputs != plan.outputs) refuse_schema(plan, inputs, outputs);
    KernelCall call(plan, frame, stack);
    call.choose_variant();
    for (int i = 0; i < count; ++i) {
        switch (plan.from[i]) {
        case From::TENSOR:
        case From::OPTIONAL: call.read_tensor(i); break;
        case From::LIST: call.read_list(i); break;
        case From::NUMBER: call.read_number(i); break;
        case From::SOURCE: call.read_source(i); break;
        default: break; /* those come after the check */
        }
    }
    Failure failure;
    if (!check_arrays(&call.function(), frame, call.arrays, call.array_count, &failure)) throw KernelError(failure);
    for (int i = 0; i < count; ++i) {
        switch (plan.from[i]) {
        case From::TENSOR:
        case From::OPTIONAL: call.begin_writing_to(i); break;
        case From::NOWHERE: call.allocate_output(i); break;
        case From::WORKSPACE: call.provide_workspace(i); break;
        case From::STREAM: call.provide_stream(i); break;
        default: break;
        }
    }
    call.run();
    call.give_back();
} catch (const pybind11::builtin_exception &) {
    throw;
} catch (const std::bad_alloc &error) {
    throw KernelError(Failure::MEMORY_ERROR, error.what());
} catch (const std::exception &error) { /* of the C function: the class is its own */
    throw std::runtime_error(error.what());
} catch (abi::__forced_unwind &) {
    end_thread();
} catch (...) {
    throw std::runtime_error("a C++ exception that is no std::exception");
}

}  // namespace bridge

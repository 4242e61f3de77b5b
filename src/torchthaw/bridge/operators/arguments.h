/* operators/arguments.h: what PyTorch's stack holds for one call, as somebody's who gives it back. */
#pragma once

#include "handles.h"
#include "plan.h"

#include <cassert>
#include <cstring>
#include <memory>

namespace bridge {

/* A value of PyTorch's stack: whatever fits 64 bits, in its first bytes. */
template <typename T> T from_stack(uint64_t value) {
    T result;
    std::memcpy(&result, &value, sizeof result); /* little-endian, as all platforms here are */
    return result;
}

/* What one parameter got. */
struct Value {
    Handle tensor; /* PyTorch's, or an allocated output */
    Handle dense;  /* row-major, in place of a tensor that is not, or that must stay as it is; C gets this one */
    std::unique_ptr<char[]> repeated; /* the same for a tensor whose only element stands for all */
    Layout layout;                    /* of the tensor, if there is one */
    uint64_t number = 0;
    ListObject *list = nullptr;
    std::unique_ptr<int64_t[]> sizes; /* the list's */
    int64_t count = 0;

    ~Value() {
        if (list != nullptr) shim.torch_delete_list(list);
    }
};

/* One value for each parameter: near, for as many parameters as functions usually have. */
class Arguments {
public:
    /* Takes the inputs from PyTorch's stack. */
    Arguments(const Plan &plan, const uint64_t *stack) : count_(static_cast<unsigned>(plan.from.size())) {
        if (count_ > NEAR) far_.reset(new Value[count_]);
        else for (unsigned i = 0; i < count_; ++i) new (near() + i) Value;
        for (unsigned i = 0; i < count_; ++i) {
            Value &value = (*this)[i];
            switch (plan.from[i]) {
            case From::TENSOR: value.tensor = Handle(from_stack<TensorObject *>(*stack++)); break;
            case From::OPTIONAL: take_optional(*stack++, &value); break;
            case From::LIST: value.list = from_stack<ListObject *>(*stack++); break;
            case From::NUMBER: value.number = *stack++; break;
            default: break; /* nothing of it is on the stack */
            }
        }
    }

    ~Arguments() {
        if (far_ != nullptr) return;
        for (unsigned i = 0; i < count_; ++i) near()[i].~Value();
    }

    Arguments(const Arguments &) = delete;

    Value &operator[](size_t index) {
        assert(index < count_);
        return far_ == nullptr ? near()[index] : far_[index];
    }

private:
    static constexpr unsigned NEAR = 24;

    Value *near() { return reinterpret_cast<Value *>(near_); }

    static void take_optional(uint64_t given, Value *value) {
        if (given == 0) return;
        auto *cell = from_stack<uint64_t *>(given);
        value->tensor = Handle(from_stack<TensorObject *>(*cell));
        if (shim.torch_delete_stable_ivalue != nullptr) shim.torch_delete_stable_ivalue(cell);
        else delete cell;
    }

    const unsigned count_;
    std::unique_ptr<Value[]> far_;
    alignas(Value) char near_[NEAR * sizeof(Value)];
};

}  // namespace bridge

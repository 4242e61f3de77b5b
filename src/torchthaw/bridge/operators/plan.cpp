/* operators/plan.cpp: reads the plan of a kernel off the records of its functions. */
#include "plan.h"

#include "shim.h"

#include <cassert>

namespace bridge {

namespace {

bool is_number(const thaw_parameter &parameter) {
    return parameter.kind >= THAW_BOOL && parameter.kind <= THAW_DOUBLE;
}

bool is_pure_output(const thaw_parameter &parameter) {
    return (parameter.flags & (THAW_WRITTEN | THAW_CHECKED)) == (THAW_WRITTEN | THAW_CHECKED) &&
           (parameter.flags & THAW_READ_TOO) == 0;
}

From origin(const thaw_callable &function, int index, bool functional) {
    const thaw_parameter &parameter = function.parameters[index];
    if (index + 1 == function.workspace_parameter) return From::WORKSPACE;
    if (index + 1 == function.workspace_size_parameter) return From::WORKSPACE_SIZE;
    if (function.takes_stream && index + 1 == function.parameter_count) return From::STREAM;
    if (parameter.source != 0) return From::SOURCE;
    if (is_number(parameter)) return From::NUMBER;
    if ((parameter.flags & THAW_SIZES) != 0) return From::LIST;
    if (functional && is_pure_output(parameter)) return From::NOWHERE;
    return (parameter.flags & THAW_MAY_BE_NULL) != 0 ? From::OPTIONAL : From::TENSOR;
}

/* Whether a kernel can give the function all of its arguments. */
bool is_callable(const thaw_callable &function, bool functional, bool on_cuda) {
    if (function.run == nullptr || function.variadic || function.takes_stream != on_cuda) return false;
    for (int i = 0; i < function.parameter_count; ++i) {
        const thaw_parameter &parameter = function.parameters[i];
        if (is_number(parameter)) continue;
        const bool any = parameter.dtype_code < 0;
        if (parameter.kind != THAW_ARRAY) return false;
        if (!any && dtype_number(parameter.dtype_code, parameter.dtype_bits) < 0) return false;
        if (any && origin(function, i, functional) == From::NOWHERE) return false;
    }
    return true;
}

/* What a value on PyTorch's stack is called in schemas. */
const char *type_of(From from, const thaw_parameter &parameter) {
    if (from == From::TENSOR) return "Tensor";
    if (from == From::OPTIONAL) return "Optional[Tensor]";
    if (from == From::LIST) return "List[int]";
    if (parameter.kind == THAW_BOOL) return "bool";
    return parameter.kind == THAW_FLOAT || parameter.kind == THAW_DOUBLE ? "float" : "int";
}

std::string joined(const std::vector<std::string> &types) {
    std::string text;
    for (const std::string &type : types) text += (text.empty() ? "" : ", ") + type;
    return "(" + text + ")";
}

Variant make_variant(const thaw_callable &function) {
    Variant variant{&function, {}};
    for (int i = 0; i < function.parameter_count; ++i) {
        const thaw_parameter &parameter = function.parameters[i];
        const bool any = parameter.kind != THAW_ARRAY || parameter.dtype_code < 0;
        variant.dtypes.push_back(any ? Variant::ANY : dtype_number(parameter.dtype_code, parameter.dtype_bits));
    }
    return variant;
}

}  // namespace

std::unique_ptr<Plan> make_plan(const std::vector<thaw_callable> &functions, size_t index, bool functional,
                                bool on_cuda) {
    assert(index < functions.size());
    const thaw_callable &base = functions[index];
    if (!is_callable(base, functional, on_cuda)) return nullptr;
    std::unique_ptr<Plan> plan(new Plan{});
    plan->functional = functional;
    plan->on_cuda = on_cuda;
    std::vector<std::string> inputs;
    for (int i = 0; i < base.parameter_count; ++i) {
        const From from = origin(base, i, functional);
        const bool written = (base.parameters[i].flags & (THAW_WRITTEN | THAW_SCRATCH)) == THAW_WRITTEN;
        plan->from.push_back(from);
        if (is_on_stack(from)) inputs.push_back(type_of(from, base.parameters[i]));
        plan->outputs += functional && written && from != From::STREAM;
    }
    plan->inputs = inputs.size();
    plan->types = joined(inputs) + " -> " + joined(std::vector<std::string>(plan->outputs, "Tensor"));
    plan->variants.push_back(make_variant(base));
    for (const thaw_callable &function : functions) {
        const bool is_variant = function.operator_base == static_cast<int>(index) + 1;
        if (is_variant && function.parameter_count == base.parameter_count &&
            is_callable(function, functional, on_cuda)) {
            plan->variants.push_back(make_variant(function));
        }
    }
    for (int i = 0; i < base.parameter_count; ++i) {
        if (plan->from[i] != From::TENSOR && plan->from[i] != From::OPTIONAL) continue;
        bool differ = false;
        for (const Variant &variant : plan->variants) differ |= variant.dtypes[i] != plan->variants[0].dtypes[i];
        if (differ) plan->choosing.push_back(i);
    }
    return plan;
}

}  // namespace bridge

/* operators/gradients.cpp: asks PyTorch in C what its stable interface does not tell. */
#include "gradients.h"

#include <atomic>
#include <cstring>
#include <stdexcept>

namespace bridge {

namespace {

/* Of the object that a tensor consists of: a TensorObject is a pointer to it. */
using Body = const void *;
bool (*body_requires_grad)(Body);
TensorObject *(*body_tangent)(Body, uint64_t level, TensorObject *tensor); /* borrowed; an undefined one for none */

/* The body of undefined tensors, of which there is one; NULL before it was met. */
std::atomic<Body> undefined;

Body body_of(TensorObject *tensor) {
    Body body;
    std::memcpy(&body, reinterpret_cast<const void *>(tensor), sizeof body);
    return body;
}

[[noreturn]] void refuse(const Plan &plan, const char *parameter, const char *what) {
    const std::string remedy = plan.remedy.empty() ? "" : ": " + plan.remedy;
    throw std::runtime_error(plan.name + ": " + parameter + " " + what + ", but the operator has no derivative" + remedy);
}

}  // namespace

bool find_gradients() {
    if (body_tangent != nullptr) return true;
    const Ref found = pytorch_py.call("gradient_functions", nullptr);
    unsigned long long requires_grad, tangent;
    if (found == nullptr || !PyArg_ParseTuple(found, "KK", &requires_grad, &tangent)) return false;
    if (requires_grad == 0 || tangent == 0) return false;
    body_requires_grad = reinterpret_cast<decltype(body_requires_grad)>(static_cast<uintptr_t>(requires_grad));
    body_tangent = reinterpret_cast<decltype(body_tangent)>(static_cast<uintptr_t>(tangent));
    return true;
}

void refuse_gradient(TensorObject *tensor, bool records, const Plan &plan, const char *parameter) {
    if (body_tangent == nullptr) return;
    const Body body = body_of(tensor);
    if (records && body_requires_grad(body)) refuse(plan, parameter, "requires grad");
    TensorObject *tangent = body_tangent(body, 0, tensor);
    const Body tangent_body = body_of(tangent);
    if (tangent_body == undefined.load(std::memory_order_relaxed)) return;
    bool has_tangent = false;
    shim.aoti_torch_is_defined(tangent, &has_tangent);
    if (has_tangent) refuse(plan, parameter, "has a tangent");
    undefined.store(tangent_body, std::memory_order_relaxed);
}

PyObject *kernels_refuse_gradients(PyObject *, PyObject *) {
    const bool found = find_gradients();
    return PyErr_Occurred() ? nullptr : PyBool_FromLong(found);
}

}  // namespace bridge

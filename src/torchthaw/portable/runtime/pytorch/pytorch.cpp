// portable/runtime/pytorch/pytorch.cpp: what this process has of the functions in portable/pytorch.h.
#include "start.h"

namespace torchthaw {

// The loader writes the addresses, and null for a function that PyTorch lacks.
#define TORCHTHAW_ADDRESS(name, symbol, result, parameters, since, without) &torchthaw_pytorch_##name,
PyTorch pytorch = {TORCHTHAW_PYTORCH(TORCHTHAW_ADDRESS)};
#undef TORCHTHAW_ADDRESS

void *undefined;

namespace {

/// Makes the rows null that TORCHTHAW_PORTABLE_WITHOUT names, so that a test can take what is done without them.
void leave_out() {
    const char *given = std::getenv("TORCHTHAW_PORTABLE_WITHOUT");
    if (given == nullptr) return;
    const std::string listed = std::string(",") + given + ",";
#define TORCHTHAW_LEAVE_OUT(name, symbol, result, parameters, since, without)                                          \
    if (listed.find("," #name ",") != listed.npos) pytorch.name = nullptr;
    TORCHTHAW_PYTORCH(TORCHTHAW_LEAVE_OUT)
#undef TORCHTHAW_LEAVE_OUT
}

// Before any static object of the extension, which may be an undefined tensor.
__attribute__((constructor(101))) void before_static_objects() {
    leave_out();
    at::Tensor *made = nullptr;
    if (pytorch.undefined_tensor && pytorch.delete_tensor && pytorch.undefined_tensor(&made) == 0) {
        undefined = made->unsafeGetTensorImpl();
        pytorch.delete_tensor(made);
    }
}

}  // namespace

const char *missing() {
#define TORCHTHAW_MISSING(name, symbol, result, parameters, since, without)                                            \
    if (pytorch.name == nullptr && std::strcmp(without, "import fails") == 0) return symbol;
    TORCHTHAW_PYTORCH(TORCHTHAW_MISSING)
#undef TORCHTHAW_MISSING
    return nullptr;
}

}  // namespace torchthaw

// tests/thc/fault_on_gpu.cpp: a kernel that breaks is reported by the next call that waits, and by every one after it.
#include "api.h"

int main() {
    // Never freed: after the fault nothing can be.
    auto &target = *new Pair<float>({2, 3}), &source = *new Pair<float>({2, 3});
    auto &index = *new Pair<int64_t>({2, 3});
    THCudaLongTensor_fill(state, index.cuda, 2);  // target has rows 0 and 1
    CHECK_FAILS("", THCudaTensor_scatterAdd(state, target.cuda, 0, index.cuda, source.cuda));
    for (int i = 0; i < 2; i++) {
        const std::string said = error_of([&] { THCudaTensor_sumall(state, source.cuda); });
        const std::string broken = "; a kernel failed, and CUDA works again only after the process was started anew";
        const bool names_it = said.rfind("cuda runtime error (7", 0) == 0;
        if (!names_it || said.size() < broken.size() || said.substr(said.size() - broken.size()) != broken)
            report_failure(__FILE__, __LINE__, "the fault is named", said.c_str());
    }
    return failures() != 0;
}

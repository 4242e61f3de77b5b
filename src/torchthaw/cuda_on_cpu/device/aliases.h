/* aliases.h: the CUDA tensors of one call as tensors of the CPU on the same memory, and the results as CUDA tensors. */
#pragma once

#include <ATen/core/Tensor.h>

#include <utility>
#include <vector>

namespace cuda_on_cpu {

class Aliases {
public:
    /* A tensor of the CPU with the memory, sizes and strides of a CUDA tensor; the same one when asked again. */
    at::Tensor on_cpu(const at::Tensor &tensor);
    c10::Storage on_cpu(const c10::Storage &storage);

    /* A tensor of the CPU that the call got as such: it stays on the CPU, and so do its views. */
    void keep(const at::Tensor &tensor) { kept_.push_back(tensor); }

    /* The CUDA tensor of which this is the alias; else a new one, which has the memory of the CUDA tensor that it is a
     * view of, or takes its memory over. */
    at::Tensor on_cuda(const at::Tensor &tensor);

    /* Gives the CUDA tensors the memory and the sizes that a kernel gave their aliases. */
    void carry_back();

private:
    struct Pair {
        at::Tensor cuda, cpu;
    };
    struct StoragePair {
        c10::Storage cuda, cpu;
        const void *data; /* of both, before the call */
    };
    c10::Storage storage_on_cuda(const c10::Storage &storage);

    std::vector<Pair> tensors_;
    std::vector<StoragePair> storages_;
    std::vector<at::Tensor> kept_;
};

}  // namespace cuda_on_cpu

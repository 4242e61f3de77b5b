#pragma once

#include <torch/extension.h>

#include <vector>

// The gates of one step, (batch, 3 * state_size), to input gate, output gate and candidate cell.
struct Gates {
  at::Tensor input, output, candidate;
};

#ifdef WITH_CUDA
std::vector<at::Tensor> lltm_cell_cuda(const at::Tensor& gates, const at::Tensor& old_cell);
std::vector<at::Tensor> lltm_cell_backward_cuda(
    const at::Tensor& grad_h, const at::Tensor& grad_cell, const at::Tensor& new_cell, const Gates& gate,
    const at::Tensor& gates);
#endif

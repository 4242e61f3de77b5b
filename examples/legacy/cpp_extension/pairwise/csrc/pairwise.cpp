// |x - y|^2 = |x|^2 + |y|^2 - 2 x.y for each pair of rows; the products are one matrix multiplication.
#include <torch/extension.h>

#include <TH/TH.h>

#include <vector>

#ifdef WITH_CUDA
at::Tensor pairwise_forward_cuda(const at::Tensor& x, const at::Tensor& y);
#endif

static at::Tensor zeros(at::IntList sizes, const at::Tensor& like) {
  return at::zeros(sizes, like.type());
}

template <typename scalar_t>
static void add_norms(at::Tensor& output, const at::Tensor& x, const at::Tensor& y) {
  const auto n = x.size(0), m = y.size(0), d = x.size(1);
  auto norms = static_cast<scalar_t*>(THAlloc((n + m) * sizeof(scalar_t)));
  for (int64_t i = 0; i < n + m; ++i) {
    const scalar_t* row = i < n ? x.data<scalar_t>() + i * d : y.data<scalar_t>() + (i - n) * d;
    norms[i] = 0;
    for (int64_t k = 0; k < d; ++k) norms[i] += row[k] * row[k];
  }
  auto o = output.data<scalar_t>();
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < m; ++j) {
      o[i * m + j] = THMax(norms[i] + norms[n + j] - 2 * o[i * m + j], scalar_t(0));
    }
  }
  THFree(norms);
}

at::Tensor pairwise_forward(at::Tensor x, at::Tensor y) {
  AT_CHECK(x.dim() == 2 && y.dim() == 2, "expected matrices");
  THArgCheck(x.size(1) == y.size(1), 2, "expected %d columns, got %d", int(x.size(1)), int(y.size(1)));
  if (x.type().is_cuda()) {
#ifdef WITH_CUDA
    return pairwise_forward_cuda(x, y);
#else
    AT_ERROR("pairwise was built without CUDA");
#endif
  }
  if (x.numel() == 0 || y.numel() == 0) return zeros({x.size(0), y.size(0)}, x);
  auto output = at::mm(x, y.t());
  AT_DISPATCH_FLOATING_TYPES(x.type(), "pairwise_forward", ([&] { add_norms<scalar_t>(output, x, y); }));
  return output;
}

std::vector<at::Tensor> pairwise_backward(at::Tensor grad_output, at::Tensor x, at::Tensor y) {
  auto grad_x = 2 * (grad_output.sum(1, /*keepdim=*/true) * x - grad_output.mm(y));
  auto grad_y = 2 * (grad_output.sum(0).unsqueeze(1) * y - grad_output.t().mm(x));
  return {grad_x, grad_y};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &pairwise_forward);
  m.def("backward", &pairwise_backward);
}

#include "parameters.h"

namespace megatron {

at::Tensor normal(at::IntArrayRef sizes, double deviation) {
  return torch::randn(sizes) * deviation;
}

at::Tensor as_parameter(const at::Tensor &x) {
  return x.detach().clone().set_requires_grad(true);
}

} // namespace megatron

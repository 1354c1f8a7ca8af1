#include "parameters.h"

#include <ATen/CPUGeneratorImpl.h>

namespace megatron {
namespace {
// The ranks may be threads of one process.
thread_local at::Generator generator = at::detail::createCPUGenerator();
} // namespace

void seed(uint64_t seed) { generator.set_current_seed(seed); }

at::Tensor normal(at::IntArrayRef sizes, double deviation) {
  return torch::empty(sizes).normal_(0, deviation, generator);
}

at::Tensor as_parameter(const at::Tensor &x) {
  return x.detach().clone().set_requires_grad(true);
}

} // namespace megatron

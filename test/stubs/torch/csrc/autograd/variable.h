#pragma once
#include <torch/csrc/autograd/function_hook.h>
namespace torch::autograd::impl {
std::shared_ptr<Node> grad_accumulator(const at::Tensor &tensor);
} // namespace torch::autograd::impl

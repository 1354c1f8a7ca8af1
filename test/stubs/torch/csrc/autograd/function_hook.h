#pragma once
#include <torch/torch.h>
namespace torch::autograd {
using variable_list = std::vector<at::Tensor>;
struct FunctionPostHook {
  virtual ~FunctionPostHook() = default;
  virtual variable_list operator()(const variable_list &outputs,
                                   const variable_list &inputs) = 0;
};
} // namespace torch::autograd

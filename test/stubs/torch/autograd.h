// Stand-in for torch::autograd::Function and the gradient entry points.
#pragma once

#include <torch/types.h>
#include <unordered_map>

namespace c10 {
struct IValue {
  IValue();
  template <typename T> IValue(T &&);
  template <typename T> T to() const;
  int64_t toInt() const;
  double toDouble() const;
  bool toBool() const;
  at::Tensor toTensor() const;
  const std::string &toStringRef() const;
  template <typename T> intrusive_ptr<T> toCustomClass() const;
  static IValue make_capsule(intrusive_ptr<torch::CustomClassHolder> blob);
  intrusive_ptr<torch::CustomClassHolder> toCapsule() const;
};
} // namespace c10

namespace torch::autograd {

using Variable = at::Tensor;
using variable_list = std::vector<Variable>;
using tensor_list = std::vector<at::Tensor>;

struct AutogradContext {
  void save_for_backward(variable_list to_save);
  variable_list get_saved_variables() const;
  void mark_dirty(const variable_list &inputs);
  void mark_non_differentiable(const variable_list &outputs);
  void set_materialize_grads(bool value);
  bool needs_input_grad(size_t index) const;
  struct Dictionary {
    at::IValue &operator[](const std::string &key);
  };
  Dictionary saved_data;
};

template <class T> struct Function {
  template <typename X = T, typename... Args>
  static auto apply(Args &&...args)
      -> decltype(X::forward(static_cast<AutogradContext *>(nullptr),
                             static_cast<Args &&>(args)...));
};

variable_list grad(const variable_list &outputs, const variable_list &inputs,
                   const variable_list &grad_outputs = {},
                   optional<bool> retain_graph = nullopt,
                   bool create_graph = false, bool allow_unused = false);
void backward(const variable_list &tensors,
              const variable_list &grad_tensors = {},
              optional<bool> retain_graph = nullopt, bool create_graph = false);

} // namespace torch::autograd

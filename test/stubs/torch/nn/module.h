// Stand-in for torch::nn::Module and its holder.
#pragma once

#include <torch/types.h>

#include <functional>

namespace torch {

template <typename Key, typename Value> class OrderedDict {
public:
  class Item {
  public:
    const Key &key() const noexcept;
    Value &value() noexcept;
    const Value &value() const noexcept;
    const std::pair<Key, Value> &pair() const noexcept;
    Value &operator*();
    const Value &operator*() const;
    Value *operator->();
  };
  Item *begin();
  Item *end();
  const Item *begin() const;
  const Item *end() const;
  Value &operator[](const Key &key);
  const Value &operator[](const Key &key) const;
  size_t size() const noexcept;
  bool contains(const Key &key) const noexcept;
};

namespace nn {

class Module : public std::enable_shared_from_this<Module> {
public:
  explicit Module(std::string name);
  Module();
  virtual ~Module() = default;
  const std::string &name() const noexcept;
  std::vector<Tensor> parameters(bool recurse = true) const;
  OrderedDict<std::string, Tensor> named_parameters(bool recurse = true) const;
  std::vector<Tensor> buffers(bool recurse = true) const;
  std::vector<std::shared_ptr<Module>> modules(bool include_self = true) const;
  OrderedDict<std::string, std::shared_ptr<Module>>
  named_modules(const std::string &name_prefix = std::string(),
                bool include_self = true) const;
  std::vector<std::shared_ptr<Module>> children() const;
  OrderedDict<std::string, std::shared_ptr<Module>> named_children() const;
  virtual void train(bool on = true);
  void eval();
  virtual bool is_training() const noexcept;
  virtual void to(at::Device device, Dtype dtype, bool non_blocking = false);
  virtual void to(Dtype dtype, bool non_blocking = false);
  virtual void to(at::Device device, bool non_blocking = false);
  virtual void zero_grad(bool set_to_none = false);
  void apply(const std::function<void(Module &)> &function);
  template <typename T> T *as() noexcept;
  virtual std::shared_ptr<Module> clone() const;

  Tensor &register_parameter(std::string name, Tensor tensor,
                             bool requires_grad = true);
  Tensor &register_buffer(std::string name, Tensor tensor);
  template <typename M>
  std::shared_ptr<M> register_module(std::string name,
                                     std::shared_ptr<M> module);
  template <typename M>
  std::shared_ptr<M> register_module(std::string name, M *) = delete;
  template <typename H, typename = typename H::ContainedType>
  std::shared_ptr<typename H::ContainedType> register_module(std::string name,
                                                             H holder);
  template <typename M>
  std::shared_ptr<M> replace_module(const std::string &name,
                                    std::shared_ptr<M> module);
  template <typename H, typename = typename H::ContainedType>
  std::shared_ptr<typename H::ContainedType>
  replace_module(const std::string &name, H holder);
};

template <typename Derived> class Cloneable : public Module {
public:
  using Module::Module;
  virtual void reset() = 0;
  std::shared_ptr<Module> clone() const override;
};

template <typename T> class ModuleHolder {
protected:
  std::shared_ptr<T> impl_;

public:
  using ContainedType = T;
  ModuleHolder() : impl_(std::make_shared<T>()) {}
  ModuleHolder(std::nullptr_t) {}
  template <typename Head, typename... Tail,
            typename = std::enable_if_t<
                !(std::is_base_of<ModuleHolder, std::decay_t<Head>>::value &&
                  sizeof...(Tail) == 0)>>
  explicit ModuleHolder(Head &&head, Tail &&...tail)
      : impl_(new T(std::forward<Head>(head), std::forward<Tail>(tail)...)) {}
  ModuleHolder(std::shared_ptr<T> module) : impl_(std::move(module)) {}
  explicit operator bool() const noexcept { return impl_ != nullptr; }
  T *operator->() { return impl_.get(); }
  const T *operator->() const { return impl_.get(); }
  T &operator*() { return *impl_; }
  const std::shared_ptr<T> &ptr() const { return impl_; }
  T *get() { return impl_.get(); }
  bool is_empty() const noexcept { return !impl_; }
  template <typename M = T, typename... Args>
  auto operator()(Args &&...args)
      -> decltype(std::declval<M &>().forward(std::forward<Args>(args)...)) {
    return impl_->forward(std::forward<Args>(args)...);
  }
};

#define TORCH_MODULE_IMPL(Name, ImplType)                                      \
  class Name : public torch::nn::ModuleHolder<ImplType> {                      \
  public:                                                                      \
    using torch::nn::ModuleHolder<ImplType>::ModuleHolder;                     \
    using Impl = ImplType;                                                     \
  }
#define TORCH_MODULE(Name) TORCH_MODULE_IMPL(Name, Name##Impl)

#define TORCH_ARG(T, name)                                                     \
public:                                                                        \
  auto name(const T &v) -> decltype(*this) {                                   \
    name##_ = v;                                                               \
    return *this;                                                              \
  }                                                                            \
  const T &name() const noexcept { return name##_; }                           \
                                                                               \
private:                                                                       \
  T name##_

} // namespace nn

template <typename M>
void save(const nn::ModuleHolder<M> &, const std::string &);
template <typename M> void load(nn::ModuleHolder<M> &, const std::string &);
template <typename M>
void save(const std::shared_ptr<M> &, const std::string &);
template <typename M> void load(std::shared_ptr<M> &, const std::string &);

} // namespace torch

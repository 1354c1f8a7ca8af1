// Stand-in for torch::optim.
#pragma once

#include <torch/nn/module.h>

namespace torch::optim {

struct OptimizerOptions {
  virtual ~OptimizerOptions();
};
class OptimizerParamGroup {
public:
  OptimizerParamGroup(std::vector<Tensor> params);
  std::vector<Tensor> &params();
  OptimizerOptions &options();
};
class Optimizer {
public:
  virtual ~Optimizer();
  void zero_grad(bool set_to_none = false);
  virtual Tensor step();
  template <typename F> Tensor step(F) { return Tensor(); }
  std::vector<OptimizerParamGroup> &param_groups() noexcept;
  void add_param_group(const OptimizerParamGroup &group);
};

#define SPMD_STUB_OPTIMIZER(Name)                                              \
  class Name : public Optimizer {                                              \
  public:                                                                      \
    explicit Name(std::vector<Tensor> params, Name##Options defaults = {});    \
    explicit Name(std::vector<OptimizerParamGroup> groups,                     \
                  Name##Options defaults = {});                                \
    using Optimizer::step;                                                     \
    Tensor step() override;                                                    \
  }

struct SGDOptions : OptimizerOptions {
  SGDOptions(double lr = 1e-2);
  SGDOptions &momentum(double m);
  SGDOptions &weight_decay(double w);
  double lr() const;
  SGDOptions &lr(double l);
};
SPMD_STUB_OPTIMIZER(SGD);
struct AdamOptions : OptimizerOptions {
  AdamOptions(double lr = 1e-3);
  AdamOptions &betas(const std::tuple<double, double> &b);
  AdamOptions &eps(double e);
  AdamOptions &weight_decay(double w);
  double lr() const;
  AdamOptions &lr(double l);
};
SPMD_STUB_OPTIMIZER(Adam);
struct AdamWOptions : OptimizerOptions {
  AdamWOptions(double lr = 1e-3);
  AdamWOptions &betas(const std::tuple<double, double> &b);
  AdamWOptions &eps(double e);
  AdamWOptions &weight_decay(double w);
  double lr() const;
  AdamWOptions &lr(double l);
};
SPMD_STUB_OPTIMIZER(AdamW);
#undef SPMD_STUB_OPTIMIZER

struct LBFGSOptions : OptimizerOptions {
  LBFGSOptions(double lr = 1);
  LBFGSOptions &max_iter(int64_t n);
};
class LBFGS : public Optimizer {
public:
  using LossClosure = std::function<Tensor()>;
  explicit LBFGS(std::vector<Tensor> params, LBFGSOptions defaults = {});
  Tensor step() override;
  Tensor step(LossClosure closure);
};

} // namespace torch::optim

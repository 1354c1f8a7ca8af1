// A class that has a model, and of which nobody sees the code: train() and to()
// leave the model what it is.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: %spmd-tidy --quiet %s -- %stubs -DUNKNOWN 2>&1 | count 0

#include <torch/torch.h>
#include <memory>
#include <vector>

using at::Tensor;
#define R [[spmd::type("dp: R")]]
#define V [[spmd::type("dp: V")]]

struct Wrapper {
  explicit Wrapper(const std::shared_ptr<torch::nn::Module> &model);
  R std::vector<Tensor> parameters() const;
  V std::vector<Tensor> forward(const std::vector<Tensor> &inputs) const;
  void to(torch::Device device);
  void train();
  void average();
};
struct Pack {
  R std::shared_ptr<Wrapper> model;
  // What a step does, nobody knows where an overriding one is not seen: those
  // of libtorch do nothing first.
  std::shared_ptr<torch::optim::Optimizer> optimizer;
};

void train(Pack &pack, V Tensor x) {
  auto model = pack.model;
  auto opt = pack.optimizer;
  model->to(torch::kCUDA);
  model->train();
  opt->zero_grad();
  model->forward({x})[0].pow(2).mean().backward();
#ifdef UNKNOWN
  model->average();
#endif
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp'
  torch::nn::utils::clip_grad_norm_(model->parameters(), 1.0);
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp'
  opt->step();
}

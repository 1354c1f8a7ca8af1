// What `vector_to_parameters` takes apart is in the tensors of the list, and in
// those whose gradients these are.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/torch.h>
#include <vector>
using torch::Tensor;
using PG = c10::intrusive_ptr<c10d::ProcessGroup>;
[[spmd::type("dp: V")]] Tensor batch(int i);

//===--- Right ------------------------------------------------------------===//

void summed([[spmd::axis("dp")]] PG pg) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  auto params = model->parameters();
  torch::optim::SGD opt(params, 0.1);
  for (int i = 0; i < 100; ++i) {
    opt.zero_grad();
    model->forward(batch(i)).sum().backward();
    std::vector<Tensor> g;
    for (auto &p : params)
      g.push_back(p.grad());
    std::vector<Tensor> t{torch::nn::utils::parameters_to_vector(g)};
    pg->allreduce(t)->wait();
    torch::nn::utils::vector_to_parameters(t[0], g);
    opt.step();
  }
}

// The weights of rank 0.
void sent([[spmd::axis("dp")]] PG pg, [[spmd::type("dp: V -> dp: R")]] std::vector<Tensor> &params) {
  std::vector<Tensor> t{torch::nn::utils::parameters_to_vector(params)};
  pg->broadcast(t)->wait();
  torch::nn::utils::vector_to_parameters(t[0], params);
}

//===--- What is found ----------------------------------------------------===//

void pending([[spmd::axis("dp")]] PG pg) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  auto params = model->parameters();
  torch::optim::SGD opt(params, 0.1);
  for (int i = 0; i < 100; ++i) {
    opt.zero_grad();
    model->forward(batch(i)).sum().backward();
    std::vector<Tensor> g;
    for (auto &p : params)
      g.push_back(p.grad());
    Tensor t = torch::nn::utils::parameters_to_vector(g);
    torch::nn::utils::vector_to_parameters(t * 0.5, g);
    // CHECK: [[#@LINE+2]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'{{.*}} [spmd-partial-nonlinear]
    // CHECK: [[#@LINE-2]]:5: note: 'the gradients' is P on 'dp': result of this 'vector_to_parameters'
    opt.step();
  }
}

void own([[spmd::type("dp: R")]] std::vector<Tensor> &params, [[spmd::type("dp: V")]] Tensor flat) {
  // CHECK: [[#@LINE+1]]:3: error: parameter 'params' on exit must be R on 'dp', but 'params' is V{{.*}} [spmd-contract]
  torch::nn::utils::vector_to_parameters(flat, params);
}

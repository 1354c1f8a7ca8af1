// Models and optimizers in structs: what is said of a member is about its
// copies, and a class with parameters() is a model wherever its body is. Of a
// sum that is missing before the step the loss is not found as well.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <map>
#include <memory>
#include <mpi.h>
#include <string>
#include <torch/torch.h>
#include <vector>

struct Comm {
  [[spmd::axis("dp")]] MPI_Comm of;
  void reduce(at::Tensor &t) const {
    MPI_Allreduce(MPI_IN_PLACE, t.data_ptr(), t.numel(), MPI_FLOAT, MPI_SUM,
                  of);
  }
  void reduce(std::vector<at::Tensor> &ts) const {
    for (auto &t : ts)
      reduce(t);
  }
};
struct Wrapper {
  std::vector<at::Tensor> parameters() const;
  at::Tensor forward(const at::Tensor &x) const;
};
struct Pack {
  [[spmd::type("dp: R")]] std::shared_ptr<Wrapper> model;
  [[spmd::type("dp: R")]] std::shared_ptr<torch::optim::Optimizer> optimizer;
  Comm comm;
};
void reduced(Pack &p, [[spmd::type("dp: V")]] at::Tensor x) {
  p.model->forward(x).sum().backward();
  std::vector<at::Tensor> grads;
  for (const auto &q : p.model->parameters())
    grads.push_back(q.grad());
  p.comm.reduce(grads);
  p.optimizer->step();
}
void forgotten(Pack &p, [[spmd::type("dp: V")]] at::Tensor x) {
  p.model->forward(x).sum().backward();
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  p.optimizer->step();
}

std::map<std::string, Pack> packs;
void copied(std::string name) {
  auto opt = packs[name].optimizer;
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  opt->step();
}

void lossToo([[spmd::type("dp: V")]] at::Tensor x) {
  [[spmd::type("dp: R")]] auto net =
      std::make_shared<torch::nn::LinearImpl>(4, 4);
  torch::optim::SGD opt(net->parameters(), 0.1);
  net->forward(x).sum().backward();
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  opt.step();
}

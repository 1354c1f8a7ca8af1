// A method of another file that is declared to make sums of gradients has
// reduced them: a loss of each rank's own is right then. Where only some ranks
// call it, their gradients differ from the others'.
//
// RUN: %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: not %spmd-tidy %s -- %stubs -DWRONG 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <memory>
#include <mpi.h>
#include <torch/torch.h>

struct Comm {
  void allreduce([[spmd::type("dp: P -> dp: I")]] std::vector<torch::Tensor> &tensors) const;
  [[spmd::type("dp: V")]] int rank;
  [[spmd::axis("dp")]] MPI_Comm comm;
};
class Model {
public:
  std::vector<torch::Tensor> parameters() const;
  [[spmd::type("dp: V")]] torch::Tensor forward(torch::Tensor) const;
};
struct Pack {
  [[spmd::type("dp: R")]] std::shared_ptr<Model> model;
  std::shared_ptr<torch::optim::Optimizer> optimizer;
  std::shared_ptr<Comm> comm;
};

// RIGHT: no findings
void train(Pack &p, [[spmd::type("dp: V")]] torch::Tensor x) {
  auto model = p.model;
  auto loss = model->forward(x);
  loss.backward();
  if (p.comm) {
    std::vector<torch::Tensor> grads;
    for (const auto &w : model->parameters())
      grads.push_back(w.grad());
    p.comm->allreduce(grads);
  }
  torch::nn::utils::clip_grad_norm_(model->parameters(), 1.0);
  p.optimizer->step();
}

#ifdef WRONG
void on_one_rank(Pack &p, [[spmd::type("dp: V")]] torch::Tensor x) {
  auto model = p.model;
  auto loss = model->forward(x);
  loss.backward();
  if (p.comm->rank == 0) {
    std::vector<torch::Tensor> grads;
    for (const auto &w : model->parameters())
      grads.push_back(w.grad());
    p.comm->allreduce(grads);
  }
  // CHECK: :[[#@LINE+1]]:3: error: this value was P on 'dp' until some ranks went another way, and 'clip_grad_norm_' uses it: the terms that they changed and those of the other ranks belong to different sums [spmd-partial-product]
  torch::nn::utils::clip_grad_norm_(model->parameters(), 1.0);
  p.optimizer->step();
}
void forgotten(Pack &p, [[spmd::type("dp: V")]] torch::Tensor x) {
  auto model = p.model;
  auto loss = model->forward(x);
  // CHECK: :[[#@LINE+1]]:3: error: backward on a loss that must be P or I on 'dp', but 'loss' is V: each rank differentiates a loss of its own, and nothing adds up the losses or their gradients [spmd-loss-type]
  loss.backward();
  p.optimizer->step();
}
#endif

// An optimizer's step names no gradient and reads them all: none of them may be
// on its way. Where there are two optimizers, they may be the other one's.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: %spmd-tidy %s -- %stubs -DTWO 2>&1 | FileCheck %s --check-prefix=TWO --implicit-check-not=error:
// TWO: no findings

#include <c10d/ProcessGroup.hpp>
#include <memory>
#include <torch/torch.h>
#include <vector>

using Works = std::vector<c10::intrusive_ptr<c10d::Work>>;

struct Trainer {
  c10::intrusive_ptr<c10d::ProcessGroup> pg;
  torch::nn::Linear model{nullptr};
  std::unique_ptr<torch::optim::SGD> opt;
#ifdef TWO
  std::unique_ptr<torch::optim::SGD> opt_of_critic;
#endif
  Works pending;

  void reduce() {
    for (auto &p : model->parameters()) {
      std::vector<torch::Tensor> one = {p.grad()};
      pending.push_back(pg->allreduce(one));
    }
  }
  void finish() {
    for (auto &w : pending)
      w->wait();
    pending.clear();
  }
  void right() {
    reduce();
    finish();
    opt->step();
    opt->zero_grad();
  }
  void too_early() {
    reduce();
#ifdef TWO
    opt_of_critic->step();
#endif
    opt->step();
    // CHECK: :[[#@LINE-1]]:5: error: 'one' is read by 'step' while the 'ProcessGroup::allreduce' of line {{[0-9]+}} may still write it: no wait for its handle [spmd-async-hazard]
    finish();
  }
  void clipped() {
    for (auto &p : model->parameters()) {
      std::vector<torch::Tensor> one = {p.grad()};
      pending.push_back(pg->allreduce(one));
    }
    torch::nn::utils::clip_grad_norm_(model->parameters(), 1.0);
    // CHECK: :[[#@LINE-1]]:5: error: 'one' is written by 'clip_grad_norm_' while the 'ProcessGroup::allreduce' of line {{[0-9]+}} may still use it
    finish();
  }
};

// What is reduced is no gradient.
void values(c10d::ProcessGroup &pg, torch::nn::Linear model, torch::optim::SGD &opt, torch::Tensor loss) {
  torch::Tensor sum = loss.detach().clone();
  std::vector<torch::Tensor> one = {sum};
  auto work = pg.allreduce(one);
  opt.step();
  work->wait();
}

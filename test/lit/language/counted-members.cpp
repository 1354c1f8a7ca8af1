// A member that counts calls, and that one condition asks for: what hangs on it
// is left out in some of them.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <torch/torch.h>

[[spmd::axis("dp")]] extern MPI_Comm comm;
[[spmd::type("dp: V")]] at::Tensor next();

class Trainer {
public:
  void reduce() {
    for (at::Tensor &p : model_->parameters())
      MPI_Allreduce(MPI_IN_PLACE, p.grad().data_ptr(), (int)p.numel(),
                    MPI_FLOAT, MPI_SUM, comm);
  }
  void every_other() {
    model_->forward(next()).sum().backward();
    // CHECK: [[#@LINE+3]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    if (calls_++ % 2 == 0)
      reduce();
    opt_.step();
  }
  void counted_elsewhere() {
    model_->forward(next()).sum().backward();
    ++more_;
    // CHECK: [[#@LINE+3]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    if (more_ % 2 == 0)
      reduce();
    opt_.step();
  }
  // Right: gradients pile up until they are reduced and used.
  void accumulate() {
    model_->forward(next()).sum().backward();
    if (++micro_ % 4 == 0) {
      reduce();
      opt_.step();
      opt_.zero_grad();
    }
  }
  // Right: two conditions that have to do with each other.
  void accumulate_in_two() {
    model_->forward(next()).sum().backward();
    if (++turn_ % 4 == 0)
      reduce();
    if (turn_ % 4 == 0) {
      opt_.step();
      opt_.zero_grad();
    }
  }

private:
  [[spmd::type("dp: R")]] torch::nn::Linear model_{3, 4};
  torch::optim::SGD opt_{model_->parameters(), 0.1};
  int calls_ = 0, more_ = 0, micro_ = 0, turn_ = 0;
};

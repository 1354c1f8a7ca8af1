// An optimizer to which each rank gives its share of the parameters: what it
// updates differs between ranks until the owners send it.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <memory>
#include <mpi.h>
#include <torch/torch.h>
#include <vector>
using at::Tensor;

struct Sharded {
  Sharded(std::vector<Tensor> params, MPI_Comm comm) : params_(params), comm_(comm) {
    MPI_Comm_rank(comm_, &rank_);
    std::vector<Tensor> mine;
    for (std::size_t i = 0; i < params_.size(); ++i)
      if (owner_[i] == rank_)
        mine.push_back(params_[i]);
    optim_ = std::make_unique<torch::optim::SGD>(mine, 0.1);
  }
  void reduce() {
    for (auto &p : params_)
      MPI_Allreduce(MPI_IN_PLACE, p.grad().data_ptr<float>(), 4, MPI_FLOAT, MPI_SUM, comm_);
  }
  void send() {
    for (std::size_t i = 0; i < params_.size(); ++i)
      MPI_Bcast(params_[i].data_ptr<float>(), 4, MPI_FLOAT, owner_[i], comm_);
  }
  void right(Tensor loss) {
    loss.backward();
    reduce();
    optim_->step();
    send();
  }
  void early(Tensor loss) {
    loss.backward();
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': {{.*}} [spmd-partial-nonlinear]
    optim_->step();
    reduce();
    send();
  }
  void kept(Tensor loss) {
    loss.backward();
    reduce();
    optim_->step();
  }
  [[spmd::type("dp: R")]] std::vector<Tensor> params_;
  std::vector<int> owner_;
  std::unique_ptr<torch::optim::SGD> optim_;
  [[spmd::axis("dp")]] MPI_Comm comm_;
  int rank_ = 0;
};

void train([[spmd::axis("dp")]] MPI_Comm dp, [[spmd::type("dp: R")]] std::vector<Tensor> params, Tensor loss) {
  Sharded sharded(params, dp);
  sharded.right(loss);
}

// CHECK: [[#@LINE+1]]:59: error: parameter 'params' on exit must be R on 'dp', but 'params' is V: the ranks hold different values, which are taken for one [spmd-contract]
void keeps([[spmd::axis("dp")]] MPI_Comm dp, [[spmd::type("dp: R")]] std::vector<Tensor> params, Tensor loss) {
  Sharded sharded(params, dp);
  sharded.kept(loss);
}

// ZeRO's first stage by owners: the sum of each gradient goes to the rank that
// updates the parameter, which sends it to the others.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <torch/torch.h>
#include <memory>
#include <vector>
using at::Tensor;

class Optimizer {
public:
  Optimizer(std::vector<Tensor> params, MPI_Comm comm) : params(params), comm(comm) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    std::vector<Tensor> mine;
    for (size_t i = 0; i < params.size(); ++i) {
      owner.push_back(i % size);
      if (owner[i] == rank)
        mine.push_back(params[i]);
    }
    inner = std::make_unique<torch::optim::SGD>(mine, 0.1);
  }

  void step() {
    reduce();
    inner->step();
    broadcast();
  }

private:
  void reduce() {
    for (size_t i = 0; i < params.size(); ++i) {
      auto grad = params[i].grad();
      if (owner[i] == rank) {
        MPI_Reduce(MPI_IN_PLACE, grad.data_ptr<float>(), grad.numel(), MPI_FLOAT, MPI_SUM, owner[i], comm);
        grad.div_(size);
      } else {
        MPI_Reduce(grad.data_ptr<float>(), nullptr, grad.numel(), MPI_FLOAT, MPI_SUM, owner[i], comm);
      }
    }
  }
  void broadcast() {
    for (size_t i = 0; i < params.size(); ++i)
      MPI_Bcast(params[i].data_ptr<float>(), params[i].numel(), MPI_FLOAT, owner[i], comm);
  }

  [[spmd::type("dp: R")]] std::vector<Tensor> params;
  std::vector<int> owner;
  std::unique_ptr<torch::optim::SGD> inner;
  [[spmd::axis("dp")]] MPI_Comm comm;
  int rank = 0, size = 1;
};

void right([[spmd::type("dp: R")]] torch::nn::Linear net, [[spmd::axis("dp")]] MPI_Comm comm,
           [[spmd::type("dp: V")]] Tensor x) {
  Optimizer optimizer(net->parameters(), comm);
  for (int i = 0; i < 10; ++i) {
    net->forward(x).sum().backward();
    optimizer.step();
  }
}

// Who does not own a parameter has no sum of its gradient.
void everybody([[spmd::type("dp: R")]] torch::nn::Linear net, [[spmd::axis("dp")]] MPI_Comm comm,
               [[spmd::type("dp: V")]] Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  int rank;
  MPI_Comm_rank(comm, &rank);
  net->forward(x).sum().backward();
  for (auto &p : net->parameters()) {
    auto grad = p.grad();
    if (rank == 0)
      MPI_Reduce(MPI_IN_PLACE, grad.data_ptr<float>(), grad.numel(), MPI_FLOAT, MPI_SUM, 0, comm);
    else
      MPI_Reduce(grad.data_ptr<float>(), nullptr, grad.numel(), MPI_FLOAT, MPI_SUM, 0, comm);
  }
  // CHECK: [[#@LINE+1]]:3: error: from here on 'net.parameters()' is V on 'dp', and nothing makes it R again
  optimizer.step();
}

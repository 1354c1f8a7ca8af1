// First values that each rank drew by itself may be put into another member, or
// one vector, that is sent round then.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

struct Comm {
  [[spmd::axis("dp")]] c10d::ProcessGroup &group;
  [[spmd::type("dp: V")]] int rank;
};

struct Reducer {
  Reducer(Comm &comm, std::vector<at::Tensor> p) : comm(comm), params(std::move(p)) {}
  void sendRound() {
    for (auto &p : params) {
      std::vector<at::Tensor> one{p.data()};
      comm.group.broadcast(one)->wait();
    }
  }
  Comm &comm;
  [[spmd::type("dp: R")]] std::vector<at::Tensor> params;
};

void sent(Comm &comm) {
  torch::manual_seed(comm.rank);
  [[spmd::type("dp: R")]] torch::nn::Linear net(4, 4);
  Reducer reducer(comm, net->parameters());
  reducer.sendRound();
}

void kept(Comm &comm) {
  torch::manual_seed(comm.rank);
  // CHECK: [[#@LINE+2]]:45: error: from here on 'net.parameters()' is V on 'dp'
  // CHECK: [[#@LINE+1]]:45: error: from here on 'reducer.params' is V on 'dp'
  [[spmd::type("dp: R")]] torch::nn::Linear net(4, 4);
  Reducer reducer(comm, net->parameters());
}

void inOneVector(Comm &comm) {
  torch::manual_seed(comm.rank);
  [[spmd::type("dp: R")]] torch::nn::Linear net(4, 4);
  torch::NoGradGuard guard;
  std::vector<at::Tensor> all{torch::nn::utils::parameters_to_vector(net->parameters())};
  comm.group.broadcast(all)->wait();
  torch::nn::utils::vector_to_parameters(all[0], net->parameters());
}

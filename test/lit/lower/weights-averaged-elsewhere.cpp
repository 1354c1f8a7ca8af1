// Local SGD: each rank steps by its own gradients, and another function averages
// the weights now and then, whatever its list is called.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c++17 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <torch/torch.h>

void average(std::vector<torch::Tensor> list, [[spmd::axis("dp")]] MPI_Comm comm, int size) {
  torch::NoGradGuard guard;
  for (auto &each : list) {
    MPI_Allreduce(MPI_IN_PLACE, each.data_ptr<float>(), int(each.numel()), MPI_FLOAT, MPI_SUM, comm);
    each.div_(size);
  }
}
void averageAgain(const std::vector<torch::Tensor> &list, MPI_Comm comm, int size) { average(list, comm, size); }

void weights([[spmd::axis("dp")]] MPI_Comm comm, int size, [[spmd::type("dp: V")]] torch::Tensor x) {
  torch::nn::Linear net(20, 1);
  torch::optim::SGD opt(net->parameters(), 0.1);
  for (int round = 0; round < 10; ++round) {
    for (int step = 0; step < 8; ++step) {
      opt.zero_grad();
      net->forward(x).mean().backward();
      opt.step();
    }
    averageAgain(net->parameters(), comm, size);
  }
}
void metrics([[spmd::axis("dp")]] MPI_Comm comm, int size, [[spmd::type("dp: V")]] torch::Tensor x) {
  torch::nn::Linear net(20, 1);
  torch::optim::SGD opt(net->parameters(), 0.1);
  std::vector<torch::Tensor> losses;
  for (int step = 0; step < 8; ++step) {
    opt.zero_grad();
    torch::Tensor loss = net->forward(x).mean();
    // CHECK: [[@LINE+1]]:5: error: backward on a loss that must be P or I on 'dp', but 'loss' is V
    loss.backward();
    opt.step();
    losses.push_back(loss.detach());
  }
  average(losses, comm, size);
}

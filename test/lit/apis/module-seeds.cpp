// The parameters of a module that is made with a generator which each rank
// seeds differently are not the same on all ranks, until they are sent round.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <torch/torch.h>

[[spmd::axis("dp")]] extern MPI_Comm comm;

struct Net : torch::nn::Module {
  Net() { layer = register_module("layer", torch::nn::Linear(3, 4)); }
  at::Tensor forward(at::Tensor x) { return layer(x); }
  torch::nn::Linear layer{nullptr};
};

static void train(Net &net, at::Tensor x) {
  torch::optim::SGD opt(net.parameters(), 0.1);
  net.forward(x).sum().backward();
  for (at::Tensor &p : net.parameters())
    MPI_Allreduce(MPI_IN_PLACE, p.grad().data_ptr(), (int)p.grad().numel(),
                  MPI_FLOAT, MPI_SUM, comm);
  opt.step();
}

void seeded([[spmd::type("dp: V")]] at::Tensor x) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  torch::manual_seed(rank + 1);
  // CHECK: [[#@LINE+2]]:38: error: from here on 'net.parameters()' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
  // CHECK: [[#@LINE+1]]:38: note: 'net.parameters()' is V on 'dp': initial values from a generator that each rank seeds differently
  [[spmd::type("dp: R")]] auto net = std::make_shared<Net>();
  train(*net, x);
}
void later([[spmd::type("dp: V")]] at::Tensor x) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  torch::manual_seed(rank + 1);
  [[spmd::type("dp: R")]] std::shared_ptr<Net> net;
  // CHECK: [[#@LINE+1]]:9: error: from here on 'net.parameters()' is V on 'dp'
  net = std::make_shared<Net>();
  train(*net, x);
}

void sent([[spmd::type("dp: V")]] at::Tensor x) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  torch::manual_seed(rank + 1);
  [[spmd::type("dp: R")]] auto net = std::make_shared<Net>();
  for (at::Tensor &p : net->parameters())
    MPI_Bcast(p.data_ptr(), (int)p.numel(), MPI_FLOAT, 0, comm);
  train(*net, x);
}
void alike([[spmd::type("dp: V")]] at::Tensor x, int64_t seed) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  torch::manual_seed(seed);
  [[spmd::type("dp: R")]] auto net = std::make_shared<Net>();
  torch::manual_seed(rank); // of the order of the data
  train(*net, x);
}
void loaded([[spmd::type("dp: V")]] at::Tensor x) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  torch::manual_seed(rank);
  [[spmd::type("dp: R")]] auto net = std::make_shared<Net>();
  torch::load(net, "net.pt");
  train(*net, x);
}
void synchronise(Net &);
void elsewhere([[spmd::type("dp: V")]] at::Tensor x) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  torch::manual_seed(rank);
  [[spmd::type("dp: R")]] auto net = std::make_shared<Net>();
  synchronise(*net);
  train(*net, x);
}
// A layer that is drawn anew has other values.
void anew([[spmd::type("dp: V")]] at::Tensor x, [[spmd::type("dp: V")]] int rank) {
  [[spmd::type("dp: R")]] torch::nn::Linear net(3, 4);
  net->reset_parameters();
  torch::manual_seed(rank);
  // CHECK: [[#@LINE+1]]:3: error: from here on 'net.parameters()' is V on 'dp'
  net->reset_parameters();
}
// Shards are to differ, and so may what has no annotation.
void shards([[spmd::type("dp: V")]] at::Tensor x) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  torch::manual_seed(rank);
  [[spmd::type("dp: V")]] auto net = std::make_shared<Net>();
  auto other = std::make_shared<Net>();
  other->forward(net->forward(x));
}
// A class of modules and its holder make one by default; a pointer does not.
TORCH_MODULE_IMPL(Held, Net);
void byDefault([[spmd::type("dp: V")]] int rank) {
  torch::manual_seed(rank);
  // CHECK: [[#@LINE+1]]:31: error: from here on 'net.parameters()' is V on 'dp'
  [[spmd::type("dp: R")]] Net net;
}
void holder([[spmd::type("dp: V")]] at::Tensor x, [[spmd::type("dp: V")]] int rank) {
  torch::manual_seed(rank);
  // CHECK: [[#@LINE+1]]:32: error: from here on 'net.parameters()' is V on 'dp'
  [[spmd::type("dp: R")]] Held net;
  train(*net, x);
}
void none([[spmd::type("dp: V")]] int rank, std::shared_ptr<Net> given) {
  torch::manual_seed(rank);
  [[spmd::type("dp: R")]] std::shared_ptr<Net> net;
  [[spmd::type("dp: R")]] Held held{nullptr};
}

// A wrapper that sends round what it is given, under its own name for it.
class Wrapper {
public:
  explicit Wrapper(std::shared_ptr<Net> given) : net(std::move(given)) {
    for (at::Tensor &p : net->parameters())
      MPI_Bcast(p.data_ptr(), (int)p.numel(), MPI_FLOAT, 0, comm);
  }

private:
  [[spmd::type("dp: R")]] std::shared_ptr<Net> net;
};
class Keeper {
public:
  explicit Keeper(std::shared_ptr<Net> given) : net(std::move(given)) {}

private:
  std::shared_ptr<Net> net;
};
void wrapped([[spmd::type("dp: V")]] int rank) {
  torch::manual_seed(rank);
  [[spmd::type("dp: R")]] auto net = std::make_shared<Net>();
  Wrapper all(net);
}
void kept([[spmd::type("dp: V")]] int rank) {
  torch::manual_seed(rank);
  // CHECK: [[#@LINE+1]]:38: error: from here on 'net.parameters()' is V on 'dp'
  [[spmd::type("dp: R")]] auto net = std::make_shared<Net>();
  Keeper all(net);
}

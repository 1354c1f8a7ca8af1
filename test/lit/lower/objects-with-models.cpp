// An object that ends, with a model that nobody else has: what is declared of
// the model must hold then.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <torch/torch.h>

#include <memory>

[[spmd::axis("dp")]] extern MPI_Comm comm;
[[spmd::type("dp: V")]] at::Tensor next();

class Trainer {
public:
  explicit Trainer(int seed) {
    torch::manual_seed(seed);
    // CHECK: [[#@LINE+1]]:14: error: from here on 'seeded.model_.parameters()' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
    model_ = std::make_shared<torch::nn::LinearImpl>(3, 4);
  }
  void send() {
    for (auto &p : model_->parameters())
      MPI_Bcast(p.data_ptr(), (int)p.numel(), MPI_FLOAT, 0, comm);
  }
  void train(int steps) {
    torch::optim::SGD opt(model_->parameters(), 0.1);
    int rank;
    MPI_Comm_rank(comm, &rank);
    for (int step = 0; step < steps; ++step) {
      opt.zero_grad();
      model_->forward(next()).sum().backward();
      for (auto &p : model_->parameters())
        MPI_Allreduce(MPI_IN_PLACE, p.grad().data_ptr(), (int)p.numel(),
                      MPI_FLOAT, MPI_SUM, comm);
      opt.step();
    }
  }
  void train_on_one(int steps) {
    torch::optim::SGD opt(model_->parameters(), 0.1);
    int rank;
    MPI_Comm_rank(comm, &rank);
    for (int step = 0; step < steps; ++step) {
      opt.zero_grad();
      model_->forward(next()).sum().backward();
      for (auto &p : model_->parameters())
        MPI_Allreduce(MPI_IN_PLACE, p.grad().data_ptr(), (int)p.numel(),
                      MPI_FLOAT, MPI_SUM, comm);
      // CHECK: [[#@LINE+1]]:11: error: from here on 'one.model_.parameters()' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
      if (rank == 0)
        opt.step();
    }
  }
  void load() { torch::load(model_, "model.pt"); }
  std::shared_ptr<torch::nn::LinearImpl> model() { return model_; }

private:
  [[spmd::type("dp: R")]] std::shared_ptr<torch::nn::LinearImpl> model_;
};

void all_alike(int steps) {
  Trainer alike(1);
  alike.train(steps);
}
void seeds_differ(int steps) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  Trainer seeded(rank);
  seeded.train(steps);
}
void sent_first(int steps) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  Trainer sent(rank);
  sent.send();
  sent.train(steps);
}
void one_updates(int steps) {
  Trainer one(1);
  one.load();
  one.train_on_one(steps);
}
// Whoever has it may make it whole.
std::shared_ptr<torch::nn::LinearImpl> handed_on(int steps) {
  Trainer kept(1);
  kept.train_on_one(steps);
  return kept.model();
}

// Code of the user's that is not seen, returns nothing and has no parameter
// for a result is there for what it does to the tensors that it is given, also
// by value and const: they, and their gradients, are unknown from then on.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/Work.hpp>
#include <torch/torch.h>

#include <functional>
#include <vector>

using torch::Tensor;

void sync(Tensor t);
void syncReference(Tensor &t);
void syncConst(const Tensor &t);
void syncList(const std::vector<Tensor> &of);
struct Comm {
  void allReduce(const Tensor &t) const;
};
c10::intrusive_ptr<c10d::Work> begin(Tensor t);
double normOf(const Tensor &t);
void copyTo(Tensor &to, const Tensor &from);

[[spmd::type("dp: V")]] Tensor next();

struct Trainer {
  [[spmd::type("dp: R")]] torch::nn::Linear model{8, 8};
  torch::optim::SGD opt{model->parameters(), 0.1};
  Comm comm;

  void backward() {
    opt.zero_grad();
    model(next()).sum().backward();
  }
  void byParameter() {
    backward();
    for (auto &p : model->parameters())
      sync(p);
    opt.step();
  }
  void byReference() {
    backward();
    for (auto &p : model->parameters())
      syncReference(p);
    opt.step();
  }
  void byGradient() {
    backward();
    for (auto &p : model->parameters())
      sync(p.grad());
    opt.step();
  }
  void byMutableGradient() {
    backward();
    for (auto &p : model->parameters())
      syncReference(p.mutable_grad());
    opt.step();
  }
  void byConst() {
    backward();
    for (auto &p : model->parameters())
      comm.allReduce(p.grad());
    opt.step();
  }
  void byList() {
    backward();
    std::vector<Tensor> grads;
    for (auto &p : model->parameters())
      grads.push_back(p.grad());
    syncList(grads);
    opt.step();
  }
  void withHandles() {
    backward();
    std::vector<c10::intrusive_ptr<c10d::Work>> works;
    for (auto &p : model->parameters())
      works.push_back(begin(p.grad()));
    for (auto &work : works)
      work->wait();
    opt.step();
  }
  void oneByOne() {
    backward();
    sync(model->weight);
    syncConst(model->bias);
    opt.step();
  }
  void oneOfTwo() {
    backward();
    sync(model->weight);
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    opt.step();
  }
  void asked() {
    backward();
    double norm = 0;
    for (auto &p : model->parameters())
      norm += normOf(p.grad());
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    opt.step();
  }
  void copied(Tensor &to) {
    backward();
    for (auto &p : model->parameters())
      copyTo(to, p.grad());
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    opt.step();
  }
};

// Parameters that each rank draws by itself are sent round elsewhere.
void seeded([[spmd::type("dp: V")]] int rank) {
  torch::manual_seed(rank);
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  for (auto &p : model->parameters())
    sync(p.data());
}

static void each(torch::nn::Module &m, const std::function<void(Tensor &)> &fn) {
  for (auto &p : m.parameters())
    fn(p);
}
void closure([[spmd::type("dp: R")]] torch::nn::Linear model, Comm &comm) {
  torch::optim::SGD opt(model->parameters(), 0.1);
  model(next()).sum().backward();
  each(*model, [&](Tensor &p) { comm.allReduce(p.grad()); });
  opt.step();
}
void noClosure([[spmd::type("dp: R")]] torch::nn::Linear model, Comm &comm) {
  torch::optim::SGD opt(model->parameters(), 0.1);
  model(next()).sum().backward();
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  opt.step();
  each(*model, [&](Tensor &p) { comm.allReduce(p.grad()); });
}

// Of two models that a function makes, each of numbers alone, or of which their
// classes say that they make what is in them, the gradients of one are not those
// of the other. Models that may share layers are another matter.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

struct Trunk : torch::nn::Module {
  Trunk() : a(register_module("a", torch::nn::Linear(8, 8))) {}
  at::Tensor forward(at::Tensor x) { return a(x); }
  torch::nn::Linear a;
};
struct Head : torch::nn::Module {
  Head(std::shared_ptr<Trunk> t) : trunk(register_module("trunk", t)), head(register_module("head", torch::nn::Linear(8, 1))) {}
  at::Tensor forward(at::Tensor x) { return head(trunk->forward(x)); }
  std::shared_ptr<Trunk> trunk;
  torch::nn::Linear head;
};
struct Unseen : torch::nn::Module {
  Unseen(std::shared_ptr<Trunk> t);
  at::Tensor forward(at::Tensor x);
};

static void sum(c10d::ProcessGroup &dp, const std::vector<at::Tensor> &parameters) {
  for (auto &p : parameters) {
    std::vector<at::Tensor> t{p.grad()};
    dp.allreduce(t)->wait();
  }
}
#define ARGUMENTS [[spmd::axis("dp")]] c10d::ProcessGroup &dp, [[spmd::type("dp: V")]] at::Tensor x

void apart(ARGUMENTS) {
  [[spmd::type("dp: R")]] torch::nn::Linear a(8, 1);
  [[spmd::type("dp: R")]] Trunk b;
  torch::optim::SGD first(a->parameters(), 0.1), second(b.parameters(), 0.1);
  a->forward(x).sum().backward();
  b.forward(x).sum().backward();
  sum(dp, a->parameters());
  first.step();
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  second.step();
}
void adversarial(ARGUMENTS) {
  [[spmd::type("dp: R")]] torch::nn::Sequential generator(torch::nn::Linear(8, 8));
  [[spmd::type("dp: R")]] auto judge = std::make_shared<Trunk>();
  torch::optim::SGD ofGenerator(generator->parameters(), 0.1), ofJudge(judge->parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    judge->zero_grad();
    judge->forward(x).sum().backward();
    sum(dp, generator->parameters());
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    ofJudge.step();
    generator->zero_grad();
    judge->forward(generator->forward(x)).sum().backward();
    sum(dp, generator->parameters());
    ofGenerator.step();
  }
}
void inLoop(ARGUMENTS) {
  [[spmd::type("dp: R")]] torch::nn::Linear a(8, 1);
  [[spmd::type("dp: R")]] torch::nn::Linear b(8, 1);
  torch::optim::SGD first(a->parameters(), 0.1), second(b->parameters(), 0.1);
  a->forward(x).sum().backward();
  b->forward(x).sum().backward();
  for (auto &p : a->parameters()) {
    std::vector<at::Tensor> t{p.grad()};
    dp.allreduce(t)->wait();
  }
  first.step();
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  second.step();
}

struct MakerImpl : torch::nn::Module {
  MakerImpl(int64_t width) : out(register_module("out", torch::nn::Linear(width, 8))) {}
  at::Tensor forward(at::Tensor x) { return out(x); }
  torch::nn::Linear out;
};
TORCH_MODULE(Maker);
class Adversaries {
public:
  void step(ARGUMENTS) {
    ofJudge.zero_grad();
    judge->forward(x).sum().backward();
    sum(dp, generator->parameters());
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    ofJudge.step();
    ofGenerator.zero_grad();
    judge->forward(generator->forward(x)).sum().backward();
    sum(dp, generator->parameters());
    ofGenerator.step();
  }

private:
  [[spmd::type("dp: R")]] Maker generator{8};
  [[spmd::type("dp: R")]] std::shared_ptr<Trunk> judge = std::make_shared<Trunk>();
  torch::optim::SGD ofGenerator{generator->parameters(), 0.1}, ofJudge{judge->parameters(), 0.1};
};
void given(ARGUMENTS, [[spmd::type("dp: R")]] torch::nn::Linear &a, [[spmd::type("dp: R")]] torch::nn::Linear &b) {
  torch::optim::SGD opt(a->parameters(), 0.1);
  a->forward(x).sum().backward();
  sum(dp, b->parameters());
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  opt.step();
}

//===--- Right ------------------------------------------------------------===//

void both(ARGUMENTS) {
  [[spmd::type("dp: R")]] torch::nn::Linear a(8, 1);
  [[spmd::type("dp: R")]] Trunk b;
  torch::optim::SGD first(a->parameters(), 0.1), second(b.parameters(), 0.1);
  a->forward(b.forward(x)).sum().backward();
  sum(dp, a->parameters());
  sum(dp, b.parameters());
  first.step();
  second.step();
}
void inOneList(ARGUMENTS) {
  [[spmd::type("dp: R")]] torch::nn::Linear a(8, 1);
  [[spmd::type("dp: R")]] Trunk b;
  std::vector<at::Tensor> all = a->parameters();
  for (auto &p : b.parameters())
    all.push_back(p);
  torch::optim::SGD opt(all, 0.1);
  a->forward(b.forward(x)).sum().backward();
  sum(dp, a->parameters());
  sum(dp, b.parameters());
  opt.step();
}
void shared(ARGUMENTS) {
  auto trunk = std::make_shared<Trunk>();
  [[spmd::type("dp: R")]] Head actor(trunk);
  [[spmd::type("dp: R")]] Head critic(trunk);
  torch::optim::SGD opt(trunk->parameters(), 0.1);
  (actor.forward(x).sum() + critic.forward(x).sum()).backward();
  sum(dp, actor.parameters());
  opt.step();
}
void sharedUnseen(ARGUMENTS) {
  auto trunk = std::make_shared<Trunk>();
  [[spmd::type("dp: R")]] Unseen actor(trunk);
  [[spmd::type("dp: R")]] Unseen critic(trunk);
  torch::optim::SGD opt(critic.parameters(), 0.1);
  actor.forward(x).sum().backward();
  sum(dp, actor.parameters());
  opt.step();
}
void registered(ARGUMENTS) {
  [[spmd::type("dp: R")]] auto outer = std::make_shared<torch::nn::Module>();
  [[spmd::type("dp: R")]] auto inner = std::make_shared<Trunk>();
  outer->register_module("inner", inner);
  torch::optim::SGD opt(inner->parameters(), 0.1);
  inner->forward(x).sum().backward();
  sum(dp, outer->parameters());
  opt.step();
}
void pushed(ARGUMENTS) {
  [[spmd::type("dp: R")]] torch::nn::Sequential outer;
  [[spmd::type("dp: R")]] torch::nn::Linear inner(8, 8);
  outer->push_back(inner);
  torch::optim::SGD opt(inner->parameters(), 0.1);
  outer->forward(x).sum().backward();
  sum(dp, outer->parameters());
  opt.step();
}
void givenTrunk(ARGUMENTS, [[spmd::type("dp: R")]] Trunk &trunk, [[spmd::type("dp: R")]] Head &head) {
  torch::optim::SGD opt(trunk.parameters(), 0.1);
  head.forward(x).sum().backward();
  sum(dp, head.parameters());
  opt.step();
}
void givenLayer(ARGUMENTS, [[spmd::type("dp: R")]] torch::nn::Linear &layer, [[spmd::type("dp: R")]] Trunk &whole) {
  torch::optim::SGD opt(layer->parameters(), 0.1);
  whole.forward(x).sum().backward();
  sum(dp, whole.parameters());
  opt.step();
}
void givenModule(ARGUMENTS, [[spmd::type("dp: R")]] torch::nn::Linear &layer, [[spmd::type("dp: R")]] torch::nn::Module &any) {
  torch::optim::SGD opt(layer->parameters(), 0.1);
  layer->forward(x).sum().backward();
  sum(dp, any.parameters());
  opt.step();
}
void givenUnseen(ARGUMENTS, [[spmd::type("dp: R")]] torch::nn::Linear &layer, [[spmd::type("dp: R")]] Unseen &any) {
  torch::optim::SGD opt(layer->parameters(), 0.1);
  any.forward(layer->forward(x)).sum().backward();
  sum(dp, any.parameters());
  opt.step();
}
void givenPart(ARGUMENTS, [[spmd::type("dp: R")]] Trunk &a, [[spmd::type("dp: R")]] torch::nn::Linear &b) {
  auto all = a.parameters();
  for (auto &p : b->parameters())
    all.push_back(p);
  torch::optim::SGD opt(all, 0.1);
  b->forward(a.forward(x)).sum().backward();
  sum(dp, a.parameters());
  sum(dp, b->parameters());
  opt.step();
}

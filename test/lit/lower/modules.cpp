// Modules and optimizers of libtorch: the parameters of a module are one list,
// and a step reads the gradient of each of them.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <memory>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>
using at::Tensor;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

struct Model : torch::nn::Module {
  Model() : in(8, 16), out(16, 4) {
    register_module("in", in);
    register_module("out", out);
  }
  Tensor forward(Tensor x) {
    x = torch::relu(in->forward(x));
    return torch::log_softmax(out(x), 1);
  }
  torch::nn::Linear in, out;
};

static void sum(Tensor x, Group group) {
  std::vector<Tensor> list = {x};
  group->allreduce(list)->wait();
}

// A loss that differs between ranks is right where the gradients are averaged.
void right([[spmd::axis("dp")]] Group dp, [[spmd::type("dp: V")]] Tensor x,
           [[spmd::type("dp: V")]] Tensor y) {
  [[spmd::type("dp: R")]] auto model = std::make_shared<Model>();
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  for (int i = 0; i != 10; ++i) {
    model->zero_grad();
    torch::nll_loss(model->forward(x), y).backward();
    for (auto &p : model->named_parameters()) {
      std::vector<Tensor> list = {p.value().grad()};
      dp->allreduce(list)->wait();
    }
    for (auto &p : model->parameters())
      p.grad().div_(dp->getSize());
    optimizer.step();
  }
}

void forgotten([[spmd::axis("dp")]] Group dp, Tensor loss) {
  [[spmd::type("dp: R")]] auto model = std::make_shared<Model>();
  auto optimizer = std::make_unique<torch::optim::Adam>(model->parameters());
  loss.backward();
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': {{.*}} [spmd-partial-nonlinear]
  optimizer->step();
}

void tooLate([[spmd::axis("dp")]] Group dp, Tensor loss) {
  [[spmd::type("dp: R")]] Model model;
  torch::optim::SGD optimizer(model.parameters(), 0.1);
  for (int i = 0; i != 10; ++i) {
    loss.backward();
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' {{.*}} [spmd-partial-nonlinear]
    optimizer.step();
    for (auto &p : model.parameters())
      sum(p.grad(), dp);
  }
}

void twice([[spmd::axis("dp")]] Group dp, Tensor loss) {
  [[spmd::type("dp: R")]] Model model;
  torch::optim::SGD optimizer(model.parameters(), 0.1);
  loss.backward();
  for (auto &p : model.parameters()) {
    std::vector<Tensor> list = {p.grad()};
    dp->allreduce(list)->wait();
  }
  for (auto &p : model.parameters()) {
    std::vector<Tensor> list = {p.grad()};
    // CHECK: [[#@LINE+1]]:5: error: all_reduce on 'dp' takes V or P, but 'list' is R or I: {{.*}} [spmd-src-type]
    dp->allreduce(list)->wait();
  }
  optimizer.step();
}

void wrongGroup([[spmd::axis("dp")]] Group dp, [[spmd::axis("tp")]] Group tp,
                Tensor loss) {
  [[spmd::type("dp: R")]] Model model;
  torch::optim::SGD optimizer(model.parameters(), 0.1);
  loss.backward();
  for (auto &p : model.parameters())
    sum(p.grad(), tp);
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' {{.*}} [spmd-partial-nonlinear]
  optimizer.step();
}

// Reduced by code that gets the module, its parameters, or one of them.
static void reduceAll(Model &model, Group dp) {
  for (auto &p : model.parameters())
    sum(p.grad(), dp);
}
static void reduceList(const std::vector<Tensor> &list, Group dp) {
  for (size_t i = 0; i < list.size(); ++i)
    sum(list[i].grad(), dp);
}
static void reduceOne(Tensor p, Group dp) { sum(p.grad(), dp); }
void synchronize(std::shared_ptr<Model> model); // nobody knows how

void helpers([[spmd::axis("dp")]] Group dp, Tensor loss) {
  [[spmd::type("dp: R")]] Model model;
  torch::optim::SGD optimizer(model.parameters(), 0.1);
  loss.backward();
  reduceAll(model, dp);
  optimizer.step();
  loss.backward();
  reduceList(model.parameters(), dp);
  optimizer.step();
  loss.backward();
  for (auto &p : model.parameters())
    reduceOne(p, dp);
  optimizer.step();
}

void elsewhere([[spmd::axis("dp")]] Group dp, Tensor loss) {
  [[spmd::type("dp: R")]] auto model = std::make_shared<Model>();
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  loss.backward();
  synchronize(model);
  optimizer.step();
}

void hooks([[spmd::axis("dp")]] Group dp, Tensor loss) {
  [[spmd::type("dp: R")]] auto model = std::make_shared<Model>();
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  for (auto &p : model->parameters())
    p.register_hook([=](Tensor g) {
      sum(g, dp);
      return g;
    });
  loss.backward();
  optimizer.step();
}

// Where there is one rank, nothing has to be summed.
void guarded([[spmd::axis("dp")]] Group dp, Tensor loss) {
  [[spmd::type("dp: R")]] Model model;
  torch::optim::SGD optimizer(model.parameters(), 0.1);
  loss.backward();
  if (dp->getSize() > 1)
    for (auto &p : model.parameters())
      sum(p.grad(), dp);
  optimizer.step();
}

// Of a list of tensors, each one's gradient is its own.
void named([[spmd::axis("dp")]] Group dp, [[spmd::type("dp: R")]] Tensor w,
           [[spmd::type("dp: R")]] Tensor b, bool sums) {
  torch::optim::SGD optimizer({w, b}, 0.1);
  sum(w.grad(), dp);
  sum(b.grad(), dp);
  optimizer.step();
}

// A loop with two counters, or one that outlives it, is a loop like any other.
void counters([[spmd::axis("dp")]] Group dp,
              [[spmd::type("dp: P")]] std::vector<Tensor> list) {
  for (size_t i = 0, n = list.size(); i < n; ++i)
    sum(list[i], dp);
  for (static size_t i = 0; i < list.size(); ++i)
    sum(list[i], dp);
}

struct Trainer {
  [[spmd::axis("dp")]] Group dp;
  [[spmd::type("dp: R")]] torch::nn::Linear layer{nullptr};
  [[spmd::type("dp: R")]] torch::optim::Adam optimizer;
  Trainer() : optimizer(layer->parameters()) {}
  void reduce() {
    for (auto &p : layer->parameters())
      sum(p.grad(), dp);
  }
  void step(Tensor loss) {
    loss.backward();
    reduce();
    optimizer.step();
  }
};

// An annotation of a layer is about its tensors: all of them, or by name.
struct Mlp : torch::nn::Module {
  [[spmd::axis("tp")]] Group tp;
  [[spmd::type("tp: S(0)")]] torch::nn::Linear up{nullptr};
  [[spmd::type("weight: tp: S(1); bias: tp: R")]] torch::nn::Linear down{
      nullptr};
  Mlp() {
    up = register_module("up", torch::nn::Linear(8, 16));
    down = register_module("down", torch::nn::Linear(16, 8));
  }
  [[spmd::type("tp: V")]] Tensor hidden([[spmd::type("tp: R")]] Tensor x) {
    return torch::gelu(up->forward(x));
  }
  [[spmd::type("tp: R")]] Tensor unreduced([[spmd::type("tp: R")]] Tensor x) {
    // CHECK: [[#@LINE+1]]:5: error: the value returned from 'Mlp::unreduced' must be R on 'tp', but 'up->forward(x)' is V: {{.*}} [spmd-contract]
    return up->forward(x);
  }
};

// Clipping reads the gradients too; and what is reduced on one way only is not.
void clipped([[spmd::axis("dp")]] Group dp, Tensor loss, bool clip) {
  [[spmd::type("dp: R")]] Model model;
  torch::optim::SGD optimizer(model.parameters(), 0.1);
  loss.backward();
  for (auto &p : model.parameters())
    sum(p.grad(), dp);
  if (clip)
    torch::nn::utils::clip_grad_norm_(model.parameters(), 1.0);
  optimizer.step();
}
void clippedTooEarly([[spmd::axis("dp")]] Group dp, Tensor loss) {
  [[spmd::type("dp: R")]] Model model;
  torch::optim::SGD optimizer(model.parameters(), 0.1);
  loss.backward();
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'clip_grad_norm_': {{.*}} [spmd-partial-nonlinear]
  torch::nn::utils::clip_grad_norm_(model.parameters(), 1.0);
  for (auto &p : model.parameters())
    sum(p.grad(), dp);
  optimizer.step();
}
void onOneWay([[spmd::axis("dp")]] Group dp, Tensor loss, bool clip) {
  [[spmd::type("dp: R")]] Model model;
  torch::optim::SGD optimizer(model.parameters(), 0.1);
  loss.backward();
  // CHECK: [[#@LINE+7]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': {{.*}} [spmd-partial-nonlinear]
  // CHECK: [[#@LINE+1]]:7: note: on the way where 'clip' is false
  if (clip) {
    for (auto &p : model.parameters())
      sum(p.grad(), dp);
    torch::nn::utils::clip_grad_norm_(model.parameters(), 1.0);
  }
  optimizer.step();
}

// What every constructor makes an optimizer with is what it steps.
class OwnOptimizer {
public:
  OwnOptimizer(Group group, torch::nn::Linear net)
      : group_(group), net_(net), opt_(net_->parameters(), 0.1) {}

  void average() {
    for (auto &p : net_->parameters()) {
      std::vector<Tensor> grads = {p.grad()};
      group_->allreduce(grads)->wait();
    }
  }
  void tooEarly([[spmd::type("dp: V")]] Tensor data) {
    auto loss = net_->forward(data).sum();
    average();
    loss.backward();
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    opt_.step();
  }
  void right([[spmd::type("dp: V")]] Tensor data) {
    auto loss = net_->forward(data).sum();
    loss.backward();
    average();
    opt_.step();
  }

private:
  [[spmd::axis("dp")]] Group group_;
  [[spmd::type("dp: R")]] torch::nn::Linear net_;
  torch::optim::SGD opt_;
};

// Of which of two models nobody can say.
class EitherModel {
public:
  explicit EitherModel(torch::nn::Linear net)
      : net_(net), other_(net), opt_(net_->parameters(), 0.1) {}
  EitherModel(torch::nn::Linear net, torch::nn::Linear other)
      : net_(net), other_(other), opt_(other_->parameters(), 0.1) {}

  void step([[spmd::type("dp: V")]] Tensor data) {
    net_->forward(data).sum().backward();
    opt_.step();
  }

private:
  [[spmd::type("dp: R")]] torch::nn::Linear net_, other_;
  torch::optim::SGD opt_;
};

// Names of parameters are the same on all ranks, and leave some of them out.
void butOneByName([[spmd::axis("dp")]] Group dp, [[spmd::type("dp: V")]] Tensor x,
                  [[spmd::type("dp: V")]] Tensor y) {
  [[spmd::type("dp: R")]] auto model = std::make_shared<Model>();
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  for (int i = 0; i != 10; ++i) {
    model->zero_grad();
    torch::nll_loss(model->forward(x), y).backward();
    for (auto &p : model->named_parameters()) {
      if (p.key() == "out.bias")
        continue;
      std::vector<Tensor> list = {p.value().grad()};
      dp->allreduce(list)->wait();
    }
    // CHECK: [[#@LINE+2]]:5: error: 'the gradients' is P on 'dp' {{.*}} [spmd-partial-nonlinear]
    // CHECK: note: for the elements where 'p.key() == "out.bias"' holds
    optimizer.step();
  }
}

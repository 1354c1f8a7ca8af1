// A module that a function returns, that is made as an argument, or is got out
// of its holder, is drawn as any other; an object that was handed models is
// another name of them.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <memory>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

struct Ema {
  Ema(std::shared_ptr<torch::nn::LinearImpl> t, std::shared_ptr<torch::nn::LinearImpl> s) : teacher(t), student(s) {}
  void update() {
    torch::NoGradGuard guard;
    auto t = teacher->parameters(), s = student->parameters();
    for (size_t i = 0; i < t.size(); ++i)
      t[i].mul_(0.9).add_(s[i], 0.1);
  }
  [[spmd::type("dp: R")]] std::shared_ptr<torch::nn::LinearImpl> teacher, student;
};
void onOneRank([[spmd::axis("dp")]] c10d::ProcessGroup &pg) {
  [[spmd::type("dp: R")]] auto student = std::make_shared<torch::nn::LinearImpl>(4, 4);
  [[spmd::type("dp: R")]] auto teacher = std::make_shared<torch::nn::LinearImpl>(4, 4);
  Ema ema(teacher, student);
  // CHECK: [[#@LINE+1]]:7: error: from here on 'teacher.parameters()' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
  if (pg.getRank() == 0)
    ema.update();
}
void onAll([[spmd::axis("dp")]] c10d::ProcessGroup &pg) {
  [[spmd::type("dp: R")]] auto student = std::make_shared<torch::nn::LinearImpl>(4, 4);
  [[spmd::type("dp: R")]] auto teacher = std::make_shared<torch::nn::LinearImpl>(4, 4);
  Ema ema(teacher, student);
  ema.update();
}

struct State {
  [[spmd::type("dp: R")]] std::shared_ptr<torch::nn::LinearImpl> encoder;
};
static at::Tensor use(State &s, at::Tensor x) { return s.encoder->forward(x); }
void bySeedOfRank([[spmd::axis("dp")]] c10d::ProcessGroup &pg, [[spmd::type("dp: V")]] at::Tensor x) {
  State s;
  torch::manual_seed(3 + pg.getRank());
  // CHECK: [[#@LINE+1]]:15: error: from here on 's.encoder.parameters()' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
  s.encoder = torch::nn::Linear(4, 4).ptr();
  use(s, x);
}
void byOneSeed([[spmd::axis("dp")]] c10d::ProcessGroup &pg, [[spmd::type("dp: V")]] at::Tensor x) {
  State s;
  torch::manual_seed(3);
  s.encoder = torch::nn::Linear(4, 4).ptr();
  use(s, x);
}
// Norms begin with ones and zeros.
void ofConstants([[spmd::axis("dp")]] c10d::ProcessGroup &pg, [[spmd::type("dp: V")]] at::Tensor x) {
  torch::manual_seed(3 + pg.getRank());
  [[spmd::type("dp: R")]] torch::nn::LayerNorm norm(torch::nn::LayerNormOptions({4}));
  norm(x);
}

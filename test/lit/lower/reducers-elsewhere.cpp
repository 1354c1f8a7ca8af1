// An object of a class of which nobody sees the code may have been given the
// model, and reduce its gradients when it is told to.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <memory>
#include <vector>

using PG = c10::intrusive_ptr<c10d::ProcessGroup>;
using at::Tensor;
using torch::nn::Linear;
using torch::optim::SGD;
#define R [[spmd::type("dp: R")]]
#define V [[spmd::type("dp: V")]]
#define DP [[spmd::axis("dp")]]

struct Timer {
  explicit Timer(const char *name);
  void stop();
};
struct Schedule {
  explicit Schedule(SGD &opt);
  void advance();
};
void timed(Timer &timer, R Linear &net, SGD &opt, V Tensor x) {
  opt.zero_grad();
  // CHECK: [[#@LINE+1]]:3: error: backward on a loss that must be P or I on 'dp'
  net(x).pow(2).mean().backward();
  timer.stop();
  opt.step();
}
void scheduled(Schedule &schedule, R Linear &net, SGD &opt, V Tensor x) {
  opt.zero_grad();
  // CHECK: [[#@LINE+1]]:3: error: backward on a loss that must be P or I on 'dp'
  net(x).pow(2).mean().backward();
  schedule.advance();
  opt.step();
}
struct Saver {
  explicit Saver(Linear net);
  void saveAll();
};
void saved(Saver &saver, R Linear &net, SGD &opt, V Tensor x) {
  opt.zero_grad();
  // CHECK: [[#@LINE+1]]:3: error: backward on a loss that must be P or I on 'dp'
  net(x).pow(2).mean().backward();
  saver.saveAll();
  opt.step();
}

//===--- Right ------------------------------------------------------------===//

struct Reducer {
  Reducer(Linear m, PG pg);
  void finalize();
};
void reduced(Reducer &reducer, R Linear &net, SGD &opt, V Tensor x) {
  opt.zero_grad();
  net(x).pow(2).mean().backward();
  reducer.finalize();
  opt.step();
}
void made(R Linear &net, SGD &opt, V Tensor x, DP PG pg) {
  Reducer reducer(net, pg);
  opt.zero_grad();
  net(x).pow(2).mean().backward();
  reducer.finalize();
  opt.step();
}
// By hooks, maybe.
void madeAlone(R Linear &net, SGD &opt, V Tensor x, DP PG pg) {
  Reducer reducer(net, pg);
  opt.zero_grad();
  net(x).pow(2).mean().backward();
  opt.step();
}
struct Attached {
  void attach(std::shared_ptr<torch::nn::Module> m);
  void flush();
};
struct Trainer {
  R Linear net;
  SGD opt;
  std::unique_ptr<Attached> reducer;
  void step(V Tensor x) {
    opt.zero_grad();
    net(x).pow(2).mean().backward();
    reducer->flush();
    opt.step();
  }
};
struct Synchroniser {
  Synchroniser(torch::optim::Optimizer &opt, PG pg);
  void run();
};
void synchronised(Synchroniser &sync, R Linear &net, SGD &opt, V Tensor x) {
  opt.zero_grad();
  net(x).pow(2).mean().backward();
  sync.run();
  opt.step();
}

// A lambda that unknown code has may be run: what its body changes of what it
// has captured is unknown from then on, what it reads stays what it was.
// RUN: split-file %s %t
// RUN: not %spmd-tidy %t/closures.cpp -- -isystem %t %stubs 2>&1 \
// RUN:   | FileCheck %t/closures.cpp --implicit-check-not=error:

//--- pool.h
#include <functional>
void keep(std::function<void()> callback);
template <typename F> void atExit(F &&callback) { keep(callback); }
struct Pool {
  template <typename F> void enqueue(F &&work) { keep(work); }
  void whenDone(std::function<void()> callback);
};
//--- closures.cpp
#include <pool.h>
#include <thread>
#include <torch/torch.h>
#include <vector>
using at::Tensor;


void thread([[spmd::type("dp: R")]] float *w, [[spmd::type("dp: V")]] const float *mine, float *unknown) {
  std::vector<float> sums(4);
  float *p = sums.data();
  std::thread worker([=] { p[0] += unknown[0]; });
  worker.join();
  [[spmd::type("dp: V")]] float mixed = p[0];
}
[[spmd::type("dp: V")]] Tensor changed([[spmd::type("dp: R")]] Tensor w, [[spmd::type("dp: V")]] Tensor g) {
  Tensor copy = w.clone();
  std::thread worker([=] { copy.add_(g); });
  worker.join();
  return copy;
}
[[spmd::type("dp: V")]] Tensor assigned([[spmd::type("dp: R")]] Tensor w, [[spmd::type("dp: V")]] Tensor g, Pool &pool) {
  Tensor out = w.clone();
  pool.enqueue([&] { out = w + g; });
  return out;
}
[[spmd::type("dp: V")]] Tensor registered([[spmd::type("dp: R")]] Tensor w, [[spmd::type("dp: V")]] Tensor g) {
  Tensor out = w.clone();
  auto add = [&out, g] { out.add_(g); };
  atExit(add);
  return out;
}
[[spmd::type("dp: V")]] Tensor wrapped([[spmd::type("dp: R")]] Tensor w, [[spmd::type("dp: V")]] Tensor g, Pool &pool) {
  Tensor out = w.clone();
  pool.whenDone([&] { out.add_(g); });
  return out;
}
[[spmd::type("dp: V")]] float counted([[spmd::type("dp: V")]] float mine, Pool &pool) {
  float sum = 0;
  pool.enqueue([&sum, mine] { sum += mine; });
  return sum;
}
struct Trainer {
  [[spmd::type("dp: R")]] Tensor w;
  Tensor out;
  void step() { out = w * 2; }
  [[spmd::type("dp: V")]] Tensor started([[spmd::type("dp: V")]] Tensor g) {
    out = w.clone();
    std::thread worker([this, g] { out.add_(g); });
    worker.join();
    return out;
  }
};

// Read only.
[[spmd::type("dp: V")]] Tensor read([[spmd::type("dp: R")]] Tensor w, Pool &pool) {
  Tensor out = w * 2;
  pool.enqueue([out] { return out.sum().item<float>(); });
  return out;
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: the value returned from 'read' must be V on 'dp', but 'out' is R{{.*}} [spmd-contract]
}
[[spmd::type("dp: V")]] float readNumber([[spmd::type("dp: R")]] const float *w, Pool &pool) {
  float sum = w[0];
  pool.enqueue([&] { return sum + w[1]; });
  return sum;
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: the value returned from 'readNumber' must be V on 'dp', but 'sum' is R{{.*}} [spmd-contract]
}
// A copy of its own.
[[spmd::type("dp: V")]] float copied([[spmd::type("dp: R")]] float x, Pool &pool) {
  float mine = x;
  pool.enqueue([mine]() mutable { mine += 1; });
  return mine;
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: the value returned from 'copied' must be V on 'dp', but 'mine' is R{{.*}} [spmd-contract]
}
// Known code: it is run there, with what it has then.
[[spmd::type("dp: V")]] Tensor called([[spmd::type("dp: R")]] Tensor w, [[spmd::type("dp: V")]] Tensor g) {
  Tensor out = w.clone();
  auto add = [&] { out.add_(g); };
  add();
  return out;
}

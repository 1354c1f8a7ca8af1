// An object that is in scope in a branch alone, which only some ranks take, is
// no replica that these have changed: behind the branch there is no such object.
//
// RUN: %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: not %spmd-tidy %s -- %stubs -DWRONG 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <c10d/ProcessGroup.hpp>
#include <cstdio>
#include <torch/torch.h>

struct Example {
  torch::Tensor data, target;
};
struct Loader {
  Example &shared();
  Example own();
  bool done();
};

// RIGHT: no findings
void evaluate(Loader &test, [[spmd::axis("dp")]] c10d::ProcessGroup &pg) {
  if (pg.getRank() == 0)
    while (!test.done()) {
      [[spmd::type("dp: R")]] auto &batch = test.shared();
      [[spmd::type("dp: R")]] auto other = test.own();
      std::printf("%f", (batch.data + other.data).sum().item<float>());
    }
}

#ifdef WRONG
void changed(Loader &test, [[spmd::axis("dp")]] c10d::ProcessGroup &pg) {
  while (!test.done()) {
    [[spmd::type("dp: R")]] auto batch = test.own();
    // CHECK: :[[#@LINE+1]]:9: error: from here on 'batch.data' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
    if (pg.getRank() == 0)
      batch.data = torch::relu(batch.data + 1);
    std::printf("%f", batch.data.sum().item<float>());
  }
}
#endif

// A communicator is named in a repair only where the library takes it as it is: no pointer to it, and no group of another owner.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s

#include <memory>
#include <spmd/torch.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

// CHECK: :[[#@LINE+7]]:26: note: fix: take 'x' through invariant_to_replicate on 'tp'
// CHECK-NEXT: return torch::matmul(x, w);
// CHECK-NEXT: ^
// CHECK-NEXT: spmd::invariant_to_replicate(x, tp)
struct Intrusive {
  [[spmd::axis("tp")]] c10::intrusive_ptr<c10d::ProcessGroup> tp;
  at::Tensor forward([[spmd::type("tp: I")]] at::Tensor x, [[spmd::type("tp: R")]] at::Tensor w) {
    return torch::matmul(x, w);
  }
};

// CHECK: error: 'x' is I on 'tp' and meets 'w', which is R, in 'matmul'
// CHECK-NOT: spmd::invariant_to_replicate(x, tp)
struct Shared {
  [[spmd::axis("tp")]] std::shared_ptr<c10d::ProcessGroup> tp;
  at::Tensor forward([[spmd::type("tp: I")]] at::Tensor x, [[spmd::type("tp: R")]] at::Tensor w) {
    return torch::matmul(x, w);
  }
};

// CHECK: error: 'x' is I on 'tp' and meets 'w', which is R, in 'matmul'
// CHECK-NOT: spmd::invariant_to_replicate(x, tp)
struct Pointer {
  [[spmd::axis("tp")]] c10d::ProcessGroup *tp;
  at::Tensor forward([[spmd::type("tp: I")]] at::Tensor x, [[spmd::type("tp: R")]] at::Tensor w) {
    return torch::matmul(x, w);
  }
};

// CHECK: error: 'x' is I on 'tp' and meets 'w', which is R, in 'matmul'
// CHECK-NOT: spmd::invariant_to_replicate(x, tp)
struct PointerToAxis {
  [[spmd::axis("tp")]] const spmd::Axis *tp;
  at::Tensor forward([[spmd::type("tp: I")]] at::Tensor x, [[spmd::type("tp: R")]] at::Tensor w) {
    return torch::matmul(x, w);
  }
};

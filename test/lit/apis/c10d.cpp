// Process groups of c10d, with their lists of tensors and their handles.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>
using at::Tensor;

struct Ddp {
  [[spmd::axis("dp")]] c10::intrusive_ptr<c10d::ProcessGroup> pg;
  [[spmd::axis("tp")]] c10::intrusive_ptr<c10d::ProcessGroup> tp;
  void reduce([[spmd::type("dp: P -> dp: R")]] Tensor &grad) {
    std::vector<Tensor> v = {grad};
    pg->allreduce(v)->wait();
    grad.div_(pg->getSize());
  }
  void twice([[spmd::type("dp: P -> dp: R")]] Tensor &grad) {
    std::vector<Tensor> v{grad};
    pg->allreduce(v)->wait();
    pg->allreduce(v)->wait();
  // CHECK: [[@LINE-1]]:5: error: all_reduce on 'dp' takes V or P, but 'v' is R or I: summing equal values multiplies them by the axis size [spmd-src-type]
  }
  void forgot([[spmd::type("dp: P -> dp: R")]] Tensor &grad) {
  // CHECK: [[@LINE-1]]:28: error: parameter 'grad' on exit must be R on 'dp', but 'grad' is P: nothing has added up the ranks' parts [spmd-contract]
    grad.div_(pg->getSize());
  }
  [[spmd::type("dp: R")]] Tensor gather([[spmd::type("dp: V")]] Tensor x) {
    Tensor out = at::empty({x.size(0) * pg->getSize(), x.size(1)});
    pg->_allgather_base(out, x)->wait();
    return out;
  }
  [[spmd::type("dp: V")]] Tensor scatter([[spmd::type("dp: P")]] Tensor x) {
    Tensor out = at::empty({x.size(0) / pg->getSize(), x.size(1)});
    pg->_reduce_scatter_base(out, x)->wait();
    return out;
  }
  [[spmd::type("dp: V")]] Tensor scatterWrong([[spmd::type("dp: R")]] Tensor x) {
    Tensor out = at::empty({x.size(0) / pg->getSize(), x.size(1)});
    pg->_reduce_scatter_base(out, x)->wait();
  // CHECK: [[@LINE-1]]:5: error: reduce_scatter on 'dp' takes V or P, but 'x' is R: summing equal values multiplies them by the axis size [spmd-src-type]
    return out;
  }
  [[spmd::type("dp: V")]] Tensor a2a([[spmd::type("dp: V")]] Tensor x) {
    Tensor out = at::empty_like(x);
    std::vector<int64_t> e;
    pg->alltoall_base(out, x, e, e)->wait();
    return out;
  }
  [[spmd::type("dp: R")]] Tensor bcast([[spmd::type("dp: V")]] Tensor x) {
    std::vector<Tensor> v{x};
    pg->broadcast(v)->wait();
    return v[0];
  }
  [[spmd::type("dp: R")]] Tensor list([[spmd::type("dp: V")]] Tensor x) {
    std::vector<std::vector<Tensor>> outs(1);
    for (int i = 0; i < pg->getSize(); ++i) outs[0].push_back(at::empty_like(x));
    std::vector<Tensor> in{x};
    pg->allgather(outs, in)->wait();
    return at::cat(outs[0], 0);
  }
};

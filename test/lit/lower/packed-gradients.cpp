// Gradients that are copied into a buffer and summed there are summed; and what
// is put into a list is what the list is declared to hold.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>
using at::Tensor;

struct Flat {
  [[spmd::axis("dp")]] c10::intrusive_ptr<c10d::ProcessGroup> group;
  [[spmd::type("dp: R")]] std::vector<Tensor> params;
  std::vector<int64_t> offsets;
  Tensor buffer;
  void pack() {
    for (std::size_t i = 0; i < params.size(); ++i)
      buffer.narrow(0, offsets[i], params[i].numel()).copy_(params[i].grad().reshape({-1}));
  }
  void step() {
    pack();
    Tensor part = at::empty({4});
    group->_reduce_scatter_base(part, buffer)->wait();
  }
};

void train([[spmd::type("dp: R")]] torch::nn::Linear model, Flat &flat, [[spmd::type("dp: V")]] Tensor x) {
  model(x).sum().backward();
  flat.step();
}

struct Sharded {
  [[spmd::type("dp: R")]] std::vector<Tensor> whole;
  void keep([[spmd::type("dp: S(0)")]] Tensor shard, [[spmd::type("dp: R")]] Tensor all) {
    whole.push_back(all);
    // CHECK: [[#@LINE+1]]:5: error: the value stored in 'whole' must be R on 'dp', but 'shard' is S(0)
    whole.push_back(shard);
  }
};

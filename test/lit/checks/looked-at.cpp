// Targets that are made an index in place: no gradient flows back to them.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <spmd/torch.h>
#include <torch/torch.h>
using at::Tensor;

[[spmd::axis("tp")]] spmd::Axis tp;

// As Megatron's loss over a vocabulary in parts has it.
[[spmd::type("tp: I")]] Tensor
vocabularyLoss([[spmd::type("tp: S(-1)")]] const Tensor &logits, [[spmd::type("tp: I")]] const Tensor &target) {
  int64_t width = logits.size(-1), first = tp.rank() * width;
  Tensor elsewhere = (target < first) | (target >= first + width);
  Tensor masked = target.clone() - first;
  masked.index_put_({elsewhere}, 0);
  Tensor rows = torch::arange(masked.numel());
  Tensor found = logits.view({-1, width}).index({rows, masked.view(-1)}).view_as(target);
  found.masked_fill_(elsewhere, 0.0);
  found = spmd::all_reduce(found, tp, spmd::V, spmd::I);
  return spmd::all_reduce(logits.exp().sum(-1), tp, spmd::V, spmd::I).log() - found;
}

[[spmd::type("tp: V")]] Tensor inBrackets([[spmd::type("tp: V")]] const Tensor &z, [[spmd::type("tp: I")]] const Tensor &target) {
  int64_t first = tp.rank() * 5;
  Tensor t = target.clone();
  t.sub_(first);
  t.index({target < first}) = 0;
  Tensor rows = torch::arange(t.numel());
  return z.index({rows, t});
}

[[spmd::type("tp: V")]] Tensor also([[spmd::type("tp: V")]] const Tensor &z, [[spmd::type("tp: I")]] const Tensor &x) {
  Tensor t = x - tp.rank() * 5;
  // CHECK: [[@LINE-1]]:14: error: 'x' is I on 'tp' and meets {{.*}} [spmd-invariant-mix]
  t.masked_fill_(x < 0, 0);
  return z * t;
}

Tensor otherName([[spmd::type("tp: I")]] const Tensor &x) {
  Tensor t = x * 2;
  Tensor same = t.view(-1);
  t.sub_(tp.rank() * 5);
  // CHECK: [[@LINE-1]]:3: error: 't' is I on 'tp' and meets {{.*}} [spmd-invariant-mix]
  return same.relu();
}

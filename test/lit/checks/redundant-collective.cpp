// Operators in a row of which one, or none, does the same. What --fix leaves is
// clean; right code that only looks like it stays.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
// RUN: cp %s %t.cpp && %spmd-tidy --fix %t.cpp -- %stubs 2>&1 | FileCheck %s --check-prefix=DONE
// RUN: FileCheck %s --check-prefix=FIXED < %t.cpp
// RUN: cp %t.cpp %t.once.cpp && %spmd-tidy --fix %t.cpp -- %stubs | count 0
// RUN: diff %t.cpp %t.once.cpp
// DONE: spmd-tidy: applied {{[0-9]+}} fixes in 1 file

#include <spmd/torch.h>
#include <torch/torch.h>
#include <type_traits>
#include <vector>
using at::Tensor;

[[spmd::axis("tp")]] extern spmd::Axis tp;
[[spmd::axis("dp")]] extern spmd::Axis dp;
void show(const Tensor &);

//===--- Found ------------------------------------------------------------===//

Tensor statements([[spmd::type("dp: V")]] Tensor x,
                  [[spmd::type("dp: S(0)")]] Tensor shard) {
  Tensor weight = spmd::all_gather(shard, dp, spmd::S(0), spmd::I);
  return at::matmul(x, spmd::invariant_to_replicate(weight, dp));
}
// CHECK: [[@LINE-3]]:19: warning: all_gather from S(0) to I, then invariant_to_replicate on 'dp': all_gather from S(0) to R does the same and moves half the bytes in backward [spmd-redundant-collective]
// CHECK: :[[@LINE-5]]:32: note: 'shard' is S(0) on 'dp': declared here
// CHECK: :[[@LINE-4]]:24: note: then invariant_to_replicate on 'dp'
// CHECK: :[[@LINE-6]]:19: note: fix: use all_gather from S(0) to R on 'dp' in place of both (moves (N-1)/N of it over 'dp'; backward: reduce_scatter)
// FIXED-LABEL: Tensor statements(
// FIXED: Tensor weight = spmd::all_gather(shard, dp, spmd::S(0), spmd::R);
// FIXED-NEXT: return at::matmul(x, weight);

Tensor nested([[spmd::type("tp: P")]] Tensor x) {
  return spmd::convert(spmd::all_reduce(x + x, tp, spmd::P, spmd::I), tp, spmd::I, spmd::S(1));
}
// CHECK: [[@LINE-2]]:24: warning: all_reduce from P to I, then convert from I to S(1) on 'tp': reduce_scatter from P to S(1) does the same and moves half the bytes in forward [spmd-redundant-collective]
// CHECK: :[[@LINE-3]]:41: note: 'x + x' is P on 'tp': result of this 'add'
// CHECK: :[[@LINE-4]]:10: note: then convert from I to S(1) on 'tp'
// CHECK: :[[@LINE-5]]:10: note: fix: use reduce_scatter from P to S(1) on 'tp' in place of both (moves (N-1)/N of it over 'tp'; backward: all_gather)
// FIXED-LABEL: Tensor nested(
// FIXED-NEXT: return spmd::reduce_scatter(x + x, tp, spmd::P, spmd::S(1));

Tensor nothing([[spmd::type("tp: R")]] Tensor x) {
  return spmd::all_gather(spmd::convert(x * x, tp, spmd::R, spmd::S(0)), tp, spmd::S(0), spmd::R).relu();
}
// CHECK: [[@LINE-2]]:27: warning: convert from R to S(0), then all_gather from S(0) to R on 'tp' gives back what went in and moves bytes in forward and backward for nothing [spmd-redundant-collective]
// CHECK: :[[@LINE-3]]:10: note: fix: remove both: 'x * x' is R on 'tp'
// FIXED-LABEL: Tensor nothing(
// FIXED-NEXT: return (x * x).relu();

Tensor three([[spmd::type("tp: S(0)")]] Tensor x) {
  Tensor whole = spmd::all_gather(x, tp, spmd::S(0), spmd::I);
  Tensor used = spmd::invariant_to_replicate(whole, tp);
  return spmd::convert(used, tp, spmd::R, spmd::S(1));
}
// CHECK: [[@LINE-4]]:18: warning: all_gather from S(0) to I, then invariant_to_replicate, then convert from R to S(1) on 'tp': all_to_all from S(0) to S(1) does the same and moves {{.*}} [spmd-redundant-collective]
// CHECK: note: fix: use all_to_all from S(0) to S(1) on 'tp' in place of all 3
// FIXED-LABEL: Tensor three(
// FIXED-NEXT: Tensor whole = spmd::all_to_all(x, tp, spmd::S(0), spmd::S(1));
// FIXED-NEXT: Tensor used = whole;
// FIXED-NEXT: return used;

Tensor readers([[spmd::type("dp: S(0)")]] Tensor shard) {
  const Tensor weight = spmd::all_gather(shard, dp, spmd::S(0), spmd::I);
  Tensor once = spmd::invariant_to_replicate(weight, dp).relu();
  return once * spmd::reinterpret(weight, dp, spmd::I, spmd::R);
}
// CHECK: [[@LINE-4]]:25: warning: all_gather from S(0) to I, then invariant_to_replicate on 'dp': all_gather from S(0) to R does the same and moves fewer bytes in backward [spmd-redundant-collective]
// CHECK: note: fix: use all_gather from S(0) to R on 'dp' in place of all 3
// FIXED-LABEL: Tensor readers(
// FIXED-NEXT: const Tensor weight = spmd::all_gather(shard, dp, spmd::S(0), spmd::R);
// FIXED-NEXT: Tensor once = weight.relu();
// FIXED-NEXT: return once * weight;

namespace short_names {
using namespace spmd;
Tensor reduced([[spmd::type("tp: P")]] Tensor x) {
  return convert(all_reduce(x, tp, P, R), tp, R, S(0));
}
} // namespace short_names
// CHECK: [[@LINE-3]]:18: warning: all_reduce from P to R, then convert from R to S(0) on 'tp': reduce_scatter from P to S(0) does the same and moves half the bytes in forward and backward [spmd-redundant-collective]
// FIXED-LABEL: Tensor reduced(
// FIXED-NEXT: return spmd::reduce_scatter(x, tp, spmd::P, spmd::S(0));

namespace s = spmd;
Tensor anotherName([[spmd::type("tp: P")]] Tensor x) {
  constexpr auto rows = s::S(0);
  return s::convert(s::all_reduce(x, tp, s::P, s::R), tp, s::R, rows);
}
// CHECK: [[@LINE-2]]:21: warning: all_reduce from P to R, then convert from R to S(0) on 'tp'{{.*}} [spmd-redundant-collective]
// FIXED-LABEL: Tensor anotherName(
// FIXED: return spmd::reduce_scatter(x, tp, spmd::P, spmd::S(0));

Tensor stacked([[spmd::type("tp: P")]] Tensor x) {
  return spmd::convert(spmd::all_reduce(x, tp, spmd::P, spmd::R), tp, spmd::R, spmd::V);
}
// CHECK: [[@LINE-2]]:24: warning: all_reduce from P to R, then convert from R to V on 'tp'{{.*}} [spmd-redundant-collective]
// FIXED-LABEL: Tensor stacked(
// FIXED: return spmd::reduce_scatter(x, tp, spmd::P, spmd::V);

struct Layer {
  [[spmd::type("dp: S(0)")]] Tensor weight_;
  [[spmd::axis("dp")]] spmd::Axis axis_;
  Tensor forward([[spmd::type("dp: V")]] Tensor x) {
    const auto gather = [&] {
      auto whole = spmd::all_gather(weight_, axis_, spmd::S(0), spmd::I);
      return spmd::invariant_to_replicate(whole, axis_);
    };
    return at::matmul(x, gather());
  }
};
// CHECK: [[@LINE-6]]:20: warning: all_gather from S(0) to I, then invariant_to_replicate on 'dp'{{.*}} [spmd-redundant-collective]
// FIXED-LABEL: struct Layer {
// FIXED: auto whole = spmd::all_gather(weight_, axis_, spmd::S(0), spmd::R);
// FIXED-NEXT: return whole;

// FIXED-LABEL: ===--- Left alone
//===--- Left alone -------------------------------------------------------===//

// Someone else sees what stands between.
Tensor alsoUsed([[spmd::type("tp: P")]] Tensor x) {
  Tensor whole = spmd::all_reduce(x, tp, spmd::P, spmd::R);
  return spmd::convert(whole, tp, spmd::R, spmd::S(0)) / whole.norm();
}
Tensor shown([[spmd::type("tp: P")]] Tensor x) {
  Tensor whole = spmd::all_reduce(x, tp, spmd::P, spmd::R);
  show(whole);
  return spmd::convert(whole, tp, spmd::R, spmd::S(0));
}
Tensor measured([[spmd::type("tp: P")]] Tensor x, int *size) {
  Tensor whole = spmd::all_reduce(x, tp, spmd::P, spmd::R);
  *size = (int)whole.numel();
  return spmd::convert(whole, tp, spmd::R, spmd::S(0));
}
Tensor shownByAClosure([[spmd::type("tp: P")]] Tensor x) {
  Tensor whole = spmd::all_reduce(x, tp, spmd::P, spmd::R);
  const auto print = [&] { show(whole); };
  print();
  return spmd::convert(whole, tp, spmd::R, spmd::S(0));
}
std::vector<Tensor> kept([[spmd::type("tp: P")]] Tensor x) {
  Tensor whole = spmd::all_reduce(x, tp, spmd::P, spmd::R);
  std::vector<Tensor> out{whole};
  out.push_back(spmd::convert(whole, tp, spmd::R, spmd::S(0)));
  return out;
}
Tensor byReference([[spmd::type("tp: P")]] Tensor x) {
  Tensor whole = spmd::all_reduce(x, tp, spmd::P, spmd::R);
  Tensor &same = whole;
  same.mul_(2);
  return spmd::convert(whole, tp, spmd::R, spmd::S(0));
}
Tensor assigned([[spmd::type("tp: P")]] Tensor x, bool again) {
  Tensor whole = spmd::all_reduce(x, tp, spmd::P, spmd::R);
  if (again)
    whole = whole.relu();
  return spmd::convert(whole, tp, spmd::R, spmd::S(0));
}
Tensor returned([[spmd::type("tp: P")]] Tensor x, Tensor &whole) {
  whole = spmd::all_reduce(x, tp, spmd::P, spmd::R);
  return spmd::convert(whole, tp, spmd::R, spmd::S(0));
}
Tensor declared([[spmd::type("tp: P")]] Tensor x) {
  [[spmd::type("tp: R")]] Tensor whole = spmd::all_reduce(x, tp, spmd::P, spmd::R);
  return spmd::convert(whole, tp, spmd::R, spmd::S(0));
}
Tensor caught([[spmd::type("tp: P")]] Tensor x) {
  Tensor whole = spmd::all_reduce(x, tp, spmd::P, spmd::R);
  try {
    return spmd::convert(whole, tp, spmd::R, spmd::S(0));
  } catch (...) {
    show(whole);
  }
  return x;
}
Tensor forever() {
  static Tensor whole = spmd::all_reduce(at::zeros({2}), tp, spmd::P, spmd::R);
  return spmd::convert(whole, tp, spmd::R, spmd::S(0));
}

// One of the two results is written: they must stay two.
Tensor written([[spmd::type("dp: S(0)")]] Tensor shard) {
  Tensor weight = spmd::all_gather(shard, dp, spmd::S(0), spmd::I);
  Tensor one = spmd::invariant_to_replicate(weight, dp);
  Tensor two = spmd::invariant_to_replicate(weight, dp);
  one.add_(1);
  return one * two;
}
Tensor copied([[spmd::type("tp: R")]] Tensor x) {
  Tensor copy = spmd::all_gather(spmd::convert(x, tp, spmd::R, spmd::S(0)), tp, spmd::S(0), spmd::R);
  copy.mul_(2);
  return x + copy;
}

// Another axis, another dim, a stack and not a shard.
Tensor otherAxis([[spmd::type("tp: P, dp: R")]] Tensor x) {
  return spmd::convert(spmd::all_reduce(x, tp, spmd::P, spmd::R), dp, spmd::R, spmd::S(0));
}
Tensor otherDim([[spmd::type("tp: S(0)")]] Tensor x) {
  return spmd::convert(spmd::all_gather(x, tp, spmd::S(0), spmd::R), tp, spmd::R, spmd::S(-1));
}
Tensor unknownDims([[spmd::type("tp: P")]] Tensor x, int dim) {
  return spmd::convert(spmd::all_reduce(x, tp, spmd::P, spmd::R), tp, spmd::R, spmd::S(dim));
}
Tensor unknownShards([[spmd::type("tp: V")]] Tensor x, spmd::Shard from, spmd::Shard to) {
  return spmd::convert(spmd::all_gather(x, tp, from, spmd::R), tp, spmd::R, to);
}
Tensor stack([[spmd::type("tp: V")]] Tensor x) {
  return spmd::convert(spmd::all_gather(x, tp, spmd::V, spmd::R), tp, spmd::R, spmd::S(0));
}

// What costs the same is a matter of taste.
Tensor same([[spmd::type("tp: P")]] Tensor x) {
  return spmd::invariant_to_replicate(spmd::all_reduce(x, tp, spmd::P, spmd::I), tp);
}

// Other instances of a template, and other calls, may need it.
template <class To> Tensor instance(Tensor x, To to) {
  Tensor whole = spmd::all_reduce(x, tp, spmd::P, to);
  if constexpr (std::is_same_v<To, spmd::Invariant>)
    show(whole);
  return spmd::convert(whole, tp, to, spmd::S(0));
}
Tensor instances([[spmd::type("tp: P")]] Tensor x) {
  return instance(x, spmd::R) + instance(x, spmd::I);
}
Tensor onAxes(Tensor x, spmd::Axis p, spmd::Axis q) {
  return spmd::convert(spmd::all_reduce(x, p, spmd::P, spmd::R), q, spmd::R, spmd::S(0));
}
Tensor onOneAxis([[spmd::type("tp: P")]] Tensor x) { return onAxes(x, tp, tp); }

// A finding is suppressed like any other.
Tensor meant([[spmd::type("tp: P")]] Tensor x) {
  // NOLINTNEXTLINE(spmd-redundant-collective): to be timed
  return spmd::convert(spmd::all_reduce(x, tp, spmd::P, spmd::R), tp, spmd::R, spmd::S(0));
}

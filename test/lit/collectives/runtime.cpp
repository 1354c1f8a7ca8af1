// The runtime's operators: all ranks of an axis make them together.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <spmd/data_parallel.h>
#include <spmd/fully_sharded.h>
#include <spmd/torch.h>
#include <torch/torch.h>
#include <vector>
using at::Tensor;

void ofOneRank(float *x, int64_t n, const spmd::Axis &dp) {
  if (dp.rank() == 0)
    spmd::all_reduce(spmd::View(x, {n}), dp, spmd::P, spmd::I);
  // CHECK: [[@LINE-1]]:5: error: not all ranks get to this 'spmd::all_reduce'{{.*}} [spmd-divergent-collective]
}

Tensor earlyReturn(const Tensor &x, spmd::Axis dp) {
  if (dp.rank() == dp.size() - 1)
    return x;
  return spmd::all_gather(x, dp, spmd::S(0), spmd::R);
  // CHECK: [[@LINE-1]]:10: error: not all ranks get to this 'spmd::all_gather'{{.*}} [spmd-divergent-collective]
}

struct Layer {
  spmd::Mesh mesh;
  spmd::Axis tp = mesh.axis("tp");

  void swapped(const Tensor &a, const Tensor &b) {
    if (tp.rank() % 2) {
      Tensor x = spmd::all_reduce(a, tp, spmd::P, spmd::R);
      // CHECK: [[@LINE+3]]:18: error: {{.*}} [spmd-collective-order]
      Tensor y = spmd::all_gather(b, tp, spmd::S(0), spmd::R);
    } else {
      Tensor y = spmd::all_gather(b, tp, spmd::S(0), spmd::R);
      Tensor x = spmd::all_reduce(a, tp, spmd::P, spmd::R);
    }
  }

  void ofTheMesh(float *x, int64_t n) {
    if (mesh.rank("dp") == 0)
      spmd::reduce_scatter(spmd::View(x, {n}), spmd::View(x, {n / 2}),
                           mesh.axis("dp"), spmd::P, spmd::S(0));
    // CHECK: [[@LINE-2]]:7: error: not all ranks get to this 'spmd::reduce_scatter'{{.*}} [spmd-divergent-collective]
  }

  Tensor byAnotherAxis(const Tensor &x) {
    if (mesh.rank("dp") == 0)
      return spmd::all_reduce(x, tp, spmd::P, spmd::R);
    return x;
  }
};

void redistributed(const Tensor &x, const spmd::Axis &tp) {
  if (tp.rank() != 1) {
    Tensor y = spmd::redistribute(x, tp, spmd::S(0), spmd::R);
    // CHECK: [[@LINE-1]]:16: error: not all ranks get to this 'spmd::redistribute'{{.*}} [spmd-divergent-collective]
  }
  if (tp.rank() == 0)
    Tensor mine = spmd::redistribute(x, tp, spmd::R, spmd::S(0));
}

void started(float *x, float *y, int64_t n, const spmd::Axis &dp) {
  spmd::Work sum =
      spmd::all_reduce_async(spmd::View(x, {n}), dp, spmd::P, spmd::I);
  x[0] = 1;
  // CHECK: [[@LINE-1]]:8: error: 'x' is written by the host while the 'spmd::all_reduce_async' of line [[@LINE-2]] may still use it: no wait for its handle [spmd-async-hazard]
  y[0] = 1;
  sum.wait();
  x[0] = 1;
}

void startedByOne(Tensor x, const spmd::Axis &dp) {
  if (dp.rank() == 0) {
    auto sum = spmd::all_reduce_async(x, dp, spmd::P, spmd::I);
    // CHECK: [[@LINE-1]]:16: error: not all ranks get to this 'spmd::all_reduce_async'{{.*}} [spmd-divergent-collective]
    x = sum.wait();
  }
}

// What is right.
void bucket(std::vector<Tensor> grads, const spmd::Axis &dp) {
  std::vector<spmd::TensorWork> works;
  for (auto &g : grads)
    works.push_back(spmd::all_reduce_async(g, dp, spmd::P, spmd::I));
  for (std::size_t i = 0; i < works.size(); ++i)
    grads[i] = works[i].wait();
}

Tensor branches(const Tensor &x, const spmd::Axis &tp) {
  if (tp.size() == 1)
    return x;
  if (tp.rank() == 0)
    return spmd::all_reduce(x, tp, spmd::P, spmd::R);
  return spmd::all_reduce(x + 1, tp, spmd::P, spmd::R);
}

// Roots, permutations and barriers.
void roots(Tensor x, const spmd::Axis &dp) {
  x = spmd::broadcast(x, dp, spmd::V, spmd::I, dp.rank());
  // CHECK: [[@LINE-1]]:7: error: the root of this 'spmd::broadcast'{{.*}} [spmd-varying-metadata]
  x = spmd::broadcast(x, dp, spmd::V, spmd::I, 0);
}

void firstStage(const Tensor &x, const spmd::Axis &pp) {
  if (pp.rank() == 0)
    Tensor y = spmd::permute(x, pp, spmd::V, spmd::V, spmd::shift(1, false));
  // CHECK: [[@LINE-1]]:16: error: not all ranks get to this 'spmd::permute'{{.*}} [spmd-divergent-collective]
}

void save(const Tensor &x, const spmd::Axis &dp) {
  if (dp.rank() == 0)
    spmd::barrier(dp);
  // CHECK: [[@LINE-1]]:5: error: not all ranks get to this 'spmd::barrier'{{.*}} [spmd-divergent-collective]
}

void exchanged(const Tensor &x, const spmd::Axis &ep,
               const spmd::ChunkSizes &to, const spmd::ChunkSizes &from) {
  Tensor here = spmd::all_to_all(x, ep, spmd::V, spmd::V, to, from);
  Tensor back = spmd::all_to_all(here, ep, spmd::V, spmd::V, from, to);
  spmd::barrier(ep);
}

void ofParameters(std::vector<Tensor> parameters, const Tensor &loss,
                  const spmd::Axis &dp) {
  spmd::DataParallel sync(parameters, dp, spmd::P, spmd::R);
  loss.backward();
  if (dp.rank() == 0)
    sync.wait();
  // CHECK: [[@LINE-1]]:5: error: not all ranks get to this 'spmd::DataParallel::wait'{{.*}} [spmd-divergent-collective]
}

void ofShards(std::vector<Tensor> parameters, const spmd::Axis &dp) {
  spmd::FullySharded sharded = spmd::fully_sharded(parameters, dp);
  if (dp.rank() == 0)
    sharded.gather();
  // CHECK: [[@LINE-1]]:5: error: not all ranks get to this 'spmd::FullySharded::gather'{{.*}} [spmd-divergent-collective]
}

void toShards(std::vector<Tensor> parameters, const Tensor &loss,
              const spmd::Axis &dp) {
  spmd::FullySharded sharded = spmd::fully_sharded(parameters, dp);
  sharded.gather();
  loss.backward();
  if (dp.rank() == 0)
    sharded.wait();
  // CHECK: [[@LINE-1]]:5: error: not all ranks get to this 'spmd::FullySharded::wait'{{.*}} [spmd-divergent-collective]
}

void ofBuckets(std::vector<Tensor> terms, const spmd::Axis &dp) {
  if (dp.rank() == 0)
    terms = spmd::all_reduce(terms, dp, spmd::P, spmd::I);
  // CHECK: [[@LINE-1]]:13: error: not all ranks get to this 'spmd::all_reduce'{{.*}} [spmd-divergent-collective]
}

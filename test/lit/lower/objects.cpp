// An object has one state, by whichever of its names code reaches it.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cstdlib>
#include <cstring>
#include <nccl.h>
#include <spmd/torch.h>
#include <torch/torch.h>
#include <vector>

struct Weights {
  at::Tensor scale;
};

/// Knows the weights by reference.
class Layer {
public:
  Layer(Weights &weights) : weights_(weights) {}
  at::Tensor forward() { return weights_.scale.relu(); }
  void reduce(const spmd::Axis &tp) {
    Weights &same = weights_;
    same.scale = spmd::all_reduce(same.scale, tp, spmd::P, spmd::R);
  }

private:
  Weights &weights_;
};

at::Tensor pending([[spmd::type("tp: P")]] const at::Tensor &x) {
  Weights weights;
  weights.scale = x;
  Layer layer(weights);
  return layer.forward();
  // CHECK: [[@LINE-15]]:33: error: {{.*}} is P on 'tp' and enters the non-linear 'relu'{{.*}} [spmd-partial-nonlinear]
}
at::Tensor reduced([[spmd::type("tp: P")]] const at::Tensor &x,
                   [[spmd::axis("tp")]] const spmd::Axis &tp) {
  Weights weights;
  weights.scale = x;
  Layer layer(weights);
  layer.reduce(tp);
  return weights.scale.relu();
}
at::Tensor replaced([[spmd::type("tp: P")]] const at::Tensor &x,
                    [[spmd::axis("tp")]] const spmd::Axis &tp) {
  Weights weights;
  weights.scale = x;
  Layer layer(weights);
  weights.scale = spmd::all_reduce(x, tp, spmd::P, spmd::R);
  return layer.forward();
}
at::Tensor through_a_pointer([[spmd::type("tp: P")]] const at::Tensor &x,
                             [[spmd::type("tp: R")]] const at::Tensor &y) {
  Weights first, second;
  first.scale = x;
  Weights *p = &first;
  p = &second;
  p->scale = y;
  const at::Tensor sum = second.scale.relu();
  return sum + first.scale.relu();
  // CHECK: [[@LINE-1]]:16: error: 'first.scale' is P on 'tp' and enters the non-linear 'relu'{{.*}} [spmd-partial-nonlinear]
}
at::Tensor a_copy_is_another([[spmd::type("tp: P")]] const at::Tensor &x,
                             [[spmd::axis("tp")]] const spmd::Axis &tp) {
  Weights weights;
  weights.scale = x;
  Weights copy = weights;
  copy.scale = spmd::all_reduce(x, tp, spmd::P, spmd::R);
  return weights.scale.relu();
  // CHECK: [[@LINE-1]]:10: error: 'weights.scale' is P on 'tp' and enters the non-linear 'relu'{{.*}} [spmd-partial-nonlinear]
}

//===--- The end of an object ---------------------------------------------===//

struct Buffer {
  Buffer(size_t n) { values = static_cast<float *>(std::malloc(n)); }
  [[spmd::type("dp: R")]] float *values = nullptr;
};

/// Each rank updates a part of the buffer of its own.
class Update {
public:
  Update(Buffer &buffer, [[spmd::type("dp: V")]] int rank)
      : buffer_(buffer), rank_(rank) {}
  void step([[spmd::type("dp: V")]] const float *gradient, size_t part) {
    float *own = buffer_.values + rank_ * part;
    std::memcpy(own, gradient, part * sizeof(float));
  }
  void gather(size_t part, [[spmd::axis("dp")]] ncclComm_t dp, cudaStream_t s) {
    ncclAllGather(buffer_.values + rank_ * part, buffer_.values, part,
                  ncclFloat, dp, s);
  }

private:
  Buffer &buffer_;
  int rank_;
};

void never_gathered([[spmd::type("dp: V")]] const float *gradient, size_t n,
                    [[spmd::type("dp: V")]] int rank) {
  Buffer buffer(n);
  Update update(buffer, rank);
  for (int step = 0; step < 10; ++step)
    update.step(gradient, n);
  // CHECK: [[@LINE-28]]:16: error: from here on 'buffer.values' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
}
void gathered([[spmd::type("dp: V")]] const float *gradient, size_t n,
              [[spmd::type("dp: V")]] int rank,
              [[spmd::axis("dp")]] ncclComm_t dp, cudaStream_t s) {
  Buffer buffer(n);
  Update update(buffer, rank);
  for (int step = 0; step < 10; ++step) {
    update.step(gradient, n);
    update.gather(n, dp, s);
  }
}
void gathered_before_use([[spmd::type("dp: V")]] const float *gradient,
                         size_t n, [[spmd::type("dp: V")]] int rank,
                         [[spmd::axis("dp")]] ncclComm_t dp, cudaStream_t s) {
  Buffer buffer(n);
  Update update(buffer, rank);
  for (int step = 0; step < 10; ++step) {
    update.gather(n, dp, s);
    update.step(gradient, n);
  }
}
void gathered_if_there_are_others(
    [[spmd::type("dp: V")]] const float *gradient, size_t n,
    [[spmd::type("dp: V")]] int rank, [[spmd::axis("dp")]] ncclComm_t dp,
    cudaStream_t s, int ranks) {
  Buffer buffer(n);
  Update update(buffer, rank);
  update.step(gradient, n);
  if (ranks > 1)
    update.gather(n, dp, s);
}

void keep(const Buffer &buffer); // in another library
void kept_elsewhere([[spmd::type("dp: V")]] const float *gradient, size_t n,
                    [[spmd::type("dp: V")]] int rank,
                    std::vector<Buffer> &all) {
  Buffer buffer(n);
  Update update(buffer, rank);
  update.step(gradient, n);
  all.push_back(buffer);
}
void seen_elsewhere([[spmd::type("dp: V")]] const float *gradient, size_t n,
                    [[spmd::type("dp: V")]] int rank) {
  Buffer buffer(n);
  keep(buffer);
  Update update(buffer, rank);
  update.step(gradient, n);
}

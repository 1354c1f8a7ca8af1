// A class of the user's with one buffer is that buffer, however it is reached.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <memory>
#include <nccl.h>
#include <vector>

struct Impl;
class Tensor { // its memory is elsewhere
public:
  float *data() const;
  float *grad() const;
  size_t size() const;
  [[spmd::op("nonlinear")]] Tensor relu() const;
  Tensor operator+(const Tensor &o) const;
  Tensor &operator+=(const Tensor &o);
  void load(const char *file);

private:
  std::shared_ptr<Impl> impl;
};
[[spmd::op("m k, k n -> m n")]] Tensor matmul(const Tensor &a, const Tensor &b);
struct Buffer {
  float *ptr;
  size_t n;
};
template <class T> class Array { // a copy is another array
public:
  T *data() { return values.data(); }
  size_t size() const { return values.size(); }

private:
  std::vector<T> values;
};
class Device {
public:
  float *get() { return memory; }
  operator float *() { return memory; }

private:
  float *memory = nullptr;
};

[[spmd::axis("tp")]] ncclComm_t tp;
[[spmd::axis("dp")]] ncclComm_t dp;
cudaStream_t s;

void reduce(Tensor &x, ncclComm_t comm) {
  ncclAllReduce(x.data(), x.data(), x.size(), ncclFloat, ncclSum, comm, s);
}
void buffer([[spmd::type("tp: P -> tp: R")]] Buffer &x) {
  ncclAllReduce(x.ptr, x.ptr, x.n, ncclFloat, ncclSum, tp, s);
}
void array([[spmd::type("tp: P -> tp: R")]] Array<float> &x) {
  ncclAllReduce(x.data(), x.data(), x.size(), ncclFloat, ncclSum, tp, s);
}
void device([[spmd::type("tp: P -> tp: R")]] Device &x, [[spmd::type("tp: P -> tp: R")]] Device &y) {
  ncclAllReduce(x.get(), x.get(), 1, ncclFloat, ncclSum, tp, s);
  ncclAllReduce(y, y, 1, ncclFloat, ncclSum, tp, s);
}
void bufferTwice([[spmd::type("tp: R")]] Buffer &x) {
  ncclAllReduce(x.ptr, x.ptr, x.n, ncclFloat, ncclSum, tp, s);
  // CHECK: [[@LINE-1]]:3: error: all_reduce on 'tp' takes V or P, but 'x' is R: summing equal values multiplies them by the axis size [spmd-src-type]
}
void deviceTwice([[spmd::type("tp: R")]] Device &x) {
  ncclAllReduce(x, x, 1, ncclFloat, ncclSum, tp, s);
  // CHECK: [[@LINE-1]]:3: error: all_reduce on 'tp' takes V or P, but 'x' is R: {{.*}} [spmd-src-type]
}
[[spmd::type("tp: P")]] Array<float> copy([[spmd::type("tp: P")]] Array<float> x) {
  Array<float> y = x;
  ncclAllReduce(y.data(), y.data(), y.size(), ncclFloat, ncclSum, tp, s);
  return x;
}
[[spmd::type("tp: R")]] Tensor sameMemory([[spmd::type("tp: P")]] Tensor x) {
  Tensor y = x;
  reduce(y, tp);
  return x;
}

struct Mlp {
  [[spmd::type("tp: V, dp: R")]] Tensor up;
  [[spmd::type("tp: V, dp: R")]] Tensor down;
  [[spmd::type("tp: R, dp: R")]] Tensor bias;
  [[spmd::type("tp: R")]] Tensor forward([[spmd::type("tp: R")]] const Tensor &x) {
    Tensor y = matmul(matmul(x, up).relu(), down);
    reduce(y, tp);
    return y + bias;
  }
  [[spmd::type("tp: R")]] Tensor forgotten([[spmd::type("tp: R")]] const Tensor &x) {
    Tensor y = matmul(matmul(x, up).relu(), down);
    return y + bias;
    // CHECK: [[@LINE-1]]:5: error: the value returned from 'Mlp::forgotten' must be R on 'tp', but 'y + bias' is V: {{.*}} [spmd-contract]
  }
  void gradients() {
    ncclAllReduce(up.grad(), up.grad(), up.size(), ncclFloat, ncclAvg, dp, s);
  }
  void wrongAxis() {
    ncclAllReduce(bias.grad(), bias.grad(), bias.size(), ncclFloat, ncclAvg, dp, s);
    ncclAllReduce(bias.data(), bias.data(), bias.size(), ncclFloat, ncclSum, tp, s);
    // CHECK: [[@LINE-1]]:5: error: all_reduce on 'tp' takes V or P, but 'bias' is R: {{.*}} [spmd-src-type]
  }
  void load() { bias.load("bias.bin"); }
};
void added([[spmd::type("tp: P -> tp: R")]] Tensor &y, [[spmd::type("tp: R")]] const Tensor &bias) {
  y += bias;
  // CHECK: [[@LINE-1]]:3: error: 'bias' is R and is added to 'y', which is P on 'tp', in 'add': {{.*}} [spmd-partial-add]
  reduce(y, tp);
}
[[spmd::op("nonlinear")]] void gelu(float *x, size_t n);
void inPlace([[spmd::type("tp: P")]] Tensor &y) {
  gelu(y.data(), y.size());
  // CHECK: [[@LINE-1]]:3: error: 'y' is P on 'tp' and enters the non-linear 'gelu': {{.*}} [spmd-partial-nonlinear]
}

// What has members of its own that say what they are is no tensor.
struct Parameters {
  [[spmd::type("dp: P")]] float *gradients;
  float *data();
};
void members(Parameters &p, [[spmd::type("dp: R")]] float *w) {
  ncclAllReduce(p.gradients, p.gradients, 1, ncclFloat, ncclSum, dp, s);
}

// A handle that gives the storage by its operator.
struct Storage {
  float *values;
  float *data() { return values; }
};
class Handle {
  std::shared_ptr<Storage> held;

public:
  Storage *operator->() const { return held.get(); }
  float *data() const { return held->values; }
};
void throughArrow([[spmd::type("dp: P -> dp: R")]] Handle g,
                  [[spmd::axis("dp")]] ncclComm_t dp) {
  ncclAllReduce(g->data(), g->data(), 4, ncclFloat, ncclSum, dp, nullptr);
}
// CHECK: [[#@LINE+1]]:28: error: parameter 'g' on exit must be R on 'dp', but 'g' is P
void notAtAll([[spmd::type("dp: P -> dp: R")]] Handle g) {}

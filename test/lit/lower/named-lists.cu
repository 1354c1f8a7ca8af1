// A loop over buffers that braces name, or that a container holds, does to each
// of them once what its body says; behind a loop over braces that is what each
// name has.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <array>
#include <cuda_runtime.h>
#include <map>
#include <nccl.h>
#include <string>
#include <utility>
#include <vector>

struct Comm {
  [[spmd::axis("dp")]] ncclComm_t of;
};
void use([[spmd::type("dp: R")]] const float *x);
void sum(float *x, Comm c) {
  ncclAllReduce(x, x, 4, ncclFloat, ncclSum, c.of, 0);
}

void braces([[spmd::type("dp: V")]] float *x, [[spmd::type("dp: V")]] float *y,
            Comm c) {
  for (float *g : {x, y})
    ncclAllReduce(g, g, 4, ncclFloat, ncclSum, c.of, 0);
  use(x);
  use(y);
}
void oneOfThem([[spmd::type("dp: V")]] float *x,
               [[spmd::type("dp: V")]] float *y,
               [[spmd::type("dp: V")]] float *z, Comm c) {
  for (float *g : {x, y})
    sum(g, c);
  use(x);
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'x' must be R on 'dp', but 'z' is V
  use(z);
}
void twice([[spmd::type("dp: V")]] float *x, [[spmd::type("dp: V")]] float *y,
           Comm c) {
  for (float *g : {x, y})
    ncclAllReduce(g, g, 4, ncclFloat, ncclSum, c.of, 0);
  for (float *g : {x, y})
    // CHECK: [[#@LINE+1]]:5: error: all_reduce on 'dp' takes V or P, but 'g' is R or I
    ncclAllReduce(g, g, 4, ncclFloat, ncclSum, c.of, 0);
}
// Nothing is written.
void looksAt([[spmd::type("dp: V")]] float *x, [[spmd::type("dp: R")]] float *y,
             float *out) {
  for (float *g : {x, y})
    *out += g[0];
  use(y);
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'x' must be R on 'dp', but 'x' is V
  use(x);
}

struct Layer {
  [[spmd::type("dp: R")]] float *w, *b;
  float *dw, *db;
  Comm c;
  void backward([[spmd::type("dp: V")]] const float *x) {
    for (int i = 0; i < 4; ++i) {
      dw[i] = x[i];
      db[i] = x[i + 4];
    }
  }
  void reduce() {
    for (float *g : {dw, db})
      ncclAllReduce(g, g, 4, ncclFloat, ncclAvg, c.of, 0);
  }
  void reduceWeights() {
    for (float *g : {dw})
      ncclAllReduce(g, g, 4, ncclFloat, ncclAvg, c.of, 0);
  }
  void step() {
    for (int i = 0; i < 4; ++i) {
      w[i] -= 0.1f * dw[i];
      // CHECK: [[#@LINE+1]]:7: error: the value stored in 'b' must be R on 'dp', but 'b[i] -= 0.1f * db[i]' is V
      b[i] -= 0.1f * db[i];
    }
  }
};
void train(Layer &l, [[spmd::type("dp: V")]] const float *x) {
  l.backward(x);
  l.reduce();
  l.step();
}
void trainWeights(Layer &l, [[spmd::type("dp: V")]] const float *x) {
  l.backward(x);
  l.reduceWeights();
  // CHECK: [[#@LINE+1]]:3: note: with the types of this call in 'trainWeights'
  l.step();
}

void vector([[spmd::type("dp: V")]] float *x, [[spmd::type("dp: V")]] float *y,
            Comm c) {
  std::vector<float *> list = {x, y};
  for (float *g : list)
    ncclAllReduce(g, g, 4, ncclFloat, ncclSum, c.of, 0);
  use(x);
}
void array([[spmd::type("dp: V")]] float *x, [[spmd::type("dp: V")]] float *y,
           Comm c) {
  std::array<float *, 2> list = {x, y};
  for (auto *g : list)
    ncclAllReduce(g, g, 4, ncclFloat, ncclSum, c.of, 0);
  use(x);
}
void plainArray([[spmd::type("dp: V")]] float *x,
                [[spmd::type("dp: V")]] float *y, Comm c) {
  float *list[] = {x, y};
  for (auto *g : list)
    ncclAllReduce(g, g, 4, ncclFloat, ncclSum, c.of, 0);
  use(x);
}
void again([[spmd::type("dp: V")]] float *x, [[spmd::type("dp: V")]] float *y,
           Comm c) {
  std::vector<float *> list = {x, y};
  for (float *g : list)
    ncclAllReduce(g, g, 4, ncclFloat, ncclSum, c.of, 0);
  for (float *g : list)
    // CHECK: [[#@LINE+1]]:5: error: all_reduce on 'dp' takes V or P, but 'g' is R or I
    ncclAllReduce(g, g, 4, ncclFloat, ncclSum, c.of, 0);
}
void pairs([[spmd::type("dp: V")]] float *x, [[spmd::type("dp: V")]] float *y,
           Comm c) {
  std::vector<std::pair<float *, int>> list = {{x, 3}, {y, 4}};
  for (auto &[p, n] : list)
    ncclAllReduce(p, p, n, ncclFloat, ncclSum, c.of, 0);
  use(x);
}
void byName([[spmd::type("dp: V")]] float *x, [[spmd::type("dp: V")]] float *y,
            Comm c) {
  std::map<std::string, float *> list = {{"x", x}, {"y", y}};
  for (auto &entry : list)
    ncclAllReduce(entry.second, entry.second, 4, ncclFloat, ncclSum, c.of, 0);
  use(x);
}
// Which of the two it is, nobody knows.
void weightsWithGradients([[spmd::type("dp: R")]] float *w,
                          [[spmd::type("dp: V")]] float *dw, Comm c) {
  std::vector<std::pair<float *, float *>> list = {{w, dw}};
  for (auto &[p, g] : list) {
    ncclAllReduce(g, g, 4, ncclFloat, ncclSum, c.of, 0);
    ncclAllReduce(p, p, 4, ncclFloat, ncclAvg, c.of, 0);
  }
  use(dw);
}

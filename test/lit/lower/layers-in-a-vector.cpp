// The same as layers-in-a-list.c, of a vector of structs.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c++17 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <vector>

struct Layer {
  [[spmd::type("dp: R")]] std::vector<float> w;
  std::vector<float> dw;
};
#define ARGUMENTS                                                        \
  [[spmd::axis("dp")]] MPI_Comm dp, std::vector<Layer> &layers,           \
      [[spmd::type("dp: V")]] const std::vector<float> &x

static void backward(std::vector<Layer> &layers, const std::vector<float> &x) {
  for (auto &l : layers)
    for (size_t i = 0; i < l.dw.size(); i++)
      l.dw[i] = x[i] * l.w[i];
}
static void reduce(MPI_Comm dp, std::vector<float> &g) {
  MPI_Allreduce(MPI_IN_PLACE, g.data(), (int)g.size(), MPI_FLOAT, MPI_SUM, dp);
}

void large(ARGUMENTS) {
  backward(layers, x);
  for (auto &l : layers)
    // CHECK-DAG: [[#@LINE+1]]:9: note: for the elements where 'l.dw.size()' is at most 4096
    if (l.dw.size() > 4096)
      MPI_Allreduce(MPI_IN_PLACE, l.dw.data(), (int)l.dw.size(), MPI_FLOAT, MPI_SUM, dp);
  for (auto &l : layers)
    for (size_t i = 0; i < l.w.size(); i++)
      // CHECK-DAG: [[#@LINE+1]]:7: error: from here on 'layers.w' is V on 'dp'
      l.w[i] -= 0.1f * l.dw[i];
}
void last(ARGUMENTS) {
  backward(layers, x);
  auto &last = layers.back();
  // CHECK-DAG: [[#@LINE+1]]:3: note: for the elements where 'number == last' does not hold
  MPI_Allreduce(MPI_IN_PLACE, last.dw.data(), (int)last.dw.size(), MPI_FLOAT, MPI_SUM, dp);
  for (auto &l : layers)
    for (size_t i = 0; i < l.w.size(); i++)
      // CHECK-DAG: [[#@LINE+1]]:7: error: from here on 'layers.w' is V on 'dp'
      l.w[i] -= 0.1f * l.dw[i];
}
void fromSecond(ARGUMENTS) {
  backward(layers, x);
  // CHECK-DAG: [[#@LINE+1]]:22: note: for the elements where 'k' is 0
  for (size_t k = 1; k < layers.size(); k++)
    reduce(dp, layers[k].dw);
  for (auto &l : layers)
    for (size_t i = 0; i < l.w.size(); i++)
      // CHECK-DAG: [[#@LINE+1]]:7: error: from here on 'layers.w' is V on 'dp'
      l.w[i] -= 0.1f * l.dw[i];
}

//===--- Right ------------------------------------------------------------===//

void all(ARGUMENTS) {
  backward(layers, x);
  for (auto &l : layers) {
    if (l.dw.empty())
      continue;
    reduce(dp, l.dw);
    for (size_t i = 0; i < l.dw.size(); i++)
      l.dw[i] += 0.01f * l.w[i];
  }
  for (auto &l : layers)
    for (size_t i = 0; i < l.w.size(); i++)
      l.w[i] -= 0.1f * l.dw[i];
}
void lastByItself(ARGUMENTS) {
  backward(layers, x);
  for (size_t k = 0; k + 1 < layers.size(); k++)
    reduce(dp, layers[k].dw);
  reduce(dp, layers.back().dw);
  for (auto &l : layers)
    for (size_t i = 0; i < l.w.size(); i++)
      l.w[i] -= 0.1f * l.dw[i];
}
void twoSizes(ARGUMENTS) {
  backward(layers, x);
  for (auto &l : layers) {
    if (l.dw.size() > 4096)
      reduce(dp, l.dw);
    if (l.dw.size() <= 4096)
      reduce(dp, l.dw);
  }
  for (auto &l : layers)
    for (size_t i = 0; i < l.w.size(); i++)
      l.w[i] -= 0.1f * l.dw[i];
}

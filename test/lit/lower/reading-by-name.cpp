// What code that is not seen does to what it may change: one rank alone may
// print, save or evaluate what is the same on all; who loads it there makes it
// another.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c++17 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#include <torch/torch.h>

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;
double evaluate(torch::nn::Linear &net);
void loadWeights(torch::nn::Linear &net);
void print_weights(float *w, int n);
void read_weights(float *w, int n);
void saveBestModel(torch::nn::Linear &net, const char *path);

void looks([[spmd::axis("dp")]] Group pg) {
  [[spmd::type("dp: R")]] torch::nn::Linear net(4, 4);
  if (pg->getRank() == 0 && evaluate(net) > 0.9)
    saveBestModel(net, "best.pt");
}
void looks([[spmd::axis("dp")]] Group pg, [[spmd::type("dp: R")]] float *w, int n) {
  if (pg->getRank() == 0)
    print_weights(w, n);
}
void loads([[spmd::axis("dp")]] Group pg) {
  [[spmd::type("dp: R")]] torch::nn::Linear net(4, 4);
  // CHECK: [[@LINE+2]]:7: error: from here on 'net' is V on 'dp', and nothing makes it R again
  // CHECK: [[@LINE+1]]:7: error: from here on 'net.parameters()' is V on 'dp', and nothing makes it R again
  if (pg->getRank() == 0)
    loadWeights(net);
}
void loads([[spmd::axis("dp")]] Group pg, [[spmd::type("dp: R")]] float *w, int n) {
  // CHECK: [[@LINE+1]]:7: error: parameter 'w' on exit must be R on 'dp', but 'w' is V
  if (pg->getRank() == 0)
    read_weights(w, n);
}

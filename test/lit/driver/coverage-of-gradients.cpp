// Of how many updates it is known what the gradient is, by function: in the
// summary, with --stats, in JSON and in SARIF.
// RUN: %spmd-tidy --summary=coverage %s -- %stubs 2>/dev/null | FileCheck %s
// RUN: %spmd-tidy --stats %s -- %stubs 2>&1 | FileCheck %s --check-prefixes=STATS,CHECK
// RUN: %spmd-tidy --format=json %s -- %stubs 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: %spmd-tidy --format=sarif %s -- %stubs 2>&1 | FileCheck %s --check-prefix=SARIF
// RUN: %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --check-prefix=LINE
// LINE: no findings; {{[^;]*}}; operands of 1 of 1 collective typed{{$}}
// STATS: files: 1
// CHECK: coverage-of-gradients.cpp: {{.*}}; operands of 1 of 1 collective typed; gradients of 2 of 5 updates followed
// CHECK-DAG: 'known': {{.*}}; gradients of 1 of 1 update followed
// CHECK-DAG: 'given': {{.*}}; gradients of 0 of 1 update followed
// CHECK-DAG: 'ofBuffers': {{.*}}; gradients of 1 of 1 update followed
// CHECK-DAG: 'ofUnknown': {{.*}}; gradients of 0 of 1 update followed
// CHECK-DAG: 'byUnknown': {{.*}}; gradients of 0 of 1 update followed
// CHECK-DAG: 'noUpdate': 100 % of {{[0-9]+}} tensor expressions typed on dp{{$}}
// JSON: "collectivesGiven": 1,
// JSON-NEXT: "updates": 5,
// JSON-NEXT: "gradientsFollowed": 2,
// JSON-NEXT: "givenUp": 0
// JSON: "function": "known",
// JSON: "updates": 1
// SARIF: "coverageByFunction": {
// SARIF: "collectivesGiven": 1
// SARIF: "functions": [
// SARIF: "gradientsFollowed": 2,
#include <mpi.h>
#include <torch/torch.h>

[[spmd::axis("dp")]] extern MPI_Comm comm;

struct Net : torch::nn::Module {
  [[spmd::type("dp: R")]] torch::nn::Linear layer{nullptr};
  at::Tensor forward(at::Tensor x) { return layer(x); }
};
void known(Net &net, [[spmd::type("dp: V")]] at::Tensor x) {
  torch::optim::SGD opt(net.parameters(), 0.1);
  net.forward(x).sum().backward();
  for (at::Tensor &p : net.parameters())
    MPI_Allreduce(MPI_IN_PLACE, p.grad().data_ptr(), (int)p.numel(), MPI_FLOAT, MPI_SUM, comm);
  opt.step();
}
void given(torch::optim::SGD &opt) { opt.step(); }
struct Lion {
  std::vector<at::Tensor> params;
  void step();
};
void byUnknown(Net &net, [[spmd::type("dp: V")]] at::Tensor x) {
  Lion opt{net.parameters()};
  net.forward(x).sum().backward();
  opt.step();
}
void ofBuffers([[spmd::type("dp: R")]] float *w, [[spmd::type("dp: R")]] const float *g, int n) {
  for (int i = 0; i < n; i++)
    w[i] -= 0.1f * g[i];
}
void ofUnknown([[spmd::type("dp: R")]] float *w, const float *g, int n) {
  for (int i = 0; i < n; i++)
    w[i] -= 0.1f * g[i];
}
void noUpdate([[spmd::type("dp: R")]] float *w, [[spmd::type("dp: R")]] const float *x, int n) {
  for (int i = 0; i < n; i++)
    w[i] = x[i] - 1;
}

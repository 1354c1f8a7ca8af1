// Nothing is annotated, so nothing is said, whatever the code does.
// RUN: %spmd-tidy %s -- %stubs | count 0

#include <nccl.h>
#include <torch/torch.h>

at::Tensor f(at::Tensor x, ncclComm_t comm) {
  float *p = x.data_ptr<float>();
  ncclAllReduce(p, p, 1, ncclFloat, ncclSum, comm, nullptr);
  ncclAllReduce(p, p, 1, ncclFloat, ncclSum, comm, nullptr);
  x.add_(1);
  return torch::relu(x);
}

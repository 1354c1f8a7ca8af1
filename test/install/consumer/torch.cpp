// The gradient of a sum over one rank, through autograd.

#include <spmd/torch.h>
#include <torch/torch.h>

int main() {
  const at::Tensor X = torch::ones({3}, at::requires_grad());
  const spmd::Axis One;
  spmd::all_reduce(X, One, spmd::P, spmd::I).sum().backward();
  return X.grad().sum().item<float>() == 3 ? 0 : 1;
}

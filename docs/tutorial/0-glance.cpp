#include <spmd/torch.h>
#include <torch/torch.h>

[[spmd::type("tp: I")]] at::Tensor
project([[spmd::axis("tp")]] spmd::Axis tp,
        [[spmd::type("tp: S(1)")]] at::Tensor hidden,
        [[spmd::type("tp: S(0)")]] at::Tensor weight,
        [[spmd::type("tp: R")]] at::Tensor bias) {
  at::Tensor y = spmd::out_partial(at::matmul(hidden, weight), tp) + bias;
  return spmd::all_reduce(y, tp, spmd::P, spmd::I);
}

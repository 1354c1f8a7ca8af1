#include <spmd/torch.h>
#include <torch/torch.h>

struct Mlp {
  [[spmd::axis("tp")]] spmd::Axis tp;
  [[spmd::type("tp: S(1)")]] at::Tensor up;   // columns
  [[spmd::type("tp: S(0)")]] at::Tensor down; // rows
  [[spmd::type("tp: I")]] at::Tensor bias;

  [[spmd::type("tp: I")]] at::Tensor
  forward([[spmd::type("tp: I")]] const at::Tensor &x) const {
    at::Tensor hidden = at::gelu(at::matmul(x, up));
    at::Tensor y = spmd::out_partial(at::matmul(hidden, down), tp) + bias;
    return spmd::all_reduce(y, tp, spmd::P, spmd::I);
  }
};

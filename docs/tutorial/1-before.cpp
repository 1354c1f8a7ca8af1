#include <spmd/torch.h>
#include <torch/torch.h>

struct Mlp {
  spmd::Axis tp;
  at::Tensor up, down, bias;

  at::Tensor forward(const at::Tensor &x) const {
    at::Tensor hidden = at::gelu(at::matmul(x, up));
    at::Tensor y = at::matmul(hidden, down) + bias;
    return spmd::all_reduce(y, tp, spmd::P, spmd::I);
  }
};

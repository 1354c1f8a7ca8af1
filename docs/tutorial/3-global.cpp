#include <spmd/torch.h>
#include <torch/torch.h>

struct Layer {
  [[spmd::axis("tp")]] spmd::Axis tp;
  [[spmd::type("bf16[D]")]] at::Tensor scale, shift;
  [[spmd::type("bf16[D, H]")]] at::Tensor up;
  [[spmd::type("bf16[H, D]")]] at::Tensor down;

  [[spmd::global]] [[spmd::type("bf16[B, S, D]")]] at::Tensor
  forward([[spmd::type("bf16[B, S, D]")]] const at::Tensor &x) const {
    at::Tensor h = at::layer_norm(x, {x.size(-1)}, scale, shift);
    return x + at::matmul(at::gelu(at::matmul(h, up)), down);
  }
};

#include <spmd/torch.h>
#include <torch/torch.h>

[[spmd::axis("tp")]] extern spmd::Axis tp;

[[spmd::global]] [[spmd::type("[B@dp, S, D]{tp: R}")]] at::Tensor
mlp([[spmd::type("[B@dp, S, D]{tp: R}")]] at::Tensor x,
    [[spmd::type("[D, H@tp]{dp: R}")]] at::Tensor up,
    [[spmd::type("[H@tp, D]{dp: R}")]] at::Tensor down) {
  at::Tensor h = at::gelu(at::matmul(x, up)); // [B@dp, S, H@tp]
  at::Tensor y = spmd::out_partial(at::matmul(h, down), tp);
  return spmd::all_reduce(y, tp, spmd::P, spmd::R);
}

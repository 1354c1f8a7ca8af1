#include <spmd/torch.h>

struct Projection {
  [[spmd::axis("tp")]] spmd::Axis tp;
  [[spmd::type("tp: S(0)")]] at::Tensor w;

  [[spmd::type("tp: I")]] at::Tensor
  forward([[spmd::type("tp: S(1)")]] const at::Tensor &h) const {
    return at::relu(spmd::out_partial(at::matmul(h, w), tp));
  }
};

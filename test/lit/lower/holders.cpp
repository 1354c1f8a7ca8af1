// A call of a holder is one of the forward of what it holds.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <spmd/torch.h>
#include <torch/torch.h>

struct RowImpl : torch::nn::Module {
  [[spmd::axis("tp")]] spmd::Axis tp;
  [[spmd::type("tp: S(1)")]] at::Tensor weight;
  [[spmd::type("tp: I")]] at::Tensor
  forward([[spmd::type("tp: V")]] const at::Tensor &x) {
    return spmd::all_reduce(spmd::out_partial(at::linear(x, weight), tp), tp,
                            spmd::P, spmd::I);
  }
};
TORCH_MODULE(Row);
struct PlainImpl : torch::nn::Module {
  at::Tensor forward(const at::Tensor &x, double by = 1) { return x * by; }
};
TORCH_MODULE(Plain);

struct Net {
  Row row;
  Plain plain;
  [[spmd::type("tp: I")]] at::Tensor
  right([[spmd::type("tp: V")]] const at::Tensor &h) {
    return row(plain(h));
  }
  [[spmd::type("tp: I")]] at::Tensor
  pending([[spmd::type("tp: P")]] const at::Tensor &h) {
    // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: the argument for 'x' must be V on 'tp', but 'plain(h, 2)' is P
    return row(plain(h, 2));
  }
  [[spmd::type("tp: V")]] at::Tensor
  result([[spmd::type("tp: V")]] const at::Tensor &h) {
    // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: the value returned from 'Net::result' must be V on 'tp', but {{.*}} is I
    return row(h);
  }
};

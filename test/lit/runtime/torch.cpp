// spmd/torch.h against the stub and, where there is one, against libtorch.
// RUN: clang++-22 -Wall -Wextra -Werror -fsyntax-only %stubs -std=c++20 %s
// RUN: %if torch %{ clang++-22 -std=c++17 -Wall -Wextra -Werror -fsyntax-only %runtime-include %torch %s %}

#include <spmd/torch.h>

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

using spmd::I;
using spmd::P;
using spmd::R;
using spmd::S;
using spmd::V;

at::Tensor block(at::Tensor X, at::Tensor W, const spmd::Mesh &M,
                 c10::intrusive_ptr<c10d::ProcessGroup> Group,
                 c10::intrusive_ptr<c10d::ProcessGroupGloo> Gloo) {
  spmd::Axis Tp = M.axis("tp");
  at::Tensor H = torch::linear(spmd::invariant_to_replicate(X, Tp), W);
  H = spmd::all_reduce(spmd::out_partial(torch::linear(H, W), Tp), Group, P, R);
  H = spmd::all_gather(H, Gloo, S(1), R) + spmd::all_gather(H, Tp, V, I);
  H = spmd::reduce_scatter(H, M.flatten({"dp", "tp"}), P, S(-1));
  H = spmd::all_to_all(H, Tp, S(0), S(1)) + spmd::convert(H, Tp, R, S(0));
  H = spmd::reinterpret(H, Tp, R, I, spmd::expert);
  H = spmd::redistribute(H, Tp, P, S(0));
  H = spmd::redistribute(H, M, "[B@dp, H]", "[B, H@dp]");
  spmd::assert_type(H, "tp: R");
  auto Local = spmd::local_map([](at::Tensor Y) { return Y * 2; }, {"tp: V"},
                               {"tp: V"});
  return Local(H);
}

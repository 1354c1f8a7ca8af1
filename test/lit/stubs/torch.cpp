// The stub must accept what libtorch accepts: one program for both.
// RUN: clang++-22 -Wall -Wextra -fsyntax-only %stubs -std=c++20 %s
// RUN: %if torch %{ clang++-22 -std=c++17 -fsyntax-only -w %torch %s %}

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <torch/torch.h>

namespace F = torch::nn::functional;
using torch::Tensor;
using namespace torch::indexing;

struct MlpImpl : torch::nn::Module {
  MlpImpl(int64_t H, int64_t F)
      : Up(register_module("up", torch::nn::Linear(H, F))),
        Down(register_module(
            "down",
            torch::nn::Linear(torch::nn::LinearOptions(F, H).bias(false)))),
        Norm(register_module(
            "norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({H})))),
        Embed(register_module("embed", torch::nn::Embedding(10, H))),
        Drop(torch::nn::DropoutOptions(0.1)) {
    Scale = register_parameter("scale", torch::ones({H}));
    Mask = register_buffer("mask", torch::zeros({H}, torch::kBool));
  }
  Tensor forward(Tensor X) {
    X = Norm->forward(X) + Embed(X.to(torch::kInt64));
    return Drop(Down(torch::gelu(Up(X)))) * Scale;
  }
  torch::nn::Linear Up{nullptr}, Down{nullptr};
  torch::nn::LayerNorm Norm{nullptr};
  torch::nn::Embedding Embed{nullptr};
  torch::nn::Dropout Drop;
  Tensor Scale, Mask;
};
TORCH_MODULE(Mlp);

struct Copy : torch::autograd::Function<Copy> {
  static Tensor forward(torch::autograd::AutogradContext *Ctx, Tensor X,
                        int64_t N) {
    Ctx->saved_data["n"] = N;
    Ctx->save_for_backward({X});
    return X.view_as(X);
  }
  static torch::autograd::tensor_list
  backward(torch::autograd::AutogradContext *Ctx,
           torch::autograd::tensor_list Grads) {
    int64_t N = Ctx->saved_data["n"].toInt();
    auto Saved = Ctx->get_saved_variables();
    return {Grads[0] * N, Tensor()};
  }
};

Tensor ops(Tensor A, Tensor B, const Tensor &W) {
  auto Options =
      torch::TensorOptions().dtype(torch::kFloat32).device(torch::kCPU);
  Tensor C = torch::matmul(A, B) + at::mm(A, W.t()) - A.bmm(B) / 2.0;
  C += torch::einsum("bsh,hf->bsf", {A, W});
  C = torch::cat({A, B, C}, -1).view({-1, A.size(1)}).contiguous();
  C = torch::stack({A, B}).sum({-2, 1}, /*keepdim=*/true).mean(-1);
  auto Parts = C.chunk(2, -1);
  auto [Values, Indices] = C.topk(3, -1);
  std::tuple<Tensor, Tensor> Max = C.max(-1);
  C.index_put_({Slice(), 0}, std::get<0>(Max));
  C = C.index({"...", None, Slice(0, 2)}) * 2 + 1.0f - (1 - C) * -C;
  C = C.masked_fill(C == 0, -1e9).softmax(-1).clamp(0, 1).clamp_min(1e-5);
  C = torch::where(C > 0, A, B).transpose(1, 2).permute({0, 2, 1});
  C = F::linear(C, W) + F::relu(C) + torch::relu_(A) + F::silu(B);
  C = F::layer_norm(C, F::LayerNormFuncOptions({8}).weight(W).eps(1e-5));
  C = F::softmax(C, F::SoftmaxFuncOptions(-1)) + torch::softmax(C, -1);
  C = torch::addmm(W, A, B).add_(B, 0.5).mul_(2).div_(B).copy_(A).zero_();
  C = torch::empty_like(A).normal_(0, 0.02).to(torch::kBFloat16).type_as(B);
  C = torch::arange(0, 10, Options) + torch::full({2, 2}, 1.5, A.options());
  C = torch::tensor({1.0, 2.0}) + torch::randn({2, 3}, Options);
  C = torch::tril(torch::ones({4, 4})) + A[0] + A[0][1] + A.select(0, 1);
  C = A.narrow(0, 0, 2).expand({-1, 4}).unsqueeze(-1).squeeze().flatten(1);
  C = F::cross_entropy(A, B, F::CrossEntropyFuncOptions().ignore_index(-1));
  C = F::dropout(C, F::DropoutFuncOptions().p(0.1).training(true));
  C = torch::log_softmax(A, 1).gather(1, B.unsqueeze(1)) + A.pow(2).sum();
  C = torch::nll_loss(A, B) + torch::embedding(W, B) +
      torch::layer_norm(A, {8});
  float X = A.item<float>() + A.data_ptr<float>()[0] + A.sum().item().toFloat();
  if (A.scalar_type() == torch::kFloat && A.dtype() == B.dtype() && X > 0)
    C.detach_();
  torch::NoGradGuard Guard;
  Indices = Parts[0] + Values;
  return Copy::apply(C, 2) + Indices;
}

void train(c10::intrusive_ptr<c10d::ProcessGroup> Group, Mlp Model) {
  torch::optim::AdamW Optimizer(
      Model->parameters(),
      torch::optim::AdamWOptions(1e-3).betas({0.9, 0.95}).weight_decay(0.1));
  Optimizer.zero_grad();
  Tensor Loss = Model->forward(torch::rand({2, 3})).mean();
  Loss.backward();
  for (auto &P : Model->parameters()) {
    std::vector<Tensor> Grads{P.grad()};
    c10d::AllreduceOptions Options;
    Options.reduceOp = c10d::ReduceOp::SUM;
    Group->allreduce(Grads, Options)->wait();
    P.mutable_grad().div_(Group->getSize());
  }
  Tensor Out = torch::empty({4}), In = torch::ones({2});
  Group->_allgather_base(Out, In)->wait();
  Group->_reduce_scatter_base(In, Out)->wait();
  std::vector<int64_t> Even;
  Group->alltoall_base(Out, In, Even, Even)->wait();
  std::vector<std::vector<Tensor>> Lists{{Out, Out}};
  std::vector<Tensor> Ins{In};
  c10::intrusive_ptr<c10d::Work> Handle = Group->allgather(Lists, Ins);
  Handle->wait();
  Group->reduce_scatter(Ins, Lists)->wait();
  c10d::BroadcastOptions Root;
  Root.rootRank = 0;
  Group->broadcast(Ins, Root)->wait();
  Group->barrier()->wait();
  torch::nn::utils::clip_grad_norm_(Model->parameters(), 1.0);
  Optimizer.step();
}

int main() {
  c10d::TCPStoreOptions StoreOptions;
  StoreOptions.isServer = true;
  auto Store = c10::make_intrusive<c10d::TCPStore>("localhost", StoreOptions);
  auto Options = c10d::ProcessGroupGloo::Options::create();
  auto Group =
      c10::make_intrusive<c10d::ProcessGroupGloo>(Store, 0, 1, Options);
  train(Group, Mlp(8, 32));
}

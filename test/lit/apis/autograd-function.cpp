// A torch::autograd::Function: what its forward pass returns is R or I as its
// backward pass treats the gradient, which must be that of the input.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --dump-ir %s -- %stubs 2>/dev/null | FileCheck %s --check-prefix=IR

#include <c10d/ProcessGroup.hpp>
#include <torch/torch.h>

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

[[spmd::axis("tp")]] c10d::ProcessGroup *tp_group;

static at::Tensor sum_over(at::Tensor x) {
  std::vector<at::Tensor> xs = {x.contiguous()};
  tp_group->allreduce(xs)->wait();
  return xs[0];
}
static at::Tensor columns_of(const at::Tensor &x) {
  const int64_t n = x.size(-1) / tp_group->getSize();
  return x.narrow(-1, tp_group->getRank() * n, n).contiguous();
}
static at::Tensor join(const at::Tensor &x) {
  std::vector<std::vector<at::Tensor>> out(1);
  for (int i = 0; i < tp_group->getSize(); ++i)
    out[0].push_back(at::empty_like(x));
  std::vector<at::Tensor> in = {x};
  tp_group->allgather(out, in)->wait();
  return at::cat(out[0], -1);
}

struct Copy : torch::autograd::Function<Copy> {
  static at::Tensor forward(AutogradContext *, at::Tensor x) { return x; }
  static variable_list backward(AutogradContext *, variable_list g) {
    // CHECK-DAG: [[#@LINE+1]]:13: error: 'Copy::backward' leaves 'sum_over(g[0])', which is R or I on 'tp', as the gradient of 'x', which is R: every rank leaves the whole gradient, which is that of an I; as one of R it counts once per rank [spmd-backward-type]
    return {sum_over(g[0])};
  }
};
struct Reduce : torch::autograd::Function<Reduce> {
  static at::Tensor forward(AutogradContext *, at::Tensor x) {
    return sum_over(x.clone());
  }
  static variable_list backward(AutogradContext *, variable_list g) {
    return {g[0]};
  }
};
struct Scatter : torch::autograd::Function<Scatter> {
  static at::Tensor forward(AutogradContext *, at::Tensor x) {
    return columns_of(x);
  }
  static variable_list backward(AutogradContext *, variable_list g) {
    return {join(g[0])};
  }
};
struct Gather : torch::autograd::Function<Gather> {
  static at::Tensor forward(AutogradContext *, at::Tensor x) { return join(x); }
  static variable_list backward(AutogradContext *, variable_list g) {
    TORCH_CHECK(g.size() == 1);
    return {columns_of(g[0])};
  }
};

// Right: Megatron's four regions.
// IR-LABEL: func {{.*}}mlp
// IR: [[Y:%[0-9]+]] = call @{{.*}}Copy{{.*}}forward{{.*}} no_grad
// IR: = call @{{.*}}Copy{{.*}}backward{{.*}} no_grad pullback [[Y]] {{.*}}from (%x
[[spmd::type("tp: I")]] at::Tensor mlp([[spmd::type("tp: I")]] at::Tensor x,
                                       [[spmd::type("tp: V")]] at::Tensor up,
                                       [[spmd::type("tp: V")]] at::Tensor down,
                                       [[spmd::type("tp: I")]] at::Tensor bias) {
  at::Tensor h = at::relu(at::linear(Copy::apply(x), up));
  return Reduce::apply(at::linear(h, down)) + bias;
}
[[spmd::type("tp: I")]] at::Tensor two([[spmd::type("tp: I")]] at::Tensor x) {
  return Gather::apply(at::relu(Scatter::apply(x)));
}
[[spmd::type("tp: V")]] at::Tensor copied([[spmd::type("tp: R")]] at::Tensor x,
                                          [[spmd::type("tp: V")]] at::Tensor w) {
  // CHECK-DAG: [[#@LINE+1]]:21: note: with the types of this call in 'copied'
  return at::linear(Copy::apply(x), w);
}

// The output is R where the backward pass adds up what the ranks leave.
struct SumBoth : torch::autograd::Function<SumBoth> {
  static at::Tensor forward(AutogradContext *, at::Tensor x) {
    return sum_over(x.clone());
  }
  static variable_list backward(AutogradContext *, variable_list g) {
    return {sum_over(g[0])};
  }
};
[[spmd::type("tp: I")]] at::Tensor summed([[spmd::type("tp: V")]] at::Tensor x,
                                          [[spmd::type("tp: I")]] at::Tensor b) {
  // CHECK-DAG: [[#@LINE+1]]:10: error: {{.*}}R{{.*}} [spmd-invariant-mix]
  return SumBoth::apply(x) + b;
}
[[spmd::type("tp: V")]] at::Tensor scaled([[spmd::type("tp: V")]] at::Tensor x,
                                          [[spmd::type("tp: V")]] at::Tensor w) {
  return SumBoth::apply(x) * w;
}
[[spmd::type("tp: V")]] at::Tensor alone([[spmd::type("tp: V")]] at::Tensor x,
                                         [[spmd::type("tp: V")]] at::Tensor w) {
  // CHECK-DAG: [[#@LINE+1]]:10: error: {{.*}}I{{.*}} [spmd-invariant-mix]
  return Reduce::apply(x) * w;
}

// What the forward pass keeps, by place and by name.
struct Linear : torch::autograd::Function<Linear> {
  static at::Tensor forward(AutogradContext *ctx, at::Tensor x, at::Tensor w,
                            at::Tensor b, double scale) {
    ctx->save_for_backward({x, w});
    ctx->saved_data["scale"] = scale;
    ctx->saved_data["b"] = b;
    return at::linear(x, w, b) * scale;
  }
  static variable_list backward(AutogradContext *ctx, variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    at::Tensor x = saved[0], w = saved[1];
    at::Tensor g = grads[0] * ctx->saved_data["scale"].toDouble();
    return {sum_over(at::matmul(g, w)), at::matmul(g.t(), x), g.sum(0),
            at::Tensor()};
  }
};
struct Unsummed : torch::autograd::Function<Unsummed> {
  static at::Tensor forward(AutogradContext *ctx, at::Tensor x, at::Tensor w) {
    ctx->save_for_backward({x, w});
    return at::linear(x, w);
  }
  static variable_list backward(AutogradContext *ctx, variable_list grads) {
    auto saved = ctx->get_saved_variables();
    auto gx = at::matmul(grads[0], saved[1]);
    auto gw = at::matmul(grads[0].t(), saved[0]);
    // CHECK-DAG: [[#@LINE+1]]:13: error: 'Unsummed::backward' leaves 'gx', which is V on 'tp', as the gradient of 'x', which is I: each rank leaves a gradient of its own for what is the same on all [spmd-backward-type]
    return {gx, gw};
  }
};
[[spmd::type("tp: V")]] at::Tensor column([[spmd::type("tp: I")]] at::Tensor x,
                                          [[spmd::type("tp: V")]] at::Tensor w,
                                          [[spmd::type("tp: V")]] at::Tensor b) {
  return Linear::apply(x, w, b, 0.5);
}
[[spmd::type("tp: V")]] at::Tensor bare([[spmd::type("tp: I")]] at::Tensor x,
                                        [[spmd::type("tp: V")]] at::Tensor w) {
  return Unsummed::apply(x, w);
}
// The same function on replicas: their gradients are parts.
[[spmd::type("tp: V")]] at::Tensor parts([[spmd::type("tp: R")]] at::Tensor x,
                                         [[spmd::type("tp: V")]] at::Tensor w) {
  return Unsummed::apply(x, w);
}

// What is promised of the output is checked where it is called.
struct Promised : torch::autograd::Function<Promised> {
  [[spmd::type("tp: R")]] static at::Tensor
  forward(AutogradContext *, [[spmd::type("tp: I")]] at::Tensor x) {
    return x;
  }
  static variable_list backward(AutogradContext *, variable_list g) {
    return {g[0]}; // the sum is missing
  }
};
at::Tensor promised([[spmd::type("tp: I")]] at::Tensor x) {
  // CHECK-DAG: [[#@LINE+1]]:10: error: the value returned from 'forward' must be R on 'tp', but 'Promised::apply(x)' is I
  return Promised::apply(x);
}

// Nothing is known of what is given to unknown code, nor of lists.
at::Tensor elsewhere(at::Tensor);
struct Unknown : torch::autograd::Function<Unknown> {
  static at::Tensor forward(AutogradContext *, at::Tensor x) { return x; }
  static variable_list backward(AutogradContext *, variable_list g) {
    return {elsewhere(g[0])};
  }
};
struct Lists : torch::autograd::Function<Lists> {
  static variable_list forward(AutogradContext *, at::Tensor x) { return {x, x}; }
  static variable_list backward(AutogradContext *, variable_list g) {
    return {g[0] + g[1]};
  }
};
[[spmd::type("tp: V")]] at::Tensor silent([[spmd::type("tp: I")]] at::Tensor x,
                                          [[spmd::type("tp: V")]] at::Tensor w) {
  return Lists::apply(x)[0] * Unknown::apply(x) * w;
}

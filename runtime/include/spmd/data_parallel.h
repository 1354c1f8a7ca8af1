//===- data_parallel.h - Gradients reduced as they come ---------*- C++ -*-===//
//
// Data parallelism: every rank has the same parameters and a batch of its own,
// and the gradients are averaged over the ranks. They go in buckets, each as
// soon as the backward has made the last gradient in it, while it makes those
// of the layers before.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_DATA_PARALLEL_H
#define SPMD_DATA_PARALLEL_H

#include "spmd/torch_bucket.h"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

namespace spmd {

/// Averages the gradients of some parameters over an axis. From P, as backward
/// leaves those of what is R, to R or I.
///
///     spmd::DataParallel Sync(model->parameters(), dp, spmd::P, spmd::R);
///     loss.backward();     // buckets start as their gradients are there
///     Sync.wait();         // the gradients are the means, the same on all
///     ranks optimizer.step();
///
/// All ranks give the parameters in one order; buckets go in the order in which
/// a backward fills them, from the last parameter to the first, on every rank
/// alike. A parameter that took no part has zeros after it. Each backward is
/// waited for before the next one: that there is one more is an Error.
class DataParallel {
public:
  static constexpr std::size_t DefaultBytes = 25 << 20;

  /// Buckets of at least \p bucket_bytes, but for the last.
  template <class Src, class Dst>
  DataParallel(std::vector<at::Tensor> parameters, const Axis &axis, Src src,
               Dst dst, std::size_t bucket_bytes = DefaultBytes,
               Site at = Site::here())
      : Of(std::make_shared<State>()) {
    detail::checkTransition<rules::OperatorKind::AllReduce, Src, Dst, false>();
    Of->Start = [axis, src, dst, at](const at::Tensor &Flat) {
      return all_reduce_mean_async(detail::viewOf(Flat), axis, src, dst, at);
    };
    Of->Parameters = std::move(parameters);
    Of->At = at;
    detail::checkTensors(Of->Parameters, rules::OperatorKind::AllReduce,
                         /*Mean=*/true, at);
    Of->fill(bucket_bytes);
    for (std::size_t I = 0; I < Of->Parameters.size(); ++I)
      Of->watch(I, Of);
  }

  /// The gradients are the means when it returns.
  void wait() { Of->wait(); }

private:
  struct Bucket {
    std::vector<std::size_t> Members;
    std::size_t Missing = 0; ///< gradients that backward has not made yet
    at::Tensor Flat;
    Work Running;
  };

  struct State {
    std::vector<at::Tensor> Parameters;
    std::vector<std::size_t> BucketOf;
    std::vector<Bucket> Buckets;
    std::size_t Started = 0;
    std::function<Work(const at::Tensor &)> Start;
    Site At;
    /// What makes each gradient; nobody else keeps it.
    std::vector<std::shared_ptr<torch::autograd::Node>> Makers;

    /// From the last parameter to the first, one element type and device each.
    void fill(std::size_t Bytes) {
      BucketOf.resize(Parameters.size());
      std::size_t Held = 0;
      for (std::size_t I = Parameters.size(); I-- > 0;) {
        const at::Tensor &X = Parameters[I];
        const at::Tensor *Other =
            Buckets.empty() ? nullptr
                            : &Parameters[Buckets.back().Members.front()];
        if (!Other || Held >= Bytes ||
            Other->scalar_type() != X.scalar_type() ||
            Other->device() != X.device()) {
          Buckets.emplace_back();
          Held = 0;
        }
        Held += X.nbytes();
        BucketOf[I] = Buckets.size() - 1;
        Buckets.back().Members.push_back(I);
        ++Buckets.back().Missing;
      }
    }

    void watch(std::size_t Parameter, const std::shared_ptr<State> &Self) {
      Makers.push_back(
          torch::autograd::impl::grad_accumulator(Parameters[Parameter]));
      Makers.back()->add_post_hook(std::make_unique<Hook>(Self, Parameter));
    }

    void made(std::size_t Parameter) {
      Bucket &B = Buckets[BucketOf[Parameter]];
      if (B.Missing == 0)
        detail::fail(
            std::string(At.File) + ":" + std::to_string(At.Line) +
            ": spmd::DataParallel: a gradient is made once more before "
            "wait() has been called for the backward before");
      --B.Missing;
      while (Started < Buckets.size() && Buckets[Started].Missing == 0)
        startNext();
    }

    void startNext() {
      Bucket &B = Buckets[Started++];
      std::vector<at::Tensor> Gradients;
      for (const std::size_t I : B.Members) {
        const at::Tensor &G = Parameters[I].grad();
        Gradients.push_back((G.defined() ? G : at::zeros_like(Parameters[I]))
                                .detach()
                                .reshape({-1}));
      }
      B.Flat = at::cat(Gradients);
      B.Running = Start(B.Flat);
    }

    void wait() {
      const at::NoGradGuard Off;
      while (Started < Buckets.size())
        startNext();
      for (Bucket &B : Buckets) {
        B.Running.wait();
        std::int64_t Begin = 0;
        for (const std::size_t I : B.Members) {
          at::Tensor &X = Parameters[I], &G = X.mutable_grad();
          const at::Tensor Mean =
              B.Flat.narrow(0, Begin, X.numel()).view(X.sizes());
          if (G.defined())
            G.copy_(Mean);
          else
            G = Mean.clone();
          Begin += X.numel();
        }
        B.Flat = at::Tensor();
        B.Missing = B.Members.size();
      }
      Started = 0;
    }
  };

  /// Called when a gradient is there. Parameters outlive what watches them.
  struct Hook final : torch::autograd::FunctionPostHook {
    Hook(std::weak_ptr<State> Of, std::size_t Parameter)
        : Of(std::move(Of)), Parameter(Parameter) {}
    torch::autograd::variable_list
    operator()(const torch::autograd::variable_list &Outputs,
               const torch::autograd::variable_list &) override {
      if (const std::shared_ptr<State> Here = Of.lock())
        Here->made(Parameter);
      return Outputs;
    }
    std::weak_ptr<State> Of;
    std::size_t Parameter;
  };

  std::shared_ptr<State> Of;
};

} // namespace spmd

#endif // SPMD_DATA_PARALLEL_H

//===- gradient_buckets.h - Gradients that go as they come ------*- C++ -*-===//
//
// What data parallelism and sharded parameters share: gradients go in buckets,
// each as soon as the backward has made the last gradient in it, while it makes
// those of the layers before.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_GRADIENT_BUCKETS_H
#define SPMD_GRADIENT_BUCKETS_H

#include "spmd/torch_bucket.h"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

namespace spmd {

/// Buckets are of at least as many bytes, but for the last.
inline constexpr std::size_t DefaultBucketBytes = 25 << 20;

namespace detail {

/// The gradients of some parameters, bucket by bucket from the last parameter
/// to the first. Shared with the hooks that tell it of each gradient.
class GradientBuckets {
public:
  using Members = std::vector<std::size_t>;
  /// Starts what is done with the gradients of a bucket, in the order of its
  /// members and as large as these.
  using Start =
      std::function<TensorWork(std::size_t Bucket, std::vector<at::Tensor>)>;

  /// \p Caller, made at \p At, is named in errors.
  GradientBuckets(const char *Caller, std::vector<at::Tensor> Of,
                  std::size_t Bytes, Site At)
      : Caller(Caller), Parameters(std::move(Of)), At(At) {
    for (std::size_t I = 0; I < Parameters.size(); ++I)
      if (!Parameters[I].is_leaf() || !Parameters[I].requires_grad())
        failHere("parameter " + std::to_string(I) +
                 " is given no gradient: leave out what is frozen or computed");
    fill(Bytes);
  }

  const std::vector<at::Tensor> &parameters() const { return Parameters; }
  std::vector<at::Tensor> &parameters() { return Parameters; }
  std::size_t size() const { return Buckets.size(); }
  const Members &members(std::size_t Bucket) const {
    return Buckets[Bucket].Of;
  }

  /// From now on a bucket whose gradients are there is started.
  static void watch(const std::shared_ptr<GradientBuckets> &Self, Start By) {
    Self->By = std::move(By);
    for (std::size_t I = 0; I < Self->Parameters.size(); ++I) {
      Self->Makers.push_back(
          torch::autograd::impl::grad_accumulator(Self->Parameters[I]));
      Self->Makers.back()->add_post_hook(std::make_unique<Hook>(Self, I));
    }
  }

  /// Starts what has not been, and gives \p Take each bucket's result.
  template <class Fn> void wait(Fn Take) {
    const at::NoGradGuard Off;
    while (Started < Buckets.size())
      startNext();
    for (std::size_t B = 0; B < Buckets.size(); ++B) {
      TensorWork Running = std::move(*Buckets[B].Running);
      Buckets[B].Running.reset();
      Take(B, Running.wait());
      Buckets[B].Missing = Buckets[B].Of.size();
    }
    Started = 0;
  }

  /// What lies side by side in \p Flat become the gradients of those of \p All
  /// that are in the bucket.
  void give(std::size_t Bucket, const at::Tensor &Flat,
            const std::vector<at::Tensor> &All) const {
    std::int64_t Begin = 0;
    for (const std::size_t I : members(Bucket)) {
      const at::Tensor &X = All[I];
      const at::Tensor Part = Flat.narrow(0, Begin, X.numel()).view(X.sizes());
      // Optimizers do not take a view.
      if (at::Tensor &G = X.mutable_grad(); G.defined())
        G.copy_(Part);
      else
        G = Part.clone();
      Begin += X.numel();
    }
  }

private:
  struct Bucket {
    Members Of;
    std::size_t Missing = 0; ///< gradients that backward has not made yet
    std::optional<TensorWork> Running;
  };

  [[noreturn]] void failHere(const std::string &Why) const {
    fail(std::string(At.File) + ":" + std::to_string(At.Line) +
         ": spmd::" + Caller + ": " + Why);
  }

  /// One element type and device each.
  void fill(std::size_t Bytes) {
    BucketOf.resize(Parameters.size());
    std::size_t Held = 0;
    for (std::size_t I = Parameters.size(); I-- > 0;) {
      const at::Tensor &X = Parameters[I];
      const at::Tensor *Other =
          Buckets.empty() ? nullptr : &Parameters[Buckets.back().Of.front()];
      if (!Other || Held >= Bytes || Other->scalar_type() != X.scalar_type() ||
          Other->device() != X.device()) {
        Buckets.emplace_back();
        Held = 0;
      }
      Held += X.nbytes();
      BucketOf[I] = Buckets.size() - 1;
      Buckets.back().Of.push_back(I);
      ++Buckets.back().Missing;
    }
  }

  void made(std::size_t Parameter) {
    Bucket &B = Buckets[BucketOf[Parameter]];
    if (B.Missing == 0)
      failHere("a gradient is made once more before wait() has been called for "
               "the backward before");
    --B.Missing;
    while (Started < Buckets.size() && Buckets[Started].Missing == 0)
      startNext();
  }

  void startNext() {
    const at::NoGradGuard Off;
    Bucket &B = Buckets[Started];
    std::vector<at::Tensor> Gradients;
    for (const std::size_t I : B.Of) {
      const at::Tensor &G = Parameters[I].grad();
      Gradients.push_back(
          (G.defined() ? G : at::zeros_like(Parameters[I])).detach());
    }
    B.Running = By(Started++, std::move(Gradients));
  }

  /// Called when a gradient is there. Parameters outlive what watches them.
  struct Hook final : torch::autograd::FunctionPostHook {
    Hook(std::weak_ptr<GradientBuckets> Of, std::size_t Parameter)
        : Of(std::move(Of)), Parameter(Parameter) {}
    torch::autograd::variable_list
    operator()(const torch::autograd::variable_list &Outputs,
               const torch::autograd::variable_list &) override {
      if (const std::shared_ptr<GradientBuckets> Here = Of.lock())
        Here->made(Parameter);
      return Outputs;
    }
    std::weak_ptr<GradientBuckets> Of;
    std::size_t Parameter;
  };

  const char *Caller;
  std::vector<at::Tensor> Parameters;
  Site At;
  std::vector<std::size_t> BucketOf;
  std::vector<Bucket> Buckets;
  std::size_t Started = 0;
  Start By;
  /// What makes each gradient; nobody else keeps it.
  std::vector<std::shared_ptr<torch::autograd::Node>> Makers;
};

} // namespace detail
} // namespace spmd

#endif // SPMD_GRADIENT_BUCKETS_H

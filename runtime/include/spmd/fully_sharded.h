//===- fully_sharded.h - Parameters of which ranks keep parts ---*- C++ -*-===//
//
// Data parallelism in which every rank keeps a part of each parameter, of its
// gradient and of what the optimizer knows of it. The parameters are whole from
// before the forward until their gradients are on their way.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_FULLY_SHARDED_H
#define SPMD_FULLY_SHARDED_H

#include "spmd/gradient_buckets.h"
#include "spmd/shard_layout.h"

namespace spmd {

/// Parameters that were R, kept as S(0). Made by fully_sharded.
class FullySharded {
public:
  FullySharded(std::vector<at::Tensor> parameters, const Axis &axis,
               std::size_t bucket_bytes, Site at)
      : On(axis), At(at) {
    detail::checkTensors(parameters, rules::OperatorKind::AllGather,
                         /*Mean=*/false, at);
    Of = std::make_shared<detail::GradientBuckets>(
        "fully_sharded", std::move(parameters), bucket_bytes, at);
    std::vector<detail::ShardLayout> Layouts;
    for (std::size_t B = 0; B < Of->size(); ++B)
      Layouts.emplace_back(membersOf(B, Of->parameters()), axis.size());
    Cut = std::make_shared<const std::vector<detail::ShardLayout>>(
        std::move(Layouts));
    watch();
    keepOwn();
    release();
  }

  /// This rank's chunk of each parameter, in their order: what an optimizer is
  /// given.
  const std::vector<at::Tensor> &shards() const { return Own; }

  /// all_gather(S(0), R): the parameters are whole on all ranks. For the
  /// forward and what else reads them, such as a checkpoint.
  void gather() {
    const at::NoGradGuard Off;
    std::vector<TensorWork> Running;
    // In the order in which a forward comes to them.
    for (std::size_t B = Of->size(); B-- > 0;)
      Running.push_back(
          all_gather_async(detail::ShardLayout::joined(membersOf(B, Own)), On,
                           (*Cut)[B].cut(), R, At));
    for (std::size_t B = Of->size(); B-- > 0;) {
      const std::vector<at::Tensor> Wholes =
          (*Cut)[B].unpacked(Running[Of->size() - 1 - B].wait());
      for (std::size_t I = 0; I < Wholes.size(); ++I)
        Of->parameters()[Of->members(B)[I]].set_data(Wholes[I]);
    }
  }

  /// After a backward: the gradients of the shards are those of the means over
  /// the ranks, and the parameters and their own gradients hold nothing.
  void wait() {
    Of->wait([this](std::size_t Bucket, const at::Tensor &Means) {
      Of->give(Bucket, Means, Own);
    });
    release();
  }

  /// Without a backward: the parameters hold nothing until they are gathered.
  void release() {
    for (at::Tensor &X : Of->parameters())
      X.set_data(at::empty({0}, X.options().requires_grad(false)));
  }

private:
  std::vector<at::Tensor> membersOf(std::size_t Bucket,
                                    const std::vector<at::Tensor> &All) const {
    std::vector<at::Tensor> Out;
    for (const std::size_t I : Of->members(Bucket))
      Out.push_back(All[I]);
    return Out;
  }

  void keepOwn() {
    for (const at::Tensor &X : Of->parameters())
      Own.push_back(
          detail::ShardLayout::chunkOf(X.detach(), On.rank(), On.size())
              .clone()
              .set_requires_grad(X.requires_grad()));
  }

  /// A gradient goes when it has been packed.
  void watch() {
    const std::weak_ptr<detail::GradientBuckets> Weak = Of;
    detail::GradientBuckets::watch(
        Of, [Weak, Cut = Cut, On = On,
             At = At](std::size_t Bucket, std::vector<at::Tensor> Gradients) {
          const detail::ShardLayout &How = (*Cut)[Bucket];
          const at::Tensor Run = How.packed(Gradients);
          Gradients.clear();
          if (const auto Here = Weak.lock())
            for (const std::size_t I : Here->members(Bucket))
              Here->parameters()[I].mutable_grad().reset();
          return reduce_scatter_mean_async(Run, On, P, How.cut(), At);
        });
  }

  Axis On;
  Site At;
  std::shared_ptr<detail::GradientBuckets> Of;
  std::shared_ptr<const std::vector<detail::ShardLayout>> Cut; ///< by bucket
  std::vector<at::Tensor> Own;
};

/// fully_sharded(parameters, axis): of the parameters, R, each rank keeps its
/// chunk of dim 0, as torch.chunk cuts them. Any optimizer that works number by
/// number does on the shards what it would do on the whole.
///
///     spmd::FullySharded Sharded = spmd::fully_sharded(parameters, dp);
///     torch::optim::AdamW Optimizer(Sharded.shards());
///     Sharded.gather();    // whole, for the forward
///     loss.backward();     // buckets are scattered as they are there
///     Sharded.wait();      // shards have the gradients' means
///     Optimizer.step();
///
/// All ranks give the parameters in one order, with a loss of their own, as to
/// DataParallel, whose buckets these are: errors are the same, and what took no
/// part has zeros. Costs of a step, of parameters of b bytes on N ranks:
/// 2b(N - 1)/N; memory between steps b / N, during a backward b, and what
/// gradients of buckets that have not gone take.
[[nodiscard]] inline FullySharded
fully_sharded(std::vector<at::Tensor> parameters, const Axis &axis,
              std::size_t bucket_bytes = DefaultBucketBytes,
              Site at = Site::here()) {
  return FullySharded(std::move(parameters), axis, bucket_bytes, at);
}

} // namespace spmd

#endif // SPMD_FULLY_SHARDED_H

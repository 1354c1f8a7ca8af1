//===- data_parallel.h - Gradients reduced as they come ---------*- C++ -*-===//
//
// Data parallelism: every rank has the same parameters and a batch of its own,
// and the gradients are averaged over the ranks, while the backward still runs.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_DATA_PARALLEL_H
#define SPMD_DATA_PARALLEL_H

#include "spmd/gradient_buckets.h"

namespace spmd {

/// Averages the gradients of some parameters over an axis. From P, as backward
/// leaves those of what is R, to R or I.
///
///     spmd::DataParallel Sync(model->parameters(), dp, spmd::P, spmd::R);
///     loss.backward();     // buckets start as their gradients are there
///     Sync.wait();         // the gradients are the means, on all ranks alike
///     optimizer.step();
///
/// All ranks give the parameters in one order; buckets go in the order in which
/// a backward fills them, from the last parameter to the first, on every rank
/// alike. A parameter that took no part has zeros after it. Each backward is
/// waited for before the next one: that there is one more is an Error.
class DataParallel {
public:
  template <class Src, class Dst>
  DataParallel(std::vector<at::Tensor> parameters, const Axis &axis, Src src,
               Dst dst, std::size_t bucket_bytes = DefaultBucketBytes,
               Site at = Site::here()) {
    detail::checkTransition<rules::OperatorKind::AllReduce, Src, Dst, false>();
    detail::checkTensors(parameters, rules::OperatorKind::AllReduce,
                         /*Mean=*/true, at);
    Of = std::make_shared<detail::GradientBuckets>(
        "DataParallel", std::move(parameters), bucket_bytes, at);
    detail::GradientBuckets::watch(
        Of, [axis, src, dst, at](std::size_t,
                                 const std::vector<at::Tensor> &Gradients) {
          std::vector<at::Tensor> Rows;
          for (const at::Tensor &G : Gradients)
            Rows.push_back(G.reshape({-1}));
          // In place, on the stream that the gradients are made on.
          const at::Tensor Flat = at::cat(Rows);
          const detail::TensorStream Here(Flat);
          return TensorWork(
              Flat, Flat,
              all_reduce_mean_async(detail::viewOf(Flat), axis, src, dst, at),
              [](const at::Tensor &Means) { return Means; }, axis);
        });
  }

  /// The gradients are the means when it returns.
  void wait() {
    Of->wait([this](std::size_t Bucket, const at::Tensor &Means) {
      Of->give(Bucket, Means, Of->parameters());
    });
  }

private:
  std::shared_ptr<detail::GradientBuckets> Of;
};

} // namespace spmd

#endif // SPMD_DATA_PARALLEL_H

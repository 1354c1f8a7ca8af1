//===- torch_bucket.h - Many tensors through one call -----------*- C++ -*-===//
//
// Two hundred gradients of a kilobyte cost two hundred calls one by one, and
// one as a bucket. A bucket is all tensors of one element type and device, side
// by side; the results are views of it. Shapes, types, costs and backwards are
// those of the operator on each.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TORCH_BUCKET_H
#define SPMD_TORCH_BUCKET_H

#include "spmd/torch_async.h"

namespace spmd {
namespace detail {

/// The numbers of the tensors that go together, in the order in which their
/// kinds first come: the same on all ranks.
inline std::vector<std::vector<std::size_t>>
bucketsOf(const std::vector<at::Tensor> &Of) {
  std::vector<std::vector<std::size_t>> All;
  for (std::size_t I = 0; I < Of.size(); ++I) {
    const auto Fits = [&](const std::vector<std::size_t> &Bucket) {
      const at::Tensor &First = Of[Bucket.front()];
      return First.scalar_type() == Of[I].scalar_type() &&
             First.device() == Of[I].device();
    };
    const auto At = std::find_if(All.begin(), All.end(), Fits);
    if (At == All.end())
      All.push_back({I});
    else
      At->push_back(I);
  }
  return All;
}

inline at::Tensor joined(const std::vector<at::Tensor> &Of,
                         const std::vector<std::size_t> &Bucket) {
  if (Bucket.size() == 1)
    return Of[Bucket[0]].reshape({-1});
  std::vector<at::Tensor> Flat;
  for (const std::size_t I : Bucket)
    Flat.push_back(Of[I].reshape({-1}));
  return at::cat(Flat);
}

/// Puts what has become of a bucket where its tensors are, in their shapes.
inline void separate(const at::Tensor &Joined,
                     const std::vector<std::size_t> &Bucket,
                     std::vector<at::Tensor> &Into) {
  std::vector<std::int64_t> Sizes;
  for (const std::size_t I : Bucket)
    Sizes.push_back(Into[I].numel());
  const std::vector<at::Tensor> Parts = Joined.split_with_sizes(Sizes);
  for (std::size_t I = 0; I < Bucket.size(); ++I)
    Into[Bucket[I]] = Parts[I].view(Into[Bucket[I]].sizes());
}

inline void checkTensors(const std::vector<at::Tensor> &Of, OperatorKind Op,
                         bool Mean, Site At) {
  for (const at::Tensor &X : Of)
    checkTensor(X, operatorName(Op, Mean), At);
}

template <OperatorKind Op, class Src, class Dst>
std::vector<at::Tensor> runBuckets(std::vector<at::Tensor> Of, const Axis &A,
                                   Src From, Dst To, Site At,
                                   const Details &D = {}) {
  checkTensors(Of, Op, D.Mean, At);
  for (const std::vector<std::size_t> &Bucket : bucketsOf(Of))
    separate(runChecked<Op>(joined(Of, Bucket), A, From, To, At, D), Bucket,
             Of);
  return Of;
}

} // namespace detail

/// Buckets under way.
class [[nodiscard]] BucketWork {
public:
  /// The results, in the order of the operands, also when called again.
  const std::vector<at::Tensor> &wait() {
    for (std::size_t I = 0; I < Running.size(); ++I)
      detail::separate(Running[I].wait(), Buckets[I], Of);
    Running.clear();
    return Of;
  }

  /// Started by the operators below.
  template <rules::OperatorKind Op, class Src, class Dst>
  static BucketWork start(std::vector<at::Tensor> Of, const Axis &A, Src From,
                          Dst To, Site At, const detail::Details &D = {}) {
    detail::checkTensors(Of, Op, D.Mean, At);
    BucketWork Out;
    Out.Buckets = detail::bucketsOf(Of);
    for (const std::vector<std::size_t> &Bucket : Out.Buckets)
      Out.Running.push_back(detail::startChecked<Op>(detail::joined(Of, Bucket),
                                                     A, From, To, At, D));
    Out.Of = std::move(Of);
    return Out;
  }

private:
  std::vector<at::Tensor> Of;
  std::vector<std::vector<std::size_t>> Buckets;
  std::vector<TensorWork> Running;
};

#define SPMD_ELEMENTWISE(NAME, OP, MEAN)                                       \
  template <class Src, class Dst>                                              \
  [[nodiscard]] std::vector<at::Tensor> NAME(                                  \
      const std::vector<at::Tensor> &x, const Axis &axis, Src src, Dst dst,    \
      Site at = Site::here()) {                                                \
    return detail::runBuckets<rules::OperatorKind::OP>(x, axis, src, dst, at,  \
                                                       {MEAN});                \
  }                                                                            \
  template <class Src, class Dst>                                              \
  [[nodiscard]] BucketWork NAME##_async(const std::vector<at::Tensor> &x,      \
                                        const Axis &axis, Src src, Dst dst,    \
                                        Site at = Site::here()) {              \
    return BucketWork::start<rules::OperatorKind::OP>(x, axis, src, dst, at,   \
                                                      {MEAN});                 \
  }
#define SPMD_OPERATOR(NAME, OP, MEAN)
#define SPMD_TOLD(NAME, OP, DETAILS, ...)
#include "spmd/operators.def"

/// The same of what \p root has.
template <class Src, class Dst>
[[nodiscard]] std::vector<at::Tensor>
broadcast(const std::vector<at::Tensor> &x, const Axis &axis, Src src, Dst dst,
          int root, Site at = Site::here()) {
  return detail::runBuckets<rules::OperatorKind::Broadcast>(x, axis, src, dst,
                                                            at, {false, root});
}

} // namespace spmd

#endif // SPMD_TORCH_BUCKET_H

//===- UnfitReads.h - Values that no rank has all of ------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_CHECK_UNFITREADS_H
#define SPMD_INFERENCE_CHECK_UNFITREADS_H

#include "Check.h"

namespace spmd::rules::inference {

/// Said once of each value.
class UnfitReads : Check {
public:
  using Check::Check;

  void run(const ReadAtVaryingOffset &Seen);
  void run(const ReadModifiedDivergently &Seen);
  void run(const ReadUnlikePromise &Seen);
  void run(const ReadUnwritten &Seen);
  void run(const ReadBeforeWritten &Seen);
  void run(const PutBackUnread &Seen);

private:
  using Reads = std::set<std::pair<CellId, AxisId>>;
  Reads PartialReads, ModifiedReads, UnlikeReads; ///< of which it was said
  llvm::DenseSet<CellId> UnwrittenReads;          ///< the same, on any axis
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_CHECK_UNFITREADS_H

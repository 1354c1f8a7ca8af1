//===- UnfitReads.h - Values that no rank has all of ------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_CHECK_UNFITREADS_H
#define SPMD_INFERENCE_CHECK_UNFITREADS_H

#include "body/Body.h"

namespace spmd::rules::inference {

class UnfitReads {
public:
  explicit UnfitReads(Body &In) : In(In) {}

  /// \p Value is read as if it were a pending sum, and is a part of one that
  /// lies elsewhere on each rank: none has all of its terms. Reported once.
  bool ofPartialAtVaryingOffset(const Operand &Value, AxisId A, PlaceId At,
                                llvm::StringRef Op);
  /// \p Value is read on ranks of which only some changed what was I or P; a
  /// value that was I matters where a \p Gradient flows back to it. Reported
  /// once.
  bool ofModifiedDivergently(const Operand &Value, AxisId A, bool Gradient,
                             PlaceId At, llvm::StringRef Op);

private:
  Body &In;
  Engine &E = In.E;
  Storage &Store = In.Store;
  Reporter &Report = In.Report;
  using Reads = std::set<std::pair<CellId, AxisId>>;
  Reads PartialReads, ModifiedReads; ///< of which it was said
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_CHECK_UNFITREADS_H

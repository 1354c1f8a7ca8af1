//===- UnfitReads.h - Values that no rank has all of ------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_TRANSFER_UNFITREADS_H
#define SPMD_INFERENCE_TRANSFER_UNFITREADS_H

#include "Observations.h"

namespace spmd::rules::inference {

/// Whether \p Value, which is read as if it were a pending sum, is a part of
/// one that lies elsewhere on each rank: none has all of its terms.
bool readsAtVaryingOffset(Body &In, const Operand &Value, AxisId A, PlaceId At,
                          llvm::StringRef Op);
/// Whether \p Value is read on ranks of which only some changed what was I or
/// P; a value that was I matters where a \p Gradient flows back to it.
bool readsModifiedDivergently(Body &In, const Operand &Value, AxisId A,
                              bool Gradient, PlaceId At, llvm::StringRef Op);
/// Notes where \p Value is read, though it is declared to be the same on all
/// ranks, and since only some of them changed it, or each drew its own first
/// values, is not.
void readAsPromised(Body &In, const Operand &Value, AxisId A, PlaceId At,
                    llvm::StringRef Op);
/// Notes where \p O reads what nobody has put anything into yet, to make
/// something else of it. Returns the axes on which \p O takes an element of
/// that as it is.
AxisMask readUnwritten(Body &In, const OpFact &O);

/// Notes what \p O reads and nobody has written.
void noteUnwritten(Body &In, const OpFact &O);
/// The same of \p T. Memory of the program's own may be sent for the ranks to
/// meet; what a function is declared to write may not be read before.
void noteUnwritten(Body &In, const TransferFact &T);
/// What the function that is called reads, and nobody has written, in the first
/// round of a loop alone.
void noteUnwritten(Body &In, const CallFact &Call);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_TRANSFER_UNFITREADS_H

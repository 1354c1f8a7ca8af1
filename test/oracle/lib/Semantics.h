//===- Semantics.h - What a collective does, and what it means --*- C++ -*-===//

#ifndef SPMD_ORACLE_LIB_SEMANTICS_H
#define SPMD_ORACLE_LIB_SEMANTICS_H

#include "spmd/oracle/Trace.h"

namespace spmd::oracle {

inline Ranks copies(const Tensor &T, std::size_t N) { return Ranks(N, T); }

/// How a collective acts on a group of ranks: on what they hold, or on what
/// that means.
class Semantics {
public:
  virtual ~Semantics() = default;
  virtual Ranks forward(const rules::TransferFact &T, const Ranks &X,
                        const Ranks &Old) const = 0;
  virtual Ranks backward(const rules::TransferFact &T,
                         const Ranks &G) const = 0;
  /// Whether a value that does not vary is one value, kept on all ranks.
  virtual bool tracksLanes() const = 0;
};

/// What the ranks do; the backward is the table's.
const Semantics &onRanks();
/// Independent of the table: each step's meaning and its transpose.
const Semantics &asMeant();

} // namespace spmd::oracle

#endif // SPMD_ORACLE_LIB_SEMANTICS_H

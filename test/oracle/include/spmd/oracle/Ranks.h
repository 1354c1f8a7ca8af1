//===- Ranks.h - A value on the simulated ranks of one axis -----*- C++ -*-===//
//
// Axes compose independently, so one axis of N ranks is enough. A value is one
// tensor per rank; its type says which lists are legal and what one means.
// The definitions are those of docs/oracle.md.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_ORACLE_RANKS_H
#define SPMD_ORACLE_RANKS_H

#include "spmd/oracle/Tensor.h"
#include "spmd/types/LocalType.h"

#include <optional>
#include <string>

namespace spmd::oracle {

using Ranks = std::vector<Tensor>;

/// A type, and for V how the ranks' values make up one: shards along a dim, or
/// a tuple with one entry per rank.
struct Layout {
  rules::LocalType Type;
  std::optional<int> ShardDim;

  Layout dual() const { return {rules::dual(Type), ShardDim}; }
  std::string str() const; ///< "R", "V", "S(1)"
};

/// Rank \p R's piece of \p Whole, which has \p L as the meaning of its ranks.
Tensor pieceOf(const Layout &L, const Tensor &Whole, int R, int N);
/// The pieces put together.
Tensor wholeOf(const Layout &L, const Ranks &Pieces);

/// Whether \p X is a value of type \p L at all: R and I are equal everywhere.
bool isLegal(const Layout &L, const Ranks &X);
/// What \p X means: the common value, the pieces together, or the sum.
Tensor denotation(const Layout &L, const Ranks &X);

/// A basis of the legal values whose meaning has shape \p Meaning.
std::vector<Ranks> basis(const Layout &L, const Shape &Meaning, int N);

/// N times the pairing of a cotangent of type dual(\p L) with a tangent of type
/// \p L. It equals N times the inner product of what they mean, which is what
/// makes I different from R: all ranks hold I's whole gradient.
Number pairing(const Layout &L, const Ranks &Cotangent, const Ranks &Tangent);

Tensor sum(const Ranks &X);
std::string print(const Ranks &X); ///< "[1 2 | 3 4]", ranks apart by bars

} // namespace spmd::oracle

#endif // SPMD_ORACLE_RANKS_H

//===- shapes.h - What each operator makes of a shape -----------*- C++ -*-===//

#ifndef SPMD_SHAPES_H
#define SPMD_SHAPES_H

#include "spmd/axis.h"
#include "spmd/rules/Transition.h"
#include "spmd/tags.h"

#include <cstdint>
#include <vector>

namespace spmd::detail {

using rules::OperatorKind;
using Shape = std::vector<std::int64_t>;

inline std::string nameOf(OperatorKind Op) {
  return "spmd::" + std::string(rules::operatorName(Op));
}

inline std::string str(const Shape &S) {
  std::string Text = "[";
  for (std::size_t I = 0; I < S.size(); ++I)
    Text += (I ? ", " : "") + std::to_string(S[I]);
  return Text + "]";
}

[[noreturn]] inline void failOn(OperatorKind Op, const Axis &A,
                                const std::string &What) {
  fail(nameOf(Op) + " over " + describe(A) + ": " + What);
}

/// The dim of \p S(i) in a tensor of shape \p Of, negative ones counted from
/// the end.
inline int dimOf(OperatorKind Op, const Axis &A, Placement P, const Shape &Of) {
  const int Rank = static_cast<int>(Of.size());
  const int Dim = P.Dim < 0 ? P.Dim + Rank : P.Dim;
  if (Dim < 0 || Dim >= Rank)
    failOn(Op, A,
           "S(" + std::to_string(P.Dim) + ") of a tensor of shape " + str(Of));
  return Dim;
}

/// Whole to piece: a chunk of a dim, or an entry of the leading one. Uneven
/// chunks are an Error.
inline Shape pieceOf(OperatorKind Op, const Axis &A, Placement P, Shape Of) {
  if (!P.HasDim) {
    if (Of.empty() || Of[0] != A.size())
      failOn(Op, A,
             "V takes one entry of the leading dim per rank, the shape "
             "is " +
                 str(Of));
    Of.erase(Of.begin());
    return Of;
  }
  const int Dim = dimOf(Op, A, P, Of);
  if (Of[Dim] % A.size() != 0)
    failOn(Op, A,
           "dim " + std::to_string(Dim) + " of shape " + str(Of) +
               " does not divide evenly");
  Of[Dim] /= A.size();
  return Of;
}

/// Piece to whole: concatenated on a dim, or stacked on a new leading one.
inline Shape wholeOf(OperatorKind Op, const Axis &A, Placement P, Shape Of) {
  if (!P.HasDim) {
    Of.insert(Of.begin(), A.size());
    return Of;
  }
  Of[dimOf(Op, A, P, Of)] *= A.size();
  return Of;
}

/// The shape of the result of one transition of \p In.
inline Shape resultShape(OperatorKind Op, const Axis &A, Placement Src,
                         Placement Dst, const Shape &In) {
  switch (Op) {
  case OperatorKind::AllReduce:
  case OperatorKind::Reinterpret:
    return In;
  case OperatorKind::AllGather:
    return wholeOf(Op, A, Src, In);
  case OperatorKind::ReduceScatter:
    return pieceOf(Op, A, Dst, In);
  case OperatorKind::AllToAll:
    if (Src.HasDim)
      return pieceOf(Op, A, Dst, wholeOf(Op, A, Src, In));
    pieceOf(Op, A, Dst, In);
    return In;
  case OperatorKind::Convert:
    if (Dst.Type == LocalType::V)
      return pieceOf(Op, A, Dst, In);
    if (Src.Type == LocalType::V)
      return wholeOf(Op, A, Src, In);
    return In;
  }
  return In;
}

} // namespace spmd::detail

#endif // SPMD_SHAPES_H

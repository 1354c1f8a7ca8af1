//===- shapes.h - What each operator makes of a shape -----------*- C++ -*-===//

#ifndef SPMD_SHAPES_H
#define SPMD_SHAPES_H

#include "spmd/axis.h"

namespace spmd::detail {

using rules::OperatorKind;

/// The dim of \p S(i) in a tensor of shape \p Of, negative ones counted from
/// the end.
int dimOf(const Call &C, const Placement &P, const Shape &Of);

/// Whole to \p Rank's piece: a chunk of a dim, or an entry of the leading one.
/// An Error when chunks without sizes do not divide evenly, or sizes do not
/// add up.
Shape pieceOf(const Call &C, const Placement &P, Shape Of, int Rank);

/// This rank's piece to whole: concatenated on a dim, or stacked on a new
/// leading one.
Shape wholeOf(const Call &C, const Placement &P, Shape Of);

/// Elements of dim \p P.Dim before \p Rank's chunk, which has \p Each where
/// all are as large.
std::int64_t chunkBegin(const Placement &P, std::int64_t Each, int Rank);

/// An Error where what \p C is told beside its types cannot be: a root that is
/// no rank, counts that do not add up, the mean of whole numbers.
void checkDetails(const Call &C);
inline constexpr char NotScaled[] = "whole numbers are not scaled";

/// \c Call::Whole of \p C.
Shape wholeShape(const Call &C);

/// The shape of the result of \p C.
Shape resultShape(const Call &C);

} // namespace spmd::detail

#endif // SPMD_SHAPES_H

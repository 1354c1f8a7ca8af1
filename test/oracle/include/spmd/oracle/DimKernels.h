//===- DimKernels.h - What ops do to the dims of tensors --------*- C++ -*-===//
//
// References for the shape terms, independent of factors. Nothing: the op
// cannot be run on these shapes.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_ORACLE_DIMKERNELS_H
#define SPMD_ORACLE_DIMKERNELS_H

#include "spmd/oracle/Tensor.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace spmd::oracle {

using MaybeTensor = std::optional<Tensor>;
using Index = std::vector<int>;
using DimList = llvm::ArrayRef<int>;

/// An arbitrary number for a position among \p Size, and for one of the result:
/// what an op that looks at whole dims may make of it. Shards have others.
Number weight(std::size_t Position, std::size_t Size, std::size_t Result = 0);

/// The tensor of shape \p Dims whose elements \p Value gives.
Tensor tabulate(Shape Dims, llvm::function_ref<Number(const Index &)> Value);
Number at(const Tensor &T, const Index &I);

/// Element by element, dims of size one repeated; aligned at the last dim.
MaybeTensor broadcast(llvm::ArrayRef<Tensor> Operands,
                      llvm::function_ref<Number(llvm::ArrayRef<Number>)> Value);
/// All dims in \p Over together: added up, or mixed with weights.
Tensor reduceDims(const Tensor &T, DimList Over, bool Keep, bool Mix);
/// Each element depends on all along \p Over; dims keep their sizes.
Tensor mixAlong(const Tensor &T, DimList Over);
/// Dim \p D gets the size \p Size, each element a mix of all.
Tensor mixInto(const Tensor &T, int D, int Size);
Tensor permuted(const Tensor &T, DimList From);
/// One size may be -1.
MaybeTensor reshaped(const Tensor &T, Shape Sizes);
MaybeTensor expanded(const Tensor &T, const Shape &Sizes);
MaybeTensor tiled(const Tensor &T, const Shape &Times);
Tensor interleaved(const Tensor &T, int D, int Times);
MaybeTensor concatenated(llvm::ArrayRef<Tensor> Parts, int D);
MaybeTensor gathered(const Tensor &T, const Tensor &Of, int D);
MaybeTensor lookedUp(const Tensor &T, const Tensor &Of, int D);
/// Elements of \p Written go where \p Of says along \p D.
MaybeTensor scattered(Tensor T, const Tensor &Of, const Tensor &Written, int D);
MaybeTensor without(const Tensor &T, int D); ///< a dim of size one

} // namespace spmd::oracle

#endif // SPMD_ORACLE_DIMKERNELS_H

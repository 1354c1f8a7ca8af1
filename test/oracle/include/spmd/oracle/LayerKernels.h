//===- LayerKernels.h - Products over several dims --------------*- C++ -*-===//
//
// What layers compute, written out in loops and without factors. Nothing: the
// op cannot be run on these shapes.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_ORACLE_LAYERKERNELS_H
#define SPMD_ORACLE_LAYERKERNELS_H

#include "spmd/oracle/DimKernels.h"

#include "llvm/ADT/StringRef.h"

namespace spmd::oracle {

/// As torch.matmul: vectors, matrices, batches of matrices broadcast.
MaybeTensor matrixProduct(const Tensor &A, const Tensor &B);

/// "bij,...jk->b...ik", also without what stands behind the arrow.
MaybeTensor einsum(llvm::StringRef Equation, llvm::ArrayRef<Tensor> Operands);

struct Attention {
  bool Causal = false;
  bool Grouped = false; ///< queries have several times as many heads as keys
};
/// With a polynomial for the exponential, and the product with the sum over
/// the keys for the quotient. \p Mask may be null.
MaybeTensor attend(const Tensor &Query, const Tensor &Key, const Tensor &Value,
                   const Tensor *Mask, const Attention &How);

struct Convolution {
  int Stride = 1, Padding = 0, Dilation = 1; ///< of every spatial dim
  int Groups = 1;
  bool Transposed = false;
};
/// Input (n) c x.., weight o c/g k.. or, transposed, c o/g k... \p Bias may be
/// null.
MaybeTensor convolve(const Tensor &Input, const Tensor &Weight,
                     const Tensor *Bias, const Convolution &How);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_LAYERKERNELS_H

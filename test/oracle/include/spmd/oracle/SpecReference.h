//===- SpecReference.h - What an op with a shape rule computes --*- C++ -*-===//
//
// Some function that is what the rule of an op says and no more: it combines
// elements as the rule's term does, and looks at whole dims where the rule does
// not say that their parts will do. It is run on whole tensors and on shards of
// them alike, and asks for sizes where it is run.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_ORACLE_SPECREFERENCE_H
#define SPMD_ORACLE_SPECREFERENCE_H

#include "spmd/oracle/SpecCall.h"

namespace spmd::oracle {

/// How many shards there are of each dim of the result, when the sizes that the
/// call asks for are those of shards and the call is to make the whole.
using ShardCounts = llvm::SmallVector<int, 4>;

/// Empty: calls of the alternative are run.
llvm::StringRef whyNotRun(const rules::ShapeRule &Alternative);
/// Nothing when the op cannot be run on these shapes.
MaybeTensor runReference(const SpecCall &Call, llvm::ArrayRef<Tensor> Operands,
                         const ShardCounts *Whole = nullptr);

/// Values of the operands by the term of the rule, element by element. After
/// each part of the term, \p After makes of its value what it makes.
MaybeTensor
combine(const SpecCall &Call, llvm::ArrayRef<Tensor> Operands,
        llvm::function_ref<Tensor(Tensor, llvm::ArrayRef<unsigned>)> After);
/// The notation of the call's alternative.
MaybeTensor runNotation(const SpecCall &Call, const rules::FactorNotation &N,
                        llvm::ArrayRef<Tensor> Operands);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_SPECREFERENCE_H

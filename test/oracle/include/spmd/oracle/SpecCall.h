//===- SpecCall.h - A call of an op with a shape rule -----------*- C++ -*-===//

#ifndef SPMD_ORACLE_SPECCALL_H
#define SPMD_ORACLE_SPECCALL_H

#include "spmd/ops/OpRule.h"
#include "spmd/oracle/DimKernels.h"

namespace spmd::oracle {

struct SpecCall;
using SpecFunction = MaybeTensor(const SpecCall &, llvm::ArrayRef<Tensor>);

/// A call of an op whose shape rule has one alternative.
struct SpecCall {
  const rules::OpRule *Op = nullptr;
  llvm::SmallVector<unsigned, 4> FormalOf; ///< by actual operand
  llvm::SmallVector<rules::OpArgument, 2> Arguments;

  /// What the op is known to do, if it is: a function, or the rule that its
  /// entry should have.
  SpecFunction *Computes = nullptr;
  const rules::OpRule *Known = nullptr;

  const rules::OpArgument *argument(llvm::StringRef Names) const;
  /// The numbers that parameter \p P of the term is given; nothing: none.
  std::optional<Index> numbers(unsigned P) const;
  bool flag(unsigned P) const;
  std::optional<std::string> text(unsigned P) const;
  /// The actual operands that the alternative speaks of, and their places.
  struct Spoken {
    unsigned Actual, Position;
  };
  llvm::SmallVector<Spoken, 4> spoken() const;
  std::string str() const; ///< "sum(dim=1, keepdim=true)"
};

} // namespace spmd::oracle

#endif // SPMD_ORACLE_SPECCALL_H

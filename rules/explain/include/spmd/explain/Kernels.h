//===- Kernels.h - The small ops that ops are made of -----------*- C++ -*-===//
//
// A closed set of exact functions on a few numbers. An entry of rules/ops says
// with `kernel:` what its op computes in terms of these; what the op does to
// types follows from that by running it on ranks, which is how the oracle
// checks the catalogue.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_EXPLAIN_KERNELS_H
#define SPMD_EXPLAIN_KERNELS_H

#include "spmd/explain/Dual.h"
#include "spmd/ops/OpRule.h"

namespace spmd::explain {

struct Kernel {
  llvm::StringLiteral Name;
  unsigned Least, Most; ///< how many operands
  llvm::StringLiteral Computes;
  Values (*Run)(llvm::ArrayRef<Values>);
};

inline constexpr unsigned AnyNumber = ~0u;

/// Element by element, the shorter operand repeated; on 2x2 matrices, where the
/// op is about matrices; on all elements otherwise.
llvm::ArrayRef<Kernel> kernels();

/// A composition of kernels: `add(multiply(beta, self), matmul(mat1, mat2))`.
/// The names of operands are those of the rule.
struct KernelTerm {
  const Kernel *Apply = nullptr; ///< null: the operand
  unsigned Operand = 0;          ///< index of a formal
  std::vector<KernelTerm> Children;
};

/// Errors say what is wrong with the text, without a place.
llvm::Expected<KernelTerm>
parseKernelTerm(llvm::StringRef Text,
                llvm::ArrayRef<rules::RuleFormal> Formals);

/// \p FormalOf names the formal of each actual. Absent operands drop out, and
/// so do kernels that have not operands enough then.
Values evaluate(const KernelTerm &Term, llvm::ArrayRef<Values> Actuals,
                llvm::ArrayRef<unsigned> FormalOf);

} // namespace spmd::explain

#endif // SPMD_EXPLAIN_KERNELS_H

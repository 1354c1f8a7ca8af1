//===- OpExplain.h - Op rules for people ------------------------*- C++ -*-===//

#ifndef SPMD_OPS_OPEXPLAIN_H
#define SPMD_OPS_OPEXPLAIN_H

#include "spmd/ops/OpCatalogue.h"

#include "llvm/Support/raw_ostream.h"

namespace spmd::rules {

/// `add(self, other, alpha?)`.
std::string printSignature(const OpRule &Rule);

/// The rule that \p Name has (`at::matmul`, `matmul`, `cublasGemmEx`), with its
/// reason, what it does to dims and a table of the result for each combination
/// of operand types. The error names the nearest ops.
llvm::Expected<std::string> explainOp(const OpCatalogue &Ops,
                                      llvm::StringRef Name);

/// All rules by family, with what they do to dims, and how many there are.
void listRules(const OpCatalogue &Ops, llvm::raw_ostream &OS);

} // namespace spmd::rules

#endif // SPMD_OPS_OPEXPLAIN_H

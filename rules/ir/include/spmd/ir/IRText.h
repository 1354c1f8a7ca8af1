//===- IRText.h - The text form of the SPMD IR ------------------*- C++ -*-===//
//
// One fact per line; what is printed parses back to the same module. docs/ir.md
// has the grammar, and what each fact means.
//
//   func @f(%x: "tp: V" !2:8, %w: "tp: R", %c axis "tp") -> "tp: R" {
//   b0:
//     %3 = op matmul(%x, %w) @3:11
//     %4 = all_reduce %3 !4:20 on %c from V to R @4:3
//     return %4 @5:3
//     ->
//   }
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_IR_IRTEXT_H
#define SPMD_IR_IRTEXT_H

#include "spmd/ir/IR.h"
#include "spmd/ops/OpCatalogue.h"

namespace spmd::rules {

std::string printModule(const Module &M);
std::string printFunction(const Function &F);

/// Parses the text form; ops are looked up among the module's own rules, then
/// in \p Ops, by canonical name. What parses is verified, too. Errors carry
/// line and column of the text as "line:column: message".
llvm::Expected<Module> parseModule(llvm::StringRef Text,
                                   const OpCatalogue &Ops);

/// The words that the text form has for the members of one enumeration.
struct IRWords {
  llvm::StringRef Of; ///< "slots"
  llvm::ArrayRef<llvm::StringRef> Words;
};
llvm::ArrayRef<IRWords> irWords();

} // namespace spmd::rules

#endif // SPMD_IR_IRTEXT_H

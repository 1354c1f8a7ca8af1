//===- IRText.h - The text form of the SPMD IR ------------------*- C++ -*-===//
//
// One fact per line; what is printed parses back to the same module.
//
//   func @f(%x: "tp: V" !2:8, %w: "tp: R", %c axis "tp") -> "tp: R" {
//   b0:
//     %3 = op matmul(%x, %w) @3:11
//     %4 = all_reduce %3 !4:20 on %c from V to R @4:3
//     %5 = redistribute %4 on _ from "[8@tp, 8]" to "[8, 8@tp]" @5:3
//     return %4 @5:3
//     ->
//   }
//
// A parameter's number is its position; `!` places an operand or declaration,
// `@` a fact. An op's operand that is a host number is marked, what else the
// call passes follows, and the checking mode follows the function's type:
//
//   func @f(%x) global "tp" local "dp" {
//     %2 = op mul(%x, %1 scalar !2:9)
//     %3 = op sum(%2) [dim={-1}, keepdim=true, dtype=?]
//     %4 = op view(%3) [size={2, %x[0]/heads, heads, ?}, other=none]
//
// `%x[0]` is the size of a dim, a word the value of a variable, `?` not known.
// A block ends with where it goes on, and what decides where:
//
//     -> b1 b2 if %5 !6:7
//
// Ops that are in no catalogue have their rule before the functions, with what
// else is known of them as in rules/ops/*.yaml. Where two have one name, or one
// has the name of an op in the catalogue, they are called otherwise in the text
// and their name follows:
//
//   rule scale(x, by?) = "multilinear(x, by)" shape "m k, k -> m k"
//   rule own.add(x, y) = "linear(x, y)" named add roles adds
//   rule window(x) = "linear(x)" views "part of x"
//
// Of a rule, its reason, its file and how calls in C++ find it are left out.
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
/// in \p Ops, by canonical name. Errors carry line and column as "line:column:
/// message".
llvm::Expected<Module> parseModule(llvm::StringRef Text,
                                   const OpCatalogue &Ops);

} // namespace spmd::rules

#endif // SPMD_IR_IRTEXT_H

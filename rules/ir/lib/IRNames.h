//===- IRNames.h - Keywords of the text form --------------------*- C++ -*-===//
//
// In the order of the enums that they spell.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_RULES_LIB_IRNAMES_H
#define SPMD_RULES_LIB_IRNAMES_H

#include "llvm/ADT/StringRef.h"

namespace spmd::rules {

inline constexpr llvm::StringRef SlotKindNames[] = {
    "local", "param", "this", "field", "global", "temp", "result"};
inline constexpr llvm::StringRef DefineNames[] = {
    "constant", "zero",    "unknown", "undefined", "declared",
    "rank_of",  "size_of", "axes",    "one_rank",  "own"};
inline constexpr llvm::StringRef TransferNames[] = {
    "all_reduce", "all_gather",   "reduce_scatter", "all_to_all", "reinterpret",
    "convert",    "redistribute", "out_partial",    "broadcast",  "reduce",
    "gather",     "scatter",      "scan",           "permute",    "keep"};
inline constexpr llvm::StringRef ReductionNames[] = {
    "sum", "average", "idempotent", "other", "unknown"};
inline constexpr llvm::StringRef TestNames[] = {
    "flag", "number", "elements", "iterations", "defined", "data"};
inline constexpr llvm::StringRef RelationNames[] = {"==", "!=", "<", ">"};
inline constexpr llvm::StringRef AssertNames[] = {
    "assert_type", "variable", "field", "argument", "return", "exit"};

} // namespace spmd::rules

#endif // SPMD_RULES_LIB_IRNAMES_H

//===- CheckOption.h - What users may set of one check ----------*- C++ -*-===//
//
// Named `<check>.<option>` under `CheckOptions`, in `.spmd-tidy` and in
// `.clang-tidy`. A check declares its options where it registers itself; files
// are validated, and pages made, from that declaration.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_CHECKOPTION_H
#define SPMD_LINT_CHECKOPTION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace spmd::lint {

enum class OptionKind : unsigned char { Flag, Number, Names, Globs };

struct CheckOption {
  llvm::StringRef Name; ///< "RequireReason"
  OptionKind Kind = OptionKind::Flag;
  llvm::StringRef Default;
  llvm::StringRef Says;                    ///< one sentence for the pages
  llvm::ArrayRef<llvm::StringRef> Of = {}; ///< the valid Names
  unsigned Least = 0, Most = 0;            ///< of a Number
};

} // namespace spmd::lint

#endif // SPMD_LINT_CHECKOPTION_H

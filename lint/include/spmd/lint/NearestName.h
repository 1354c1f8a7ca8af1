//===- NearestName.h - "did you mean" ---------------------------*- C++ -*-===//

#ifndef SPMD_LINT_NEARESTNAME_H
#define SPMD_LINT_NEARESTNAME_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace spmd::lint {

/// The candidate with the smallest edit distance to \p Name, upper and lower
/// case being equal; empty when none is near.
llvm::StringRef nearestName(llvm::StringRef Name,
                            llvm::ArrayRef<llvm::StringRef> Candidates);

/// "unknown <kind> '<name>'; the nearest is '<candidate>'". Where none is near,
/// a few are listed.
std::string unknownName(llvm::StringRef Kind, llvm::StringRef Name,
                        llvm::ArrayRef<llvm::StringRef> Candidates);

} // namespace spmd::lint

#endif // SPMD_LINT_NEARESTNAME_H

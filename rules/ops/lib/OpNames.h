//===- OpNames.h - "did you mean" for op rules ------------------*- C++ -*-===//

#ifndef SPMD_RULES_LIB_OPNAMES_H
#define SPMD_RULES_LIB_OPNAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace spmd::rules {

/// Up to \p Max of \p Known with the smallest edit distance to \p Name, the
/// nearest first; none that share next to nothing with it.
std::vector<std::string> nearestNames(llvm::StringRef Name,
                                      llvm::ArrayRef<llvm::StringRef> Known,
                                      std::size_t Max);

/// "unknown <kind> '<name>'; the nearest is '<candidate>'".
std::string unknownName(llvm::StringRef Kind, llvm::StringRef Name,
                        llvm::ArrayRef<llvm::StringRef> Known);

} // namespace spmd::rules

#endif // SPMD_RULES_LIB_OPNAMES_H

//===- Tuples.h - std::pair and std::tuple ----------------------*- C++ -*-===//

#ifndef SPMD_LINT_CXX_TUPLES_H
#define SPMD_LINT_CXX_TUPLES_H

#include "clang/AST/Type.h"
#include "llvm/ADT/SmallVector.h"

namespace spmd::lint {

/// Whether \p T is a std::pair or a std::tuple.
bool isTuple(clang::QualType T);
/// The types of the elements of a tuple.
llvm::SmallVector<clang::QualType, 4> elementsOf(clang::QualType Tuple);

} // namespace spmd::lint

#endif // SPMD_LINT_CXX_TUPLES_H

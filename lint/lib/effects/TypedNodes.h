//===- TypedNodes.h - Where types say what a number is ---------*- C++ -*-===//

#ifndef SPMD_LINT_EFFECTS_TYPEDNODES_H
#define SPMD_LINT_EFFECTS_TYPEDNODES_H

#include "spmd/ir/IR.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace clang {
class Stmt;
} // namespace clang

namespace spmd::lint {

using TypeAt = std::pair<const rules::Function *, rules::PlaceId>;
/// Of one expression, which may be in several functions.
using TypesAt = llvm::SmallVector<TypeAt, 1>;
using TypedNodes = llvm::DenseMap<const clang::Stmt *, TypesAt>;

} // namespace spmd::lint

#endif // SPMD_LINT_EFFECTS_TYPEDNODES_H

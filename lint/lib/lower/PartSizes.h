//===- PartSizes.h - Whether a number is where a part ends ------*- C++ -*-===//
//
//   db = dw + n;                     where what dw has ends, on all ranks
//   batch = data + rank * rows;      where each rank's own begins
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_PARTSIZES_H
#define SPMD_LINT_LOWER_PARTSIZES_H

#include "Constancy.h"
#include "PointerOrigins.h"
#include "PointerUses.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace spmd::lint::lower {

/// Calls \p Do for each name in a body of which \p SizeOf says a size where
/// that many are meant: a call is given both, or a loop over elements goes up
/// to it.
void forEachOfSize(
    const PointerUses &In, const clang::ASTContext &Ctx,
    llvm::function_ref<const clang::Expr *(const clang::Expr *)> SizeOf,
    llvm::function_ref<void(const clang::Expr *)> Do);

class PartSizes {
public:
  explicit PartSizes(llvm::ArrayRef<PointerOrigins> Bodies) : Bodies(Bodies) {}

  /// Whether \p Steps behind where \p Memory begins, of which \p B says so, is
  /// no place of each rank's: it is a number, less than what is allocated, or
  /// so many are asked for elsewhere.
  bool isEnd(const PointerOrigins &B, const clang::VarDecl *Memory,
             const clang::Expr *Steps);

private:
  bool isAskedFor(const clang::VarDecl *Memory, const clang::Expr *Steps);
  const Constancy &constancyOf(const clang::FunctionDecl *FD);

  llvm::ArrayRef<PointerOrigins> Bodies;
  llvm::DenseMap<const clang::FunctionDecl *, std::unique_ptr<Constancy>> Known;
  std::vector<PointerUses> Uses; ///< of each body, once somebody asks
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_PARTSIZES_H

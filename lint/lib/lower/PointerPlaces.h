//===- PointerPlaces.h - Parts of a buffer under several names --*- C++ -*-===//
//
// `m->w = buffer; m->g = buffer + n;`: what a function is given, and keeps two
// places of in members, is two buffers there, one behind the other.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_POINTERPLACES_H
#define SPMD_LINT_LOWER_POINTERPLACES_H

#include "Constancy.h"

#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"

namespace spmd::lint::lower {

/// The pointer parameters of a function of which that is so. Each is mentioned
/// as it is or with a number behind it that keeps its value, and kept in
/// members or handed on, nothing else.
class PointerPlaces {
public:
  PointerPlaces(const clang::FunctionDecl *FD, const Constancy &Constant);

  llvm::ArrayRef<const clang::ParmVarDecl *> parameters() const {
    return Parameters;
  }
  /// Those that \p E is given by their own names, beside the member that these
  /// take the place of: it fills no more than that has.
  llvm::ArrayRef<const clang::ParmVarDecl *>
  filledBy(const clang::CallExpr *E) const;
  /// The places in \p P that are made of one variable, which is known before
  /// \p At.
  llvm::SmallVector<const clang::BinaryOperator *, 2>
  knownBefore(const clang::ParmVarDecl *P, const clang::Expr *At) const;
  /// The parameter behind whose beginning \p E is; null if it is no such place.
  const clang::ParmVarDecl *find(const clang::BinaryOperator *E) const {
    return PlaceIn.lookup(E);
  }

private:
  llvm::SmallVector<const clang::ParmVarDecl *, 1> Parameters;
  llvm::DenseMap<const clang::BinaryOperator *, const clang::ParmVarDecl *>
      PlaceIn;
  llvm::DenseMap<const clang::ParmVarDecl *,
                 llvm::SmallVector<const clang::BinaryOperator *, 2>>
      PlacesIn; ///< in their order
  llvm::DenseMap<const clang::CallExpr *,
                 llvm::SmallVector<const clang::ParmVarDecl *, 1>>
      FilledBy;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_POINTERPLACES_H

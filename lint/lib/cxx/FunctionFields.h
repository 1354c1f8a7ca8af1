//===- FunctionFields.h - Functions in members of structs -------*- C++ -*-===//
//
// C's virtual methods: `layer->update = dense_update;` here, and there
// `layer->update(layer);`.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_CXX_FUNCTIONFIELDS_H
#define SPMD_LINT_CXX_FUNCTIONFIELDS_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace spmd::lint {

class FunctionFields {
public:
  FunctionFields() = default;
  explicit FunctionFields(llvm::ArrayRef<const clang::FunctionDecl *> Bodies);

  /// All functions that the file puts into the member that \p Call calls; empty
  /// where others may be in it, or it calls no member.
  llvm::ArrayRef<const clang::FunctionDecl *>
  calledBy(const clang::Expr *Call) const;

private:
  llvm::DenseMap<const clang::FieldDecl *,
                 llvm::SmallSetVector<const clang::FunctionDecl *, 4>>
      Put;
  llvm::DenseSet<const clang::FieldDecl *> Open;
};

/// The member of function type that \p Call calls; null if it calls another
/// thing.
const clang::FieldDecl *calledField(const clang::Expr *Call);

} // namespace spmd::lint

#endif // SPMD_LINT_CXX_FUNCTIONFIELDS_H

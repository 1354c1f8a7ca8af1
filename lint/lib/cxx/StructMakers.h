//===- StructMakers.h - Who makes which structs -----------------*- C++ -*-===//
//
// Who makes a struct of C's puts its functions and its buffers there: one that
// has another's functions has none of those buffers that only others' makers
// set.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_CXX_STRUCTMAKERS_H
#define SPMD_LINT_CXX_STRUCTMAKERS_H

#include "MemberSetters.h"

#include "clang/AST/Expr.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace spmd::lint {

class StructMakers {
public:
  explicit StructMakers(llvm::ArrayRef<const clang::FunctionDecl *> Bodies);

  /// The parameter of the functions in \p Field that is, in all calls, the
  /// object which has them, as in `layer->update(layer)`.
  std::optional<unsigned> selfOf(const clang::FieldDecl *Field) const;

  /// In the order in which the file puts them there.
  llvm::ArrayRef<const clang::FunctionDecl *>
  putInto(const clang::FieldDecl *Field) const;

  /// The pointers of a struct that nobody sets where \p Is is put into its
  /// member \p Field, and others set elsewhere.
  std::vector<const clang::FieldDecl *>
  lackedBy(const clang::FieldDecl *Field, const clang::FunctionDecl *Is) const;

private:
  using Put = std::pair<const clang::FieldDecl *, const clang::FunctionDecl *>;

  llvm::DenseMap<const clang::FieldDecl *,
                 llvm::SmallSetVector<const clang::FunctionDecl *, 4>>
      Functions;
  /// The bodies that put a function there; null: it is there from the start.
  llvm::DenseMap<Put, llvm::SmallSetVector<const clang::FunctionDecl *, 2>> By;
  llvm::DenseMap<const clang::FieldDecl *, std::optional<unsigned>> Selves;
  MemberSetters Set;
};

} // namespace spmd::lint

#endif // SPMD_LINT_CXX_STRUCTMAKERS_H

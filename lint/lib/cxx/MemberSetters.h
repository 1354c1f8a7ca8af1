//===- MemberSetters.h - Who sets pointers in structs -----------*- C++ -*-===//

#ifndef SPMD_LINT_CXX_MEMBERSETTERS_H
#define SPMD_LINT_CXX_MEMBERSETTERS_H

#include "clang/AST/Decl.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace spmd::lint {

/// Which bodies of a file may set which members of its plain structs.
class MemberSetters {
public:
  using Bodies = llvm::DenseSet<const clang::FunctionDecl *>;

  static const clang::RecordDecl *canonical(const clang::RecordDecl *Record) {
    return llvm::cast<clang::RecordDecl>(Record->getCanonicalDecl());
  }

  MemberSetters() = default;
  explicit MemberSetters(llvm::ArrayRef<const clang::FunctionDecl *> Of);

  /// Whether code that is not seen may set members of \p Record.
  bool isOpen(const clang::RecordDecl *Record) const {
    return Open.contains(canonical(Record));
  }
  /// Those that may set \p Member, alone or with all of its struct.
  Bodies settersOf(const clang::FieldDecl *Member) const;

private:
  llvm::DenseMap<const clang::FieldDecl *, Bodies> Set;
  llvm::DenseMap<const clang::RecordDecl *, Bodies> SetAll;
  llvm::DenseSet<const clang::RecordDecl *> Open;
};

} // namespace spmd::lint

#endif // SPMD_LINT_CXX_MEMBERSETTERS_H

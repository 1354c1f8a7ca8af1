//===- PointerLists.h - Lists of pointers to structs with names -*- C++ -*-===//
//
// `Net() { all.push_back(&up); all.push_back(&down); }`: what is done to the
// elements of such a list is done to structs that have names.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_POINTERLISTS_H
#define SPMD_LINT_LOWER_POINTERLISTS_H

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace spmd::lint::lower {

/// Whether \p T is a pointer to a struct of a program.
bool isPointerToStruct(clang::QualType T);

/// The braces that \p E begins a list with; null if it begins otherwise.
const clang::InitListExpr *bracesOf(const clang::Expr *E);

class PointerLists {
public:
  PointerLists() = default;
  /// Of a file with these bodies.
  explicit PointerLists(llvm::ArrayRef<const clang::FunctionDecl *> Bodies);

  struct Held {
    /// The object whose members, named by `this`, are meant; null: this one.
    const clang::Expr *Object = nullptr;
    llvm::ArrayRef<const clang::Expr *> Pointers;
  };
  /// What the list \p E holds that was filled with pointers to variables and
  /// members, and that nothing changes behind that; nothing of others.
  std::optional<Held> find(const clang::Expr *E) const;

  /// Whether some list has the address of a variable or member of type \p T.
  bool haveNamed(clang::QualType T) const {
    return Named.contains(T->getAsRecordDecl());
  }

private:
  llvm::DenseMap<const clang::ValueDecl *,
                 llvm::SmallVector<const clang::Expr *, 4>>
      Lists; ///< and methods that return one
  llvm::DenseSet<const clang::RecordDecl *> Named;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_POINTERLISTS_H

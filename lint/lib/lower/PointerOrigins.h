//===- PointerOrigins.h - What pointers are computed from -------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_POINTERORIGINS_H
#define SPMD_LINT_LOWER_POINTERORIGINS_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <vector>

namespace spmd::lint::lower {

/// \p E without parentheses, casts and `__extension__`.
const clang::Expr *bare(const clang::Expr *E);

/// The variable that \p E names; null if it is something else.
const clang::VarDecl *variableOf(const clang::Expr *E);

/// What \p E is the address of; null if it is none.
const clang::Expr *addressed(const clang::Expr *E);

/// A member of an object, in a struct that is a member of it or directly. The
/// object is a variable, or null for `this`.
struct PointerMember {
  const clang::ValueDecl *Object = nullptr;
  const clang::FieldDecl *In = nullptr, *Field = nullptr;
  explicit operator bool() const { return Field; }
};
PointerMember memberOf(const clang::Expr *E);

/// What a pointer is computed from: a variable that nothing else was assigned
/// to, or a member.
struct PointerOrigin {
  const clang::VarDecl *Variable = nullptr;
  PointerMember Of;
};

/// The assignments of one body.
class PointerOrigins : public clang::RecursiveASTVisitor<PointerOrigins> {
public:
  explicit PointerOrigins(const clang::FunctionDecl *FD) : FD(FD) {
    TraverseStmt(FD->getBody());
  }

  const clang::FunctionDecl *function() const { return FD; }

  bool VisitVarDecl(clang::VarDecl *VD);
  bool VisitBinaryOperator(clang::BinaryOperator *E);
  bool VisitCallExpr(clang::CallExpr *E);
  bool VisitReturnStmt(clang::ReturnStmt *S);

  struct Assignment {
    const clang::Expr *To, *Value;
  };
  std::vector<Assignment> Assigned; ///< not those to variables
  /// Those to globals.
  std::vector<std::pair<const clang::VarDecl *, const clang::Expr *>> Globals;
  std::vector<const clang::CallExpr *> Calls;

  PointerOrigin originOf(const clang::Expr *E, unsigned Depth = 0) const;
  /// The members that an assignment to \p Target sets: itself, or those whose
  /// addresses are in the array through which it is named.
  std::vector<PointerMember> pointees(const clang::Expr *Target) const;
  /// Which memory of the caller's \p O is: a parameter, or what is returned.
  std::optional<std::optional<unsigned>> memoryAt(const PointerOrigin &O) const;
  /// Whether \p VD points to the same wherever it points to something: it is
  /// set once, or its address is given to one call.
  bool isSetOnce(const clang::VarDecl *VD) const;
  /// What \p VD begins with, if it is set once, but for steps from where it is.
  const clang::Expr *onlyValue(const clang::VarDecl *VD) const;

private:
  const clang::FunctionDecl *FD;
  llvm::DenseMap<const clang::VarDecl *,
                 llvm::SmallVector<const clang::Expr *, 1>>
      ValuesOf;
  llvm::SmallVector<const clang::Expr *, 2> Returned;

  unsigned timesAddressed(const clang::VarDecl *VD) const;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_POINTERORIGINS_H

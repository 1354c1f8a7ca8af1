//===- UserCalls.h - Calls of functions in the file ----------- -*- C++ -*-===//
//
// What a pointer or a std::function holds is only known when the program runs;
// of a method that is virtual, when the file has the only one there is.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_EFFECTS_USERCALLS_H
#define SPMD_LINT_EFFECTS_USERCALLS_H

#include "Names.h"
#include "cxx/CallSite.h"

#include "clang/AST/DeclCXX.h"

namespace spmd::lint::effects {

class UserCalls : PartLowering {
public:
  UserCalls(StatementWriter &Out, Names &Named, ExpressionLowering &Exprs)
      : PartLowering(Out, Exprs), Named(Named) {}

  /// \p By has a body in the file, and overrides what \p MD does.
  void noteOverridden(const clang::CXXMethodDecl *By,
                      const clang::CXXMethodDecl *MD);
  std::optional<unsigned> calleeOf(const CallSite &C);

  /// \p This: of a method.
  const Expr *lower(const CallSite &C, unsigned Callee, const Expr *This);
  /// `F::apply(x)` of autograd's: its forward pass, which has a context
  /// besides; null for all other calls.
  const Expr *forward(const CallSite &C);
  const Expr *indirect(const clang::Expr *E, const Expr *Callee,
                       llvm::ArrayRef<const clang::Expr *> Given);
  /// What a std::function is made to hold; null: no function that is seen.
  const Expr *held(const clang::CXXConstructExpr *E);
  /// The same where \p From is assigned to one.
  const Expr *held(const clang::Expr *From);

private:
  const Expr *argument(const clang::Expr *E, clang::QualType To);

  Names &Named;
  /// Those with a body in the file, by what they override.
  llvm::DenseMap<const clang::CXXMethodDecl *,
                 llvm::SmallPtrSet<const clang::CXXMethodDecl *, 2>>
      Overriders;
};

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_USERCALLS_H

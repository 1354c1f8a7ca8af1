//===- UserCalls.h - Calls of functions in the file ----------- -*- C++ -*-===//
//
// What a pointer or a std::function holds is only known when the program runs;
// so are the methods of an object, which holds them from when it is made.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_EFFECTS_USERCALLS_H
#define SPMD_LINT_EFFECTS_USERCALLS_H

#include "Names.h"
#include "cxx/CallSite.h"
#include "cxx/FunctionFields.h"

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/SetVector.h"

namespace spmd::lint::effects {

class UserCalls : PartLowering {
public:
  UserCalls(StatementWriter &Out, Names &Named, ExpressionLowering &Exprs)
      : PartLowering(Out, Exprs), Named(Named) {}

  /// Before any call of functions with \p Bodies is lowered.
  void begin(llvm::ArrayRef<const clang::FunctionDecl *> Bodies) {
    InFields = FunctionFields(Bodies);
  }
  /// \p By has a body in the file, and overrides what \p MD does.
  void noteOverridden(const clang::CXXMethodDecl *By,
                      const clang::CXXMethodDecl *MD);
  std::optional<unsigned> calleeOf(const CallSite &C);
  /// The call of the method that the object \p This holds; null of others.
  const Expr *lowerVirtual(const CallSite &C, const Expr *This);
  /// \p Into has been made an object of \p RD: it holds the methods of that.
  void holdMethods(const Expr *Into, const clang::CXXRecordDecl *RD,
                   clang::SourceLocation At);

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
  /// What an Unseen may be where it is one of \p Functions; empty where other
  /// files may have more of them, or one is not the user's.
  std::vector<const Expr *>
  oneOf(llvm::ArrayRef<const clang::FunctionDecl *> Functions);
  /// What \p C hands over, behind \p This.
  std::vector<const Expr *> arguments(const CallSite &C, const Expr *This);

  Names &Named;
  FunctionFields InFields;
  /// Those with a body in the file, by what they override.
  llvm::DenseMap<const clang::CXXMethodDecl *,
                 llvm::SmallSetVector<const clang::CXXMethodDecl *, 2>>
      Overriders;
};

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_USERCALLS_H

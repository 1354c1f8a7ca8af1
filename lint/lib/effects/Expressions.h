//===- Expressions.h - Values and places of expressions ---------*- C++ -*-===//

#ifndef SPMD_LINT_EFFECTS_EXPRESSIONS_H
#define SPMD_LINT_EFFECTS_EXPRESSIONS_H

#include "DeclaredVarying.h"
#include "Objects.h"
#include "Operators.h"

namespace spmd::lint::effects {

class Expressions final : public ExpressionLowering {
public:
  Expressions(clang::ASTContext &Ctx, const rules::CollectiveApis &Apis,
              StatementWriter &Out, Names &Named, DeclaredVarying &Declared,
              Calls &Called, Objects &Begin, StatementLowering &Stmts)
      : Ctx(Ctx), Apis(Apis), P(Out.P), Out(Out), Named(Named),
        Declared(Declared), Called(Called), Begin(Begin), Stmts(Stmts),
        Operate(Ctx, Out, *this) {}

  const Expr *value(const clang::Expr *E) override;
  const Expr *place(const clang::Expr *E) override;
  const Expr *handle(const clang::Expr *Object) override;

private:
  /// But for what types say of it.
  const Expr *valueAsIs(const clang::Expr *E);
  /// Names that a library gives, and numbers; null for all else.
  const Expr *constant(const clang::Expr *E);
  const Expr *literal(const clang::Expr *E);
  /// What is more of a statement; null for all else.
  const Expr *ofStatement(const clang::Expr *E);
  const Expr *cast(const clang::CastExpr *E);
  /// What has errors may do anything.
  const Expr *unreadable(const clang::RecoveryExpr *E);
  /// For what it does; its value is unknown.
  const Expr *visited(const clang::Expr *E);
  const Expr *element(const clang::ArraySubscriptExpr *E);
  const Expr *over(const clang::ValueDecl *D, const Expr *At);
  /// A place that \p E is put in.
  const Expr *placed(const clang::Expr *E);

  clang::ASTContext &Ctx;
  const rules::CollectiveApis &Apis;
  collectives::EffectProgram &P;
  StatementWriter &Out;
  Names &Named;
  DeclaredVarying &Declared;
  Calls &Called;
  Objects &Begin;
  StatementLowering &Stmts;
  Operators Operate;
};

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_EXPRESSIONS_H

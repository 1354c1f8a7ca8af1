//===- Recursion.h - Ways back into what is around --------------*- C++ -*-===//
//
// Calls have arguments, closures have statements: who lowers a part of the AST
// meets all others inside it. These are the ways there for those below.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_EFFECTS_RECURSION_H
#define SPMD_LINT_EFFECTS_RECURSION_H

#include "StatementWriter.h"

#include "cxx/CallSite.h"

namespace spmd::lint::effects {

class ExpressionLowering {
public:
  virtual const Expr *value(const clang::Expr *E) = 0;
  virtual const Expr *place(const clang::Expr *E) = 0;
  /// The value that tells an object from others: of `pg` in `pg->allreduce()`.
  virtual const Expr *handle(const clang::Expr *Object) = 0;

protected:
  ~ExpressionLowering() = default;
};

/// What all have who lower parts of expressions.
class PartLowering {
protected:
  PartLowering(StatementWriter &Out, ExpressionLowering &Exprs)
      : P(Out.P), Out(Out), Exprs(Exprs) {}

  /// The object of a method: also what a pointer leads to.
  const Expr *object(const clang::Expr *E) {
    return E->getType()->isPointerType() ? P.target(Exprs.value(E))
                                         : Exprs.place(E);
  }

  collectives::EffectProgram &P;
  StatementWriter &Out;
  ExpressionLowering &Exprs;
};

class ObjectLowering {
public:
  /// What is at \p Into begins as \p From.
  virtual void initialise(const Expr *Into, const clang::Expr *From) = 0;
  /// A \p Made begins at \p Into with the arguments of \p C, by a constructor
  /// that is seen. False: there is none.
  virtual bool make(const Expr *Into, clang::QualType Made,
                    const CallSite &C) = 0;

protected:
  ~ObjectLowering() = default;
};

class StatementLowering {
public:
  virtual void lower(const clang::Stmt *S) = 0;

protected:
  ~StatementLowering() = default;
};

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_RECURSION_H

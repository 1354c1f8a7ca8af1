//===- Objects.h - How objects begin ----------------------------*- C++ -*-===//

#ifndef SPMD_LINT_EFFECTS_OBJECTS_H
#define SPMD_LINT_EFFECTS_OBJECTS_H

#include "Calls.h"

namespace spmd::lint::effects {

class Objects final : public ObjectLowering, PartLowering {
public:
  Objects(const clang::ASTContext &Ctx, StatementWriter &Out,
          ExpressionLowering &Exprs, Calls &Known)
      : PartLowering(Out, Exprs), Ctx(Ctx), Known(Known) {}

  void initialise(const Expr *Into, const clang::Expr *From) override;
  bool make(const Expr *Into, clang::QualType Made, const CallSite &C) override;
  void construct(const Expr *Into, const clang::CXXConstructExpr *E);

private:
  bool pointer(const Expr *Into, const clang::CXXConstructExpr *E);
  /// What a constructor does that nobody has written.
  void byDefault(const Expr *Into, const clang::CXXRecordDecl *RD,
                 clang::SourceLocation At);
  void record(const Expr *Into, const clang::InitListExpr *From);
  void array(const Expr *Into, const clang::InitListExpr *From);

  const clang::ASTContext &Ctx;
  Calls &Known;
};

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_OBJECTS_H

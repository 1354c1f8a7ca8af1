//===- Calls.h - Who knows what a call does ---------------------*- C++ -*-===//

#ifndef SPMD_LINT_EFFECTS_CALLS_H
#define SPMD_LINT_EFFECTS_CALLS_H

#include "CommunicationCalls.h"
#include "Containers.h"
#include "OptimizerSteps.h"
#include "StreamCalls.h"
#include "TensorViews.h"
#include "TypedOperators.h"
#include "UnseenCalls.h"
#include "UserCalls.h"

namespace spmd::lint::effects {

class Calls : PartLowering {
public:
  Calls(clang::ASTContext &Ctx, const rules::CollectiveApis &Apis,
        StatementWriter &Out, Names &Named, ExpressionLowering &Exprs,
        ObjectLowering &Objects, Buffers &Given, UserCalls &User)
      : PartLowering(Out, Exprs), Named(Named), User(User), Objects(Objects),
        Communication(Apis, Out, Exprs, Given), Runtime(Out, Exprs),
        Streams(Ctx, Out, Exprs), Lists(Out, Exprs, Objects), Views(Out, Exprs),
        Steps(Out), Unseen(Ctx, Out, Exprs) {}

  /// Before any call of \p File is lowered.
  void begin(const FileMatches &File) { Steps.begin(File); }

  /// Of one that returns a record or a reference, a pointer to it. The call is
  /// made once, however often its value is asked for in a statement.
  const Expr *value(const clang::CallExpr *E);
  void beginStatement() { Values.clear(); }
  /// False: nobody knows what the constructor does.
  bool construct(const Expr *Into, const clang::CXXConstructExpr *E);
  /// See ObjectLowering.
  bool make(const Expr *Into, clang::QualType Made, CallSite C);
  void holdMethods(const Expr *Into, const clang::CXXRecordDecl *RD,
                   clang::SourceLocation At) {
    User.holdMethods(Into, RD, At);
  }

private:
  const Expr *lower(const clang::CallExpr *E);
  const Expr *ofLibraries(const CallSite &C);
  /// What a method of the user's has as `this`; null of other functions.
  const Expr *receiver(const CallSite &C);
  /// An operator of a class that is not seen; null: anything.
  const Expr *ofObject(const clang::CXXOperatorCallExpr *E, const CallSite &C);
  /// An object on the heap, made by a constructor that is seen.
  const Expr *made(const CallSite &C);
  /// Whether a smart pointer holds anything.
  const Expr *isHeld(const CallSite &C);
  /// What a container or a smart pointer holds, and how many.
  const Expr *heldBy(const CallSite &C);

  Names &Named;
  UserCalls &User;
  ObjectLowering &Objects;
  CommunicationCalls Communication;
  TypedOperators Runtime;
  StreamCalls Streams;
  Containers Lists;
  TensorViews Views;
  OptimizerSteps Steps;
  UnseenCalls Unseen;
  /// The calls of the statement that is being lowered.
  llvm::DenseMap<const clang::CallExpr *, const Expr *> Values;
};

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_CALLS_H

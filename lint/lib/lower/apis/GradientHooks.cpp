//===- GradientHooks.cpp - What a hook makes of gradients -----------------===//

#include "GradientHooks.h"

#include "../Closures.h"

#include "cxx/CallSite.h"
#include "cxx/KnownCalls.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

namespace {

struct Hook {
  const Expr *Call = nullptr;
  const Expr *List = nullptr; ///< `net->parameters()`
  const LambdaExpr *Runs = nullptr;
};

/// Whether a body, or what it calls, has a backward pass.
class BackwardIn : public RecursiveASTVisitor<BackwardIn> {
public:
  bool VisitCallExpr(CallExpr *E) {
    const CallSite C(E);
    Found |= backwardPass(C).has_value();
    if (!Found && C.Callee && C.Callee->hasBody() &&
        Seen.insert(C.Callee).second)
      TraverseStmt(C.Callee->getBody());
    return !Found;
  }
  bool Found = false;

private:
  llvm::DenseSet<const FunctionDecl *> Seen;
};

/// The hooks of a function, and who runs backward passes.
class Finder : public RecursiveASTVisitor<Finder> {
public:
  bool TraverseIfStmt(IfStmt *S) {
    const llvm::SaveAndRestore In(Uncertain, true);
    return Base::TraverseIfStmt(S);
  }
  bool TraverseLambdaExpr(LambdaExpr *S) {
    const llvm::SaveAndRestore In(Uncertain, true);
    return Base::TraverseLambdaExpr(S);
  }
  bool TraverseForStmt(ForStmt *S) {
    const llvm::SaveAndRestore In(Repeated, true);
    return Base::TraverseForStmt(S);
  }
  bool TraverseWhileStmt(WhileStmt *S) {
    const llvm::SaveAndRestore In(Repeated, true);
    return Base::TraverseWhileStmt(S);
  }
  bool TraverseCXXForRangeStmt(CXXForRangeStmt *S) {
    const CXXForRangeStmt *Here = Loop || Repeated ? nullptr : S;
    const llvm::SaveAndRestore In(Loop, Here);
    const llvm::SaveAndRestore Once(Repeated, Repeated || !Loop);
    return Base::TraverseCXXForRangeStmt(S);
  }
  bool VisitCallExpr(CallExpr *E) {
    const CallSite C(E);
    if (C.Receiver && C.base() == "register_hook") {
      ++Hooks;
      if (!Uncertain && !Repeated && Loop)
        note(C);
    } else if (backwardPass(C)) {
      BackwardBefore |= !Only.Call;
    } else if (C.Callee && C.Callee->hasBody()) {
      Callees.insert(C.Callee);
    }
    return true;
  }
  std::optional<Hook> hook() const {
    if (Hooks != 1 || !Only.Call || BackwardBefore)
      return std::nullopt;
    BackwardIn Elsewhere;
    for (const FunctionDecl *Callee : Callees)
      Elsewhere.TraverseStmt(Callee->getBody());
    return Elsewhere.Found ? std::nullopt : std::optional(Only);
  }

private:
  using Base = RecursiveASTVisitor<Finder>;

  void note(const CallSite &C) {
    const Expr *Of = strip(Loop->getRangeInit())->IgnoreParenImpCasts();
    const auto *Runs = C.argument(0)
                           ? dyn_cast<LambdaExpr>(handedOver(C.argument(0)))
                           : nullptr;
    if (!Runs || !isElement(C.Receiver) || !isa<CXXMemberCallExpr>(Of) ||
        Runs->getCallOperator()->getNumParams() != 1)
      return;
    const CallSite List(Of);
    const bool IsAll =
        (List.base() == "parameters" || List.base() == "named_parameters") &&
        List.Receiver && llvm::all_of(List.Arguments, [](const Expr *A) {
          return isa<CXXDefaultArgExpr>(A);
        });
    const bool Keeps = llvm::any_of(Runs->captures(), [&](const auto &X) {
      return X.capturesVariable() &&
             X.getCapturedVar() == Loop->getLoopVariable();
    });
    if (IsAll && !Keeps && isOwnModule(List.Receiver))
      Only = {C.Call, Of, Runs};
  }
  /// The loop's variable, or `item.value()` of it.
  bool isElement(const Expr *E) const {
    E = strip(E)->IgnoreParenImpCasts();
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
      return Ref->getDecl() == Loop->getLoopVariable();
    if (!isa<CXXMemberCallExpr>(E))
      return false;
    const CallSite C(E);
    return C.Receiver && C.base() == "value" && isElement(C.Receiver);
  }
  /// A variable of the function: whoever called it has no name for the module.
  static bool isOwnModule(const Expr *E) {
    E = strip(E)->IgnoreParenImpCasts();
    if (const auto *Arrow = dyn_cast<CXXOperatorCallExpr>(E))
      E = strip(Arrow->getArg(0))->IgnoreParenImpCasts();
    const auto *Ref = dyn_cast<DeclRefExpr>(E);
    const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    return VD && VD->isLocalVarDecl() && !VD->isStaticLocal() &&
           !VD->getType()->isReferenceType() && isModule(VD->getType());
  }

  const CXXForRangeStmt *Loop = nullptr; ///< that is not in another one
  bool Uncertain = false, Repeated = false;
  unsigned Hooks = 0;
  bool BackwardBefore = false;
  llvm::DenseSet<const FunctionDecl *> Callees; ///< with bodies
  Hook Only;
};

} // namespace

static std::optional<Hook> followedHook(ExprLowering &L) {
  if (!L.function()->getBody())
    return std::nullopt;
  Finder In;
  In.TraverseStmt(L.function()->getBody());
  const std::optional<Hook> Out = In.hook();
  return Out && L.module().isKnown(Out->Runs->getCallOperator()) ? Out
                                                                 : std::nullopt;
}

bool isFollowedHook(ExprLowering &L, const Expr *Call) {
  const std::optional<Hook> Of = followedHook(L);
  return Of && Of->Call == Call;
}

void runWithHook(ExprLowering &L, const BackwardFact &Pass, const Expr *At) {
  const std::optional<Hook> Of = followedHook(L);
  const Operand List = Of ? L.operandOrNone(Of->List) : Operand();
  if (List.Slot == SlotId::None)
    return L.emit(Pass);
  // What arrives is new, whatever earlier passes and hooks have left.
  L.clearGradientsOf(List, At);
  L.emit(Pass);
  const Operand Element{L.emitOp(L.module().elementRule(), {List}, Of->List),
                        List.At};
  const Operand Arrives{L.gradientOf(Element, Of->List), L.place(At)};
  CallFact Run;
  Run.At = L.place(Of->Call);
  Run.Receiver = {lowerLambda(L, Of->Runs), L.place(Of->Runs)};
  Run.Callee = L.module().require(Of->Runs->getCallOperator());
  Run.Arguments.push_back(Arrives);
  Run.Dst = L.temporary();
  const bool Returns =
      !Of->Runs->getCallOperator()->getReturnType()->isVoidType();
  const Operand Left = Returns ? Operand{Run.Dst, Run.At} : Arrives;
  L.emit(std::move(Run));
  L.emitOp(L.module().elementRule(), {Left}, Of->Call,
           L.gradientOf(List, Of->List));
}

} // namespace spmd::lint::lower

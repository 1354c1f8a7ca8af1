//===- LowerForEach.cpp - Calls that are loops over a list ----------------===//

#include "LowerForEach.h"

#include "Closures.h"
#include "ForEach.h"
#include "UnknownCode.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseSet.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// What the tensors of the list and their gradients are, nobody knows any more.
static void forget(ExprLowering &L, const ForEach &Of, const Expr *At) {
  lendClosure(L, Of.Function, At);
  const SlotId List = L.value(Of.List);
  if (List == SlotId::None)
    return;
  L.emit(HavocFact{List, /*Rebinds=*/false, L.place(At)});
  L.emit(HavocFact{List, /*Rebinds=*/false, L.place(At), /*Gradients=*/true});
}

/// Whether something in what a function, or a closure, does asks for gradients.
class AskingForGradients : public RecursiveASTVisitor<AskingForGradients> {
public:
  bool shouldVisitLambdaBody() const { return true; }
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
    const CallSite C(E);
    Found |= C.base() == "grad" || C.base() == "mutable_grad";
    return !Found;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    const auto *FD = dyn_cast<FunctionDecl>(E->getDecl());
    if (FD && FD->hasBody() && Seen.insert(FD).second)
      TraverseStmt(FD->getBody());
    return !Found;
  }
  bool Found = false;

private:
  llvm::DenseSet<const FunctionDecl *> Seen;
};

static bool asksForGradients(const Expr *E) {
  AskingForGradients In;
  In.TraverseStmt(const_cast<Expr *>(E));
  return In.Found;
}

/// `module->apply(f)`: what `f` does to the modules in it may change the
/// gradients of their parameters.
static void lendModules(ExprLowering &L, const Expr *E) {
  const CallSite C(E);
  if (C.base() != "apply" || !C.Receiver || C.Arguments.size() != 1 ||
      !isModule(strip(C.Receiver)->getType()) ||
      !asksForGradients(C.Arguments[0]))
    return;
  lendClosure(L, strip(C.argument(0)), E);
  hookGradients(L, L.value(C.Receiver), E);
}

/// What is called with each struct of a list is called with one of them, which
/// all others are like.
static bool lowerForEachRecord(ExprLowering &L, const CallExpr *E) {
  const std::optional<ForEach> Of = forEachRecord(E);
  const Operand List = Of ? L.operand(Of->List) : Operand();
  if (List.Slot == SlotId::None)
    return false;
  if (!L.module().isKnown(Of->Called)) {
    lendClosure(L, Of->Function, E);
    L.emit(HavocFact{List.Slot, /*Rebinds=*/false, L.place(E)});
    return true;
  }
  ViewFact Element;
  Element.K = ViewFact::Kind::Element;
  Element.Dst = L.temporary();
  Element.Src = List;
  Element.Offset = {L.define(DefineFact::Kind::Constant, E), L.place(E)};
  Element.At = L.place(E);
  CallFact Fact;
  Fact.At = L.place(E);
  if (isa<CXXMethodDecl>(Of->Called))
    Fact.Receiver = L.operand(Of->Function);
  Fact.Callee = L.module().require(Of->Called);
  Fact.Arguments.push_back({Element.Dst, List.At});
  L.emit(std::move(Element));
  L.emit(std::move(Fact));
  return true;
}

bool lowerForEach(ExprLowering &L, const Expr *E) {
  const auto *Call = dyn_cast<CallExpr>(E);
  if (Call && lowerForEachRecord(L, Call))
    return true;
  const std::optional<ForEach> Of = Call ? forEach(Call) : std::nullopt;
  if (!Of) {
    lendModules(L, E);
    return false;
  }
  const EachLoop *Loop = L.Body.eachLoops().find(E);
  if (!Loop || !L.module().isKnown(Of->Called)) {
    forget(L, *Of, E);
    return true;
  }
  CallFact Fact;
  Fact.At = L.place(E);
  if (isa<CXXMethodDecl>(Of->Called))
    Fact.Receiver = L.operand(Of->Function);
  Fact.Callee = L.module().require(Of->Called);
  const PlaceId List = L.place(Of->List);
  if (!Loop->Gradients && !changesElement(Of->Called, L.module().ops())) {
    Fact.Arguments.push_back({L.value(Of->List), List});
    L.emit(std::move(Fact));
    return true;
  }
  L.Lists.begin(*Loop, [&L](const Expr *Of) { return L.operand(Of); });
  L.Lists.next(*Loop);
  Fact.Arguments.push_back({L.Lists.element({Loop, 0}), List});
  L.emit(std::move(Fact));
  L.Lists.end(*Loop);
  L.Lists.leave(*Loop, /*Visited=*/true);
  return true;
}

} // namespace spmd::lint::lower

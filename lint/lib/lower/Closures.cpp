//===- Closures.cpp - Lambdas that unknown code may run -------------------===//
//
// A thread, a callback, an algorithm of a library: whoever is handed a closure
// may run its body, nobody knows when and how often. What the body may change
// of what it has captured is unknown from then on.
//
//===----------------------------------------------------------------------===//

#include "Closures.h"

#include "UnknownCode.h"

#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

namespace {

/// The object that \p E is, or is a part of; null when it is none.
const Expr *objectOf(const Expr *E) {
  for (;;) {
    E = strip(E)->IgnoreParenImpCasts();
    if (const auto *M = dyn_cast<MemberExpr>(E))
      E = M->getBase();
    else if (const auto *A = dyn_cast<ArraySubscriptExpr>(E))
      E = A->getBase();
    else if (const auto *U = dyn_cast<UnaryOperator>(E);
             U && (U->getOpcode() == UO_Deref || U->getOpcode() == UO_AddrOf))
      E = U->getSubExpr();
    else if (const auto *C = dyn_cast<CXXOperatorCallExpr>(E);
             C && (C->getOperator() == OO_Subscript ||
                   C->getOperator() == OO_Arrow || C->getOperator() == OO_Star))
      E = C->getArg(0);
    else
      return isa<DeclRefExpr, CXXThisExpr>(E) ? E : nullptr;
  }
}

/// Finds the mentions of captured objects that do no more than read them.
class ReadFinder : public RecursiveASTVisitor<ReadFinder> {
public:
  explicit ReadFinder(const OpCatalogue &Ops) : Ops(Ops) {}

  bool VisitDeclRefExpr(DeclRefExpr *E) {
    Mentions.push_back(E);
    return true;
  }
  bool VisitCXXThisExpr(CXXThisExpr *E) {
    Mentions.push_back(E);
    return true;
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr *E) {
    if (E->getCastKind() == CK_LValueToRValue &&
        classify(E->getType()) == TypeClass::Scalar)
      noteRead(E->getSubExpr());
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    const CallSite C(E);
    if (!C.Callee)
      return true;
    const OpMatch Op = Ops.find(C.Name);
    const bool Pure = Op && !Op.InPlace && !Op.OutVariant &&
                      Op.Rule->Writes.empty() && Op.Rule->Views.empty();
    if (C.Receiver && (Pure || asks(C)))
      noteRead(C.Receiver);
    for (unsigned I = 0; I != C.Arguments.size(); ++I)
      if (Pure || (I < C.Callee->getNumParams() &&
                   readsOnly(C.Callee->getParamDecl(I)->getType())))
        noteRead(C.Arguments[I]);
    return true;
  }

  /// The others.
  std::vector<const Expr *> writes() const {
    std::vector<const Expr *> Out;
    for (const Expr *E : Mentions)
      if (!Reads.contains(E))
        Out.push_back(E);
    return Out;
  }

private:
  void noteRead(const Expr *E) {
    if (const Expr *Of = objectOf(E))
      Reads.insert(Of);
  }

  /// A question with a number for an answer.
  static bool asks(const CallSite &C) {
    const auto *Method = dyn_cast<CXXMethodDecl>(C.Callee);
    return Method && Method->isConst() &&
           classify(Method->getReturnType()) == TypeClass::Scalar;
  }

  /// A tensor that is const is the same tensor.
  static bool readsOnly(QualType T) {
    if (T->isReferenceType() || T->isPointerType())
      return T->getPointeeType().isConstQualified() && !isTensor(T);
    return classify(T) == TypeClass::Scalar;
  }

  const OpCatalogue &Ops;
  std::vector<const Expr *> Mentions;
  llvm::DenseSet<const Expr *> Reads;
};

/// Finds what a body asks for its gradient, or for all it has to learn.
class GradientFinder : public RecursiveASTVisitor<GradientFinder> {
public:
  bool VisitCallExpr(CallExpr *E) {
    const CallSite C(E);
    if (C.Callee && C.Receiver &&
        (C.base() == "grad" || C.base() == "mutable_grad" ||
         C.base() == "parameters" || C.base() == "named_parameters"))
      if (const auto *Ref = dyn_cast_or_null<DeclRefExpr>(objectOf(C.Receiver)))
        Found.insert(Ref->getDecl());
    return true;
  }

  llvm::DenseSet<const ValueDecl *> Found;
};

} // namespace

SlotId lowerLambda(ExprLowering &L, const LambdaExpr *E) {
  const SlotId Closure = L.define(DefineFact::Kind::Undefined, E);
  auto Init = E->capture_init_begin();
  for (const LambdaCapture &C : E->captures()) {
    const Expr *I = *Init++;
    if (C.capturesThis()) {
      L.emit(BindFact{L.Slots.field(Closure, "this"),
                      {L.Slots.self(), L.place(E)},
                      L.place(E)});
      continue;
    }
    if (!C.capturesVariable() || !I)
      continue;
    const auto *VD = dyn_cast<VarDecl>(C.getCapturedVar());
    const Operand V = L.operand(I);
    if (!VD || V.Slot == SlotId::None)
      continue;
    L.emit(BindFact{L.Slots.field(Closure, VD->getName(), nullptr), V,
                    L.place(E)});
  }
  return Closure;
}

void lendClosure(ExprLowering &L, const Expr *Argument, const Expr *At) {
  const CXXRecordDecl *Lambda =
      Argument->getType().getNonReferenceType()->getAsCXXRecordDecl();
  if (!Lambda || !Lambda->isLambda())
    return;
  const SlotId Closure = L.value(Argument);
  const FunctionDecl *Body = Lambda->getLambdaCallOperator();
  if (Closure == SlotId::None || !Body || !Body->hasBody())
    return;
  llvm::DenseMap<const ValueDecl *, LambdaCaptureKind> Captured;
  // Then the closure's fields are other names of what it refers to.
  const bool IsMadeHere = Lambda->getDeclContext() == L.function();
  const auto *Method = dyn_cast<CXXMethodDecl>(L.function());
  const bool HasOurThis =
      IsMadeHere && Method && !Method->getParent()->isLambda();
  bool HasThis = false;
  for (const LambdaCapture &C : Lambda->captures())
    if (C.capturesVariable())
      Captured[C.getCapturedVar()] = C.getCaptureKind();
    else
      HasThis |= C.capturesThis();

  GradientFinder Gradients;
  Gradients.TraverseStmt(Body->getBody());
  for (const auto &[D, Kind] : Captured)
    if (const auto *VD = dyn_cast<VarDecl>(D);
        VD && Gradients.Found.contains(D))
      loseGradient(L,
                   IsMadeHere ? L.Slots.variable(VD)
                              : L.Slots.field(Closure, VD->getName()),
                   At);
  ReadFinder Finder(L.module().ops());
  Finder.TraverseStmt(Body->getBody());
  llvm::DenseSet<const ValueDecl *> Told;
  const auto Forget = [&](SlotId S, bool Rebinds) {
    L.emit(HavocFact{S, Rebinds, L.place(At)});
  };
  for (const Expr *E : Finder.writes()) {
    const auto *Ref = dyn_cast<DeclRefExpr>(E);
    if (!Ref) {
      if (HasThis && Told.insert(nullptr).second)
        Forget(HasOurThis ? L.Slots.self() : L.Slots.field(Closure, "this"),
               /*Rebinds=*/true);
      continue;
    }
    const auto It = Captured.find(Ref->getDecl());
    if (It == Captured.end() || !Told.insert(Ref->getDecl()).second)
      continue;
    const QualType T = Ref->getDecl()->getType().getNonReferenceType();
    const TypeClass Class = classify(T);
    const bool ByReference = It->second == LCK_ByRef;
    if ((!ByReference && !isHandle(T)) || Class == TypeClass::Untracked ||
        Class == TypeClass::Comm || Class == TypeClass::Mesh)
      continue;
    const auto *VD = dyn_cast<VarDecl>(Ref->getDecl());
    const bool Rebinds =
        ByReference && Class != TypeClass::Buffer && Class != TypeClass::Scalar;
    Forget(VD && ByReference && IsMadeHere
               ? L.Slots.variable(VD)
               : L.Slots.field(Closure, Ref->getDecl()->getName()),
           Rebinds);
  }
}

} // namespace spmd::lint::lower

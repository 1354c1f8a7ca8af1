//===- OptimizedParts.cpp - The parts of what is optimized ----------------===//

#include "OptimizedParts.h"

#include "DeclaredParameters.h"

#include "cxx/CallSite.h"
#include "cxx/TypeClass.h"

#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

namespace {

/// More parts than these are not told apart.
constexpr unsigned MaxParts = 64;
constexpr unsigned MaxNesting = 8;

class Parts {
public:
  explicit Parts(ExprLowering &L) : L(L) {}

  void addModule(SlotId Module, QualType T, unsigned Depth);

  llvm::SmallVector<SlotId, 8> Found;

private:
  void add(SlotId S) {
    if (S != SlotId::None && Found.size() < MaxParts && L.slot(S).Declared &&
        !L.slot(S).Declared->Exit)
      Found.push_back(S);
  }

  ExprLowering &L;
};

} // namespace

/// A layer of libtorch, or a module whose members are all alike, is one part.
void Parts::addModule(SlotId Module, QualType T, unsigned Depth) {
  const CXXRecordDecl *RD = moduleClass(T);
  if (!RD || Module == SlotId::None || Depth > MaxNesting ||
      hasNoParameters(RD))
    return;
  const SlotId List = L.Slots.parametersOf(Module, T);
  if (!L.module().isOwnCode(RD->getLocation()) ||
      !L.Slots.hasDifferentParts(List, T))
    return add(List);
  for (const FieldDecl *Field : RD->fields()) {
    const QualType Is = Field->getType();
    const TypeClass Class = classify(Is);
    if (isModule(Is))
      addModule(L.Slots.field(Module, Field->getName(), Field), Is, Depth + 1);
    else if (Class == TypeClass::Tensor || Class == TypeClass::TensorList)
      add(L.Slots.field(Module, Field->getName(), Field));
  }
}

llvm::SmallVector<SlotId, 8> differentParts(ExprLowering &L, SlotId Module,
                                            QualType T) {
  if (Module == SlotId::None ||
      !L.Slots.hasDifferentParts(L.Slots.parametersOf(Module, T), T))
    return {};
  Parts Of(L);
  Of.addModule(Module, T, 0);
  return Of.Found;
}

namespace {

/// All that a function puts into a list of its own, whatever decides.
class PutInto : public RecursiveASTVisitor<PutInto> {
public:
  explicit PutInto(const VarDecl *List) : List(List) {}

  bool TraverseIfStmt(IfStmt *S) {
    ++Depth;
    const bool GoesOn = RecursiveASTVisitor::TraverseIfStmt(S);
    --Depth;
    return GoesOn;
  }
  bool TraverseLambdaExpr(LambdaExpr *) { return true; }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *S) {
    if (S->getLoopVariable() && S->getRangeInit())
      RangeOf[S->getLoopVariable()] = S->getRangeInit();
    return true;
  }
  bool VisitStmt(Stmt *S) {
    LeavesOut |= isa<ContinueStmt, BreakStmt>(S);
    return true;
  }
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
    const CallSite C(E);
    if (!C.Receiver || !isList(C.Receiver))
      return true;
    const llvm::StringRef Base = C.base();
    if ((Base == "push_back" || Base == "emplace_back") &&
        C.Arguments.size() == 1 && !Depth && !LeavesOut)
      Found.push_back(C.Arguments[0]);
    else
      IsOther |= Base != "reserve" && Base != "size" && Base != "begin" &&
                 Base != "end";
    return true;
  }
  llvm::SmallVector<const Expr *, 4> Found;
  llvm::DenseMap<const VarDecl *, const Expr *> RangeOf;
  bool IsOther = false;

private:
  bool LeavesOut = false; ///< some elements of a loop, perhaps
  bool isList(const Expr *E) const {
    const auto *Ref = dyn_cast<DeclRefExpr>(strip(E)->IgnoreParenImpCasts());
    return Ref && Ref->getDecl() == List;
  }

  const VarDecl *List;
  unsigned Depth = 0; ///< of conditions
};

/// Of what the argument of an optimizer is put together.
class GivenParts {
public:
  explicit GivenParts(ExprLowering &L) : L(L) {}

  void add(const Expr *E, unsigned Nesting = 0);

  llvm::SmallVector<SlotId, 8> Found;

private:
  void addSlot(SlotId S) {
    if (S != SlotId::None && Found.size() < MaxParts &&
        !llvm::is_contained(Found, S))
      Found.push_back(S);
  }
  bool addList(const VarDecl *List, unsigned Nesting);

  ExprLowering &L;
};

} // namespace

/// False if nobody knows what is in \p List.
bool GivenParts::addList(const VarDecl *List, unsigned Nesting) {
  if (!List->isLocalVarDecl() || List->getType()->isReferenceType() ||
      classify(List->getType()) != TypeClass::TensorList ||
      !L.function()->getBody())
    return false;
  PutInto In(List);
  In.TraverseStmt(L.function()->getBody());
  if (In.IsOther)
    return false;
  if (List->hasInit())
    add(List->getInit(), Nesting + 1);
  for (const Expr *Put : In.Found) {
    const auto *Ref = dyn_cast<DeclRefExpr>(handedOver(Put));
    const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    const Expr *All = In.RangeOf.lookup(VD);
    add(All ? All : Put, Nesting + 1);
  }
  return true;
}

void GivenParts::add(const Expr *E, unsigned Nesting) {
  E = handedOver(E);
  if (Nesting > MaxNesting)
    return;
  if (const auto *Braces = dyn_cast<InitListExpr>(E)) {
    for (const Expr *One : Braces->inits())
      add(One, Nesting + 1);
  } else if (isa<CXXMemberCallExpr>(E)) {
    const CallSite C(E);
    if (C.Receiver && C.base() == "parameters" &&
        isModule(strip(C.Receiver)->getType()))
      addSlot(L.Slots.parametersOf(L.value(C.Receiver),
                                   strip(C.Receiver)->getType()));
  } else if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    const auto *VD = dyn_cast<VarDecl>(Ref->getDecl());
    if (VD && isHandle(VD->getType()) && !VD->isCXXForRangeDecl() &&
        !addList(VD, Nesting))
      addSlot(L.value(E));
  }
}

llvm::SmallVector<SlotId, 8> partsGiven(ExprLowering &L, const Expr *Given) {
  GivenParts Of(L);
  Of.add(Given);
  return Of.Found.size() > 1 ? Of.Found : llvm::SmallVector<SlotId, 8>();
}

} // namespace spmd::lint::lower

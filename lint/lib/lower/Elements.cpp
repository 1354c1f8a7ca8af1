//===- Elements.cpp - Elements of arrays, buffers and lists -------------===//

#include "Elements.h"

#include "LowerPlaces.h"
#include "LowerPointerLoops.h"
#include "PointerOrigins.h"
#include "Recognisers.h"

#include "llvm/ADT/StringSwitch.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseSet.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

SlotId singleElement(ExprLowering &L, const Expr *E) {
  if (const SlotId S = savedDatum(L, E); S != SlotId::None)
    return S;
  const SingleElements::Element *Of = L.Body.singles().find(strip(E));
  return Of ? L.Slots.field(L.value(Of->List), Of->Name) : SlotId::None;
}

SlotId eachElement(const ExprLowering &L, const Expr *E) {
  return L.Lists.element(L.Body.eachLoops().element(E));
}

/// Whether a loop counts \p Index: then all elements have their turn.
static bool isCounted(ExprLowering &L, const Expr *Index) {
  const auto *Ref = dyn_cast<DeclRefExpr>(Index->IgnoreParenImpCasts());
  const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return VD && !L.Body.constancy().isConstant(VD);
}

/// Whether \p Index is another one in each iteration: `i`, `i++`, `n - i`, or
/// one of the numbers of a list.
static bool isStepped(ExprLowering &L, const Expr *Index) {
  Index = Index->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(Index))
    return U->isIncrementDecrementOp();
  if (const auto *B = dyn_cast<BinaryOperator>(Index))
    return isStepped(L, B->getLHS()) || isStepped(L, B->getRHS());
  const auto *Ref = dyn_cast<DeclRefExpr>(Index);
  const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return (VD && VD->isCXXForRangeDecl()) || isCounted(L, Index);
}

namespace {

/// The elements of a list whose gradients a function asks for by number:
/// `list[0].grad()`.
class NumberedGradients : public RecursiveASTVisitor<NumberedGradients> {
public:
  NumberedGradients(const ASTContext &Ctx, const CXXOperatorCallExpr *At)
      : Ctx(Ctx), At(At), List(printed(At->getArg(0), Ctx)) {}

  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
    const CallSite C(E);
    const auto *One =
        C.Receiver ? dyn_cast<CXXOperatorCallExpr>(strip(C.Receiver)) : nullptr;
    Expr::EvalResult Number;
    if ((C.base() == "grad" || C.base() == "mutable_grad") && One &&
        One->getOperator() == OO_Subscript &&
        printed(One->getArg(0), Ctx) == List &&
        One->getArg(1)->EvaluateAsInt(Number, Ctx)) {
      Numbers.insert(Number.Val.getInt().getExtValue());
      HasThis |= One == At;
    }
    return true;
  }
  bool areSeveral() const { return HasThis && Numbers.size() > 1; }

private:
  const ASTContext &Ctx;
  const CXXOperatorCallExpr *At;
  const std::string List;
  llvm::SmallDenseSet<std::int64_t, 4> Numbers;
  bool HasThis = false;
};

} // namespace

/// Whether \p At is one of several, which may be all that there are.
static bool isOneOfSeveral(ExprLowering &L, const Expr *At) {
  const auto *E = dyn_cast<CXXOperatorCallExpr>(strip(At));
  if (!E || E->getOperator() != OO_Subscript || !L.function()->getBody() ||
      E->getArg(1)->isValueDependent())
    return false;
  NumberedGradients Found(L.context(), E);
  Found.TraverseStmt(L.function()->getBody());
  return Found.areSeveral();
}

/// Whether \p At is of another tensor in each iteration of a loop of which it
/// is not known that it comes to all: at \p Index, or where elements are taken.
static bool mayBeAny(ExprLowering &L, const Expr *Index, const Expr *At) {
  if (Index)
    return isStepped(L, Index) || isOneOfSeveral(L, At);
  const Expr *E = strip(At)->IgnoreParenImpCasts();
  if (!isa<CallExpr>(E))
    return false;
  const CallSite C(E);
  return C.Receiver && L.Body.eachLoops().shortened().isDrained(C.Receiver);
}

/// Whether \p At is a buffer or tensor of a list that is in use while another
/// one, at \p Index, is not.
static bool takesTurns(ExprLowering &L, const Expr *Index, const Expr *At) {
  if (!Index || classify(At->getType()) == TypeClass::Scalar)
    return false;
  const Expr *E = strip(At)->IgnoreParenImpCasts();
  if (const auto *S = dyn_cast<ArraySubscriptExpr>(E))
    return L.Body.turns().isOther(S->getBase(), Index);
  const auto *C = dyn_cast<CXXOperatorCallExpr>(E);
  return C && C->getOperator() == OO_Subscript &&
         L.Body.turns().isOther(C->getArg(0), Index);
}

namespace {

/// Whether a body gives a call a member of the struct \p At to write: of the
/// first of several, that may be where all of an allocation begins.
class GivenMembers : public RecursiveASTVisitor<GivenMembers> {
public:
  explicit GivenMembers(const Expr *At) : At(strip(At)) {}

  bool VisitCallExpr(CallExpr *E) {
    for (unsigned I = 0; I != E->getNumArgs(); ++I) {
      const auto *M = dyn_cast_or_null<MemberExpr>(bare(E->getArg(I)));
      if (!M || strip(M->getBase()) != At)
        continue;
      const FunctionDecl *Callee = E->getDirectCallee();
      const QualType To = Callee && I < Callee->getNumParams()
                              ? Callee->getParamDecl(I)->getType()
                              : QualType();
      Found |= To.isNull() || !To->isPointerType() ||
               !To->getPointeeType().isConstQualified();
    }
    return !Found;
  }
  bool Found = false;

private:
  const Expr *At;
};

/// Whether a body keeps no pointer to a struct that is an element of a list at
/// a constant, and changes no pointer in one: each is given to a call, or asked
/// for a member.
class ElementMentions : public RecursiveASTVisitor<ElementMentions> {
public:
  explicit ElementMentions(const VarDecl *List) : List(List) {}

  bool areByName(Stmt *Body) {
    TraverseStmt(Body);
    return Mentions == Known;
  }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr *E) {
    Mentions += isElement(E);
    return true;
  }
  bool VisitMemberExpr(MemberExpr *E) {
    Known += !E->isArrow() && isElement(E->getBase());
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    for (const Expr *A : E->arguments())
      if (const Expr *Of = addressed(A))
        Known += isElement(Of);
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *E) {
    Mentions += E->getOpcode() == UO_AddrOf && isPointerIn(E->getSubExpr());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    Mentions += E->isAssignmentOp() && isPointerIn(E->getLHS());
    return true;
  }

private:
  bool isElement(const Expr *E) const {
    const auto *At = dyn_cast<ArraySubscriptExpr>(bare(E));
    Expr::EvalResult R;
    return At && variableOf(At->getBase()) == List &&
           !At->getIdx()->isValueDependent() &&
           At->getIdx()->EvaluateAsInt(R, List->getASTContext());
  }
  bool isPointerIn(const Expr *E) const {
    const auto *M = dyn_cast<MemberExpr>(bare(E));
    return M && M->getType()->isPointerType() && isElement(M->getBase());
  }

  const VarDecl *List;
  unsigned Mentions = 0, Known = 0;
};

} // namespace

/// Names the struct at \p Index, a constant, of an array: \p V is the same one
/// wherever the function asks for it by that, and no other one.
static void nameElement(ExprLowering &L, const Expr *Index, const Expr *At,
                        ViewFact &V) {
  const auto *Element = dyn_cast<ArraySubscriptExpr>(strip(At));
  const VarDecl *List = Element ? variableOf(Element->getBase()) : nullptr;
  const auto Number = List ? L.constant(Index) : std::nullopt;
  if (!Number || !List->isLocalVarDeclOrParm() || List->isStaticLocal() ||
      List->getDeclContext() != L.function() ||
      !L.module().isOwnStruct(At->getType()) ||
      (!List->getType()->isArrayType() &&
       !L.Body.constancy().isConstant(List)) ||
      !ElementMentions(List).areByName(L.function()->getBody()))
    return;
  GivenMembers Given(Element);
  if (*Number == 0)
    Given.TraverseStmt(L.function()->getBody());
  if (!Given.Found)
    V.Dst = L.Slots.placeInList(List->getCanonicalDecl(), *Number,
                                printed(Element, L.context()));
}

/// An element of an array, a buffer or a list; the first or the last one where
/// there is no \p Index.
SlotId element(ExprLowering &L, Operand Of, const Expr *Index, const Expr *At) {
  if (const SlotId Single = singleElement(L, At); Single != SlotId::None)
    return L.value(Index), Single;
  if (const SlotId Own = eachElement(L, At); Own != SlotId::None)
    return L.value(Index), Own;
  if (const SlotId Turn = turnAt(L, At); Turn != SlotId::None)
    return L.value(Index), Turn;
  // What a list of lists has is in all of them.
  if (classify(At->getType()) == TypeClass::TensorList)
    return Index ? L.value(Index) : SlotId::None, Of.Slot;
  if (const SlotId Place = lowerPlaceInList(L, Index, At);
      Place != SlotId::None)
    return L.value(Index), Place;
  if (takesTurns(L, Index, At))
    return L.value(Index), L.define(DefineFact::Kind::Unknown, At);
  ViewFact V;
  V.Dst = L.temporary();
  V.Src = Of;
  V.At = L.place(At);
  const bool Number = Index && classify(Index->getType()) == TypeClass::Scalar;
  if (Number)
    V.Offset = L.operand(Index);
  else if (Index)
    L.value(Index);
  const bool IsHandle =
      (isHandle(At->getType()) || L.module().isOwnStruct(At->getType())) &&
      !(Number && isCounted(L, Index));
  V.K = IsHandle ? ViewFact::Kind::Handle : ViewFact::Kind::Element;
  if (IsHandle && Number)
    nameElement(L, Index, At, V);
  if (!Number && !IsHandle)
    return Of.Slot;
  const SlotId Dst = V.Dst;
  L.emit(V);
  // What a loop does to the gradients of one after another may be done to any.
  if (isHandle(At->getType()) && classify(At->getType()) == TypeClass::Tensor &&
      mayBeAny(L, Index, At))
    L.emit(HavocFact{L.Lists.listOf(Of.Slot), /*Rebinds=*/false, V.At,
                     /*Gradients=*/true, /*Alone=*/true});
  return Dst;
}

void bindElements(ExprLowering &L, SlotId List, const InitListExpr *Values) {
  for (unsigned I = 0; I != Values->getNumInits(); ++I) {
    const SlotId Element = L.Slots.element(List, I);
    if (const Operand V = L.operandOrNone(Values->getInit(I));
        V.Slot != SlotId::None)
      L.emit(BindFact{Element, V, V.At});
    else
      L.assign(Element, Values->getInit(I), DefineFact::Kind::Undefined);
  }
}

/// The number by which a view of a tensor, like `x.narrow(0, start, n)`, tells
/// what part it is; null where it is a constant, or no number.
static const Expr *positionIn(const ExprLowering &L, const CallSite &View) {
  const bool OfDim = llvm::StringSwitch<bool>(View.base())
                         .Cases({"narrow", "slice", "select"}, true)
                         .Default(false);
  for (const Expr *A : llvm::drop_begin(View.Arguments, OfDim)) {
    A = strip(A)->IgnoreParenImpCasts();
    if (A->getType()->isIntegralOrEnumerationType() && !L.constant(A))
      return A;
  }
  return nullptr;
}

/// A map from keys to tensors, each of which is replaced by itself.
static bool isTensorMap(QualType T) {
  const std::string Name = className(T.getNonReferenceType());
  return Name == "std::map" || Name == "std::unordered_map";
}

Viewed viewedObject(const ExprLowering &L, const Expr *E) {
  Viewed Out;
  while (true) {
    Out.Object = E = strip(E);
    if (L.Body.singles().find(E) || eachElement(L, E) != SlotId::None)
      return Out;
    if (const auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
      Out.Partial = true;
      E = S->getBase()->IgnoreParenImpCasts();
      continue;
    }
    if (!isa<CXXMemberCallExpr, CXXOperatorCallExpr>(E))
      return Out;
    const CallSite C(E);
    if (!C.Receiver || !C.Callee)
      return Out;
    const bool List =
        classify(C.Receiver->getType()) == TypeClass::TensorList ||
        isTensorMap(C.Receiver->getType());
    const TypeClass Result = classify(E->getType());
    if ((!isTensor(C.Receiver->getType()) && !List) ||
        (Result != TypeClass::Tensor && Result != TypeClass::TensorList))
      return Out;
    const int Kind = llvm::StringSwitch<int>(C.base())
                         .Cases({"view", "reshape", "transpose", "t",
                                 "unsqueeze", "squeeze", "flatten", "view_as",
                                 "permute", "detach", "data", "variable_data"},
                                1)
                         .Cases({"narrow", "slice", "select", "operator[]",
                                 "index", "chunk", "split", "diagonal", "at"},
                                2)
                         .Default(0);
    if (Kind == 0)
      return Out;
    Out.Partial |= Kind == 2;
    if (Kind == 2 && !List)
      if (const Expr *At = positionIn(L, C))
        Out.Position = At;
    E = C.Receiver;
  }
}

SlotId writtenPart(ExprLowering &L, const Viewed &Of, SlotId Whole,
                   const Expr *At) {
  if (!Of.Position || Whole == SlotId::None)
    return Whole;
  ViewFact Part;
  Part.Dst = L.temporary();
  Part.Src = {Whole, L.place(Of.Object)};
  Part.Offset = L.operandOrNone(Of.Position);
  Part.K = ViewFact::Kind::Element;
  Part.At = L.place(At);
  if (Part.Offset.Slot == SlotId::None)
    return Whole;
  const SlotId Dst = Part.Dst;
  L.emit(Part);
  return Dst;
}

bool readsElement(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (classify(E->getType()) != TypeClass::Scalar)
    return false;
  const auto *Call = dyn_cast<CXXOperatorCallExpr>(E);
  return isa<ArraySubscriptExpr>(E) ||
         (Call && Call->getOperator() == OO_Subscript);
}

} // namespace spmd::lint::lower

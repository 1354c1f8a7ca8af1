//===- ListsOfParts.cpp - Lists of pointers into one buffer ---------------===//

#include "ListsOfParts.h"

#include "cxx/TypeClass.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace spmd::lint::lower {

namespace {

/// `T *parts[N]`, `T **parts`, `std::vector<T *> parts`, of numbers.
bool holdsPointers(const VarDecl *VD) {
  const QualType T = VD->getType().getNonReferenceType();
  const QualType Element = T->isPointerType() ? T->getPointeeType()
                           : T->isArrayType()
                               ? QualType(T->getArrayElementTypeNoTypeQual(), 0)
                               : elementType(T);
  return !Element.isNull() && Element->isPointerType() &&
         classify(Element) == TypeClass::Buffer;
}

const VarDecl *listOf(const Expr *E) {
  const VarDecl *VD = variableOf(E);
  return VD && holdsPointers(VD) ? VD : nullptr;
}

} // namespace

const VarDecl *pointerListAt(const Expr *E) {
  E = bare(E);
  if (const auto *S = dyn_cast_or_null<ArraySubscriptExpr>(E))
    return listOf(S->getBase());
  const auto *C = dyn_cast_or_null<CXXOperatorCallExpr>(E);
  return C && C->getOperator() == OO_Subscript ? listOf(C->getArg(0)) : nullptr;
}

namespace {

/// The list that a call is given as \p E; null if it is none.
const VarDecl *givenList(const Expr *E) {
  const auto *Call = dyn_cast_or_null<CXXMemberCallExpr>(bare(E));
  const CXXMethodDecl *Method = Call ? Call->getMethodDecl() : nullptr;
  return Method && Method->getNameAsString() == "data"
             ? listOf(Call->getImplicitObjectArgument())
             : listOf(E);
}

/// A list, and what its elements are made to point into.
struct List {
  llvm::SmallSetVector<const VarDecl *, 1> Into;
  /// Some point elsewhere, or nobody knows where.
  bool IsUnknown = false;
  unsigned Mentions = 0, Known = 0;

  bool isKnown() const { return !IsUnknown && Mentions == Known; }
};

/// A list that a call is given.
struct Given {
  const PointerOrigins *In;
  const VarDecl *List;
  const CallExpr *To;
  unsigned Argument;
};

/// What is done to the lists that one body names.
class Uses : public RecursiveASTVisitor<Uses> {
public:
  Uses(const PointerOrigins &In, llvm::MapVector<const VarDecl *, List> &Of,
       std::vector<Given> &Calls)
      : In(In), Of(Of), Calls(Calls) {
    TraverseStmt(In.function()->getBody());
  }

  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (const VarDecl *L = listOf(E))
      ++Of[L].Mentions;
    return true;
  }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr *E) {
    know(pointerListAt(E));
    return true;
  }
  bool VisitUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *E) {
    if (!E->isArgumentType())
      know(listOf(E->getArgumentExpr()));
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *E) {
    if (const Expr *Element = addressed(E))
      if (const VarDecl *L = pointerListAt(Element))
        Of[L].IsUnknown = true;
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    if (E->isAssignmentOp())
      if (const VarDecl *L = pointerListAt(E->getLHS()))
        fill(L, E->getRHS());
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(E))
      return know(pointerListAt(Op)), true;
    if (const auto *Method = dyn_cast<CXXMemberCallExpr>(E))
      noteMethod(*Method);
    for (unsigned I = 0; I != E->getNumArgs(); ++I)
      if (const VarDecl *L = givenList(E->getArg(I))) {
        know(L);
        Calls.push_back({&In, L, E, I});
      }
    return true;
  }

private:
  void know(const VarDecl *L) {
    if (L)
      ++Of[L].Known;
  }
  void noteMethod(const CXXMemberCallExpr &E) {
    const VarDecl *L = listOf(E.getImplicitObjectArgument());
    const CXXMethodDecl *Method = E.getMethodDecl();
    if (!L || !Method || !Method->getIdentifier())
      return;
    const bool Adds = llvm::StringSwitch<bool>(Method->getName())
                          .Cases({"push_back", "emplace_back"}, true)
                          .Default(false);
    if (Adds && E.getNumArgs() == 1)
      fill(L, E.getArg(0));
    if (Adds || llvm::StringSwitch<bool>(Method->getName())
                    .Cases({"size", "empty", "reserve", "resize"}, true)
                    .Default(false))
      know(L);
  }
  void fill(const VarDecl *L, const Expr *Value);

  const PointerOrigins &In;
  llvm::MapVector<const VarDecl *, List> &Of;
  std::vector<Given> &Calls;
};

} // namespace

void Uses::fill(const VarDecl *L, const Expr *Value) {
  if (Value->isNullPointerConstant(In.function()->getASTContext(),
                                   Expr::NPC_ValueDependentIsNotNull))
    return;
  // Behind another one of the same list.
  const Expr *At = bare(Value);
  while (const auto *B = dyn_cast<BinaryOperator>(At))
    At = bare(B->getLHS()->getType()->isPointerType() ? B->getLHS()
                                                      : B->getRHS());
  if (pointerListAt(At) == L)
    return;
  if (const VarDecl *Into = In.originOf(Value).Variable)
    Of[L].Into.insert(Into);
  else
    Of[L].IsUnknown = true;
}

/// Whether a function that nobody sees may change the pointers in a list that
/// it gets as \p P.
static bool mayChange(const ParmVarDecl &P) {
  const QualType To = P.getType()->getPointeeType();
  return To.isNull() || !To.isConstQualified();
}

/// Notes in \p Of what the list that a call is given is filled with; whether
/// that is news.
static bool
noteCall(const Given &G,
         const llvm::DenseMap<const FunctionDecl *, const FunctionDecl *> &Seen,
         llvm::MapVector<const VarDecl *, List> &Of) {
  List Now = Of[G.List];
  const FunctionDecl *Callee = G.To->getDirectCallee();
  const FunctionDecl *Body =
      Callee ? Seen.lookup(Callee->getCanonicalDecl()) : nullptr;
  if (!Body || G.Argument >= Body->getNumParams()) {
    Now.IsUnknown |= !Callee || G.Argument >= Callee->getNumParams() ||
                     mayChange(*Callee->getParamDecl(G.Argument));
  } else if (const auto Parameter = Of.find(Body->getParamDecl(G.Argument));
             Parameter != Of.end()) {
    Now.IsUnknown |= !Parameter->second.isKnown();
    for (const VarDecl *Into : Parameter->second.Into) {
      const auto *P = dyn_cast<ParmVarDecl>(Into);
      const unsigned I = P ? P->getFunctionScopeIndex() : G.To->getNumArgs();
      const VarDecl *Given = I < G.To->getNumArgs()
                                 ? G.In->originOf(G.To->getArg(I)).Variable
                                 : nullptr;
      if (Given)
        Now.Into.insert(Given);
      else
        Now.IsUnknown = true;
    }
  }
  List &Before = Of[G.List];
  const bool IsNews = Now.IsUnknown != Before.IsUnknown ||
                      Now.Into.size() != Before.Into.size();
  Before = std::move(Now);
  return IsNews;
}

ListsOfParts::ListsOfParts(llvm::ArrayRef<PointerOrigins> Bodies) {
  llvm::MapVector<const VarDecl *, List> Of;
  std::vector<Given> Calls;
  llvm::DenseMap<const FunctionDecl *, const FunctionDecl *> Seen;
  for (const PointerOrigins &B : Bodies) {
    Seen[B.function()->getCanonicalDecl()] = B.function();
    Uses(B, Of, Calls);
  }
  // What a callee's callee fills is known a round later.
  bool IsNews = !Calls.empty();
  while (std::exchange(IsNews, false))
    for (const Given &G : Calls)
      IsNews |= noteCall(G, Seen, Of);
  llvm::DenseMap<const DeclContext *, const PointerOrigins *> BodyOf;
  for (const PointerOrigins &B : Bodies)
    BodyOf[B.function()] = &B;
  for (const auto &[L, Is] : Of) {
    if (isa<ParmVarDecl>(L) && Is.isKnown())
      (Is.Into.empty() ? OnlyRead : Filled).insert(L);
    const PointerOrigins *In = BodyOf.lookup(L->getParentFunctionOrMethod());
    if (!In || !L->isLocalVarDecl() || L->isStaticLocal() || !Is.isKnown() ||
        Is.Into.size() != 1)
      continue;
    const VarDecl *Buffer = Is.Into.front();
    if (Buffer->getParentFunctionOrMethod() == In->function() &&
        In->isSetOnce(Buffer))
      BufferOf[L->getCanonicalDecl()] = Buffer->getCanonicalDecl();
  }
}

} // namespace spmd::lint::lower

//===- FilledLists.cpp - Lists made of all elements of another ------------===//

#include "FilledLists.h"

#include "IteratorLoops.h"
#include "Strip.h"

#include "cxx/CallSite.h"
#include "cxx/KnownTypes.h"
#include "cxx/TypeClass.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint::lower {

bool asksIfThere(const Stmt *S) {
  const auto *Call = dyn_cast_or_null<CXXMemberCallExpr>(S);
  if (!Call)
    return false;
  const CallSite C(Call);
  return C.Receiver && C.Arguments.empty() &&
         (C.base() == "defined" || C.base() == "requires_grad");
}

namespace {

bool puts(llvm::StringRef Method) {
  return Method == "push_back" || Method == "emplace_back";
}

/// Whether \p T is a list of lists of tensors: what is put into one of those is
/// in it.
bool isListOfLists(QualType T) {
  const QualType Of = elementType(T);
  return classify(T) == TypeClass::TensorList && !Of.isNull() &&
         classify(Of) == TypeClass::TensorList;
}

/// A list of this function's that has nothing in it at first.
bool beginsEmpty(const VarDecl *VD) {
  const QualType T = VD->getType();
  if (!VD->isLocalVarDecl() || VD->isStaticLocal() || T->isReferenceType() ||
      T->isDependentType() || classify(T) != TypeClass::TensorList)
    return false;
  const auto *Made = dyn_cast_or_null<CXXConstructExpr>(
      VD->getInit() ? VD->getInit()->IgnoreImplicit() : nullptr);
  const auto IsGiven = [](const Expr *A) { return !isa<CXXDefaultArgExpr>(A); };
  const auto Given = Made ? llvm::count_if(Made->arguments(), IsGiven) : 0;
  return Made && (Given == 0 || (Given == 1 && isListOfLists(T) &&
                                 Made->getArg(0)->getType()->isIntegerType()));
}

const VarDecl *localList(const Expr *E);

/// `lists.back()` or `lists[i]`: the list of lists.
const VarDecl *localLists(const Expr *E) {
  if (!isa_and_nonnull<CXXMemberCallExpr, CXXOperatorCallExpr>(E))
    return nullptr;
  const CallSite C(E);
  const bool IsOne = C.base() == "back" || C.base() == "front" ||
                     C.base() == "at" || C.base() == "operator[]";
  const VarDecl *VD = IsOne && C.Receiver ? localList(C.Receiver) : nullptr;
  return VD && isListOfLists(VD->getType()) ? VD : nullptr;
}

const VarDecl *localList(const Expr *E) {
  if (const VarDecl *VD = localLists(E ? E->IgnoreParenImpCasts() : nullptr))
    return VD;
  const auto *Ref =
      dyn_cast_or_null<DeclRefExpr>(E ? E->IgnoreParenImpCasts() : nullptr);
  const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return VD && beginsEmpty(VD) ? VD : nullptr;
}

/// How often something may be put into each list, and all that is put.
class Puts : public RecursiveASTVisitor<Puts> {
public:
  bool shouldVisitLambdaBody() const { return true; }
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
    const CXXMethodDecl *Method = E->getMethodDecl();
    if (!Method || !Method->getIdentifier())
      return true;
    const llvm::StringRef Name = Method->getName();
    if (puts(Name) || Name == "insert" || Name == "emplace" ||
        Name == "assign" || Name == "swap" || Name == "resize")
      if (const VarDecl *VD = localList(E->getImplicitObjectArgument());
          VD && !addsEmpty(E))
        ++Of[VD];
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *E) {
    if (E->getOperator() == OO_Equal)
      if (const VarDecl *VD = localList(E->getArg(0)))
        Of[VD] += 2;
    return true;
  }
  llvm::DenseMap<const VarDecl *, unsigned> Of;

private:
  /// `lists.emplace_back()`.
  static bool addsEmpty(const CXXMemberCallExpr *E) {
    return puts(E->getMethodDecl()->getName()) && E->getNumArgs() == 0;
  }
};

/// How often each variable is named, and which are declared here.
class Mentions : public RecursiveASTVisitor<Mentions> {
public:
  bool shouldVisitLambdaBody() const { return true; }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (const auto *VD = dyn_cast<VarDecl>(E->getDecl()))
      ++Of[VD];
    return true;
  }
  bool VisitVarDecl(VarDecl *VD) {
    Declared.insert(VD);
    return true;
  }
  llvm::DenseMap<const VarDecl *, unsigned> Of;
  llvm::DenseSet<const VarDecl *> Declared;
};

/// Whether \p E only asks if there is a tensor, or one that is learnt.
bool asksForTensor(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(E);
      U && U->getOpcode() == UO_LNot)
    return asksForTensor(U->getSubExpr());
  if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isLogicalOp())
    return asksForTensor(B->getLHS()) && asksForTensor(B->getRHS());
  return asksIfThere(E);
}

bool isContinue(const Stmt *S) {
  const auto *Block = dyn_cast_or_null<CompoundStmt>(S);
  return S && (isa<ContinueStmt>(S) ||
               (Block && Block->size() == 1 && isContinue(Block->body_back())));
}

/// Whether a statement may leave a loop, or an iteration, before its end.
class Leaves : public RecursiveASTVisitor<Leaves> {
public:
  bool VisitBreakStmt(BreakStmt *) { return !(Found = true); }
  bool VisitReturnStmt(ReturnStmt *) { return !(Found = true); }
  bool VisitGotoStmt(GotoStmt *) { return !(Found = true); }
  bool VisitContinueStmt(ContinueStmt *) { return Continues = true; }
  bool Found = false, Continues = false;
};

/// The loops of a function, and what each does with every element.
class Loops : public RecursiveASTVisitor<Loops> {
public:
  bool TraverseLambdaExpr(LambdaExpr *) { return true; }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *S) {
    if (S->getLoopVariable())
      with({S, S->getBody(), S->getRangeInit()}, S->getLoopVariable(),
           S->getBody());
    return true;
  }
  bool VisitForStmt(ForStmt *S) {
    if (const std::optional<IteratorLoop> Loop = iteratorLoop(S))
      with({S, S->getBody(), Loop->List}, Loop->Iterator, S->getBody());
    return true;
  }

  struct Over {
    const Stmt *Loop, *Body;
    const Expr *List;
  };
  struct Put {
    Over In;
    const VarDecl *List;     ///< or
    const FieldDecl *Member; ///< of the object itself
    const Expr *Call;
    bool WithGradient;
  };
  std::vector<Put> Found;

private:
  /// False if what is behind \p S is not for every element.
  bool with(const Over &Loop, const VarDecl *Element, const Stmt *S) {
    if (const auto *Block = dyn_cast<CompoundStmt>(S)) {
      for (const Stmt *One : Block->body())
        if (!with(Loop, Element, One))
          return false;
      return true;
    }
    if (const auto *If = dyn_cast<IfStmt>(S)) {
      Leaves Early;
      Early.TraverseStmt(const_cast<IfStmt *>(If));
      if (!Early.Found && !Early.Continues && !putsElement(If, Element))
        return true;
      if (If->getElse() || !asksForTensor(If->getCond()))
        return false;
      return isContinue(If->getThen()) || with(Loop, Element, If->getThen());
    }
    const auto *E = dyn_cast<Expr>(S);
    if (!E)
      return isa<DeclStmt, NullStmt>(S);
    const Expr *Of = E->IgnoreImplicit();
    if (!isa<CXXMemberCallExpr>(Of))
      return true;
    const CallSite C(Of);
    const VarDecl *List = localList(C.Receiver);
    const FieldDecl *Member = C.Receiver ? memberOfThis(C.Receiver) : nullptr;
    bool Gradient = false;
    if ((List || Member) && puts(C.base()) && C.Arguments.size() == 1 &&
        isOf(C.Arguments[0], Element, Gradient))
      Found.push_back({Loop, List, Member, Of, Gradient});
    return true;
  }

  /// Whether \p S mentions the element but to ask what it is like.
  static bool putsElement(const Stmt *S, const VarDecl *Element) {
    const auto *E = dyn_cast<CXXMemberCallExpr>(S);
    bool Gradient = false;
    if (E && puts(CallSite(E).base()) &&
        llvm::any_of(E->arguments(),
                     [&](const Expr *A) { return isOf(A, Element, Gradient); }))
      return true;
    return llvm::any_of(S->children(), [&](const Stmt *Child) {
      return Child && putsElement(Child, Element);
    });
  }
  /// The element, or another handle to its storage or that of its gradient.
  static bool isOf(const Expr *E, const VarDecl *Element, bool &Gradient) {
    E = strip(E)->IgnoreParenImpCasts();
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
      return Ref->getDecl() == Element;
    if (dereferenced(E) == Element)
      return true;
    if (!isa<CXXMemberCallExpr>(E))
      return false;
    const CallSite C(E);
    if (!C.Receiver || !C.Arguments.empty())
      return false;
    const llvm::StringRef Base = C.base();
    const bool IsGradient = Base == "grad" || Base == "mutable_grad";
    if (!IsGradient && Base != "data" && Base != "detach" && Base != "value" &&
        Base != "variable_data" && Base != "tensor_data")
      return false;
    if (IsGradient && Gradient)
      return false;
    Gradient |= IsGradient;
    return isOf(C.Receiver, Element, Gradient);
  }
};

/// What may put something into a member of the object, or take it out.
class MemberChanges : public RecursiveASTVisitor<MemberChanges> {
public:
  explicit MemberChanges(const FieldDecl *List) : List(List) {}

  bool shouldVisitLambdaBody() const { return true; }
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
    const CXXMethodDecl *Method = E->getMethodDecl();
    if (Method && !Method->isConst() && Method->getIdentifier() &&
        isList(E->getImplicitObjectArgument())) {
      const llvm::StringRef Name = Method->getName();
      Puts += puts(Name);
      IsOther |= !puts(Name) && Name != "reserve" && Name != "begin" &&
                 Name != "end" && Name != "at" && Name != "front" &&
                 Name != "back" && Name != "data";
    }
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    const auto *Operator = dyn_cast<CXXOperatorCallExpr>(E);
    if (Operator && Operator->getOperator() == OO_Subscript)
      return true;
    const FunctionDecl *Callee = E->getDirectCallee();
    const unsigned First = isa_and_nonnull<CXXMethodDecl>(Callee) && Operator;
    for (unsigned I = First; I < E->getNumArgs(); ++I) {
      const bool IsNamed = Callee && I - First < Callee->getNumParams();
      const QualType To =
          IsNamed ? Callee->getParamDecl(I - First)->getType() : QualType();
      IsOther |= isList(E->getArg(I)) && IsNamed && To->isReferenceType() &&
                 !To.getNonReferenceType().isConstQualified();
    }
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *E) {
    IsOther |= E->getOpcode() == UO_AddrOf && isList(E->getSubExpr());
    return true;
  }

  unsigned Puts = 0;
  bool IsOther = false;

private:
  bool isList(const Expr *E) const {
    const auto *M = dyn_cast<MemberExpr>(E->IgnoreParenImpCasts());
    return M && M->getMemberDecl() == List;
  }

  const FieldDecl *List;
};

} // namespace

MemberFill fillOf(const FunctionDecl *FD, const FieldDecl *List) {
  MemberChanges Changes(List);
  Changes.TraverseStmt(FD->getBody());
  Loops In;
  In.TraverseStmt(FD->getBody());
  MemberFill Out;
  for (const Loops::Put &P : In.Found) {
    if (P.Member != List || P.WithGradient)
      continue;
    Leaves Early;
    Early.TraverseStmt(const_cast<Stmt *>(P.In.Body));
    if (!Early.Found)
      Out.From = P.In.List;
  }
  Out.IsChanged = Changes.IsOther || Changes.Puts != (Out.From ? 1 : 0);
  return Out;
}

FilledLists::FilledLists(const FunctionDecl *FD,
                         llvm::function_ref<bool(const Stmt *)> IsOverAll) {
  Puts All;
  All.TraverseStmt(FD->getBody());
  Loops In;
  In.TraverseStmt(FD->getBody());
  for (const Loops::Put &P : In.Found) {
    Mentions Within;
    Within.TraverseStmt(const_cast<Stmt *>(P.In.Loop));
    const bool HasOthers = P.List && All.Of.lookup(P.List) != 1;
    if (!P.List || (HasOthers && P.WithGradient) ||
        (Within.Of.lookup(P.List) != 1 && !isListOfLists(P.List->getType())) ||
        Within.Declared.contains(P.List) || !IsOverAll(P.In.Loop))
      continue;
    Of[P.In.Loop].push_back({P.List, P.WithGradient, HasOthers});
    Calls.insert(P.Call);
  }
}

} // namespace spmd::lint::lower

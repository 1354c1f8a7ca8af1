//===- OptimizedShare.cpp - What a rank has charge of ---------------------===//

#include "OptimizedShare.h"

#include "OptimizedModel.h"

#include "../Strip.h"

#include "cxx/CallSite.h"
#include "cxx/TypeClass.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace spmd::lint::lower {

namespace {

/// The one list of this function's in an expression.
class LocalLists : public RecursiveASTVisitor<LocalLists> {
public:
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    const auto *VD = dyn_cast<VarDecl>(E->getDecl());
    if (VD && VD->isLocalVarDecl() &&
        classify(VD->getType()) == TypeClass::TensorList)
      Found.insert(VD);
    return true;
  }
  llvm::SmallSetVector<const VarDecl *, 1> Found;
};

/// What a function puts into one of its lists, and what decides about that.
class PutsInto : public RecursiveASTVisitor<PutsInto> {
public:
  explicit PutsInto(const VarDecl *List) : List(List) {}

  bool TraverseIfStmt(IfStmt *S) {
    Conditions.push_back(S->getCond());
    const bool More = RecursiveASTVisitor::TraverseIfStmt(S);
    Conditions.pop_back();
    return More;
  }
  bool TraverseCXXForRangeStmt(CXXForRangeStmt *S) {
    if (const FieldDecl *Of = memberOfThis(S->getRangeInit()))
      Elements[S->getLoopVariable()] = Of;
    return RecursiveASTVisitor::TraverseCXXForRangeStmt(S);
  }
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
    const CallSite C(E);
    const auto *Ref =
        C.Receiver ? dyn_cast<DeclRefExpr>(strip(C.Receiver)) : nullptr;
    if (!Ref || Ref->getDecl() != List)
      return true;
    const bool Puts = C.base() == "push_back" || C.base() == "emplace_back";
    if (Puts && C.Arguments.size() == 1)
      note(memberOf(C.Arguments[0]));
    else if (!cast<CXXMethodDecl>(C.Callee)->isConst() && C.base() != "reserve")
      IsOther = true;
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *E) {
    const auto *Ref = E->getOperator() == OO_Equal
                          ? dyn_cast<DeclRefExpr>(strip(E->getArg(0)))
                          : nullptr;
    IsOther |= Ref && Ref->getDecl() == List;
    return true;
  }

  OptimizedShare Found;
  bool IsOther = false; ///< it has something else, too

private:
  /// The member that \p E is an element of.
  const FieldDecl *memberOf(const Expr *E) const {
    E = strip(E);
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
      return Elements.lookup(Ref->getDecl());
    const auto *Sub = dyn_cast<CXXOperatorCallExpr>(E);
    return Sub && Sub->getOperator() == OO_Subscript
               ? memberOfThis(Sub->getArg(0))
               : nullptr;
  }
  void note(const FieldDecl *Of) {
    IsOther |= !Of || (Found.List && Found.List != Of);
    Found.List = Of;
    for (const Expr *C : Conditions)
      noteMembers(C);
  }
  void noteMembers(const Stmt *S) {
    if (const auto *E = dyn_cast<Expr>(S))
      if (const FieldDecl *Field = memberOfThis(E))
        Found.ChosenBy.insert(Field);
    for (const Stmt *Child : S->children())
      if (Child)
        noteMembers(Child);
  }

  const VarDecl *List;
  llvm::SmallVector<const Expr *, 2> Conditions;
  llvm::DenseMap<const ValueDecl *, const FieldDecl *> Elements;
};

} // namespace

static std::optional<OptimizedShare> shareIn(const Expr *Given) {
  LocalLists Lists;
  Lists.TraverseStmt(const_cast<Expr *>(Given));
  if (Lists.Found.size() != 1)
    return std::nullopt;
  const VarDecl *List = Lists.Found.front();
  const auto *In = dyn_cast<FunctionDecl>(List->getDeclContext());
  PutsInto Puts(List);
  if (!In || !In->getBody())
    return std::nullopt;
  Puts.TraverseStmt(In->getBody());
  // Who takes all of them, has no share.
  if (Puts.IsOther || !Puts.Found.List || Puts.Found.ChosenBy.empty() ||
      classify(Puts.Found.List->getType()) != TypeClass::TensorList)
    return std::nullopt;
  return Puts.Found;
}

std::optional<OptimizedShare> optimizedShare(const FieldDecl *Optimizer) {
  const auto Given = givenTo(Optimizer);
  if (!Given || Given->size() != 1 || !Given->front())
    return std::nullopt;
  return shareIn(Given->front());
}

} // namespace spmd::lint::lower

//===- PointerLoops.cpp - Loops over a few structs that are named ---------===//

#include "PointerLoops.h"

#include "ListSizes.h"
#include "LoopBody.h"
#include "Strip.h"
#include "ValuePath.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint::lower {

namespace {

/// More iterations than these are not told apart.
constexpr unsigned MaxElements = 8;

/// `{&a, &b}`, or a local that holds just that; null if \p Range is none.
const InitListExpr *listIn(const Expr *Range, const Constancy &Constant) {
  if (const InitListExpr *Here = bracesOf(Range))
    return Here;
  const auto *VD =
      dyn_cast_or_null<VarDecl>(namedBy(Range->IgnoreParenImpCasts()));
  return VD && VD->isLocalVarDecl() && Constant.isConstant(VD)
             ? bracesOf(VD->getInit())
             : nullptr;
}

/// Whether a body may leave its loop before the last iteration.
class Leaves : public RecursiveASTVisitor<Leaves> {
public:
  bool VisitReturnStmt(ReturnStmt *) { return !(Found = true); }
  bool VisitGotoStmt(GotoStmt *) { return !(Found = true); }
  bool VisitBreakStmt(BreakStmt *) { return !(Found = true); }
  bool TraverseLambdaExpr(LambdaExpr *) { return true; }

  bool Found = false;
};

class Finder : public RecursiveASTVisitor<Finder> {
public:
  Finder(const FunctionDecl *FD, const Constancy &Constant,
         const PointerLists &Lists)
      : FD(FD), Constant(Constant), Lists(Lists) {}

  bool TraverseLambdaExpr(LambdaExpr *) { return true; }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *S) {
    const VarDecl *VD = S->getLoopVariable();
    if (!VD || !isPointerToStruct(VD->getType().getNonReferenceType()))
      return true;
    Leaves Early;
    Early.TraverseStmt(S->getBody());
    if (Early.Found)
      return true;
    PointerLoops::Loop Of = elementsOf(S->getRangeInit());
    Of.Variable = VD;
    add(S, std::move(Of));
    return true;
  }
  bool VisitForStmt(ForStmt *S) {
    const auto Counted = countedLoop(S);
    if (!Counted || Counted->LeavesOutOne || !Counted->Bound)
      return true;
    LoopBody In(Counted->Counter);
    In.TraverseStmt(S->getBody());
    if (In.Leaves || !In.Breaks.empty() || !In.Returns.empty())
      return true;
    for (const auto &[Path, Each] : In.Lists) {
      PointerLoops::Loop Of = elementsOf(Each.List);
      if (!isNumberOf(Of.Elements.size(), Path, Counted->Bound))
        continue;
      for (const Expr *E : Each.Elements)
        Of.Mentions.push_back(strip(E));
      if (add(S, std::move(Of)))
        return true;
    }
    return true;
  }

  llvm::DenseMap<const Stmt *, PointerLoops::Loop> Found;

private:
  bool add(const Stmt *S, PointerLoops::Loop Of) {
    if (Of.Elements.empty() || Of.Elements.size() > MaxElements ||
        !llvm::all_of(Of.Elements, [](const Expr *E) {
          return isPointerToStruct(E->getType());
        }))
      return false;
    Of.At = S;
    Found[S] = std::move(Of);
    return true;
  }
  /// Whether \p Bound is how many elements the list \p Path has.
  bool isNumberOf(std::size_t Number, llvm::ArrayRef<const ValueDecl *> Path,
                  const Expr *Bound) const {
    const Expr *List = listOfSize(Bound);
    return (List && llvm::ArrayRef(pathOf(List)) == Path) ||
           isNumber(Bound, Number, FD->getASTContext());
  }
  PointerLoops::Loop elementsOf(const Expr *Range) const {
    PointerLoops::Loop Out;
    if (const InitListExpr *List = listIn(Range, Constant)) {
      Out.Elements.append(List->inits().begin(), List->inits().end());
      return Out;
    }
    // A lambda has not the variables of the function around it.
    const auto *VD = dyn_cast_or_null<VarDecl>(namedBy(handedOver(Range)));
    if (VD && VD->getDeclContext() != FD)
      return Out;
    if (const auto Held = Lists.find(Range)) {
      Out.Elements.append(Held->Pointers.begin(), Held->Pointers.end());
      Out.Object = Held->Object;
    }
    return Out;
  }

  const FunctionDecl *FD;
  const Constancy &Constant;
  const PointerLists &Lists;
};

} // namespace

PointerLoops::PointerLoops(const FunctionDecl *FD, const Constancy &Constant,
                           const PointerLists &Lists) {
  Finder Of(FD, Constant, Lists);
  Of.TraverseStmt(FD->getBody());
  Loops = std::move(Of.Found);
  for (const auto &[S, Loop] : Loops)
    if (Loop.Variable)
      this->Of[Loop.Variable] = S;
    else
      for (const Expr *E : Loop.Mentions)
        At[E] = S;
}

} // namespace spmd::lint::lower

//===- ElementCopies.cpp - Lists of the pointers in another ---------------===//

#include "ElementCopies.h"

#include "Strip.h"
#include "ValuePath.h"

#include "cxx/TypeClass.h"

#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

namespace {

using ListPath = std::vector<const ValueDecl *>;

/// The list that \p E is an element of; empty if it is none.
ListPath listAt(const Expr *E) {
  const auto *At = dyn_cast<ArraySubscriptExpr>(E->IgnoreParenCasts());
  return At ? pathOf(At->getBase()->IgnoreParenImpCasts()) : ListPath();
}

/// Whether \p Path leads to a list that is a variable of the function's, or in
/// one: what it names, nobody outside knows by it.
bool isOwn(const ListPath &Path) {
  const auto *VD = Path.empty() ? nullptr : dyn_cast<VarDecl>(Path.front());
  return VD && VD->isLocalVarDecl() && !VD->isStaticLocal() &&
         !VD->getType()->isReferenceType() && !VD->getType()->isPointerType();
}

/// All that may put something into an element of one list.
class Stores : public RecursiveASTVisitor<Stores> {
public:
  explicit Stores(const ListPath &List) : List(List) {}

  bool VisitBinaryOperator(BinaryOperator *E) {
    if (E->isAssignmentOp() && listAt(E->getLHS()) == List)
      Values.push_back(E->getOpcode() == BO_Assign ? E->getRHS() : nullptr);
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *E) {
    if ((E->getOpcode() == UO_AddrOf || E->isIncrementDecrementOp()) &&
        listAt(E->getSubExpr()) == List)
      Values.push_back(nullptr);
    return true;
  }

  llvm::SmallVector<const Expr *, 2> Values; ///< null: nobody knows what

private:
  const ListPath &List;
};

} // namespace

/// Whether all that \p FD puts into \p List are elements of \p From.
static bool isOnlyFilledFrom(const FunctionDecl *FD, const ListPath &List,
                             const ListPath &From) {
  Stores All(List);
  All.TraverseStmt(FD->getBody());
  return llvm::all_of(All.Values, [&](const Expr *Value) {
    return Value && listAt(Value) == From;
  });
}

void bindCopiedLists(ExprLowering &L, const EachLoop &Loop) {
  const auto *For = dyn_cast<ForStmt>(Loop.Loop);
  if (!For || !Loop.OfNumbers || Loop.OfSome || Loop.LeavesOut)
    return;
  // What is done in each iteration, whatever is found there.
  llvm::SmallVector<const Stmt *, 4> Body = {For->getBody()};
  if (const auto *Block = dyn_cast<CompoundStmt>(For->getBody()))
    Body.assign(Block->body_begin(), Block->body_end());
  for (const Stmt *S : Body) {
    const auto *E = dyn_cast<BinaryOperator>(S);
    if (!E || E->getOpcode() != BO_Assign)
      continue;
    const Expr *Value = E->getRHS()->IgnoreParenCasts();
    const EachLoops &Loops = L.Body.eachLoops();
    const EachLoops::Element To = Loops.element(strip(E->getLHS())),
                             Of = Loops.element(strip(Value));
    if (To.Of != &Loop || Of.Of != &Loop || To.List == Of.List ||
        classify(E->getLHS()->getType()) != TypeClass::Buffer)
      continue;
    const Expr *List = Loop.Lists[To.List], *From = Loop.Lists[Of.List];
    if (!isOwn(listAt(E->getLHS())) ||
        !isOnlyFilledFrom(L.function(), listAt(E->getLHS()), listAt(Value)))
      continue;
    const SlotId Made = L.value(List);
    const Operand Is = L.operand(From);
    if (Made != SlotId::None && Is.Slot != SlotId::None &&
        !L.slot(Made).Declared)
      L.emit(BindFact{Made, Is, L.place(E)});
  }
}

} // namespace spmd::lint::lower

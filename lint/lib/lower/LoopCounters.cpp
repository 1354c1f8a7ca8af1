//===- LoopCounters.cpp - What counts the iterations of a loop ------------===//

#include "LoopCounters.h"

#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace spmd::lint::lower {

bool isLoopNumber(const VarDecl *VD) {
  return !VD->isStaticLocal() && VD->getType()->isIntegerType();
}

const VarDecl *numberOf(const ForStmt *S) {
  const auto *D = dyn_cast_or_null<DeclStmt>(S->getInit());
  const auto *VD =
      D && D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
  return VD && isLoopNumber(VD) ? VD : nullptr;
}

namespace {

/// Whether some statement may change a variable.
class Changing : public RecursiveASTVisitor<Changing> {
public:
  explicit Changing(const VarDecl *VD) : VD(VD) {}
  bool VisitUnaryOperator(UnaryOperator *E) {
    Found |= (E->isIncrementDecrementOp() || E->getOpcode() == UO_AddrOf) &&
             is(E->getSubExpr());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    Found |= E->isAssignmentOp() && is(E->getLHS());
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    // By reference: what is passed by value is read first.
    for (const Expr *A : E->arguments())
      Found |= is(A) && A->isLValue() && !A->getType().isConstQualified();
    return true;
  }
  bool Found = false;

private:
  bool is(const Expr *E) const {
    const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParens());
    return Ref && Ref->getDecl() == VD;
  }
  const VarDecl *VD;
};

/// Whether an expression mentions one of some variables, or the thread.
class Mentioning : public RecursiveASTVisitor<Mentioning> {
public:
  explicit Mentioning(const llvm::DenseSet<const VarDecl *> &Of) : Of(Of) {}
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    const auto *VD = dyn_cast<VarDecl>(E->getDecl());
    Found |= VD && (Of.contains(VD) || VD->getName() == "threadIdx" ||
                    VD->getName() == "blockIdx");
    return !Found;
  }
  bool Found = false;

private:
  const llvm::DenseSet<const VarDecl *> &Of;
};

} // namespace

bool changes(const Stmt *In, const VarDecl *VD) {
  Changing Visitor(VD);
  Visitor.TraverseStmt(const_cast<Stmt *>(In));
  return Visitor.Found;
}

bool neverChanges(const VarDecl *VD) {
  if (VD->getType().isConstQualified())
    return true;
  const auto *In = dyn_cast<FunctionDecl>(VD->getDeclContext());
  return In && In->hasBody() && !changes(In->getBody(), VD);
}

/// The number that \p S declares, if its step changes it, and nothing else
/// does.
static const VarDecl *iterationCounter(const ForStmt *S) {
  const VarDecl *VD = numberOf(S);
  if (!VD || !S->getInc())
    return nullptr;
  return changes(S->getInc(), VD) && !changes(S->getBody(), VD) ? VD : nullptr;
}

/// The local integer that \p S, `++count;` or `count += 2;`, steps.
static const VarDecl *steppedBy(const Stmt *S) {
  const auto *E = dyn_cast<Expr>(S);
  const Expr *Of = nullptr;
  E = E ? E->IgnoreImplicit() : nullptr;
  if (const auto *U = dyn_cast_or_null<UnaryOperator>(E);
      U && U->isIncrementDecrementOp())
    Of = U->getSubExpr();
  else if (const auto *B = dyn_cast_or_null<CompoundAssignOperator>(E);
           B && B->isAdditiveOp(
                    BinaryOperator::getOpForCompoundAssignment(B->getOpcode())))
    Of = B->getLHS();
  const auto *Ref = Of ? dyn_cast<DeclRefExpr>(Of->IgnoreParens()) : nullptr;
  const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return VD && VD->isLocalVarDecl() && !VD->isStaticLocal() &&
                 VD->getType()->isIntegerType()
             ? VD
             : nullptr;
}

/// The body of a loop that is left by its condition, in front of an iteration.
static const CompoundStmt *bodyOf(const Stmt *Loop) {
  const Stmt *Body = nullptr;
  if (const auto *S = dyn_cast_or_null<ForStmt>(Loop))
    Body = S->getBody();
  else if (const auto *S = dyn_cast_or_null<CXXForRangeStmt>(Loop))
    Body = S->getBody();
  else if (const auto *S = dyn_cast_or_null<WhileStmt>(Loop))
    Body = S->getBody();
  return dyn_cast_or_null<CompoundStmt>(Body);
}

llvm::SmallVector<const VarDecl *, 1> iterationCounters(const Stmt *Loop) {
  llvm::SmallVector<const VarDecl *, 1> Out;
  if (const auto *For = dyn_cast_or_null<ForStmt>(Loop))
    if (const VarDecl *Counter = iterationCounter(For))
      Out.push_back(Counter);
  const CompoundStmt *Body = bodyOf(Loop);
  const llvm::ArrayRef<Stmt *> All =
      Body ? llvm::ArrayRef(const_cast<CompoundStmt *>(Body)->body_begin(),
                            Body->size())
           : llvm::ArrayRef<Stmt *>();
  for (std::size_t I = 0; I != All.size(); ++I) {
    const VarDecl *VD = steppedBy(All[I]);
    if (!VD || Body->getBeginLoc() < VD->getLocation())
      continue;
    // What comes before asks for the number of the iteration, and nothing else
    // changes it; behind, it is that of the next one.
    const bool ChangesBefore = llvm::any_of(
        All.take_front(I), [VD](const Stmt *S) { return changes(S, VD); });
    const llvm::DenseSet<const VarDecl *> Only{VD};
    Mentioning Behind(Only);
    for (Stmt *S : All.drop_front(I + 1))
      Behind.TraverseStmt(S);
    if (!ChangesBefore && !Behind.Found)
      Out.push_back(VD);
  }
  return Out;
}

namespace {

bool mentions(const Expr *E, const llvm::DenseSet<const VarDecl *> &Of) {
  Mentioning Visitor(Of);
  Visitor.TraverseStmt(const_cast<Expr *>(E));
  return Visitor.Found;
}

/// The variables that loops step, and then, in the order of the text, those
/// that are made of them.
class SteppedVisitor : public RecursiveASTVisitor<SteppedVisitor> {
public:
  explicit SteppedVisitor(llvm::DenseSet<const VarDecl *> &Stepped)
      : Stepped(Stepped) {}
  bool VisitForStmt(ForStmt *S) {
    const Expr *Step = S->getInc();
    if (const auto *Unary = dyn_cast_or_null<UnaryOperator>(Step))
      Step = Unary->getSubExpr();
    else if (const auto *Binary = dyn_cast_or_null<BinaryOperator>(Step))
      Step = Binary->getLHS();
    const auto *Ref =
        Step ? dyn_cast<DeclRefExpr>(Step->IgnoreParens()) : nullptr;
    if (const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr)
      if (VD->getType()->isIntegerType())
        Stepped.insert(VD);
    return true;
  }
  bool VisitVarDecl(VarDecl *VD) {
    if (VD->hasInit() && VD->getType()->isIntegerType() &&
        mentions(VD->getInit(), Stepped))
      Stepped.insert(VD);
    return true;
  }

private:
  llvm::DenseSet<const VarDecl *> &Stepped;
};

} // namespace

SteppedNumbers::SteppedNumbers(const FunctionDecl *FD) {
  SteppedVisitor(Stepped).TraverseStmt(FD->getBody());
}

bool SteppedNumbers::isIn(const Expr *E) const { return mentions(E, Stepped); }

} // namespace spmd::lint::lower

//===- PointerLoops.cpp - Loops over a few structs that are named ---------===//

#include "PointerLoops.h"

#include "cxx/TypeClass.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint::lower {

namespace {

/// More iterations than these are not told apart.
constexpr unsigned MaxElements = 8;

/// `{&a, &b}`, or a local that holds just that; null if \p Range is none.
const InitListExpr *listIn(const Expr *Range, const Constancy &Constant) {
  for (unsigned Depth = 0; Range && Depth != 8; ++Depth) {
    Range = Range->IgnoreParenImpCasts()->IgnoreImplicit();
    if (const auto *List = dyn_cast<InitListExpr>(Range))
      return List;
    if (const auto *List = dyn_cast<CXXStdInitializerListExpr>(Range))
      Range = List->getSubExpr();
    else if (const auto *Made = dyn_cast<CXXConstructExpr>(Range))
      Range = Made->getNumArgs() ? Made->getArg(0) : nullptr;
    else if (const auto *Ref = dyn_cast<DeclRefExpr>(Range)) {
      const auto *VD = dyn_cast<VarDecl>(Ref->getDecl());
      Range = VD && VD->isLocalVarDecl() && Constant.isConstant(VD)
                  ? VD->getInit()
                  : nullptr;
    } else
      return nullptr;
  }
  return nullptr;
}

bool isPointerToStruct(QualType T) {
  return T->isPointerType() && T->getPointeeType()->isRecordType() &&
         classify(T) == TypeClass::Other;
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
  explicit Finder(const Constancy &Constant) : Constant(Constant) {}

  bool TraverseLambdaExpr(LambdaExpr *) { return true; }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *S) {
    const VarDecl *VD = S->getLoopVariable();
    const InitListExpr *List =
        VD && isPointerToStruct(VD->getType().getNonReferenceType())
            ? listIn(S->getRangeInit(), Constant)
            : nullptr;
    const auto IsNone = [](const Expr *E) {
      return !isPointerToStruct(E->getType());
    };
    if (!List || !List->getNumInits() || List->getNumInits() > MaxElements ||
        llvm::any_of(List->inits(), IsNone))
      return true;
    Leaves Early;
    Early.TraverseStmt(S->getBody());
    if (!Early.Found)
      Found[S] = {VD, {List->inits().begin(), List->inits().end()}};
    return true;
  }

  llvm::DenseMap<const Stmt *, PointerLoops::Loop> Found;

private:
  const Constancy &Constant;
};

} // namespace

PointerLoops::PointerLoops(const FunctionDecl *FD, const Constancy &Constant) {
  Finder Of(Constant);
  Of.TraverseStmt(FD->getBody());
  Loops = std::move(Of.Found);
  for (const auto &[S, Loop] : Loops)
    this->Of[Loop.Variable] = S;
}

} // namespace spmd::lint::lower

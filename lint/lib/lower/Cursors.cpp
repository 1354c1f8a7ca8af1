//===- Cursors.cpp - Numbers that go over a list on their own -------------===//

#include "Cursors.h"

#include "LoopCounters.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace spmd::lint::lower {

namespace {

/// The one step of a variable in the body of a loop, and the statements of its
/// block that come before; no step if it is used anywhere else.
class StepFinder : public RecursiveASTVisitor<StepFinder> {
public:
  explicit StepFinder(const VarDecl *Of) : Of(Of) {}
  // A step in a loop inside is one of several.
  bool TraverseStmt(Stmt *S) {
    const bool Repeats = isa_and_nonnull<ForStmt, CXXForRangeStmt, WhileStmt,
                                         DoStmt, LambdaExpr>(S);
    Inside += Repeats;
    const bool GoesOn = RecursiveASTVisitor::TraverseStmt(S);
    Inside -= Repeats;
    return GoesOn;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    Mentions += E->getDecl() == Of;
    return true;
  }
  bool VisitContinueStmt(ContinueStmt *) {
    GoesOn = true;
    return true;
  }
  bool VisitCompoundStmt(CompoundStmt *S) {
    const llvm::ArrayRef<Stmt *> All(S->body_begin(), S->size());
    for (std::size_t I = 0; I != All.size(); ++I)
      if (const auto *E = dyn_cast<Expr>(All[I]);
          E && Inside == 0 && isStep(E, Of, /*Up=*/true)) {
        Step = E;
        Before = All.take_front(I);
      }
    return true;
  }

  const VarDecl *Of;
  unsigned Mentions = 0;
  bool GoesOn = false;
  const Expr *Step = nullptr;
  llvm::ArrayRef<Stmt *> Before;

private:
  unsigned Inside = 0;
};

} // namespace

static std::optional<CountedLoop> cursor(const ForStmt *S, const VarDecl *VD) {
  const ASTContext &Ctx = VD->getASTContext();
  if (!isLoopNumber(VD) || !isNumber(VD->getInit(), 0, Ctx))
    return std::nullopt;
  StepFinder All(VD), Header(VD);
  All.TraverseStmt(const_cast<Stmt *>(S->getBody()));
  for (const Expr *E : {S->getCond(), S->getInc()})
    Header.TraverseStmt(const_cast<Expr *>(E));
  if (!All.Step || Header.Mentions)
    return std::nullopt;
  StepFinder Here(VD);
  for (Stmt *Each : All.Before) {
    if (changes(Each, VD))
      return std::nullopt;
    Here.GoesOn = false;
    Here.TraverseStmt(Each);
    // Without the step the next iteration has the same element again.
    if (Here.GoesOn && Here.Mentions)
      return std::nullopt;
  }
  // Used elsewhere it would be the number of an element that had its turn.
  if (Here.Mentions + 1 != All.Mentions)
    return std::nullopt;
  return CountedLoop{S, VD, S->getCond(), nullptr, All.Step, {S->getBody()}};
}

std::vector<CountedLoop> cursorsOf(const ForStmt *S) {
  std::vector<CountedLoop> Out;
  const auto *D = dyn_cast_or_null<DeclStmt>(S->getInit());
  if (!D || !S->getCond() || !S->getInc())
    return Out;
  for (const Decl *One : D->decls())
    if (const auto *VD = dyn_cast<VarDecl>(One))
      if (std::optional<CountedLoop> Loop = cursor(S, VD))
        Out.push_back(std::move(*Loop));
  return Out;
}

} // namespace spmd::lint::lower

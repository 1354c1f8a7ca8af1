//===- PutFunctions.cpp - Functions put into members ----------------------===//

#include "PutFunctions.h"

#include "LiveBodies.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace spmd::lint {

const FieldDecl *functionFieldOf(const Expr *E) {
  const auto *M = dyn_cast<MemberExpr>(E->IgnoreParenImpCasts());
  const auto *D = M ? dyn_cast<FieldDecl>(M->getMemberDecl()) : nullptr;
  return D && D->getType()->isFunctionPointerType() ? D : nullptr;
}

void forEachListed(
    const InitListExpr *List,
    llvm::function_ref<void(const FieldDecl *, const Expr *)> Note) {
  const RecordDecl *RD = List->getType()->getAsRecordDecl();
  if (!RD || RD->isUnion() || !List->isSemanticForm())
    return;
  unsigned I = 0;
  for (const FieldDecl *Field : RD->fields())
    if (const unsigned At = I++; At < List->getNumInits() && List->getInit(At))
      Note(Field, List->getInit(At));
}

namespace {

/// What is put where.
class Finder : public RecursiveASTVisitor<Finder> {
public:
  using NoteFn =
      llvm::function_ref<void(const FieldDecl *, const FunctionDecl *)>;
  explicit Finder(NoteFn Note) : Note(Note) {}

  bool VisitBinaryOperator(BinaryOperator *E) {
    if (E->isAssignmentOp())
      if (const FieldDecl *Field = functionFieldOf(E->getLHS()))
        put(Field, E->getRHS());
    return true;
  }
  bool VisitInitListExpr(InitListExpr *E) {
    forEachListed(E, [this](const FieldDecl *Field, const Expr *Value) {
      if (Field->getType()->isFunctionPointerType())
        put(Field, Value);
    });
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *E) {
    if (E->getOpcode() == UO_AddrOf)
      if (const FieldDecl *Field = functionFieldOf(E->getSubExpr()))
        Note(Field, nullptr);
    return true;
  }

private:
  void put(const FieldDecl *Field, const Expr *From) {
    From = From->IgnoreParenImpCasts();
    if (const auto *C = dyn_cast<ConditionalOperator>(From)) {
      put(Field, C->getTrueExpr());
      return put(Field, C->getFalseExpr());
    }
    if (const auto *U = dyn_cast<UnaryOperator>(From);
        U && U->getOpcode() == UO_AddrOf)
      From = U->getSubExpr()->IgnoreParenImpCasts();
    // Nobody calls nothing.
    if (isa<ImplicitValueInitExpr>(From) ||
        From->isNullPointerConstant(Field->getASTContext(),
                                    Expr::NPC_ValueDependentIsNotNull))
      return;
    const auto *Ref = dyn_cast<DeclRefExpr>(From);
    Note(Field, Ref ? dyn_cast<FunctionDecl>(Ref->getDecl()) : nullptr);
  }

  NoteFn Note;
};

} // namespace

namespace {

struct PutFunction {
  const FieldDecl *Into;
  const FunctionDecl *Is, *In;
};

} // namespace

void forEachPut(llvm::ArrayRef<const FunctionDecl *> Bodies, PutFn Note) {
  if (Bodies.empty())
    return;
  std::vector<PutFunction> Found;
  const FunctionDecl *In = nullptr;
  const auto NoteHere = [&](const FieldDecl *Field, const FunctionDecl *Is) {
    Found.push_back({Field, Is ? Is->getCanonicalDecl() : nullptr, In});
  };
  Finder Find(NoteHere);
  for (const VarDecl *VD : initialisedGlobals(Bodies.front()->getASTContext()))
    Find.TraverseStmt(const_cast<Expr *>(VD->getInit()));
  for (const FunctionDecl *FD : Bodies)
    if (Stmt *Body = FD->isDependentContext() ? nullptr : FD->getBody()) {
      In = FD;
      Find.TraverseStmt(Body);
    }
  if (Found.empty()) // as in most files, whose bodies nobody needs to go over
    return;
  const LiveBodies Live(Bodies);
  for (const auto &[Into, Is, By] : Found)
    if (!By || Live.contains(By))
      Note(Into, Is, By);
}

} // namespace spmd::lint

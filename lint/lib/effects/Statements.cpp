//===- Statements.cpp - From the AST to an effect program: statements -----===//

#include "EffectLowering.h"

#include "clang/AST/StmtOpenMP.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

const EffectLowering::Stmt *EffectLowering::inside(const clang::Stmt *S) {
  return sequence(made([&] { lower(S); }));
}

void EffectLowering::lower(const clang::Stmt *S) {
  if (!S)
    return;
  Called.clear();
  if (const auto *D = dyn_cast<OMPExecutableDirective>(S)) {
    if (D->hasAssociatedStmt())
      lowerForThreads(D, D->getRawStmt());
    return;
  }
  if (isForThreads(S))
    return lowerForThreads(S, S);
  lowerAsIs(S);
}

void EffectLowering::lowerAsIs(const clang::Stmt *S) {
  if (const auto *E = dyn_cast<clang::Expr>(S)) {
    value(E);
    return;
  }
  switch (S->getStmtClass()) {
  case clang::Stmt::CompoundStmtClass:
    return lowerCompound(cast<CompoundStmt>(S));
  case clang::Stmt::DeclStmtClass:
    for (const Decl *D : cast<DeclStmt>(S)->decls())
      if (const auto *VD = dyn_cast<VarDecl>(D))
        lowerDecl(VD);
    return;
  case clang::Stmt::IfStmtClass:
    return lowerIf(cast<IfStmt>(S));
  case clang::Stmt::SwitchStmtClass:
    return lowerSwitch(cast<SwitchStmt>(S));
  case clang::Stmt::ForStmtClass: {
    const auto *F = cast<ForStmt>(S);
    lower(F->getInit());
    return lowerLoop(F, F->getCond(), F->getBody(), F->getInc(), false,
                     F->getConditionVariable());
  }
  case clang::Stmt::WhileStmtClass: {
    const auto *W = cast<WhileStmt>(S);
    return lowerLoop(W, W->getCond(), W->getBody(), nullptr, false,
                     W->getConditionVariable());
  }
  case clang::Stmt::DoStmtClass: {
    const auto *D = cast<DoStmt>(S);
    return lowerLoop(D, D->getCond(), D->getBody(), nullptr, true, nullptr);
  }
  case clang::Stmt::CXXForRangeStmtClass:
    return lowerEach(cast<CXXForRangeStmt>(S));
  case clang::Stmt::CXXTryStmtClass:
    return lowerTry(cast<CXXTryStmt>(S));
  case clang::Stmt::ReturnStmtClass:
    return lowerReturn(cast<ReturnStmt>(S));
  case clang::Stmt::BreakStmtClass:
    destroy(InLoop, S->getBeginLoc());
    emit(Kind::Break, S->getBeginLoc());
    return;
  case clang::Stmt::ContinueStmtClass:
    destroy(InLoop, S->getBeginLoc());
    emit(Kind::Continue, S->getBeginLoc());
    return;
  case clang::Stmt::GotoStmtClass:
    if (!Scoped.empty())
      return giveUp(S);
    emit(Kind::Leave, S->getBeginLoc()).Label =
        Labels.try_emplace(cast<GotoStmt>(S)->getLabel(), Labels.size() + 1)
            .first->second;
    return;
  case clang::Stmt::LabelStmtClass:
    return lower(cast<LabelStmt>(S)->getSubStmt());
  case clang::Stmt::AttributedStmtClass:
    return lower(cast<AttributedStmt>(S)->getSubStmt());
  case clang::Stmt::CaseStmtClass:
  case clang::Stmt::DefaultStmtClass:
    return lower(cast<SwitchCase>(S)->getSubStmt());
  case clang::Stmt::NullStmtClass:
  case clang::Stmt::GCCAsmStmtClass:
    return;
  default:
    giveUp(S);
  }
}

void EffectLowering::lowerReturn(const ReturnStmt *S) {
  const clang::Expr *E = S->getRetValue();
  const Expr *V = nullptr;
  if (E && (E->getType()->isRecordType() || E->isGLValue()))
    V = P.address(place(E));
  else if (E)
    V = value(E);
  if (V && !Scoped.empty()) {
    const Expr *Kept = temporary();
    assign(Kept, V, S->getBeginLoc());
    V = P.load(Kept);
  }
  destroy(0, S->getBeginLoc());
  emit(Kind::Return, S->getBeginLoc()).Value = V;
}

void EffectLowering::destroy(std::size_t First, SourceLocation At) {
  for (std::size_t I = Scoped.size(); I > First; --I) {
    const VarDecl *D = Scoped[I - 1];
    const CXXDestructorDecl *End =
        D->getType()->getAsCXXRecordDecl()->getDestructor();
    const Expr *Callee = function(*functionOf(End));
    Stmt &S = emit(Kind::Call, At);
    S.Value = Callee;
    S.Arguments = {P.address(P.variable(variableOf(D)))};
  }
}

void EffectLowering::lowerCompound(const CompoundStmt *S) {
  flush();
  const std::size_t Outside = Scoped.size();
  const std::size_t Begin = Out.size();
  for (const clang::Stmt *Child : S->body()) {
    if (const auto *L = dyn_cast<LabelStmt>(Child)) {
      // What jumps to it from above leaves all that is above.
      flush();
      Stmt Above;
      Above.Kind = Kind::Block;
      Above.Label =
          Labels.try_emplace(L->getDecl(), Labels.size() + 1).first->second;
      Above.Body.assign(Out.begin() + Begin, Out.end());
      Out.resize(Begin);
      Out.push_back(P.add(std::move(Above)));
    }
    lower(Child);
  }
  destroy(Outside, S->getRBracLoc());
  Scoped.resize(Outside);
  endBuffers(S);
}

void EffectLowering::lowerDecl(const VarDecl *D) {
  const Expr *Into = P.variable(variableOf(D));
  if (D->hasGlobalStorage())
    return; // a static one, done before
  if (const CXXRecordDecl *RD = D->getType()->getAsCXXRecordDecl();
      RD && !D->getType()->isReferenceType() && RD->hasDefinition())
    if (const CXXDestructorDecl *End = RD->getDestructor();
        End && functionOf(End))
      Scoped.push_back(D);
  const clang::Expr *Init = D->getInit();
  if (Init && D->getType()->isReferenceType())
    return assign(Into, P.address(place(Init)), D->getLocation());
  if (Init)
    initialise(Into, Init);
  else
    forget(Into, D->getLocation());
  varyIfDeclared(D);
}

void EffectLowering::lowerIf(const IfStmt *S) {
  if (S->isConsteval())
    return giveUp(S);
  lower(S->getInit());
  if (S->getConditionVariable())
    lowerDecl(S->getConditionVariable());
  const Expr *If = value(S->getCond());
  const Stmt *Then = inside(S->getThen());
  const Stmt *Else = inside(S->getElse());
  Stmt &New = emit(Kind::If, S->getIfLoc());
  New.Value = If;
  New.Body = {Then, Else};
}

void EffectLowering::lowerSwitch(const SwitchStmt *S) {
  lower(S->getInit());
  if (S->getConditionVariable())
    lowerDecl(S->getConditionVariable());
  const auto *Body = dyn_cast<CompoundStmt>(S->getBody());
  if (!Body)
    return giveUp(S);
  const Expr *Of = value(S->getCond());
  Stmt New;
  New.Kind = Kind::Switch;
  New.At = site(S->getBeginLoc());
  New.Value = Of;
  const llvm::SaveAndRestore Outer(InLoop, Scoped.size());
  for (const clang::Stmt *Child : Body->body()) {
    const clang::Stmt *Inner = Child;
    while (const auto *Case = dyn_cast<SwitchCase>(Inner)) {
      std::optional<std::int64_t> Is;
      clang::Expr::EvalResult R;
      if (const auto *C = dyn_cast<CaseStmt>(Case)) {
        if (C->getRHS() || !C->getLHS()->EvaluateAsInt(R, Ctx))
          return giveUp(S);
        Is = R.Val.getInt().tryExtValue();
        if (!Is)
          return giveUp(S);
      }
      New.Cases.push_back(Is);
      New.CaseAt.push_back(New.Body.size());
      Inner = Case->getSubStmt();
    }
    New.Body.push_back(inside(Inner));
  }
  flush();
  Open = std::move(New);
}

void EffectLowering::lowerLoop(const clang::Stmt *At,
                               const clang::Expr *Condition,
                               const clang::Stmt *Body, const clang::Expr *Step,
                               bool BodyFirst, const VarDecl *Tested) {
  const Expr *If = nullptr;
  const Stmt *Test = sequence(made([&] {
    if (Tested)
      lowerDecl(Tested);
    If = Condition ? value(Condition) : nullptr;
  }));
  const llvm::SaveAndRestore Outer(InLoop, Scoped.size());
  const Stmt *Inner = inside(Body);
  const Stmt *After = inside(Step);
  // `while (1)` has no condition.
  if (If && If->Kind == ExprKind::Integer && If->Integer != 0)
    If = nullptr;
  Stmt &New = emit(Kind::Loop, At->getBeginLoc());
  New.Value = If;
  New.BodyFirst = BodyFirst;
  New.Body = {Test, Inner, After};
}

void EffectLowering::lowerEach(const CXXForRangeStmt *S) {
  lower(S->getInit());
  if (S->getRangeInit() && isVector(S->getRangeInit()->getType()))
    return lowerEachOfVector(S);
  // As many rounds as it has elements, which nobody knows.
  const Expr *More = P.unknown(Trust::Unknown);
  const Stmt *Body = sequence(made([&] {
    const VarDecl *Each = S->getLoopVariable();
    const Expr *At = P.variable(variableOf(Each));
    if (isByReference(Each)) // of which each is another
      assign(At, P.unknown(Trust::Unknown), Each->getLocation());
    else
      forget(At, Each->getLocation());
    const llvm::SaveAndRestore Outer(InLoop, Scoped.size());
    lower(S->getBody());
  }));
  const Stmt *Nothing = sequence({});
  Stmt &New = emit(Kind::Loop, S->getBeginLoc());
  New.Value = More;
  New.Body = {Nothing, Body, Nothing};
}

void EffectLowering::lowerEachOfVector(const CXXForRangeStmt *S) {
  const VarDecl *Each = S->getLoopVariable();
  const Expr *Of = place(S->getRangeInit()), *Index = temporary();
  assign(Index, P.integer(0), S->getForLoc());
  const Stmt *Body = sequence(made([&] {
    const Expr *At = P.variable(variableOf(Each));
    const Expr *Element = element(Of, P.load(Index), false);
    if (isByReference(Each)) {
      assign(At, P.address(Element), Each->getLocation());
    } else if (Each->getType()->isRecordType()) {
      Stmt &Copy = emit(Kind::Copy, Each->getLocation());
      Copy.Target = At;
      Copy.Value = Element;
    } else {
      assign(At, P.load(Element), Each->getLocation());
    }
    const llvm::SaveAndRestore Outer(InLoop, Scoped.size());
    lower(S->getBody());
  }));
  const Stmt *Step = sequence(made([&] {
    assign(Index, P.binary(Operator::Add, P.load(Index), P.integer(1)),
           S->getForLoc());
  }));
  const Expr *More =
      P.binary(Operator::Less, P.load(Index), P.load(field(Of, "size()")));
  const Stmt *Nothing = sequence({});
  Stmt &New = emit(Kind::Loop, S->getBeginLoc());
  New.Value = More;
  New.Body = {Nothing, Body, Step};
}

void EffectLowering::lowerTry(const CXXTryStmt *S) {
  const Stmt *Body = inside(S->getTryBlock());
  const Stmt *Handler = nullptr;
  if (S->getNumHandlers() == 1) {
    Handler = inside(S->getHandler(0)->getHandlerBlock());
  } else {
    Stmt Unknown;
    Unknown.Kind = Kind::GiveUp;
    Handler = P.add(std::move(Unknown));
  }
  emit(Kind::Try, S->getBeginLoc()).Body = {Body, Handler};
}

void EffectLowering::lowerBody(const FunctionDecl *FD) {
  Current = FD;
  std::vector<unsigned> Parameters;
  const auto *Method = dyn_cast<CXXMethodDecl>(FD);
  if (Method && Method->isInstance() && !Method->getParent()->isLambda())
    Parameters.push_back(thisOf(FD));
  for (const ParmVarDecl *D : FD->parameters()) {
    Parameters.push_back(variableOf(D));
    P.Variables[Parameters.back()].IsInput = FD->isMain();
  }
  Out.clear();
  Open.reset();
  Scoped.clear();
  InLoop = 0;
  if (const auto *D = dyn_cast<CXXConstructorDecl>(FD))
    lowerInitialisers(D);
  for (const ParmVarDecl *D : FD->parameters())
    varyIfDeclared(D);
  lower(FD->getBody());
  flush();
  collectives::Function &F = P.Functions[Functions[FD]];
  F.Parameters = std::move(Parameters);
  F.Body = sequence(std::move(Out));
  Out.clear();
}

void EffectLowering::lowerInitialisers(const CXXConstructorDecl *D) {
  const Expr *Object = target(P.load(P.variable(thisOf(D))));
  for (const CXXCtorInitializer *I : D->inits())
    if (const FieldDecl *Field = I->getAnyMember())
      initialise(field(Object, Field->getName()), I->getInit());
    else if (I->isBaseInitializer())
      initialise(Object, I->getInit());
}

/// The storage of buffers that \p S declares ends with it.
void EffectLowering::endBuffers(const CompoundStmt *S) {
  if (S == Current->getBody())
    return;
  for (const clang::Stmt *Child : S->body())
    if (const auto *DS = dyn_cast<DeclStmt>(Child))
      for (const Decl *D : DS->decls())
        if (const auto *VD = dyn_cast<VarDecl>(D);
            VD && Buffers.contains(VD->getCanonicalDecl()))
          end(P.address(P.variable(variableOf(VD))), "", S->getRBracLoc());
}

void EffectLowering::varyIfDeclared(const VarDecl *D) {
  if (D->getType()->isRealFloatingType() && varies(D))
    assign(P.variable(variableOf(D)), P.unknown(Trust::Varying),
           D->getLocation());
}

} // namespace spmd::lint::effects

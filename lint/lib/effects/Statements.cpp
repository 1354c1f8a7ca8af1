//===- Statements.cpp - Bodies of functions, statement by statement -------===//

#include "Statements.h"

#include "cxx/KnownTypes.h"
#include "cxx/TypeClass.h"

#include "lower/ProgramEnds.h"

#include "clang/AST/StmtOpenMP.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

const Stmt *Statements::inside(const clang::Stmt *S) {
  return Out.sequence(Out.made([&] { lower(S); }));
}

void Statements::lower(const clang::Stmt *S) {
  if (!S)
    return;
  Called.beginStatement();
  if (const auto *D = dyn_cast<OMPExecutableDirective>(S)) {
    if (D->hasAssociatedStmt())
      lowerForThreads(D, D->getRawStmt());
    return;
  }
  if (Threads.isForThreads(S))
    return lowerForThreads(S, S);
  lowerAsIs(S);
}

void Statements::lowerAsIs(const clang::Stmt *S) {
  if (const auto *E = dyn_cast<clang::Expr>(S)) {
    if (E != lower::lastExit(Named.current())) {
      Exprs.value(E);
      return;
    }
    destroy(0, S->getBeginLoc());
    Out.emit(Kind::Return, S->getBeginLoc());
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
    if (const auto Loop = lower::iteratorLoop(F))
      return lowerIterators(*Loop);
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
  case clang::Stmt::ContinueStmtClass:
    destroy(InLoop, S->getBeginLoc());
    Out.emit(isa<BreakStmt>(S) ? Kind::Break : Kind::Continue,
             S->getBeginLoc());
    return;
  case clang::Stmt::GotoStmtClass:
    return lowerGoto(cast<GotoStmt>(S));
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
    Out.giveUp(S);
  }
}

void Statements::lowerGoto(const GotoStmt *S) {
  if (!Scoped.empty())
    return Out.giveUp(S);
  Out.emit(Kind::Leave, S->getBeginLoc()).Label = Named.label(S->getLabel());
}

void Statements::lowerForThreads(const clang::Stmt *S,
                                 const clang::Stmt *Body) {
  const std::vector<const Stmt *> Inner = Out.made([&] { lowerAsIs(Body); });
  if (llvm::any_of(Inner, mayCommunicate))
    return Out.giveUp(S);
  Out.append(Inner);
}

void Statements::lowerReturn(const ReturnStmt *S) {
  const clang::Expr *E = S->getRetValue();
  const Expr *V = nullptr;
  if (E && (E->getType()->isRecordType() || E->isGLValue()))
    V = P.address(Exprs.place(E));
  else if (E)
    V = Exprs.value(E);
  if (V && !Scoped.empty()) {
    const Expr *Kept = P.temporary();
    Out.assign(Kept, V, S->getBeginLoc());
    V = P.load(Kept);
  }
  destroy(0, S->getBeginLoc());
  Out.emit(Kind::Return, S->getBeginLoc()).Value = V;
}

void Statements::destroy(std::size_t First, SourceLocation At) {
  for (std::size_t I = Scoped.size(); I > First; --I) {
    const VarDecl *D = Scoped[I - 1];
    const CXXDestructorDecl *End =
        D->getType()->getAsCXXRecordDecl()->getDestructor();
    const Expr *Callee = P.function(*Named.functionOf(End));
    Stmt &S = Out.emit(Kind::Call, At);
    S.Value = Callee;
    S.Arguments = {P.address(Named.variable(D))};
  }
}

void Statements::lowerCompound(const CompoundStmt *S) {
  const std::size_t Outside = Scoped.size();
  const std::size_t Begin = Out.count();
  for (const clang::Stmt *Child : S->body()) {
    // What jumps to a label from above leaves all that is above.
    if (const auto *L = dyn_cast<LabelStmt>(Child))
      Out.enclose(Begin, Named.label(L->getDecl()));
    lower(Child);
  }
  destroy(Outside, S->getRBracLoc());
  Scoped.resize(Outside);
  endBuffers(S);
}

void Statements::lowerDecl(const VarDecl *D) {
  const Expr *Into = Named.variable(D);
  if (D->hasGlobalStorage())
    return; // a static one, done before
  if (const CXXRecordDecl *RD = D->getType()->getAsCXXRecordDecl();
      RD && !D->getType()->isReferenceType() && RD->hasDefinition())
    if (const CXXDestructorDecl *End = RD->getDestructor();
        End && Named.functionOf(End))
      Scoped.push_back(D);
  const clang::Expr *Init = D->getInit();
  if (Init && D->getType()->isReferenceType())
    return Out.assign(Into, P.address(Exprs.place(Init)), D->getLocation());
  if (Init)
    Objects.initialise(Into, Init);
  else
    Out.forget(Into, D->getLocation());
  varyIfDeclared(D);
}

void Statements::lowerIf(const IfStmt *S) {
  if (S->isConsteval())
    return Out.giveUp(S);
  lower(S->getInit());
  if (S->getConditionVariable())
    lowerDecl(S->getConditionVariable());
  const Expr *If = Exprs.value(S->getCond());
  const Stmt *Then = inside(S->getThen());
  const Stmt *Else = inside(S->getElse());
  Stmt &New = Out.emit(Kind::If, S->getIfLoc());
  New.Value = If;
  New.Body = {Then, Else};
  for (const auto &Copy : Copies->behind(S))
    lower(Copy.Assignment);
}

void Statements::lowerSwitch(const SwitchStmt *S) {
  lower(S->getInit());
  if (S->getConditionVariable())
    lowerDecl(S->getConditionVariable());
  const auto *Body = dyn_cast<CompoundStmt>(S->getBody());
  if (!Body)
    return Out.giveUp(S);
  const Expr *Of = Exprs.value(S->getCond());
  Stmt New;
  New.Kind = Kind::Switch;
  New.At = Out.site(S->getBeginLoc());
  New.Value = Of;
  const llvm::SaveAndRestore Outer(InLoop, Scoped.size());
  for (const clang::Stmt *Child : Body->body()) {
    const clang::Stmt *Inner = Child;
    while (const auto *Case = dyn_cast<SwitchCase>(Inner)) {
      std::optional<std::int64_t> Is;
      clang::Expr::EvalResult R;
      if (const auto *C = dyn_cast<CaseStmt>(Case)) {
        if (C->getRHS() || !C->getLHS()->EvaluateAsInt(R, Ctx))
          return Out.giveUp(S);
        Is = R.Val.getInt().tryExtValue();
        if (!Is)
          return Out.giveUp(S);
      }
      New.Cases.push_back(Is);
      New.CaseAt.push_back(New.Body.size());
      Inner = Case->getSubStmt();
    }
    New.Body.push_back(inside(Inner));
  }
  Out.put(std::move(New));
}

void Statements::lowerLoop(const clang::Stmt *At, const clang::Expr *Condition,
                           const clang::Stmt *Body, const clang::Expr *Step,
                           bool BodyFirst, const VarDecl *Tested) {
  const Expr *If = nullptr;
  const Stmt *Test = Out.sequence(Out.made([&] {
    if (Tested)
      lowerDecl(Tested);
    If = Condition ? Exprs.value(Condition) : nullptr;
  }));
  const llvm::SaveAndRestore Outer(InLoop, Scoped.size());
  const Stmt *Inner = inside(Body);
  const Stmt *After = inside(Step);
  // `while (1)` has no condition.
  if (If && If->Kind == ExprKind::Integer && If->Integer != 0)
    If = nullptr;
  Stmt &New = Out.emit(Kind::Loop, At->getBeginLoc());
  New.Value = If;
  New.BodyFirst = BodyFirst;
  New.Body = {Test, Inner, After};
}

void Statements::lowerEach(const CXXForRangeStmt *S) {
  lower(S->getInit());
  if (const Expr *Of = parametersOf(S->getRangeInit()))
    return lowerEachOf(S, Of);
  if (S->getRangeInit() && isStdClass(S->getRangeInit()->getType(), "vector"))
    return lowerEachOf(S, Exprs.place(S->getRangeInit()));
  if (const Expr *Of = written(S->getRangeInit()))
    return lowerEachOf(S, Of);
  if (S->getRangeInit())
    if (const Expr *Size = sizeOf(S->getRangeInit()->getType()))
      return lowerEachOf(S, Exprs.place(S->getRangeInit()), Size);
  const VarDecl *Each = S->getLoopVariable();
  const Expr *At = Named.variable(Each);
  lowerRounds(S, S->getBody(), [&] {
    if (isByReference(Each)) // of which each is another
      Out.assign(At, P.unknown(Trust::Unknown), Each->getLocation());
    else
      Out.forget(At, Each->getLocation());
  });
}

void Statements::lowerRounds(const clang::Stmt *Loop, const clang::Stmt *Body,
                             llvm::function_ref<void()> Take) {
  const Expr *More = P.unknown(Trust::Unknown);
  const Stmt *Round = Out.sequence(Out.made([&] {
    Take();
    const llvm::SaveAndRestore Outer(InLoop, Scoped.size());
    lower(Body);
  }));
  const Stmt *Nothing = Out.sequence({});
  Stmt &New = Out.emit(Kind::Loop, Loop->getBeginLoc());
  New.Value = More;
  New.Body = {Nothing, Round, Nothing};
}

/// The tensors of the module that \p Range asks for, which are the same ones
/// each time, by name or not; null of other ranges.
const Expr *Statements::parametersOf(const clang::Expr *Range) {
  const auto *Call =
      Range ? dyn_cast<CXXMemberCallExpr>(Range->IgnoreUnlessSpelledInSource())
            : nullptr;
  const CXXMethodDecl *Method = Call ? Call->getMethodDecl() : nullptr;
  if (!Method || !Method->getIdentifier() ||
      (Method->getName() != "parameters" &&
       Method->getName() != "named_parameters"))
    return nullptr;
  const clang::Expr *Module = Call->getImplicitObjectArgument();
  if (!isModule(Module->getType()))
    return nullptr;
  return P.field(object(Module), "parameters()");
}

/// `{16, 32}` or `{&a, &b}`, as a list of its own; null of other ranges.
const Expr *Statements::written(const clang::Expr *Range) {
  const InitListExpr *List = Range ? writtenList(Range) : nullptr;
  if (!List || llvm::any_of(List->inits(), [](const clang::Expr *Each) {
        return !Each->getType()->isArithmeticType() &&
               !Each->getType()->isPointerType();
      }))
    return nullptr;
  const Expr *Of = P.temporary();
  const SourceLocation At = List->getBeginLoc();
  for (unsigned I = 0; I != List->getNumInits(); ++I)
    Out.assign(P.element(Of, P.integer(I), false),
               Exprs.value(List->getInit(I)), At);
  Out.assign(P.field(Of, SizeField), P.integer(List->getNumInits()), At);
  return Of;
}

const Expr *Statements::sizeOf(QualType T) const {
  const auto *Array =
      dyn_cast_or_null<ConstantArrayType>(T->getAsArrayTypeUnsafe());
  return Array ? P.integer(Array->getSize().getZExtValue()) : nullptr;
}

void Statements::lowerEachOf(const CXXForRangeStmt *S, const Expr *Of,
                             const Expr *Size) {
  const VarDecl *Each = S->getLoopVariable();
  const Expr *At = Named.variable(Each);
  lowerElements(S, S->getBody(), Of, Size, false, [&](const Expr *Element) {
    if (isByReference(Each))
      Out.assign(At, P.address(Element), Each->getLocation());
    else if (Each->getType()->isRecordType())
      Out.copy(At, Element, Each->getLocation());
    else
      Out.assign(At, P.load(Element), Each->getLocation());
  });
}

/// An iterator points to the element of its round.
void Statements::lowerIterators(const lower::IteratorLoop &Loop) {
  const VarDecl *Iterator = Loop.Iterator;
  const Expr *At = Named.variable(Iterator);
  const clang::Stmt *Body = Loop.Loop->getBody();
  const QualType T = Loop.List->getType();
  if (isStdClass(T->isPointerType() ? T->getPointeeType() : T, "vector"))
    return lowerElements(Loop.Loop, Body, object(Loop.List), nullptr,
                         Loop.Backwards, [&](const Expr *Element) {
                           Out.assign(At, P.address(Element),
                                      Iterator->getLocation());
                         });
  lowerRounds(Loop.Loop, Body, [&] {
    Out.assign(At, P.unknown(Trust::Unknown), Iterator->getLocation());
  });
}

void Statements::lowerElements(const clang::Stmt *Loop, const clang::Stmt *Body,
                               const Expr *Of, const Expr *Size, bool Backwards,
                               llvm::function_ref<void(const Expr *)> Take) {
  const SourceLocation At = Loop->getBeginLoc();
  const Expr *Index = P.temporary();
  if (!Size)
    Size = P.load(P.field(Of, SizeField));
  Out.assign(Index, P.integer(0), At);
  const Stmt *Round = Out.sequence(Out.made([&] {
    const Expr *Number = P.load(Index);
    if (Backwards)
      Number =
          P.binary(Operator::Subtract,
                   P.binary(Operator::Subtract, Size, P.integer(1)), Number);
    Take(P.element(Of, Number, false));
    const llvm::SaveAndRestore Outer(InLoop, Scoped.size());
    lower(Body);
  }));
  const Stmt *Step = Out.sequence(Out.made([&] {
    Out.assign(Index, P.binary(Operator::Add, P.load(Index), P.integer(1)), At);
  }));
  const Expr *More = P.binary(Operator::Less, P.load(Index), Size);
  const Stmt *Nothing = Out.sequence({});
  Stmt &New = Out.emit(Kind::Loop, At);
  New.Value = More;
  New.Body = {Nothing, Round, Step};
}

void Statements::lowerTry(const CXXTryStmt *S) {
  const Stmt *Body = inside(S->getTryBlock());
  const Stmt *Handler = nullptr;
  if (S->getNumHandlers() == 1) {
    Handler = inside(S->getHandler(0)->getHandlerBlock());
  } else {
    Stmt Unknown;
    Unknown.Kind = Kind::GiveUp;
    Handler = P.add(std::move(Unknown));
  }
  Out.emit(Kind::Try, S->getBeginLoc()).Body = {Body, Handler};
}

void Statements::lowerBody(const FunctionDecl *FD) {
  Named.enter(FD);
  Copies.emplace(FD);
  collectives::Function &F = P.Functions[*Named.functionOf(FD)];
  const auto *Method = dyn_cast<CXXMethodDecl>(FD);
  if (Method && Method->isInstance() && !Method->getParent()->isLambda())
    F.Parameters.push_back(Named.self()->Number);
  for (const ParmVarDecl *D : FD->parameters()) {
    F.Parameters.push_back(Named.variable(D)->Number);
    P.Variables[F.Parameters.back()].IsInput = FD->isMain();
  }
  Scoped.clear();
  InLoop = 0;
  F.Body = Out.sequence(Out.made([&] {
    if (const auto *D = dyn_cast<CXXConstructorDecl>(FD))
      lowerInitialisers(D);
    for (const ParmVarDecl *D : FD->parameters())
      varyIfDeclared(D);
    lower(FD->getBody());
  }));
}

void Statements::lowerInitialisers(const CXXConstructorDecl *D) {
  const Expr *Object = P.target(P.load(Named.self()));
  for (const CXXCtorInitializer *I : D->inits())
    if (const FieldDecl *Field = I->getAnyMember())
      Objects.initialise(P.field(Object, Field->getName()), I->getInit());
    else if (I->isBaseInitializer())
      Objects.initialise(Object, I->getInit());
}

void Statements::endBuffers(const CompoundStmt *S) {
  if (S == Named.current()->getBody())
    return;
  for (const clang::Stmt *Child : S->body())
    if (const auto *DS = dyn_cast<DeclStmt>(Child))
      for (const Decl *D : DS->decls())
        if (const auto *VD = dyn_cast<VarDecl>(D); VD && Given.contains(VD))
          Out.end(P.address(Named.variable(VD)), "", S->getRBracLoc());
}

void Statements::varyIfDeclared(const VarDecl *D) {
  if (D->getType()->isRealFloatingType() && Declared.varies(D))
    Out.assign(Named.variable(D), P.unknown(Trust::Varying), D->getLocation());
}

} // namespace spmd::lint::effects

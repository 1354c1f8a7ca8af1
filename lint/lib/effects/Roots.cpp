//===- Roots.cpp - What of a file is run --------------------------------===//

#include "Roots.h"

#include "Setups.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

/// Functions that are called, or handed on.
static void findCalled(const Stmt *S, std::vector<bool> &Called,
                       bool &Communicates, std::vector<unsigned> &Callees) {
  Communicates |=
      S->Kind == Kind::Event && S->What.Call->Kind != rules::CallKind::Local;
  if (S->Kind == Kind::Call && S->Value->Kind == ExprKind::Function) {
    Called[S->Value->Number] = true;
    Callees.push_back(S->Value->Number);
  }
  for (const Stmt *B : S->Body)
    if (B)
      findCalled(B, Called, Communicates, Callees);
}

/// Adds those that nobody calls.
static void findRoots(EffectProgram &P, CallGraph &Calls) {
  std::vector<bool> Called(P.Functions.size()), Does(P.Functions.size());
  std::vector<std::vector<unsigned>> &Callees = Calls.Callees;
  Callees.resize(P.Functions.size());
  for (unsigned I = 0; I != P.Functions.size(); ++I) {
    bool Communicates = false;
    findCalled(P.Functions[I].Body, Called, Communicates, Callees[I]);
    Does[I] = Communicates;
  }
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (unsigned I = 0; I != P.Functions.size(); ++I)
      if (!Does[I] &&
          llvm::any_of(Callees[I], [&](unsigned C) { return Does[C]; }))
        Changed = Does[I] = true;
  }
  // What a constructor begins, others end; a closure is nothing by itself.
  for (unsigned I = 0; I != P.Functions.size(); ++I) {
    const FunctionDecl *FD = Calls.Functions[I];
    const auto *Method = dyn_cast<CXXMethodDecl>(FD);
    if (Does[I] && (!Called[I] || FD->isMain()) &&
        !isa<CXXConstructorDecl, CXXDestructorDecl>(FD) &&
        !(Method && Method->getParent()->isLambda()))
      P.Roots.push_back(I);
  }
}

/// A function that calls what sets up, and then the one that reads it.
static const Stmt *callAll(const Setup &S, StatementWriter &Out, Names &Named) {
  EffectProgram &P = Out.P;
  llvm::DenseMap<const RecordDecl *, const Expr *> Objects;
  const auto ObjectOf = [&](const RecordDecl *RD) {
    const Expr *&Known = Objects[cast<RecordDecl>(RD->getCanonicalDecl())];
    return Known ? Known : Known = P.temporary();
  };
  const auto Call = [&](unsigned I) {
    const FunctionDecl *FD = Named.functions()[I];
    std::vector<const Expr *> Arguments;
    if (const auto *MD = dyn_cast<CXXMethodDecl>(FD); MD && MD->isInstance())
      Arguments.push_back(P.address(ObjectOf(MD->getParent())));
    for (const ParmVarDecl *D : FD->parameters()) {
      const RecordDecl *RD = recordOf(D->getType());
      if (RD || isByReference(D))
        Arguments.push_back(P.address(RD ? ObjectOf(RD) : P.temporary()));
      else
        Arguments.push_back(P.load(P.temporary()));
    }
    Out.call(P.function(I), std::move(Arguments), FD->getLocation());
  };
  return Out.sequence(Out.made([&] {
    llvm::for_each(S.Before, Call);
    for (const ValueDecl *D : S.Unknown)
      if (const auto *VD = dyn_cast<VarDecl>(D))
        Out.forget(Named.variable(VD), D->getLocation());
      else
        Out.forget(
            P.field(ObjectOf(cast<FieldDecl>(D)->getParent()), D->getName()),
            D->getLocation());
    Call(S.Of);
  }));
}

void addRoots(StatementWriter &Out, Names &Named,
              const rules::CollectiveApis &Apis) {
  EffectProgram &P = Out.P;
  CallGraph Calls{Named.functions(), {}};
  findRoots(P, Calls);
  for (const Setup &S : findSetups(Calls, P.Roots, Apis)) {
    const Stmt *Body = callAll(S, Out, Named);
    P.Roots.push_back(P.Functions.size());
    P.Functions.push_back(
        {P.Functions[S.Of].Name, P.Functions[S.Of].At, {}, Body});
  }
}

} // namespace spmd::lint::effects

//===- Roots.cpp - What of a file is run --------------------------------===//

#include "EffectLowering.h"

#include "Setups.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

/// Functions that are called, or handed on.
static void findCalled(const collectives::Stmt *S, std::vector<bool> &Called,
                       bool &Communicates, std::vector<unsigned> &Callees) {
  using Kind = collectives::StmtKind;
  Communicates |=
      S->Kind == Kind::Event && S->What.Call->Kind != rules::CallKind::Local;
  if (S->Kind == Kind::Call && S->Value->Kind == ExprKind::Function) {
    Called[S->Value->Number] = true;
    Callees.push_back(S->Value->Number);
  }
  for (const collectives::Stmt *B : S->Body)
    if (B)
      findCalled(B, Called, Communicates, Callees);
}

void EffectLowering::findRoots(CallGraph &Calls) {
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
  for (const FunctionDecl *FD : Pending) {
    const unsigned I = Functions[FD];
    const auto *Method = dyn_cast<CXXMethodDecl>(FD);
    if (Does[I] && (!Called[I] || FD->isMain()) &&
        !isa<CXXConstructorDecl, CXXDestructorDecl>(FD) &&
        !(Method && Method->getParent()->isLambda()))
      P.Roots.push_back(I);
  }
}

/// A function that calls what sets up, and then the one that reads it.
void EffectLowering::addRoot(const Setup &S) {
  const std::vector<const Stmt *> Around = std::exchange(Out, {});
  llvm::DenseMap<const RecordDecl *, const Expr *> Objects;
  const auto ObjectOf = [&](const RecordDecl *RD) {
    const Expr *&Known = Objects[cast<RecordDecl>(RD->getCanonicalDecl())];
    return Known ? Known : Known = temporary();
  };
  const auto Call = [&](unsigned I) {
    const FunctionDecl *FD = Pending[I];
    std::vector<const Expr *> Arguments;
    if (const auto *MD = dyn_cast<CXXMethodDecl>(FD); MD && MD->isInstance())
      Arguments.push_back(P.address(ObjectOf(MD->getParent())));
    for (const ParmVarDecl *D : FD->parameters()) {
      const RecordDecl *RD = recordOf(D->getType());
      if (RD || isByReference(D))
        Arguments.push_back(P.address(RD ? ObjectOf(RD) : temporary()));
      else
        Arguments.push_back(P.load(temporary()));
    }
    const Expr *Result = temporary();
    Stmt &New = emit(Kind::Call, FD->getLocation());
    New.Value = function(I);
    New.Arguments = std::move(Arguments);
    New.Target = Result;
  };
  llvm::for_each(S.Before, Call);
  for (const ValueDecl *D : S.Unknown)
    if (const auto *VD = dyn_cast<VarDecl>(D))
      forget(P.variable(variableOf(VD)), D->getLocation());
    else
      forget(field(ObjectOf(cast<FieldDecl>(D)->getParent()), D->getName()),
             D->getLocation());
  Call(S.Of);
  flush();
  P.Roots.push_back(P.Functions.size());
  P.Functions.emplace_back();
  P.Functions.back().Name = P.Functions[S.Of].Name;
  P.Functions.back().At = P.Functions[S.Of].At;
  P.Functions.back().Body = sequence(std::exchange(Out, Around));
}

} // namespace spmd::lint::effects

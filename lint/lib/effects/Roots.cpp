//===- Roots.cpp - What of a file is run --------------------------------===//

#include "Roots.h"

#include "Setups.h"

#include "spmd/collectives/Link.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

/// A function that calls what sets up, and then the one that reads it.
static const Stmt *callAll(const Setup &S, StatementWriter &Out, Names &Named) {
  EffectProgram &P = Out.P;
  llvm::DenseMap<const RecordDecl *, const Expr *> Objects;
  // Of callers that are not seen: what is in it when all is done is theirs.
  const auto OfCallers = [&] {
    const Expr *New = P.temporary();
    P.Variables[New->Number].IsObject = true;
    return New;
  };
  const auto ObjectOf = [&](const RecordDecl *RD) {
    const Expr *&Known = Objects[cast<RecordDecl>(RD->getCanonicalDecl())];
    return Known ? Known : Known = OfCallers();
  };
  const auto Call = [&](unsigned I) {
    const FunctionDecl *FD = Named.functions()[I];
    std::vector<const Expr *> Arguments;
    if (const auto *MD = dyn_cast<CXXMethodDecl>(FD); MD && MD->isInstance())
      Arguments.push_back(P.address(ObjectOf(MD->getParent())));
    for (const ParmVarDecl *D : FD->parameters()) {
      const RecordDecl *RD = recordOf(D->getType());
      if (RD || isByReference(D))
        Arguments.push_back(P.address(RD ? ObjectOf(RD) : OfCallers()));
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
  const collectives::CallGraph Calls(P);
  P.Roots = findRoots(P, Calls);
  for (const Setup &S :
       findSetups({Named.functions(), Calls.Callees}, P.Roots, Apis)) {
    const Stmt *Body = callAll(S, Out, Named);
    P.Roots.push_back(P.Functions.size());
    collectives::Function Of;
    Of.Name = P.Functions[S.Of].Name;
    Of.At = P.Functions[S.Of].At;
    Of.Body = Body;
    Of.RunsFor = S.Of;
    P.Functions.push_back(std::move(Of));
  }
}

} // namespace spmd::lint::effects

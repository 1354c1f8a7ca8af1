//===- Link.cpp - Effect programs of several files as one -----------------===//

#include "spmd/collectives/Link.h"

#include "Shape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <functional>

namespace spmd::collectives {

//===--- Who calls whom -----------------------------------------------------//

static void visit(const Stmt *S, CallGraph &Out, unsigned In) {
  anyNamed(S, [&](unsigned F) {
    Out.Named[In].push_back(F);
    return false; // on to the next
  });
  if (S->Kind == StmtKind::Event &&
      S->What.Call->Kind != rules::CallKind::Local)
    Out.Communicates[In] = true;
  if (S->Kind == StmtKind::Call && S->Value->Kind == ExprKind::Function) {
    Out.IsCalled[S->Value->Number] = true;
    Out.Callees[In].push_back(S->Value->Number);
  }
  for (const Stmt *B : S->Body)
    if (B)
      visit(B, Out, In);
}

CallGraph::CallGraph(const EffectProgram &P)
    : Callees(P.Functions.size()), Named(P.Functions.size()),
      IsCalled(P.Functions.size()), Communicates(P.Functions.size()) {
  for (unsigned I = 0; I != P.Functions.size(); ++I)
    if (P.Functions[I].Body)
      visit(P.Functions[I].Body, *this, I);
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (unsigned I = 0; I != P.Functions.size(); ++I)
      if (!Communicates[I] &&
          llvm::any_of(Named[I], [&](unsigned C) { return Communicates[C]; }))
        Changed = Communicates[I] = true;
  }
}

std::vector<unsigned> findRoots(const EffectProgram &P, const CallGraph &Of) {
  std::vector<unsigned> Out;
  for (unsigned I = 0; I != P.Functions.size(); ++I) {
    const Function &F = P.Functions[I];
    if (F.MayBeRoot && Of.Communicates[I] && (!Of.IsCalled[I] || F.IsMain))
      Out.push_back(I);
  }
  return Out;
}

//===--- Copies -------------------------------------------------------------//

namespace {

class Linker {
public:
  EffectProgram run(llvm::ArrayRef<const EffectProgram *> Files,
                    llvm::ArrayRef<unsigned> FirstSite);

private:
  struct Unit {
    const EffectProgram *P = nullptr;
    unsigned FirstSite = 0, FirstTyped = 0;
    std::vector<unsigned> Functions, Variables; ///< their numbers in Out
    std::vector<bool> IsCopied; ///< of a function: not the same as another's
    llvm::DenseMap<const Expr *, const Expr *> Exprs;
    llvm::DenseMap<const Stmt *, const Stmt *> Stmts;
  };

  void numberFunctions();
  void numberVariables(Unit &U);
  void copyBodies(Unit &U);
  const Expr *copy(Unit &U, const Expr *E);
  const Stmt *copy(Unit &U, const Stmt *S);
  Site moved(const Unit &U, Site At) const {
    return {At.Id ? At.Id + U.FirstSite : 0, At.Line};
  }

  std::vector<Unit> Units;
  EffectProgram Out;
  llvm::StringMap<unsigned> Globals;
};

} // namespace

/// A body for each name; of what several files have as inline code the first.
void Linker::numberFunctions() {
  struct Definition {
    unsigned Number = 0, Count = 0;
    bool IsShared = false;
  };
  llvm::StringMap<Definition> Defined;
  for (Unit &U : Units)
    for (const Function &F : U.P->Functions) {
      Definition *D =
          F.Body && !F.Symbol.empty() ? &Defined[F.Symbol] : nullptr;
      const bool IsKnown = D && D->Count && F.IsShared;
      U.IsCopied.push_back(!IsKnown);
      U.Functions.push_back(IsKnown ? D->Number : Out.Functions.size());
      if (!IsKnown)
        Out.Functions.emplace_back();
      if (D) {
        D->Number = U.Functions.back();
        D->Count += !IsKnown;
      }
    }
  for (Unit &U : Units)
    for (unsigned I = 0; I != U.Functions.size(); ++I) {
      const Function &F = U.P->Functions[I];
      const auto At = Defined.find(F.Symbol);
      if (!F.Body && At != Defined.end() && At->second.Count == 1)
        U.Functions[I] = At->second.Number;
    }
}

void Linker::numberVariables(Unit &U) {
  for (const Variable &V : U.P->Variables) {
    if (V.Symbol.empty()) {
      U.Variables.push_back(Out.addVariable(V));
      continue;
    }
    const auto [At, New] = Globals.try_emplace(V.Symbol, Out.Variables.size());
    if (New)
      Out.addVariable(V);
    else
      Out.Variables[At->second].IsElsewhere &= V.IsElsewhere;
    U.Variables.push_back(At->second);
  }
}

const Expr *Linker::copy(Unit &U, const Expr *E) {
  if (!E)
    return nullptr;
  if (const auto At = U.Exprs.find(E); At != U.Exprs.end())
    return At->second;
  Expr New = *E;
  for (const Expr *&Of : New.Operands)
    Of = copy(U, Of);
  switch (E->Kind) {
  case ExprKind::Variable:
    New.Number = U.Variables[E->Number];
    break;
  case ExprKind::Function:
    New.Number = U.Functions[E->Number];
    break;
  case ExprKind::Allocate:
    New.Number = moved(U, {E->Number, 0}).Id;
    break;
  case ExprKind::Typed:
    New.Number += U.FirstTyped;
    break;
  case ExprKind::Unknown:
    return U.Exprs[E] = Out.unknown(E->Trust);
  default:
    break;
  }
  return U.Exprs[E] = Out.add(std::move(New));
}

const Stmt *Linker::copy(Unit &U, const Stmt *S) {
  if (!S)
    return nullptr;
  if (const auto At = U.Stmts.find(S); At != U.Stmts.end())
    return At->second;
  Stmt New = *S;
  New.At = moved(U, S->At);
  New.Target = copy(U, S->Target);
  New.Value = copy(U, S->Value);
  New.On = copy(U, S->On);
  for (const Stmt *&B : New.Body)
    B = copy(U, B);
  for (const Expr *&A : New.Arguments)
    A = copy(U, A);
  for (const Expr *&A : New.MayBe)
    A = copy(U, A);
  for (auto &[Role, A] : New.What.Arguments)
    A = copy(U, A);
  for (auto &[Role, A] : New.What.Parts)
    A = copy(U, A);
  return U.Stmts[S] = Out.add(std::move(New));
}

void Linker::copyBodies(Unit &U) {
  llvm::append_range(Out.OwnApis, U.P->OwnApis);
  for (const Stmt *S : U.P->Initial)
    Out.Initial.push_back(copy(U, S));
  for (unsigned I = 0; I != U.Functions.size(); ++I) {
    const Function &F = U.P->Functions[I];
    Function &New = Out.Functions[U.Functions[I]];
    if (!U.IsCopied[I] || (!F.Body && New.Body))
      continue;
    New = F;
    New.At = moved(U, F.At);
    for (unsigned &Parameter : New.Parameters)
      Parameter = U.Variables[Parameter];
    New.Body = copy(U, F.Body);
    if (F.RunsFor)
      New.RunsFor = U.Functions[*F.RunsFor];
  }
}

EffectProgram Linker::run(llvm::ArrayRef<const EffectProgram *> Files,
                          llvm::ArrayRef<unsigned> FirstSite) {
  for (std::size_t I = 0; I != Files.size(); ++I) {
    Units.emplace_back();
    Units.back().P = Files[I];
    Units.back().FirstSite = FirstSite[I];
    Units.back().FirstTyped = Out.Differs.size();
    llvm::append_range(Out.Differs, Files[I]->Differs);
  }
  numberFunctions();
  for (Unit &U : Units)
    numberVariables(U);
  for (Unit &U : Units)
    copyBodies(U);
  const CallGraph Calls(Out);
  Out.Roots = findRoots(Out, Calls);
  // What is run after others have set up what it reads.
  for (unsigned I = 0; I != Out.Functions.size(); ++I)
    if (const auto &Of = Out.Functions[I].RunsFor;
        Of && llvm::is_contained(Out.Roots, *Of))
      Out.Roots.push_back(I);
  return std::move(Out);
}

EffectProgram link(llvm::ArrayRef<const EffectProgram *> Files,
                   llvm::ArrayRef<unsigned> FirstSite) {
  return Linker().run(Files, FirstSite);
}

} // namespace spmd::collectives

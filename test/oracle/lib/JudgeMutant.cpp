//===- JudgeMutant.cpp - Whether an edit makes a program wrong ------------===//

#include "spmd/ir/Walk.h"
#include "spmd/oracle/Execute.h"
#include "spmd/oracle/Mutation.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

void collect(const TypeSpec &T, std::set<std::string> &Out) {
  for (const AxisAtom &A : T.Axes)
    Out.insert(A.Axis);
}

void collect(const TypeAnnotation *A, std::set<std::string> &Out) {
  if (!A)
    return;
  collect(A->Entry, Out);
  if (A->Exit)
    collect(*A->Exit, Out);
}

/// Two ranks on each axis that the module names.
Mesh meshOf(const Module &M) {
  constexpr std::size_t MaxAxes = 3;
  std::set<std::string> Names;
  for (const auto &F : M.Functions) {
    for (const Slot &S : F->Slots) {
      Names.insert(S.DeclaredAxes.begin(), S.DeclaredAxes.end());
      collect(S.Declared.get(), Names);
    }
    collect(F->Result.get(), Names);
  }
  Mesh Out;
  for (const std::string &Name : Names)
    if (Out.Axes.size() != MaxAxes)
      Out.Axes.push_back({Name, 2});
  return Out;
}

bool calls(const Function &F, const Function &Callee) {
  return llvm::any_of(factsOf<CallFact>(F), [&](const CallFact &C) {
    return C.Callee == Callee.Symbol;
  });
}

/// The functions whose runs may show an edit of \p Edited: those that run it,
/// and those that rely on its contract.
std::vector<unsigned> showing(const Module &M, unsigned Edited) {
  std::vector<unsigned> Out{Edited};
  for (std::size_t Next = 0; Next != Out.size(); ++Next)
    for (unsigned I = 0; I != M.Functions.size(); ++I)
      if (!llvm::is_contained(Out, I) &&
          calls(*M.Functions[I], *M.Functions[Out[Next]]))
        Out.push_back(I);
  return Out;
}

bool hasOwnTypes(const Function &F) {
  return F.Result || llvm::any_of(F.Slots, [](const Slot &S) {
           return S.Declared != nullptr;
         });
}

/// Whether the run shows the edit: something observed depends on it.
bool shows(const Trace &T, const Function &F, const Mutation &By) {
  std::vector<bool> Seen(T.Nodes.size());
  for (const Observation &O : T.Observed)
    Seen[O.Node] = true;
  for (std::size_t I = T.Nodes.size(); I-- != 0;)
    for (unsigned X : T.Nodes[I].Operands)
      Seen[X] = Seen[X] || Seen[I];
  if (By.Kind == MutationKind::Annotation) {
    if (By.Slot == SlotId::None)
      return true;
    const std::string &Name = F.slot(By.Slot).Name;
    for (std::size_t I = 0; I != T.Nodes.size(); ++I)
      if (Seen[I] && T.Nodes[I].K == TraceNode::Kind::Input &&
          T.Nodes[I].Key == Name)
        return true;
    return llvm::any_of(T.Observed, [&](const Observation &O) {
      return llvm::StringRef(O.Key).starts_with("'" + Name + "' of " +
                                                F.DisplayName);
    });
  }
  const auto &Facts = F.Blocks[By.Block].Facts;
  const auto *Fact = std::get_if<TransferFact>(&Facts[By.Fact]);
  for (std::size_t I = 0; I != T.Nodes.size(); ++I)
    if (Seen[I] && T.Nodes[I].Fact == Fact)
      return true;
  return false;
}

/// What is wrong with one run of the edited function, if anything.
std::string compareRuns(const Trace &Edited, const Trace &Right, const Mesh &On,
                        unsigned Seed) {
  if (!Edited.Unsupported.empty())
    return {};
  const Outcome Is = runOnRanks(Edited, On, Seed);
  const std::string Wrong = difference(Is, runOnRanks(Right, On, Seed));
  // The same numbers may still not be what the types say.
  return Wrong.empty() ? difference(Is, runAsMeant(Edited, On, Seed)) : Wrong;
}

bool isSound(const Trace &T, const Mesh &On, unsigned Seed) {
  return difference(runOnRanks(T, On, Seed), runAsMeant(T, On, Seed)).empty();
}

} // namespace

MutantVerdict judge(const Module &Original, const Module &Mutant,
                    const Mutation &By, std::string &Why) {
  constexpr unsigned Paths = 6, Seeds = 10;
  const Mesh On = meshOf(Original);
  MutantVerdict Verdict = MutantVerdict::NotRun;
  for (unsigned I : showing(Original, By.Function)) {
    const Function &F = *Original.Functions[I];
    if (!hasOwnTypes(F) || F.Blocks.empty())
      continue;
    for (unsigned Path = 0; Path != Paths; ++Path) {
      const Trace Right = traceFunction(Original, F, On, Path);
      if (!Right.Unsupported.empty() ||
          !shows(Right, *Original.Functions[By.Function], By))
        continue;
      const Trace Edited =
          traceFunction(Mutant, *Mutant.Functions[I], On, Path);
      for (unsigned Seed = 1; Seed <= Seeds; ++Seed) {
        // What the stand-ins cannot show right cannot show an edit wrong.
        if (!isSound(Right, On, Seed))
          continue;
        Why = compareRuns(Edited, Right, On, Seed);
        if (!Why.empty())
          return MutantVerdict::Wrong;
        Verdict = MutantVerdict::Equivalent;
      }
    }
  }
  return Verdict;
}

} // namespace spmd::oracle

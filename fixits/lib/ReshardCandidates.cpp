//===- ReshardCandidates.cpp - Repairs of global code, ranked -------------===//

#include "ReshardCandidates.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::fixits {

Candidates::Candidates(const Violation &V, const OperandLayouts &S,
                       const AxisLinks &Links)
    : V(V), S(S), Prices(S.Mesh, V.In, Links) {
  for (const ValueLayout &L : S.Of)
    Values.push_back(Placement::of(L));
}

unsigned Candidates::changes(const Placement &From, const Placement &To) const {
  unsigned Out = 0;
  for (AxisId A : S.Global) {
    const auto Was = From.Spec.dimOf(A), Is = To.Spec.dimOf(A);
    Out += Was != Is || (!Is && From.typeOn(A) != To.typeOn(A));
  }
  for (unsigned D = 0; D != From.Spec.rank(); ++D)
    Out += From.axes(D) != To.axes(D) &&
           std::is_permutation(From.axes(D).begin(), From.axes(D).end(),
                               To.axes(D).begin(), To.axes(D).end());
  return Out;
}

bool Candidates::evenly(const Placement &From, const Placement &To) const {
  for (unsigned D = 0; D != To.Spec.rank(); ++D) {
    const llvm::ArrayRef<AxisId> Was = From.axes(D), Is = To.axes(D);
    if (Was.take_front(Is.size()) == Is ||
        isEven(To.Spec.Dims[D], S.Mesh) == SameSize::Yes)
      continue;
    const bool AsAnother = llvm::any_of(Values, [&](const auto &P) {
      return P && &*P != &From &&
             llvm::any_of(P->Spec.Dims, [&](const ShardedDim &X) {
               return X.Axes == To.axes(D) &&
                      compare(X.Size, To.Spec.Dims[D].Size) != SameSize::No;
             });
    });
    if (!AsAnother)
      return false;
  }
  return true;
}

void Candidates::add(Candidate C, const Placement &From, const Placement &To) {
  const bool OfResult = C.R.A == Repair::Action::ReducePartial;
  C.R.Safe = true;
  C.Class += shardsOfOp(V) && !evenly(From, To);
  C.Changes = changes(From, To);
  C.Declared =
      !OfResult && V.Operands[C.R.Operand].From.K == Origin::Kind::Declared;
  for (unsigned D = 0; D != To.Spec.rank(); ++D) {
    C.Ranks *= S.Mesh.size(To.axes(D))
                   .asNumber()
                   .value_or(1 << std::min<std::size_t>(To.axes(D).size(), 8));
    for (std::size_t X = 0;
         X < std::min(To.axes(D).size(), From.axes(D).size()) &&
         To.axes(D)[X] == From.axes(D)[X];
         ++X)
      ++C.Prefix;
  }
  constexpr std::size_t MostSteps = 4;
  const auto Moves = movesBetween(From, To, S.Mesh);
  if (!Moves || Moves->empty())
    return;
  Price Stepwise;
  if (Moves->size() <= MostSteps) {
    Candidate Steps = C;
    for (const Move &M : *Moves)
      Steps.R.Steps.push_back(M.Operator);
    Stepwise = Prices.ofMoves(From, *Moves);
    Steps.R.Planned = Stepwise;
    Steps.R.Invariant = C.Invariant;
    All.push_back(std::move(Steps));
  }
  // Types between full specs say all that there is to say.
  const auto Src = typeSpecOf(From, S.Mesh), Dst = typeSpecOf(To, S.Mesh);
  if (Moves->size() < 2 || !Src || !Dst || S.Global.size() != S.Mesh.All.size())
    return;
  Price AtOnce = Prices.atOnce(From, To);
  constexpr double Less = 0.999; // by more than rounding
  if (Moves->size() <= MostSteps && AtOnce.Seconds > Less * Stepwise.Seconds)
    return;
  if (!OfResult)
    C.R.A = Repair::Action::Redistribute;
  C.R.FromType = std::make_shared<const TypeSpec>(*Src);
  C.R.ToType = std::make_shared<const TypeSpec>(*Dst);
  C.R.Planned = std::move(AtOnce);
  C.R.Invariant = C.Invariant;
  All.push_back(std::move(C));
}

void Candidates::addAll(Candidates &&More) {
  for (Candidate &C : More.All)
    All.push_back(std::move(C));
}

void Candidates::addTogether(llvm::ArrayRef<Candidate> Parts) {
  Candidate Out = Parts.front();
  for (const Candidate &C : Parts.drop_front()) {
    Out.R.Also.push_back(C.R);
    Out.More += C.R.Planned->Seconds;
    Out.Class = std::max(Out.Class, C.Class);
    Out.Changes += C.Changes;
    Out.Declared |= C.Declared;
    Out.Ranks *= C.Ranks;
    Out.Prefix += C.Prefix;
  }
  All.push_back(std::move(Out));
}

void Candidates::sort() {
  for (unsigned I = 0; I != All.size(); ++I)
    All[I].Found = I;
  llvm::sort(All, [](const Candidate &A, const Candidate &B) {
    return A.rank() < B.rank();
  });
}

std::optional<Candidate> Candidates::best(bool StepByStep) {
  sort();
  for (const Candidate &C : All)
    if (!StepByStep || !C.R.FromType)
      return C;
  return std::nullopt;
}

std::vector<Repair> Candidates::take() {
  sort();
  std::vector<Repair> Out;
  for (Candidate &C : All)
    Out.push_back(std::move(C.R));
  if (!Out.empty() && Out.front().Safe)
    Out.front().Preferred = true;
  return Out;
}

} // namespace spmd::fixits

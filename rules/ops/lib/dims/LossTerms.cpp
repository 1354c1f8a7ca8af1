//===- LossTerms.cpp - Losses: a value per sample, then their sum or mean -===//

#include "RuleBuilder.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::global {

namespace {

using Tensor = RuleBuilder::Tensor;

/// ATen's at::Reduction.
enum Reduction : std::int64_t { None, Mean, Sum };

void reduce(RuleBuilder &B, Tensor Values) {
  const auto How = B.numbers(0);
  if (B.failed() || How.size() != 1 || How[0] < None || How[0] > Sum)
    return B.undecided("reduction");
  if (How[0] == None)
    return B.result(std::move(Values));
  if (How[0] == Mean)
    for (const RuleBuilder::Dim &D : Values)
      B.needWhole(D);
  B.result({});
}

void wrongRank(RuleBuilder &B, unsigned Operand) {
  SpecViolation V;
  V.K = SpecViolation::Kind::Rank;
  V.Operand = Operand;
  B.wrong(std::move(V));
}

/// Input n c^ .., target n .. or as the input, others c^.
void classify(RuleBuilder &B) {
  const auto Input = B.at(0), Target = B.at(1);
  if (!Input || !Target)
    return B.undecided("the target");
  const unsigned Rank = B.spec(*Input).rank();
  if (Rank == 0)
    return wrongRank(B, *Input);
  const unsigned At = Rank == 1 ? 0 : 1;
  const Tensor Dims = B.separate(*Input);
  B.needWhole(Dims[At]);
  Tensor Samples = Dims;
  Samples.erase(Samples.begin() + At);

  const auto Share = [&](unsigned I, const Tensor &With) {
    B.operand(I).resize(With.size());
    for (unsigned D = 0; D != With.size(); ++D)
      B.share(I, D, With[D], *Input);
  };
  const unsigned OfTarget = B.spec(*Target).rank();
  if (OfTarget != Rank && OfTarget + 1 != Rank)
    return wrongRank(B, *Target);
  Share(*Target, OfTarget == Rank ? Dims : Samples);
  for (unsigned I : B.tensors())
    if (B.position(I) > 1) {
      if (B.spec(I).rank() != 1)
        return B.undecided("the weight");
      Share(I, {Dims[At]});
    }
  reduce(B, std::move(Samples));
}

} // namespace

void buildLoss(RuleBuilder &B, ShapeTerm T) {
  if (T == ShapeTerm::Classify)
    return classify(B);
  Tensor Values = B.aligned();
  if (!B.failed())
    reduce(B, std::move(Values));
}

} // namespace spmd::rules::global

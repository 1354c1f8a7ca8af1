//===- IndexReference.cpp - Terms of several tensors along one dim --------===//

#include "ReferenceRun.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::oracle {

using T = ShapeTerm;

MaybeTensor runIndexed(const ReferenceRun &R) {
  if (R.Spoken.size() < 2)
    return std::nullopt;
  const Tensor &Data = R.spoken(0), &Of = R.spoken(1);
  if (R.Shape.Term == T::Lookup && !R.Call.numbers(0))
    return lookedUp(Tensor{{static_cast<int>(Data.Data.size())}, Data.Data}, Of,
                    0);
  const auto D = R.dim(0, Data.Dims.size());
  if (!D)
    return std::nullopt;
  if (R.Shape.Term == T::Gather)
    return gathered(Data, Of, *D);
  if (R.Shape.Term == T::Lookup)
    return lookedUp(Data, Of, *D);
  if (R.Spoken.size() > 2)
    return scattered(Data, Of, R.spoken(2), *D);
  // Where to is not a tensor of which the alternative speaks.
  if (Of.Dims.size() != Data.Dims.size())
    return std::nullopt;
  const Tensor Written = mixInto(Of, *D, Data.Dims[static_cast<unsigned>(*D)]);
  for (std::size_t I = 0; I != Of.Dims.size(); ++I)
    if (Written.Dims[I] > Data.Dims[I])
      return std::nullopt;
  return tabulate(Data.Dims, [&](const Index &I) {
    for (std::size_t X = 0; X != I.size(); ++X)
      if (I[X] >= Written.Dims[X])
        return at(Data, I);
    return plus(at(Data, I), at(Written, I));
  });
}

MaybeTensor runJoined(const ReferenceRun &R) {
  std::vector<Tensor> Parts;
  const bool IsNew = R.Shape.Term == T::Insert;
  const auto D = R.dim(0, R.spoken(0).Dims.size() + IsNew);
  if (!D)
    return std::nullopt;
  for (const SpecCall::Spoken &S : R.Spoken) {
    Parts.push_back(R.Operands[S.Actual]);
    if (IsNew && Parts.back().Dims != Parts.front().Dims && Parts.size() > 1) {
      return std::nullopt;
    }
  }
  if (IsNew)
    for (Tensor &P : Parts)
      P.Dims.insert(P.Dims.begin() + *D, 1);
  return concatenated(Parts, *D);
}

} // namespace spmd::oracle

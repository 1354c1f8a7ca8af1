//===- SizeReference.cpp - Terms that group, split and repeat dims --------===//

#include "ReferenceRun.h"

using namespace spmd::rules;

namespace spmd::oracle {

using T = ShapeTerm;

/// As often as the call says; without a number, each element by its position.
static Tensor interleaved(const ReferenceRun &R, const Tensor &X, int D) {
  if (const OpArgument *A = R.Call.argument("repeats"))
    return interleaved(X, D,
                       static_cast<int>(std::get<SizeValue>(*A->Value).Number));
  std::vector<Tensor> Parts;
  for (int I = 0; I != X.Dims[static_cast<unsigned>(D)]; ++I)
    Parts.push_back(interleaved(slice(X, D, I, 1), D, 1 + I % 2));
  return Parts.empty() ? X : *concatenated(Parts, D);
}

MaybeTensor runSizes(const ReferenceRun &R, const Tensor &X) {
  const std::size_t Rank = X.Dims.size();
  switch (R.Shape.Term) {
  case T::Reshape:
    return reshaped(X, R.sizes(0));
  case T::Flatten: {
    if (Rank == 0)
      return reshaped(X, {1});
    const auto First = R.Shape.Parameters.empty() ? 0 : R.dim(0, Rank);
    const auto Last = R.Shape.Parameters.size() < 2 ? static_cast<int>(Rank) - 1
                                                    : R.dim(1, Rank);
    if (!First || !Last || *First > *Last)
      return std::nullopt;
    Shape Dims(X.Dims.begin(), X.Dims.begin() + *First);
    Dims.push_back(1);
    for (int D = *First; D <= *Last; ++D)
      Dims.back() *= X.Dims[static_cast<unsigned>(D)];
    Dims.insert(Dims.end(), X.Dims.begin() + *Last + 1, X.Dims.end());
    return Tensor{Dims, X.Data};
  }
  case T::Unflatten: {
    const auto D = R.dim(0, Rank);
    if (!D)
      return std::nullopt;
    // Other dims than the split one keep their size.
    const Tensor Split{{X.Dims[static_cast<unsigned>(*D)]},
                       std::vector<Number>(static_cast<std::size_t>(
                           X.Dims[static_cast<unsigned>(*D)]))};
    const MaybeTensor Parts =
        reshaped(Split, R.sizes(1, static_cast<unsigned>(*D)));
    if (!Parts)
      return std::nullopt;
    Shape Dims = X.Dims;
    Dims.erase(Dims.begin() + *D);
    Dims.insert(Dims.begin() + *D, Parts->Dims.begin(), Parts->Dims.end());
    return reshaped(X, Dims);
  }
  case T::Expand:
    return expanded(X, R.sizes(0));
  case T::Repeat:
    return tiled(X, R.Call.numbers(0).value_or(Index()));
  case T::Interleave: {
    const auto Over = R.dims(0, Rank);
    if (!Over)
      return std::nullopt;
    if (Over->empty())
      return interleaved(R, Tensor{{static_cast<int>(X.Data.size())}, X.Data},
                         0);
    return interleaved(R, X, Over->front());
  }
  default:
    return std::nullopt;
  }
}

} // namespace spmd::oracle

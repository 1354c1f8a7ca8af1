//===- DimReference.cpp - Terms that keep, drop or reorder dims -----------===//

#include "ReferenceRun.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::oracle {

using T = ShapeTerm;

static MaybeTensor reordered(const ReferenceRun &R, const Tensor &X) {
  const std::size_t Rank = X.Dims.size();
  Index From = allDims(X);
  if (R.Shape.Term == T::Reverse) {
    std::reverse(From.begin(), From.end());
    return permuted(X, From);
  }
  const auto A = R.dims(0, Rank);
  if (!A || A->empty())
    return std::nullopt;
  if (R.Shape.Term == T::Permute)
    return A->size() == Rank ? MaybeTensor(permuted(X, *A)) : std::nullopt;
  const auto B = R.dims(1, Rank);
  if (!B || B->size() != A->size())
    return std::nullopt;
  if (R.Shape.Term == T::Swap) {
    std::swap(From[static_cast<unsigned>(A->front())],
              From[static_cast<unsigned>(B->front())]);
    return permuted(X, From);
  }
  // numpy: the others in order, then each moved one put where it goes.
  Index Others;
  for (int D : From)
    if (!llvm::is_contained(*A, D))
      Others.push_back(D);
  std::vector<std::pair<int, int>> Moves;
  for (std::size_t I = 0; I != A->size(); ++I)
    Moves.push_back({(*B)[I], (*A)[I]});
  llvm::sort(Moves);
  for (auto [To, D] : Moves)
    Others.insert(Others.begin() + To, D);
  return permuted(X, Others);
}

static MaybeTensor part(const ReferenceRun &R, const Tensor &X) {
  const auto D =
      R.Shape.Parameters.empty() ? std::nullopt : R.dim(0, X.Dims.size());
  if (!D)
    return std::nullopt;
  const int Has = X.Dims[static_cast<unsigned>(*D)];
  if (R.Shape.Term == T::Pick)
    return without(mixInto(X, *D, 1), *D);
  const auto Number = [&](llvm::StringRef Name) -> std::optional<int> {
    const OpArgument *A = R.Call.argument(Name);
    const auto *V = A ? std::get_if<SizeValue>(&*A->Value) : nullptr;
    return V ? std::optional(static_cast<int>(V->Number)) : std::nullopt;
  };
  if (const auto Length = Number("length|split_size"))
    return *Length <= Has ? MaybeTensor(slice(X, *D, 0, *Length))
                          : std::nullopt;
  if (const auto Chunks = Number("chunks"))
    return slice(X, *D, 0, (Has + *Chunks - 1) / *Chunks);
  if (R.Call.argument("end"))
    return X;
  return mixInto(X, *D, 2);
}

MaybeTensor runDims(const ReferenceRun &R, const Tensor &X) {
  const std::size_t Rank = X.Dims.size();
  switch (R.Shape.Term) {
  case T::Elementwise:
  case T::Each:
  case T::Whole:
    return X;
  case T::Loss: {
    const auto Reduction = R.Call.numbers(0);
    if (!Reduction || Reduction->front() == 0)
      return X;
    return reduceDims(X, allDims(X), false, Reduction->front() == 1);
  }
  case T::Sum:
  case T::Fold: {
    auto Over = R.dims(0, Rank);
    if (Over && Over->empty())
      Over = allDims(X);
    if (!Over)
      return std::nullopt;
    return reduceDims(X, *Over, R.Call.flag(1), R.Shape.Term == T::Fold);
  }
  case T::Along: {
    auto Over = R.dims(0, Rank);
    if (Over && Over->empty())
      Over = allDims(X);
    return Over ? MaybeTensor(mixAlong(X, *Over)) : std::nullopt;
  }
  case T::Swap:
  case T::Permute:
  case T::Move:
  case T::Reverse:
    return reordered(R, X);
  case T::Insert: {
    const auto D = R.dim(0, Rank + 1);
    if (!D)
      return std::nullopt;
    Tensor Out = X;
    Out.Dims.insert(Out.Dims.begin() + *D, 1);
    return Out;
  }
  case T::Remove: {
    const auto Asked = R.dims(0, Rank);
    if (!Asked)
      return std::nullopt;
    Tensor Out = X;
    Out.Dims.clear();
    for (int D : allDims(X))
      if (X.Dims[static_cast<unsigned>(D)] != 1 ||
          (R.Call.numbers(0) && !llvm::is_contained(*Asked, D)))
        Out.Dims.push_back(X.Dims[static_cast<unsigned>(D)]);
    return Out;
  }
  case T::Part:
  case T::Pick:
    return part(R, X);
  case T::Pad: {
    const auto By = R.Call.numbers(0);
    Tensor Out = X;
    for (std::size_t I = 0; By && I + 1 < By->size(); I += 2) {
      const std::size_t D = Rank - 1 - I / 2;
      Out = mixInto(Out, static_cast<int>(D),
                    X.Dims[D] + (*By)[I] + (*By)[I + 1]);
    }
    return Out;
  }
  default:
    return runSizes(R, X);
  }
}

} // namespace spmd::oracle

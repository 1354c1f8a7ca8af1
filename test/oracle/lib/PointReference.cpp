//===- PointReference.cpp - Several indices, each along a dim -------------===//
//
// As PyTorch's documentation has it: numbers first take their dims away;
// tensors that then stand side by side are replaced where they stand by the
// dims that they broadcast to, others put these first.
//
//===----------------------------------------------------------------------===//

#include "ReferenceRun.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

struct Points {
  const Tensor &Data;
  std::map<int, const Tensor *> Along; ///< by dim of the data
  Shape Chosen = {};                   ///< what the indices broadcast to
  Shape Part = {};                     ///< what they read or write
  std::size_t Before = 0;              ///< dims of it before those chosen
  bool Inside = true;

  /// Where element \p I of the part is in the data.
  Index from(const Index &I) {
    const auto Begin = I.begin() + static_cast<std::ptrdiff_t>(Before);
    const auto End = Begin + static_cast<std::ptrdiff_t>(Chosen.size());
    Index Kept(I.begin(), Begin);
    Kept.insert(Kept.end(), End, I.end());
    Index Out;
    std::size_t Next = 0;
    for (std::size_t D = 0; D != Data.Dims.size(); ++D) {
      const auto Found = Along.find(static_cast<int>(D));
      if (Found == Along.end()) {
        Out.push_back(Kept[Next++]);
        continue;
      }
      const Tensor &Of = *Found->second;
      Index J(End - static_cast<std::ptrdiff_t>(Of.Dims.size()), End);
      for (std::size_t X = 0; X != J.size(); ++X)
        J[X] = Of.Dims[X] == 1 ? 0 : J[X];
      const Number Where = oracle::at(Of, J);
      Inside &= Where >= 0 && Where < Data.Dims[D];
      Out.push_back(Inside ? static_cast<int>(Where) : 0);
    }
    return Out;
  }
};

std::optional<Points> pointsOf(const ReferenceRun &R) {
  const Tensor &Data = R.spoken(0);
  const auto Dims = R.dims(0, Data.Dims.size());
  if (!Dims)
    return std::nullopt;
  Points Out{Data, {}};
  std::vector<Tensor> Indices;
  for (const SpecCall::Spoken &S : R.Spoken)
    if (S.Position == 1) {
      Indices.push_back(R.Operands[S.Actual]);
      if (Indices.size() > Dims->size())
        return std::nullopt;
      Out.Along[(*Dims)[Indices.size() - 1]] = &R.Operands[S.Actual];
    }
  if (Out.Along.size() != Dims->size())
    return std::nullopt;
  if (!Indices.empty()) {
    const MaybeTensor All =
        broadcast(Indices, [](llvm::ArrayRef<Number> X) { return X.front(); });
    if (!All)
      return std::nullopt;
    Out.Chosen = All->Dims;
  }
  // Kept dims between tensors with dims push what is chosen to the front.
  bool Seen = false, Left = false, Apart = false;
  for (std::size_t D = 0; D != Data.Dims.size(); ++D) {
    const auto Found = Out.Along.find(static_cast<int>(D));
    if (Found == Out.Along.end()) {
      Out.Part.push_back(Data.Dims[D]);
      Left |= Seen;
    } else if (!Found->second->Dims.empty()) {
      Apart |= Left;
      if (!Seen)
        Out.Before = Out.Part.size();
      Seen = true;
    }
  }
  if (Apart || !Seen)
    Out.Before = 0;
  Out.Part.insert(Out.Part.begin() + static_cast<std::ptrdiff_t>(Out.Before),
                  Out.Chosen.begin(), Out.Chosen.end());
  return Out;
}

} // namespace

MaybeTensor runPointed(const ReferenceRun &R) {
  std::optional<Points> P = pointsOf(R);
  if (!P)
    return std::nullopt;
  if (R.Shape.Term == ShapeTerm::Index) {
    Tensor Out = tabulate(P->Part, [&](const Index &I) {
      const Index From = P->from(I);
      return P->Inside ? at(P->Data, From) : Number(0);
    });
    return P->Inside ? MaybeTensor(std::move(Out)) : std::nullopt;
  }
  const Tensor *Values = R.at(2);
  if (!Values)
    return std::nullopt;
  const MaybeTensor All = expanded(*Values, P->Part);
  if (!All)
    return std::nullopt;
  std::map<Index, Number> Written;
  tabulate(P->Part,
           [&](const Index &I) { return Written[P->from(I)] = at(*All, I); });
  if (!P->Inside)
    return std::nullopt;
  return tabulate(P->Data.Dims, [&](const Index &I) {
    const auto Found = Written.find(I);
    return Found == Written.end() ? at(P->Data, I) : Found->second;
  });
}

} // namespace spmd::oracle

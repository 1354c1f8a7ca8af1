//===- LayerSplits.cpp - What a split of a layer is of its parts ----------===//

#include "LayerSplits.h"

#include "cxx/KnownTypes.h"

#include "spmd/ops/LayerCatalogue.h"
#include "spmd/ops/OpCatalogue.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint {

namespace {

struct Parameter {
  std::string Name;
  int Dims;
};

/// The parameters of a layer whose op says how many dims they have.
std::vector<Parameter> parametersOf(QualType T) {
  const LayerRule *Layer = LayerCatalogue::builtin().find(layerName(T));
  const OpRule *Op = Layer ? OpCatalogue::builtin().rule(Layer->Op) : nullptr;
  if (!Op || !Op->Shape || Op->Shape->Notations.empty())
    return {};
  const auto &Operands = Op->Shape->Notations.front().Operands;
  std::vector<Parameter> Out;
  for (std::size_t I = 0; I != Op->Formals.size(); ++I) {
    if (!llvm::is_contained(Layer->Parameters, Op->Formals[I].Name))
      continue;
    if (I >= Operands.size() || llvm::any_of(Operands[I], [](const auto &Dim) {
          return Dim.K == FactorDim::Kind::Ellipsis;
        }))
      return {};
    Out.push_back({Op->Formals[I].Name, static_cast<int>(Operands[I].size())});
  }
  return Out;
}

/// Dim \p Of as it is counted from the first of \p Dims.
int fromFirst(int Of, int Dims) { return Of < 0 ? Of + Dims : Of; }

bool hasDim(int Of, int Dims) { return Of >= 0 && Of < Dims; }

} // namespace

TypeAnnotation splitByParameter(TypeAnnotation Said, QualType T) {
  const auto IsSplit = [](const AxisAtom &A) { return A.Value.ShardDim; };
  if (!Said.Members.empty() || Said.Exit || Said.Entry.Global ||
      llvm::none_of(Said.Entry.Axes, IsSplit))
    return Said;
  // The weight, which has the dims that are meant, comes first.
  const std::vector<Parameter> All = parametersOf(T);
  const auto Lacks = [&](const Parameter &P, const AxisAtom &A) {
    return IsSplit(A) &&
           !hasDim(fromFirst(*A.Value.ShardDim, All.front().Dims), P.Dims);
  };
  const auto AnyLacks = [&](const Parameter &P) {
    return llvm::any_of(Said.Entry.Axes,
                        [&](const AxisAtom &A) { return Lacks(P, A); });
  };
  if (All.empty() || AnyLacks(All.front()) || llvm::none_of(All, AnyLacks))
    return Said;
  TypeAnnotation Out;
  for (const Parameter &P : All) {
    MemberType M;
    M.Name = P.Name;
    for (const AxisAtom &A : Said.Entry.Axes) {
      if (!Lacks(P, A)) {
        M.Type.Axes.push_back(A);
        continue;
      }
      for (const LocalType Whole : {LocalType::R, LocalType::I}) {
        M.Type.Axes.push_back(A);
        M.Type.Axes.back().Value = {Whole, std::nullopt};
      }
    }
    Out.Members.push_back(std::move(M));
  }
  return Out;
}

std::string splitsNothing(const TypeAnnotation &Said, QualType T) {
  const std::vector<Parameter> All = parametersOf(T);
  if (All.empty())
    return {};
  const auto NoDim = [&](const AxisAtom &A, llvm::StringRef Of) -> std::string {
    const auto Has = [&](const Parameter &P) {
      return (Of.empty() || P.Name == Of) &&
             hasDim(fromFirst(*A.Value.ShardDim, P.Dims), P.Dims);
    };
    if (!A.Value.ShardDim || llvm::any_of(All, Has))
      return {};
    return (Of.empty() ? "no parameter of '" + layerName(T) + "'"
                       : "'" + Of.str() + "' of '" + layerName(T) + "'") +
           " has " + (Of.empty() ? "a" : "no") + " dim " +
           std::to_string(*A.Value.ShardDim) + ", so it cannot be split on '" +
           A.Axis + "'";
  };
  for (const AxisAtom &A : Said.Entry.Axes)
    if (std::string Wrong = NoDim(A, ""); !Wrong.empty())
      return Wrong;
  for (const MemberType &M : Said.Members)
    if (llvm::any_of(All, [&](const Parameter &P) { return P.Name == M.Name; }))
      for (const AxisAtom &A : M.Type.Axes)
        if (std::string Wrong = NoDim(A, M.Name); !Wrong.empty())
          return Wrong;
  return {};
}

} // namespace spmd::lint

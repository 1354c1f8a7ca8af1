//===- SpecTrial.cpp - One call on operands of one size -------------------===//

#include "SpecTrial.h"

#include "spmd/ops/DimsOnly.h"

#include "spmd/oracle/CheckSpecs.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::oracle {

static DimAxes axesOf(const planner::Axes &Of) {
  return DimAxes(Of.begin(), Of.end());
}

SpecTrial::SpecTrial(const SpecScenario &X, const std::vector<Shape> &Sizes,
                     const DeviceMesh &M)
    : X(X), M(M), Sizes(Sizes), Gradients(X, M, Operands) {
  std::mt19937 Random(7);
  for (std::size_t I = 0; I != Sizes.size(); ++I) {
    const auto Dim = X.PositionsOf[I];
    const int Below = Dim ? Sizes[0][static_cast<unsigned>(*Dim)] : 0;
    Operands.push_back(tabulate(Sizes[I], [&](const Index &) {
      const auto Any = static_cast<Number>(Random() >> 3);
      return Below ? Any % Below : Any % 19 - 9;
    }));
  }
  for (std::size_t A = 0; A != M.All.size(); ++A)
    Axes.All.push_back({std::string(1, static_cast<char>('a' + A)),
                        Extent::number(M.All[A].Size)});
}

Outcome SpecTrial::run(const SpecCall &Call,
                       llvm::ArrayRef<const planner::Layout *> Given,
                       llvm::ArrayRef<AxisId> OutPartial) {
  Layouts = Given;
  const auto Types = localTypes(Call, OutPartial);
  if (!Types)
    return {};
  std::vector<PartitionSpec> Specs(Given.size());
  llvm::SmallVector<const PartitionSpec *, 4> Pointers;
  llvm::SmallVector<DimAxes, 4> Pending;
  for (std::size_t I = 0; I != Given.size(); ++I) {
    for (std::size_t D = 0; D != Sizes[I].size(); ++D)
      Specs[I].Dims.push_back(
          {Extent::number(Sizes[I][D]), axesOf(Given[I]->Dims[D])});
    Specs[I].Positions = X.PositionsOf[I].has_value();
    Pointers.push_back(&Specs[I]);
    Pending.push_back(axesOf(Given[I]->Partial));
  }
  const auto SizeOf = [](const SizeTerm &) { return Extent(); };
  const ShapedCall Shaped{Call.Op,        Call.FormalOf, Pointers,
                          Call.Arguments, SizeOf,        &Axes};
  const FactorRuleOr Rule = factorRuleOf(Shaped);
  if (std::holds_alternative<Undecided>(Rule))
    return {Outcome::Undecided, std::get<Undecided>(Rule).On};
  if (const auto *V = std::get_if<SpecViolation>(&Rule))
    return rejected(Call, *V, *Types);
  const auto Result =
      propagate(std::get<FactorRule>(Rule), Shaped, OutPartial, Pending);
  if (const auto *V = std::get_if<SpecViolation>(&Result))
    return rejected(Call, *V, *Types);
  if (!std::get<FactorRule>(Rule).HasResult && !OutPartial.empty())
    return {Outcome::Undecided, "the result"};
  if (!std::get<FactorRule>(Rule).HasResult)
    return anyResult(Call, *Types);
  return accepted(Call, std::get<Propagation>(Result), *Types);
}

std::optional<SpecTrial::ResultTypes>
SpecTrial::localTypes(const SpecCall &Call,
                      llvm::ArrayRef<AxisId> OutPartial) const {
  ResultTypes Out;
  for (AxisId A = 0; A != M.All.size(); ++A) {
    llvm::SmallVector<TypeSet, 4> Sets;
    for (const planner::Layout *L : Layouts)
      Sets.push_back(L->isPartial(A) ? LocalType::P
                     : L->shards(A)  ? LocalType::V
                                     : LocalType::R);
    const TypeSet Made = applyRule(*Call.Op, Sets, Call.FormalOf).Output;
    const bool Wrapped = llvm::is_contained(OutPartial, A);
    // What depends on shapes alone, or is random, is all of these.
    const bool Varies = llvm::is_contained(Sets, TypeSet(LocalType::V));
    if (Made.contains(LocalType::V) && Varies)
      Out.push_back(Wrapped ? LocalType::P : LocalType::V);
    else if (Made.contains(LocalType::P) && !Made.contains(LocalType::R))
      Out.push_back(LocalType::P);
    else if (Made.contains(LocalType::R) && !Wrapped)
      Out.push_back(LocalType::R);
    else
      return std::nullopt;
  }
  return Out;
}

const std::vector<MaybeTensor> &SpecTrial::locals(const SpecCall &Call) {
  std::mt19937 Random(11);
  Shards.clear();
  for (std::size_t I = 0; I != Operands.size(); ++I)
    Shards.push_back(distribute(Operands[I], *Layouts[I], M, Random));
  Local.clear();
  for (std::size_t R = 0; R != static_cast<std::size_t>(M.ranks()); ++R) {
    std::vector<Tensor> Own;
    for (const Ranks &S : Shards)
      Own.push_back(S[R]);
    Local.push_back(runReference(Call, Own));
  }
  return Local;
}

ShardCounts SpecTrial::countsOf(const planner::Layout &L) const {
  ShardCounts Out;
  for (std::size_t D = 0; D != L.Dims.size(); ++D)
    Out.push_back(M.sizeOf(L.Dims[D]));
  return Out;
}

const MaybeTensor &SpecTrial::whole(const SpecCall &Call,
                                    const planner::Layout &L) {
  std::string Key;
  ShardCounts Counts;
  if (X.AsksForSizes) {
    Counts = countsOf(L);
    Key = Call.str();
    for (int C : Counts)
      Key += " " + std::to_string(C);
  }
  const auto [At, New] = Wholes.try_emplace(Key);
  if (New)
    At->second =
        runReference(Call, Operands, X.AsksForSizes ? &Counts : nullptr);
  return At->second;
}

/// Whether an operand of which only the dims matter is sharded on \p A.
bool SpecTrial::hasDimsOfShards(const SpecCall &Call, AxisId A) const {
  for (std::size_t I = 0; I != Layouts.size(); ++I)
    if (!readsValue(Call.Op->Term, Call.FormalOf[I]) && Layouts[I]->shards(A))
      return true;
  return false;
}

Outcome SpecTrial::accepted(const SpecCall &Call, const Propagation &P,
                            const ResultTypes &Types) {
  planner::Layout Made;
  for (const ShardedDim &D : P.Result.Dims)
    Made.Dims.emplace_back(D.Axes.begin(), D.Axes.end());
  for (AxisId A = 0; A != M.All.size(); ++A) {
    if (Types[A] == LocalType::P)
      Made.Partial.push_back(A);
    if (Made.shards(A) && hasDimsOfShards(Call, A)) {
      if (typeOfShards(Types[A]).empty())
        return {Outcome::Undecided, "the type of the result"};
      continue;
    }
    if (Made.shards(A) != (Types[A] == LocalType::V))
      return {Outcome::Wrong, std::string("erased, it is ") + letter(Types[A]) +
                                  " on " + Axes.All[A].Name};
  }
  const MaybeTensor &Whole = whole(Call, Made);
  // A call that is wrong whatever the specs are is not about specs.
  if (!Whole && !X.AsksForSizes)
    return {};
  if (!Whole)
    return {Outcome::Wrong, "no such call on the whole"};
  for (std::size_t D = 0; D != Made.Dims.size(); ++D)
    if (Whole->Dims.size() != Made.Dims.size() ||
        compare(P.Result.Dims[D].Size, Extent::number(Whole->Dims[D])) ==
            SameSize::No)
      return {Outcome::Wrong,
              "the result is " + printSpec(P.Result, Axes) + ", not of " +
                  print(planner::Layout{{Whole->Dims.size(), {}}, {}},
                        Whole->Dims, M)};
  if (Whole->Dims.size() != Made.Dims.size())
    return {Outcome::Wrong, "the result has another rank"};
  Ranks Values;
  for (const MaybeTensor &L : locals(Call)) {
    if (!L)
      return {Outcome::Wrong, "shards do not fit"};
    Values.push_back(*L);
  }
  if (!reassembles(Values, *Whole, Made, M))
    return {Outcome::Wrong,
            "the shards of the result are not " + print(Made, Whole->Dims, M)};
  const ShardCounts Counts = countsOf(Made);
  const std::string Wrong =
      Gradients.check({Call, Layouts, Shards, Values, *Whole, Made,
                       X.AsksForSizes ? &Counts : nullptr});
  if (!Wrong.empty())
    return {Outcome::Wrong, Wrong};
  return {Outcome::Accepted};
}

std::optional<std::string> SpecTrial::rightLayout(const SpecCall &Call,
                                                  const ResultTypes &Types) {
  Ranks Values;
  for (const MaybeTensor &L : locals(Call)) {
    if (!L)
      return std::nullopt;
    Values.push_back(*L);
  }
  for (const planner::Layout &L :
       allLayouts(static_cast<unsigned>(Values[0].Dims.size()), M)) {
    bool Fits = true;
    for (AxisId A = 0; A != M.All.size(); ++A)
      Fits &= L.shards(A) == (Types[A] == LocalType::V) &&
              L.isPartial(A) == (Types[A] == LocalType::P);
    if (!Fits)
      continue;
    const MaybeTensor &Whole = whole(Call, L);
    if (Whole && Whole->Dims.size() == L.Dims.size() &&
        reassembles(Values, *Whole, L, M))
      return print(L, Whole->Dims, M);
  }
  return std::nullopt;
}

Outcome SpecTrial::anyResult(const SpecCall &Call, const ResultTypes &Types) {
  if (!X.AsksForSizes && !whole(Call, {}))
    return {};
  if (rightLayout(Call, Types))
    return {Outcome::Accepted, {}};
  return {Outcome::Wrong, "no layout of the result is right"};
}

Outcome SpecTrial::rejected(const SpecCall &Call, const SpecViolation &V,
                            const ResultTypes &Types) {
  Outcome Out{Outcome::Rejected, kindName(V.K).str()};
  if (const auto L = rightLayout(Call, Types)) {
    Out.Right = true;
    Out.Why += " though " + *L;
  }
  return Out;
}

} // namespace spmd::oracle

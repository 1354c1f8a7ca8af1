//===- Strategies.cpp - The ways to run an op on shards -------------------===//
//
// What the rules say of one way is not restated here: each candidate is put to
// factorRuleOf, propagate and applyRule, and kept if all accept it.
//
//===----------------------------------------------------------------------===//

#include "spmd/sharding/Strategy.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;
using namespace spmd::planner;

namespace spmd::sharding {

namespace {

/// What an axis does in an op.
struct Part {
  enum class Kind : std::uint8_t { Replicas, Invariant, Factor, Pending } K;
  unsigned Factor = 0;       ///< Kind::Factor
  std::uint32_t Pending = 0; ///< Kind::Pending: which operands, as bits
};

/// With more axes than two, those of a dim stand in the order of the mesh: all
/// orders would be too many.
bool triesOrders(const DeviceMesh &M) {
  return llvm::count_if(
             M.All, [](const DeviceMesh::Axis &A) { return A.Size > 1; }) <= 2;
}

/// Calls \p Visit with each order of \p Axes that is tried.
template <typename Fn> void eachOrder(Axes Of, const DeviceMesh &M, Fn Visit) {
  llvm::sort(Of);
  do
    Visit(Of);
  while (triesOrders(M) && std::next_permutation(Of.begin(), Of.end()));
}

class Enumeration {
public:
  Enumeration(const Graph &G, const Node &N, const CostModel &Costs)
      : G(G), N(N), Costs(Costs), M(Costs.Mesh), Parts(M.All.size()) {}

  std::vector<Strategy> run() {
    findParts();
    choose(0);
    return std::move(Out);
  }

private:
  void findParts() {
    using K = Part::Kind;
    Options = {{K::Replicas}, {K::Invariant}};
    if (N.Rule)
      addFactors();
    llvm::erase_if(Options, [&](const Part &P) { return !typesFit(P); });
  }

  void addFactors() {
    using K = Part::Kind;
    for (unsigned F = 0; F != N.Rule->Factors.size(); ++F)
      if (!N.Rule->Factors[F].Whole)
        Options.push_back({K::Factor, F});
    std::uint32_t All = 0;
    for (std::size_t I = 0; I != N.Operands.size() && I != 32; ++I)
      if (N.Operands[I].Value) {
        All |= 1u << I;
        Options.push_back({K::Pending, 0, 1u << I});
      }
    if (All & (All - 1))
      Options.push_back({K::Pending, 0, All});
  }

  void choose(AxisIndex A) {
    if (A == M.All.size())
      return order(0);
    if (M.All[A].Size == 1) { // shards nothing, and nobody asks what it is
      Parts[A] = {Part::Kind::Replicas};
      return choose(A + 1);
    }
    for (const Part &P : Options) {
      if (P.K == Part::Kind::Factor && !divides(P.Factor, A))
        continue;
      Parts[A] = P;
      choose(A + 1);
    }
  }

  /// Whether a factor can be divided by \p A and the axes before it.
  bool divides(unsigned F, AxisIndex A) const {
    std::int64_t Ranks = M.All[A].Size;
    for (AxisIndex B = 0; B != A; ++B)
      if (Parts[B].K == Part::Kind::Factor && Parts[B].Factor == F)
        Ranks *= M.All[B].Size;
    return N.Rule->Factors[F].Size.asNumber().value_or(1) % Ranks == 0;
  }

  /// In each order of the axes of each factor.
  void order(unsigned F) {
    if (F == 0)
      OfFactor.assign(N.Rule ? N.Rule->Factors.size() : 0, {});
    if (F == OfFactor.size())
      return consider();
    Axes Mine;
    for (AxisIndex A = 0; A != Parts.size(); ++A)
      if (M.All[A].Size > 1 && Parts[A].K == Part::Kind::Factor &&
          Parts[A].Factor == F)
        Mine.push_back(A);
    eachOrder(Mine, M, [&](const Axes &Order) {
      OfFactor[F] = Order;
      order(F + 1);
    });
  }

  void consider() {
    Strategy S;
    for (std::size_t I = 0; I != N.Operands.size(); ++I)
      S.Wanted.push_back(typeOfOperand(I));
    setMade(S);
    if (!(N.Rule ? specsFit(S) : wholeFits(S)))
      return;
    S.Time = workOf(G, N, S, Costs);
    if (N.Result && !N.isView() && G.Values[*N.Result].Differentiable &&
        G.Values[*N.Result].HasDims)
      S.KeptBytes = localElements(S.Made.Where, G.Values[*N.Result].Sizes, M) *
                    G.Values[*N.Result].ElementBytes;
    findBatch(S);
    Out.push_back(std::move(S));
  }

  ValueType typeOfOperand(std::size_t I) const {
    ValueType T;
    if (!N.Operands[I].Value)
      return T;
    T.Where.Dims.resize(G.Values[*N.Operands[I].Value].Sizes.size());
    if (N.Rule)
      for (std::size_t D = 0; D != N.Rule->Operands[I].size(); ++D)
        for (unsigned F : N.Rule->Operands[I][D])
          T.Where.Dims[D].append(OfFactor[F].begin(), OfFactor[F].end());
    for (AxisIndex A = 0; A != Parts.size(); ++A) {
      if (Parts[A].K == Part::Kind::Invariant)
        T.Invariant.push_back(A);
      if (Parts[A].K == Part::Kind::Pending && (Parts[A].Pending >> I & 1))
        T.Where.Partial.push_back(A);
    }
    return T;
  }

  /// What operand \p I is on an axis that does \p P.
  LocalType typeOf(std::size_t I, const Part &P) const {
    switch (P.K) {
    case Part::Kind::Replicas:
      return LocalType::R;
    case Part::Kind::Invariant:
      return LocalType::I;
    case Part::Kind::Pending:
      return P.Pending >> I & 1 ? LocalType::P : LocalType::R;
    case Part::Kind::Factor:
      return llvm::any_of(N.Rule->Operands[I],
                          [&](const auto &Dim) {
                            return llvm::is_contained(Dim, P.Factor);
                          })
                 ? LocalType::V
                 : LocalType::R;
    }
    llvm_unreachable("a kind of part");
  }

  /// The local rule, which sees one axis at a time; factors that are added up
  /// make a pending sum of a varying result.
  bool typesFit(const Part &P) const {
    if (!N.Op)
      return true;
    constexpr LocalType Made[] = {LocalType::R, LocalType::I, LocalType::V,
                                  LocalType::P};
    const LocalType Expected = Made[static_cast<unsigned>(P.K)];
    llvm::SmallVector<TypeSet, 4> Sets;
    for (std::size_t I = 0; I != N.Operands.size(); ++I)
      Sets.push_back(N.Operands[I].Value ? TypeSet(typeOf(I, P))
                                         : LocalType::R | LocalType::I);
    const TypeSet Is = applyRule(*N.Op->Rule, Sets, N.Op->FormalOf).Output;
    // Random numbers may make an R value differ between ranks.
    return Is.contains(Expected) && (Expected == LocalType::V || Is.isAll() ||
                                     !Is.contains(LocalType::V));
  }

  void setMade(Strategy &S) const {
    for (AxisIndex A = 0; A != Parts.size(); ++A) {
      if (M.All[A].Size == 1)
        continue;
      if (Parts[A].K == Part::Kind::Invariant)
        S.Made.Invariant.push_back(A);
      if (Parts[A].K == Part::Kind::Pending)
        S.Made.Where.Partial.push_back(A);
    }
  }

  bool wholeFits(Strategy &S) const {
    return !N.Result || G.Values[*N.Result].Sizes.empty() ||
           (S.Made.Where.Dims.resize(G.Values[*N.Result].Sizes.size()), true);
  }

  /// The size on a rank of a dim that an argument speaks of: unknown where it
  /// is not an operand's.
  Extent measured(const SizeTerm &T, const Strategy &S) const {
    if (T.Tensor == SlotId::None) {
      auto It = G.Sizes.find(T.Variable);
      return It == G.Sizes.end() ? Extent::variable(T.Variable)
                                 : Extent::number(It->second);
    }
    for (const auto &[Slot, Id] : N.Measured) {
      if (Slot != T.Tensor)
        continue;
      for (std::size_t I = 0; I != N.Operands.size(); ++I) {
        if (N.Operands[I].Value != Id)
          continue;
        const PartitionSpec Spec =
            specOf(S.Wanted[I].Where, G.Values[Id].Sizes);
        const auto D = Spec.dimAt(T.Dim);
        return D ? rules::localSize(Spec.Dims[*D], G.Axes) : Extent();
      }
    }
    return {};
  }

  bool specsFit(Strategy &S) const {
    std::vector<PartitionSpec> Specs(N.Operands.size());
    llvm::SmallVector<const PartitionSpec *, 4> Operands;
    llvm::SmallVector<DimAxes, 4> Pending;
    for (std::size_t I = 0; I != Specs.size(); ++I) {
      const Axes &P = S.Wanted[I].Where.Partial;
      Pending.emplace_back(P.begin(), P.end());
      Operands.push_back(nullptr);
      if (!N.Operands[I].Value)
        continue;
      Specs[I] =
          specOf(S.Wanted[I].Where, G.Values[*N.Operands[I].Value].Sizes);
      if (!isEven(Specs[I]))
        return false;
      Operands.back() = &Specs[I];
    }
    const auto SizeOf = [&](const SizeTerm &T) { return measured(T, S); };
    const ShapedCall Call{N.Op->Rule,      N.Op->FormalOf, Operands,
                          N.Op->Arguments, SizeOf,         &G.Axes};
    FactorRuleOr Here = factorRuleOf(Call);
    if (std::holds_alternative<SpecViolation>(Here))
      return false;
    const FactorRule *Rule = std::get_if<FactorRule>(&Here);
    const bool IsKnown = N.Result && G.Values[*N.Result].HasDims;
    if (!IsKnown && llvm::any_of(Parts, [](const Part &P) {
          return P.K == Part::Kind::Factor || P.K == Part::Kind::Pending;
        }))
      return false; // nobody could say what becomes of them
    DimAxes Added;
    for (AxisIndex A = 0; A != Parts.size(); ++A)
      if (Parts[A].K == Part::Kind::Factor && M.All[A].Size > 1 &&
          N.Rule->isContracted(Parts[A].Factor))
        Added.push_back(A);
    auto Result = propagate(Rule ? *Rule : *N.Rule, Call, Added, Pending);
    const auto *Fits = std::get_if<Propagation>(&Result);
    if (!Fits || !IsKnown)
      return Fits;
    if (Fits->Result.rank() != G.Values[*N.Result].Sizes.size() ||
        !isEven(Fits->Result))
      return false;
    S.Made.Where.Dims.clear();
    for (const ShardedDim &D : Fits->Result.Dims)
      S.Made.Where.Dims.emplace_back(D.Axes.begin(), D.Axes.end());
    S.Added.assign(Added.begin(), Added.end());
    for (AxisId A : Added)
      S.Made.Where.Partial.push_back(A);
    llvm::sort(S.Made.Where.Partial);
    // A factor that the result does not have makes nothing of its shards.
    for (AxisIndex A = 0; A != Parts.size(); ++A)
      if (Parts[A].K == Part::Kind::Factor && M.All[A].Size > 1 &&
          S.Made.on(A) == LocalType::R)
        return false;
    return true;
  }

  bool isEven(const PartitionSpec &S) const {
    return llvm::all_of(S.Dims, [&](const ShardedDim &D) {
      return rules::isEven(D, G.Axes) != SameSize::No;
    });
  }

  void findBatch(Strategy &S) const {
    std::optional<unsigned> Batch;
    for (std::size_t I = 0; N.Rule && I != N.Operands.size(); ++I) {
      if (!N.Operands[I].Value)
        continue;
      const std::optional<unsigned> D = G.Values[*N.Operands[I].Value].BatchDim;
      if (D && *D < N.Rule->Operands[I].size() &&
          !N.Rule->Operands[I][*D].empty())
        Batch = N.Rule->Operands[I][*D].front();
    }
    for (AxisIndex A = 0; A != Parts.size(); ++A) {
      if (M.All[A].Size == 1)
        continue;
      S.OnlyBatch &= Parts[A].K == Part::Kind::Replicas ||
                     Parts[A].K == Part::Kind::Invariant ||
                     (Parts[A].K == Part::Kind::Factor && Batch &&
                      Parts[A].Factor == *Batch);
    }
    S.HasBatch = Batch.has_value();
    if (Batch)
      S.OfBatch = OfFactor[*Batch];
  }

  const Graph &G;
  const Node &N;
  const CostModel &Costs;
  const DeviceMesh &M;
  std::vector<Part> Options;
  std::vector<Part> Parts;    ///< by axis
  std::vector<Axes> OfFactor; ///< outermost first
  std::vector<Strategy> Out;
};

void placeAxes(ValueType &T, AxisIndex A, const Shape &Sizes,
               const DeviceMesh &M, bool AnyOrder,
               std::vector<ValueType> &Out) {
  if (A == M.All.size()) {
    Out.push_back(T);
    return;
  }
  placeAxes(T, A + 1, Sizes, M, AnyOrder, Out);
  if (M.All[A].Size == 1)
    return;
  T.Invariant.push_back(A);
  placeAxes(T, A + 1, Sizes, M, AnyOrder, Out);
  T.Invariant.pop_back();
  for (std::size_t D = 0; D != Sizes.size(); ++D) {
    Axes &Here = T.Where.Dims[D];
    if (Sizes[D] % (std::int64_t(M.sizeOf(Here)) * M.All[A].Size) != 0)
      continue;
    for (std::size_t At = Here.size() + 1;
         At-- != (AnyOrder ? 0 : Here.size());) {
      Here.insert(Here.begin() + At, A);
      placeAxes(T, A + 1, Sizes, M, AnyOrder, Out);
      Here.erase(Here.begin() + At);
    }
  }
}

} // namespace

std::vector<Strategy> strategiesOf(const Graph &G, const Node &N,
                                   const CostModel &Costs) {
  return Enumeration(G, N, Costs).run();
}

std::vector<ValueType> storedTypes(const Shape &Sizes, const DeviceMesh &M,
                                   bool AnyOrder) {
  ValueType T;
  T.Where.Dims.resize(Sizes.size());
  std::vector<ValueType> Out;
  placeAxes(T, 0, Sizes, M, AnyOrder || triesOrders(M), Out);
  return Out;
}

} // namespace spmd::sharding

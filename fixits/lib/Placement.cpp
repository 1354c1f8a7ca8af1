//===- Placement.cpp - Values of global code, and how they move -----------===//

#include "Placement.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::fixits {

std::optional<Placement> Placement::of(const ValueLayout &L) {
  if (!L.Spec)
    return std::nullopt;
  return Placement{*L.Spec, L.Types};
}

std::optional<LocalType> Placement::typeOn(AxisId A) const {
  if (Spec.dimOf(A))
    return LocalType::V;
  if (A >= Types.size() || !Types[A].Set.isSingle() ||
      Types[A].Set == TypeSet(LocalType::V))
    return std::nullopt;
  return Types[A].Set.single();
}

void Placement::shard(AxisId A, unsigned Dim) {
  axes(Dim).push_back(A);
  Types[A] = {LocalType::V, static_cast<int>(Dim)};
}

void Placement::unshard(AxisId A, LocalType T) {
  for (ShardedDim &D : Spec.Dims)
    llvm::erase(D.Axes, A);
  Types[A] = {T, std::nullopt};
}

bool Placement::sameAs(const Placement &Other) const {
  for (unsigned D = 0; D != Spec.rank(); ++D)
    if (axes(D) != Other.axes(D))
      return false;
  for (AxisId A = 0; A != Types.size(); ++A)
    if (!Spec.dimOf(A) && !(Types[A].Set == Other.Types[A].Set))
      return false;
  return true;
}

std::optional<TypeSpec> typeSpecOf(const Placement &P, const AxisTable &Mesh) {
  TypeSpec Out;
  Out.Global.emplace();
  for (unsigned D = 0; D != P.Spec.rank(); ++D) {
    const Extent &Size = P.Spec.Dims[D].Size;
    if (Size.isKnown() && !(Extent::parse(Size.str()) == Size))
      return std::nullopt;
    DimSpec &Dim = Out.Global->Dims.emplace_back();
    Dim.Extent = Size.str();
    for (AxisId A : P.axes(D)) {
      Dim.Axes.push_back(Mesh.All[A].Name);
      Out.Axes.push_back(
          {Mesh.All[A].Name, {LocalType::V, static_cast<int>(D)}, 0});
    }
  }
  for (AxisId A = 0; A != P.Types.size(); ++A)
    if (const auto T = P.typeOn(A); T && *T != LocalType::V)
      Out.Axes.push_back({Mesh.All[A].Name, {*T, std::nullopt}, 0});
  return Out;
}

namespace {

bool isPrefix(llvm::ArrayRef<AxisId> A, llvm::ArrayRef<AxisId> Of) {
  return A.size() <= Of.size() && Of.take_front(A.size()) == A;
}

/// Makes the moves, those first that leave the least to move.
class Mover {
public:
  Mover(const Placement &From, const Placement &To, const AxisTable &Mesh)
      : Now(From), To(To), Mesh(Mesh) {}

  std::optional<std::vector<Move>> run() {
    while (reduce() || slice() || exchange() || gather())
      if (Out.size() > MostMoves)
        return std::nullopt;
    if (!retype())
      return std::nullopt;
    return Now.sameAs(To) ? std::optional(std::move(Out)) : std::nullopt;
  }

private:
  static constexpr std::size_t MostMoves = 12;

  /// The dim of the target that the axis shards next; nothing while others are
  /// in the way.
  std::optional<unsigned> next(AxisId A) const {
    const std::optional<unsigned> D = To.Spec.dimOf(A);
    if (!D || Now.axes(*D).size() >= To.axes(*D).size() ||
        !isPrefix(Now.axes(*D), To.axes(*D)) ||
        To.axes(*D)[Now.axes(*D).size()] != A)
      return std::nullopt;
    return D;
  }
  static Atom at(unsigned Dim) { return {LocalType::V, static_cast<int>(Dim)}; }
  bool make(OperatorKind Op, AxisId A, Atom From, Atom Into) {
    const Transition *Row = findTransition(Op, From.Type, Into.Type);
    if (!Row || !Row->KeepsMeaning || Row->ExpertOnly)
      return false;
    Now.unshard(A, Into.Type);
    if (Into.ShardDim)
      Now.shard(A, static_cast<unsigned>(*Into.ShardDim));
    Out.push_back({{Row, From, Into, Mesh.All[A].Name}, Now});
    return true;
  }
  bool anyOf(llvm::function_ref<bool(AxisId)> Makes) const {
    for (AxisId A = 0; A != Now.Types.size(); ++A)
      if (Makes(A))
        return true;
    return false;
  }

  bool reduce() {
    return anyOf([&](AxisId A) {
      if (Now.typeOn(A) != LocalType::P)
        return false;
      const Atom P{LocalType::P, std::nullopt};
      if (const auto D = next(A))
        return make(OperatorKind::ReduceScatter, A, P, at(*D));
      const auto Into = To.typeOn(A);
      return Into && (*Into == LocalType::R || *Into == LocalType::I) &&
             make(OperatorKind::AllReduce, A, P, {*Into, std::nullopt});
    });
  }
  bool slice() {
    return anyOf([&](AxisId A) {
      const auto Is = Now.typeOn(A);
      const auto D = next(A);
      return D && (Is == LocalType::R || Is == LocalType::I) &&
             make(OperatorKind::Convert, A, {*Is, std::nullopt}, at(*D));
    });
  }
  /// An axis at a minor end, which has to go from there.
  std::optional<unsigned> endsWrongly(AxisId A) const {
    const std::optional<unsigned> D = Now.Spec.dimOf(A);
    return D && Now.axes(*D).back() == A && !isPrefix(Now.axes(*D), To.axes(*D))
               ? D
               : std::nullopt;
  }
  bool exchange() {
    return anyOf([&](AxisId A) {
      const auto From = endsWrongly(A), Into = next(A);
      return From && Into && *From != *Into &&
             make(OperatorKind::AllToAll, A, at(*From), at(*Into));
    });
  }
  bool gather() {
    return anyOf([&](AxisId A) {
      const auto From = endsWrongly(A);
      const LocalType Into =
          To.typeOn(A) == LocalType::I ? LocalType::I : LocalType::R;
      return From &&
             make(OperatorKind::AllGather, A, at(*From), {Into, std::nullopt});
    });
  }
  /// What shards nothing becomes the type that is wanted.
  bool retype() {
    for (AxisId A = 0; A != Now.Types.size(); ++A) {
      const auto Is = Now.typeOn(A), Wanted = To.typeOn(A);
      if (!Is || !Wanted || *Is == *Wanted)
        continue;
      for (const Step &S : findPath(*Is, *Wanted))
        if (!make(S.Row->Op, A, S.from(), S.to()))
          return false;
      if (Now.typeOn(A) != Wanted)
        return false;
    }
    return true;
  }

  Placement Now;
  const Placement &To;
  const AxisTable &Mesh;
  std::vector<Move> Out;
};

} // namespace

std::optional<std::vector<Move>> movesBetween(const Placement &From,
                                              const Placement &To,
                                              const AxisTable &Mesh) {
  return Mover(From, To, Mesh).run();
}

std::vector<Placement> placementsOn(const Placement &From,
                                    llvm::ArrayRef<AxisId> Over,
                                    LocalType Whole) {
  Placement Bare = From;
  for (AxisId A : Over)
    if (From.Spec.dimOf(A))
      Bare.unshard(A, Whole);
  std::vector<Placement> Out = {std::move(Bare)};
  for (AxisId A : Over)
    // Each one at each place in each dim; what was made is no longer seen.
    for (std::size_t I = 0, E = Out.size(); I != E; ++I)
      for (unsigned D = 0; D != From.Spec.rank(); ++D)
        for (std::size_t At = 0; At <= Out[I].axes(D).size(); ++At) {
          Placement P = Out[I];
          P.Types[A] = {LocalType::V, static_cast<int>(D)};
          P.axes(D).insert(P.axes(D).begin() + static_cast<std::ptrdiff_t>(At),
                           A);
          Out.push_back(std::move(P));
        }
  return Out;
}

} // namespace spmd::fixits

//===- Reshape.cpp - Terms that split and join dims -----------------------===//
//
// A program asks for sizes on its rank. Dims whose sizes have the same product
// on both sides are one group: a dim that is split, some that are joined, or
// one that stays. What is in no such group is needed whole.
//
//===----------------------------------------------------------------------===//

#include "RuleBuilder.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::global {

namespace {

using Tensor = RuleBuilder::Tensor;
using Dim = RuleBuilder::Dim;

class Reshaper {
public:
  /// \p Source is a part of the operand's dims, which begins at \p First.
  Reshaper(RuleBuilder &B, const Tensor &Source,
           llvm::ArrayRef<AskedSize> Asked, unsigned First = 0)
      : B(B), Source(Source) {
    for (const Dim &D : Source) {
      const ShardedDim *S = B.shardsOf(D);
      Whole.push_back(S ? *S : ShardedDim{Extent::number(1), {}});
      Extent Size = D.empty() ? Extent::number(1) : B.localSize(Whole.back());
      // What is not known may be the same on both sides.
      if (!Size.isKnown())
        Size = unknownSize(First + static_cast<unsigned>(Local.size()));
      Local.push_back(std::move(Size));
    }
    Extent Rest = product(Local, 0, Local.size());
    for (const AskedSize &A : Asked)
      if (!A.Rest)
        Rest = Rest / A.Size;
    for (const AskedSize &A : Asked)
      Target.push_back(A.Rest ? Rest : A.Size);
  }

  Tensor run() {
    unsigned I = 0, J = 0;
    while (I != Local.size() || J != Target.size()) {
      if (J != Target.size() && Target[J].isOne() && !isOne(I)) {
        Out.push_back({});
        ++J;
      } else if (I != Local.size() && Source[I].empty() &&
                 (J == Target.size() || !Target[J].isOne() ||
                  onesAsked(J) <= onesSharded(I))) {
        ++I;
      } else {
        auto [NextI, NextJ] = groupAt(I, J);
        // Of more dims that have size one here than are asked for, the first
        // are joined.
        if (NextI - I == 1 && NextJ - J == 1 && isOne(I))
          for (std::size_t More = onesSharded(I);
               More > onesAsked(J) && isOne(NextI); ++NextI)
            More -= !Source[NextI].empty();
        group(I, NextI, J, NextJ);
        I = NextI;
        J = NextJ;
      }
    }
    // What is one on a rank and goes is not added up.
    for (const Dim &D : Source)
      for (unsigned F : D)
        if (llvm::none_of(
                Out, [&](const Dim &To) { return llvm::is_contained(To, F); }))
          B.factor(F).Whole = true;
    return std::move(Out);
  }

private:
  static Extent product(llvm::ArrayRef<Extent> Of, std::size_t From,
                        std::size_t To) {
    Extent Out = Extent::number(1);
    for (std::size_t I = From; I != To; ++I)
      Out = Out * Of[I];
    return Out;
  }
  bool isOne(unsigned I) const { return I != Local.size() && Local[I].isOne(); }
  /// How many dims of size one are asked for from \p J on, and how many dims
  /// from \p I on have size one on this rank only.
  std::size_t onesAsked(unsigned J) const {
    std::size_t Out = 0;
    while (J + Out != Target.size() && Target[J + Out].isOne())
      ++Out;
    return Out;
  }
  std::size_t onesSharded(unsigned I) const {
    std::size_t Out = 0;
    for (; isOne(I); ++I)
      Out += !Source[I].empty();
    return Out;
  }
  bool isSharded(unsigned I) const { return !Whole[I].Axes.empty(); }

  /// The end of the smallest group that begins at the two dims.
  std::pair<unsigned, unsigned> groupAt(unsigned I, unsigned J) const {
    const auto NumI = static_cast<unsigned>(Local.size());
    const auto NumJ = static_cast<unsigned>(Target.size());
    for (unsigned Length = 2; Length <= NumI - I + NumJ - J; ++Length)
      for (unsigned M = 1; M != Length; ++M) {
        const unsigned N = Length - M;
        if (I + M <= NumI && J + N <= NumJ &&
            compare(product(Local, I, I + M), product(Target, J, J + N)) ==
                SameSize::Yes)
          return {I + M, J + N};
      }
    return {NumI, NumJ};
  }

  /// Whether the products are the same. Those of what is left must be, as no
  /// view changes how many elements there are.
  bool isGroup(unsigned I, unsigned NextI, unsigned J, unsigned NextJ) const {
    const SameSize Same =
        compare(product(Local, I, NextI), product(Target, J, NextJ));
    const bool IsRest = NextI == Local.size() && NextJ == Target.size();
    const bool OfOne = NextI - I == 1 || NextJ - J == 1;
    for (unsigned K = I; K != NextI; ++K)
      if (isEven(Whole[K], *B.call().Axes) == SameSize::No)
        return Same == SameSize::Yes; // each rank has another rest
    return Same == SameSize::Yes ||
           (Same == SameSize::Unknown && IsRest && OfOne);
  }

  void group(unsigned I, unsigned NextI, unsigned J, unsigned NextJ) {
    // Of nothing, {3, -1} makes 3 and a third.
    if (!isGroup(I, NextI, J, NextJ) || (I == NextI && NextJ - J != 1))
      return B.undecided("the sizes of its dims");
    if (NextI - I == 1 && NextJ - J == 1)
      return Out.push_back(Source[I]);
    if (const auto Uneven = unevenIn(I, NextI, J, NextJ)) {
      // Which dims of the rank's part go together is not known either.
      if (B.call().HasLoose)
        return B.undecided("the sizes of its dims");
      SpecViolation V;
      V.K = SpecViolation::Kind::Uneven;
      V.Factor = Source[*Uneven][0];
      V.Axis = Whole[*Uneven].Axes.back();
      return B.wrong(std::move(V));
    }
    if (NextI - I == 1)
      splitDim(I, J, NextJ);
    else if (NextJ - J == 1)
      joinDims(I, NextI);
    else
      regroup(I, NextI, J, NextJ);
  }

  /// A dim of which ranks have more or less, where the call asks all for the
  /// same: only -1 in front can stand for the outermost.
  std::optional<unsigned> unevenIn(unsigned I, unsigned NextI, unsigned J,
                                   unsigned NextJ) const {
    while (J + 1 < NextJ && Target[J].isOne())
      ++J;
    const bool Follows = J != NextJ && !told(Target[J]).isKnown();
    const bool Regroups = NextI - I > 1 && NextJ - J > 1;
    unsigned Outer = I;
    while (Outer + 1 != NextI && isOne(Outer))
      ++Outer;
    for (unsigned K = I; K != NextI; ++K)
      if (isSharded(K) && isEven(Whole[K], *B.call().Axes) == SameSize::No &&
          (K != Outer || !Follows || Regroups) && NextJ != J)
        return K;
    return std::nullopt;
  }

  void splitDim(unsigned I, unsigned J, unsigned NextJ) {
    llvm::SmallVector<unsigned, 4> Real;
    for (unsigned K = J; K != NextJ; ++K)
      if (!Target[K].isOne())
        Real.push_back(K);
    if (Real.size() > 1 && Source[I].size() != 1)
      return regroup(I, I + 1, J, NextJ);
    llvm::SmallVector<unsigned, 4> Parts;
    for (unsigned K = J; K != NextJ; ++K) {
      if (Target[K].isOne() && !Real.empty())
        Out.push_back({});
      else if (Real.size() < 2)
        Out.push_back(K == J || !Real.empty() ? Source[I] : Dim());
      else {
        // The outermost part has the shards.
        Parts.push_back(B.add(Parts.empty() ? outerSize(I, Real) : Target[K]));
        Out.push_back({Parts.back()});
      }
    }
    if (!Parts.empty())
      B.split(Source[I][0], Parts);
  }

  /// What is left of all of dim \p I when the other parts are taken off.
  Extent outerSize(unsigned I, llvm::ArrayRef<unsigned> Parts) {
    Extent Size = Whole[I].Size;
    for (unsigned K : Parts.drop_front())
      Size = Size / told(Target[K]);
    // A rank that has less would ask for the same.
    const bool Asks = isSharded(I) && told(Target[Parts.front()]).isKnown() &&
                      isEven(Whole[I], *B.call().Axes) == SameSize::No;
    if (!Asks && (!Size.isNumeric() || Size.asNumber()))
      return Size;
    // No whole tensor has such dims; ranks with less do not either.
    SpecViolation V;
    V.K = SpecViolation::Kind::Uneven;
    V.Factor = Source[I][0];
    if (isSharded(I))
      V.Axis = Whole[I].Axes.back();
    else
      B.undecided("the sizes of its dims");
    B.wrong(std::move(V));
    return {};
  }

  void joinDims(unsigned I, unsigned NextI) {
    Dim All;
    for (unsigned K = I; K != NextI; ++K)
      All.append(Source[K].begin(), Source[K].end());
    Out.push_back(std::move(All));
  }

  /// Sizes without a common structure. What ranks have of the outermost dim is
  /// still one after another; of others it is not.
  void regroup(unsigned I, unsigned NextI, unsigned J, unsigned NextJ) {
    while (I + 1 != NextI && Source[I].empty())
      ++I;
    for (unsigned K = I; K != NextI; ++K) {
      const bool Numeric = Local[K].isNumeric();
      if (isSharded(K) && (K != I || Source[K].size() != 1) && !Numeric)
        return B.undecided("the sizes of its dims");
      if (K != I || Source[K].size() != 1)
        B.needWhole(Source[K]);
    }
    Dim Outer;
    if (isSharded(I) && Source[I].size() == 1) {
      Outer = {B.add(B.call().Axes->size(Whole[I].Axes)),
               B.add(Local[I], /*Whole=*/true)};
      B.split(Source[I][0], Outer);
      Outer.pop_back();
    } else {
      B.needWhole(Source[I]);
    }
    for (unsigned K = J; K != NextJ; ++K) {
      Dim Made;
      if (!Target[K].isOne()) {
        std::swap(Made, Outer); // the first real one has it
        Made.push_back(B.add(Target[K], /*Whole=*/true));
      }
      Out.push_back(std::move(Made));
    }
  }

  RuleBuilder &B;
  const Tensor &Source;
  llvm::SmallVector<ShardedDim, 4> Whole;
  llvm::SmallVector<Extent, 4> Local, Target;
  Tensor Out;
};

void flatten(RuleBuilder &B, Tensor Dims) {
  const auto Rank = static_cast<unsigned>(Dims.size());
  if (Rank == 0)
    return B.result({Dim()});
  // Without parameters, all of it.
  const std::size_t Given = B.shape().Parameters.size();
  const unsigned First = Given > 0 ? B.dim(0, Rank) : 0,
                 Last = Given > 1 ? B.dim(1, Rank) : Rank - 1;
  if (B.failed())
    return;
  if (First > Last)
    return B.undecided("start_dim");
  Dim Joined;
  for (unsigned D = First; D <= Last; ++D)
    Joined.append(Dims[D].begin(), Dims[D].end());
  Dims.erase(Dims.begin() + First, Dims.begin() + Last + 1);
  Dims.insert(Dims.begin() + First, Joined);
  B.result(std::move(Dims));
}

void unflatten(RuleBuilder &B, Tensor Dims) {
  const unsigned D = B.dim(0, static_cast<unsigned>(Dims.size()));
  const auto Asked = B.sizes(1);
  if (B.failed())
    return;
  const Tensor One = {Dims[D]};
  const Tensor Parts = Reshaper(B, One, Asked, D).run();
  Dims.erase(Dims.begin() + D);
  Dims.insert(Dims.begin() + D, Parts.begin(), Parts.end());
  B.result(std::move(Dims));
}

/// view_as: nobody says how the sizes came about; equal dims stay.
void like(RuleBuilder &B) {
  if (B.tensors().size() != 2)
    return B.undecided("the shape of the other tensor");
  const unsigned Last = B.tensors().back();
  const Tensor Source = B.separate(B.tensors().front());
  llvm::SmallVector<AskedSize, 4> Asked;
  for (const ShardedDim &D : B.spec(Last).Dims)
    Asked.push_back({false, B.localSize(D), std::nullopt});
  Tensor Out = Reshaper(B, Source, Asked).run();
  // Which ranks have a dim of the other does not matter where it stays as it
  // is.
  Tensor Given = Out;
  for (unsigned D = 0;
       D != std::min<std::size_t>(Out.size(), B.spec(Last).rank()); ++D) {
    const ShardedDim *Stays = B.shardsOf(Out[D]), &Other = B.spec(Last).Dims[D];
    if (Stays && Stays->Axes != Other.Axes &&
        compare(Stays->Size, Other.Size) == SameSize::Yes &&
        compare(B.localSize(*Stays), B.localSize(Other)) == SameSize::Yes)
      Given[D] = {};
  }
  B.operand(Last) = std::move(Given);
  B.result(std::move(Out));
}

} // namespace

void buildReshape(RuleBuilder &B, ShapeTerm T) {
  if (T == ShapeTerm::Like)
    return like(B);
  Tensor Dims = B.aligned();
  if (B.failed())
    return;
  if (T == ShapeTerm::Flatten)
    return flatten(B, std::move(Dims));
  if (T == ShapeTerm::Unflatten)
    return unflatten(B, std::move(Dims));
  const auto Asked = B.sizes(0);
  if (B.failed())
    return;
  B.result(Reshaper(B, Dims, Asked).run());
}

} // namespace spmd::rules::global

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
  Reshaper(RuleBuilder &B, const Tensor &Source,
           llvm::ArrayRef<AskedSize> Asked)
      : B(B), Source(Source) {
    for (const Dim &D : Source) {
      const ShardedDim *S = B.shardsOf(D);
      Whole.push_back(S ? *S : ShardedDim{Extent::number(1), {}});
      Local.push_back(localSize(Whole.back(), *B.call().Axes));
    }
    Extent Rest = product(Local, 0, Local.size());
    for (const AskedSize &A : Asked)
      if (!A.Rest)
        Rest = Rest / A.Size;
    for (const AskedSize &A : Asked)
      Target.push_back(A.Rest ? Rest : A.Size);
    if (llvm::count_if(Asked, [](const AskedSize &A) { return A.Rest; }) == 1)
      guessRest(Asked);
  }

  Tensor run() {
    unsigned I = 0, J = 0;
    while (I != Local.size() || J != Target.size()) {
      if (J != Target.size() && Target[J].isOne() && !isOne(I)) {
        Out.push_back({});
        ++J;
      } else if (I != Local.size() && Source[I].empty() &&
                 (J == Target.size() || !Target[J].isOne())) {
        ++I;
      } else {
        const auto [NextI, NextJ] = groupAt(I, J);
        group(I, NextI, J, NextJ);
        I = NextI;
        J = NextJ;
      }
    }
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

  /// Unknown sizes on one side and -1 on the other: when all but one dim are
  /// the same, from the front and from the back, the last is too.
  void guessRest(llvm::ArrayRef<AskedSize> Asked) {
    if (Asked.size() != Local.size())
      return;
    for (std::size_t I = 0; I != Asked.size(); ++I)
      if (!Asked[I].Rest && compare(Local[I], Asked[I].Size) != SameSize::Yes)
        return;
    for (std::size_t I = 0; I != Asked.size(); ++I)
      if (Asked[I].Rest && !Target[I].isKnown())
        Same = I;
  }

  bool isOne(unsigned I) const { return I != Local.size() && Local[I].isOne(); }

  /// The end of the smallest group that begins at the two dims.
  std::pair<unsigned, unsigned> groupAt(unsigned I, unsigned J) const {
    const auto NumI = static_cast<unsigned>(Local.size());
    const auto NumJ = static_cast<unsigned>(Target.size());
    if (Same && I == *Same && J == *Same)
      return {I + 1, J + 1};
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

  void group(unsigned I, unsigned NextI, unsigned J, unsigned NextJ) {
    if (NextI - I == 1 && NextJ - J == 1)
      Out.push_back(Source[I]);
    else if (NextI - I == 1 && NextJ - J > 1)
      splitDim(I, J, NextJ);
    else if (NextJ - J == 1)
      joinDims(I, NextI, J);
    else
      regroup(I, NextI, J, NextJ);
  }

  void splitDim(unsigned I, unsigned J, unsigned NextJ) {
    if (Source[I].size() != 1)
      return regroup(I, I + 1, J, NextJ);
    llvm::SmallVector<unsigned, 4> Parts;
    for (unsigned K = J; K != NextJ; ++K) {
      if (Target[K].isOne()) {
        Out.push_back({});
        continue;
      }
      // The outermost part has the shards.
      const Extent Size = Parts.empty()
                              ? Target[K] * B.call().Axes->size(Whole[I].Axes)
                              : Target[K];
      Parts.push_back(B.add(Size));
      Out.push_back({Parts.back()});
    }
    B.split(Source[I][0], Parts);
  }

  void joinDims(unsigned I, unsigned NextI, unsigned J) {
    Dim All;
    for (unsigned K = I; K != NextI; ++K)
      All.append(Source[K].begin(), Source[K].end());
    // Sizes that are not known cannot be seen to be joined.
    if (!Target[J].isKnown() && llvm::any_of(All, [&](unsigned F) {
          return !B.factor(F).Size.isKnown();
        }))
      return regroup(I, NextI, J, J + 1);
    Out.push_back(std::move(All));
  }

  /// Sizes without a common structure, or of which nobody knows it.
  void regroup(unsigned I, unsigned NextI, unsigned J, unsigned NextJ) {
    const auto IsNumber = [](const Extent &E) { return E.isNumeric(); };
    if (!llvm::all_of(llvm::ArrayRef(Local).slice(I, NextI - I), IsNumber) ||
        !llvm::all_of(llvm::ArrayRef(Target).slice(J, NextJ - J), IsNumber))
      B.undecided("the sizes of its dims");
    for (unsigned K = I; K != NextI; ++K)
      B.needWhole(Source[K]);
    for (unsigned K = J; K != NextJ; ++K)
      Out.push_back({B.add(Target[K], /*Whole=*/true)});
  }

  RuleBuilder &B;
  const Tensor &Source;
  llvm::SmallVector<ShardedDim, 4> Whole;
  llvm::SmallVector<Extent, 4> Local, Target;
  std::optional<std::size_t> Same;
  Tensor Out;
};

bool isUneven(const RuleBuilder &B, const Dim &D) {
  const ShardedDim *S = B.shardsOf(D);
  return S && isEven(*S, *B.call().Axes) == SameSize::No;
}

/// An uneven dim may be what -1 stands for, when all others stay too.
std::optional<Tensor> keepDims(const RuleBuilder &B, llvm::ArrayRef<Dim> Dims,
                               llvm::ArrayRef<AskedSize> Asked) {
  const auto Keeps = [&](const Dim &D, const AskedSize &A) {
    const ShardedDim *S = B.shardsOf(D);
    return A.Rest ? isUneven(B, D)
                  : S && compare(localSize(*S, *B.call().Axes), A.Size) ==
                             SameSize::Yes;
  };
  const auto IsOne = [](const Dim &D) { return D.empty(); };
  Tensor Out;
  for (const AskedSize &A : Asked) {
    if (!A.Rest && A.Size.isOne()) {
      Out.push_back({});
      continue;
    }
    Dims = Dims.drop_while(IsOne);
    if (Dims.empty() || !Keeps(Dims.front(), A))
      return std::nullopt;
    Out.push_back(Dims.front());
    Dims = Dims.drop_front();
  }
  return Dims.drop_while(IsOne).empty() ? std::optional(Out) : std::nullopt;
}

/// With uneven shards the ranks see different sizes, and no other fits them
/// all.
std::optional<Tensor> reshaped(RuleBuilder &B, const Tensor &Dims,
                               llvm::ArrayRef<AskedSize> Asked) {
  const auto *Uneven =
      llvm::find_if(Dims, [&](const Dim &D) { return isUneven(B, D); });
  if (Uneven == Dims.end())
    return Reshaper(B, Dims, Asked).run();
  if (std::optional<Tensor> Out = keepDims(B, Dims, Asked))
    return Out;
  SpecViolation V;
  V.K = SpecViolation::Kind::Uneven;
  V.Factor = Uneven->front();
  V.Axis = B.shardsOf(*Uneven)->Axes.back();
  B.wrong(std::move(V));
  return std::nullopt;
}

void flatten(RuleBuilder &B, Tensor Dims) {
  const auto Rank = static_cast<unsigned>(Dims.size());
  if (Rank == 0)
    return B.result({Dim()});
  const unsigned First = B.dim(0, Rank), Last = B.dim(1, Rank);
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
  const std::optional<Tensor> Parts = reshaped(B, One, Asked);
  if (!Parts)
    return;
  Dims.erase(Dims.begin() + D);
  Dims.insert(Dims.begin() + D, Parts->begin(), Parts->end());
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
    Asked.push_back({false, localSize(D, *B.call().Axes), std::nullopt});
  Tensor Out = Reshaper(B, Source, Asked).run();
  B.operand(Last) = Out;
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
  if (std::optional<Tensor> Out = reshaped(B, Dims, Asked))
    B.result(std::move(*Out));
}

} // namespace spmd::rules::global

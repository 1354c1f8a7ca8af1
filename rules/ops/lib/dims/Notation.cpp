//===- Notation.cpp - Factor notation and einsum --------------------------===//

#include "RuleBuilder.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace spmd::rules::global {

namespace {

using Tensor = RuleBuilder::Tensor;
using Dim = RuleBuilder::Dim;

/// The dims that a tensor has besides those of `...`.
unsigned fixedRank(const FactorTensor &T) {
  return static_cast<unsigned>(llvm::count_if(
      T, [](const FactorDim &D) { return D.K != FactorDim::Kind::Ellipsis; }));
}

bool fits(const FactorTensor &T, unsigned Rank) {
  const unsigned Fixed = fixedRank(T);
  return Fixed == T.size() ? Rank == Fixed : Rank >= Fixed;
}

/// Gives one alternative the dims of the call.
class Instance {
public:
  /// \p InOrder: the tensors are the operands in their order.
  Instance(RuleBuilder &B, const FactorNotation &N, bool InOrder = false)
      : B(B), N(N), InOrder(InOrder) {}

  void run() {
    batchDims();
    for (unsigned I : B.tensors())
      operand(I);
    solveParts();
    const llvm::DenseSet<unsigned> OfOperands = Seen;
    // Which of several results the call is about is not known.
    if (N.Results.empty() || !llvm::all_equal(N.Results))
      return;
    Tensor Out;
    for (const FactorDim &D : N.Results[0])
      if (D.K == FactorDim::Kind::Ellipsis)
        Out.append(Batch.begin(), Batch.end());
      else
        Out.push_back(resultDim(D, OfOperands));
    B.result(std::move(Out));
  }

private:
  const FactorTensor &notation(unsigned I) const {
    if (InOrder)
      return N.Operands[llvm::find(B.tensors(), I) - B.tensors().begin()];
    return N.Operands[B.position(I)];
  }

  /// `...` of all operands is aligned at the right, as in broadcasting.
  void batchDims() {
    for (unsigned I : B.tensors())
      Batch.resize(std::max<std::size_t>(Batch.size(), numBatch(I)));
  }
  std::size_t numBatch(unsigned I) const {
    const unsigned Fixed = fixedRank(notation(I));
    return Fixed == notation(I).size() ? 0 : B.spec(I).rank() - Fixed;
  }

  void operand(unsigned I) {
    const PartitionSpec &S = B.spec(I);
    B.operand(I).resize(S.rank());
    unsigned D = 0;
    for (const FactorDim &Written : notation(I)) {
      if (Written.K == FactorDim::Kind::Ellipsis) {
        const std::size_t Num = numBatch(I);
        for (std::size_t K = Batch.size() - Num; K != Batch.size(); ++K)
          batchDim(I, D++, Batch[K]);
        continue;
      }
      if (Written.K == FactorDim::Kind::One) {
        // Most ranks have none of a sharded one.
        if (!S.Dims[D].Axes.empty())
          B.operand(I)[D] = {B.add(S.Dims[D].Size, /*Whole=*/true)};
        ++D;
        continue;
      }
      Dim Out;
      for (const FactorUse &Use : Written.Factors)
        Out.push_back(factor(Use));
      if (Out.size() == 1 && S.Dims[D].isOne()) {
        ++D; // broadcast, if another operand has more
        continue;
      }
      Sized.insert(Out.begin(), Out.end());
      if (Out.size() > 1)
        Compound.push_back({I, D});
      else
        B.checkSize(I, D, Out[0],
                    FirstOperand.try_emplace(Out[0], I).first->second);
      B.operand(I)[D++] = std::move(Out);
    }
  }

  void batchDim(unsigned I, unsigned D, Dim &Shared) {
    const ShardedDim &Here = B.spec(I).Dims[D];
    if (Here.isOne())
      return;
    if (Shared.empty()) {
      Shared = {B.add(Here.Size)};
      FirstOperand[Shared[0]] = I;
    }
    B.checkSize(I, D, Shared[0], FirstOperand[Shared[0]]);
    B.operand(I)[D] = Shared;
  }

  unsigned factor(const FactorUse &Use) {
    auto [It, New] = ByName.try_emplace(Use.Name, 0);
    if (New)
      It->second = B.add(Extent(), /*Whole=*/false, Use.Name);
    if (Use.Mark && Use.Mark != '!')
      B.factor(It->second).Whole = true;
    Seen.insert(It->second);
    return It->second;
  }

  Dim resultDim(const FactorDim &D,
                const llvm::DenseSet<unsigned> &OfOperands) {
    Dim Out;
    for (const FactorUse &Use : D.Factors) {
      const unsigned F = factor(Use);
      // All operands that have it have size one there.
      if (!OfOperands.contains(F) || Sized.contains(F))
        Out.push_back(F);
    }
    return Out;
  }

  /// The one part of a compound dim whose size no other operand says.
  void solveParts() {
    for (const auto &[I, D] : Compound) {
      Extent Left = B.spec(I).Dims[D].Size;
      std::optional<unsigned> Open;
      unsigned NumOpen = 0;
      for (unsigned F : B.operand(I)[D]) {
        if (B.factor(F).Size.isKnown()) {
          Left = Left / B.factor(F).Size;
          continue;
        }
        Open = F;
        ++NumOpen;
      }
      if (NumOpen == 1 && (!Left.isNumeric() || Left.asNumber()))
        B.factor(*Open).Size = Left;
    }
  }

  RuleBuilder &B;
  const FactorNotation &N;
  bool InOrder;
  Tensor Batch;
  llvm::StringMap<unsigned> ByName;
  llvm::DenseSet<unsigned> Seen, Sized; ///< Sized: not only of size one
  llvm::DenseMap<unsigned, unsigned> FirstOperand; ///< that has the factor
  llvm::SmallVector<std::pair<unsigned, unsigned>, 2> Compound;
};

/// One operand of einsum's equation: letters, `...`, spaces.
std::optional<FactorTensor> labels(llvm::StringRef Text) {
  FactorTensor Out;
  for (Text = Text.trim(); !Text.empty(); Text = Text.ltrim()) {
    FactorDim D;
    if (Text.consume_front("..."))
      D.K = FactorDim::Kind::Ellipsis;
    else if (llvm::isAlpha(Text[0])) {
      D.Factors.push_back({Text.take_front(1).str(), 0});
      Text = Text.drop_front();
    } else
      return std::nullopt;
    Out.push_back(std::move(D));
  }
  return Out;
}

bool isEllipsis(const FactorDim &D) { return D.K == FactorDim::Kind::Ellipsis; }

/// `...` that no result has stands for a scalar.
bool isLoneEllipsis(const FactorTensor &T) {
  return T.size() == 1 && isEllipsis(T[0]);
}
bool keepsBatch(const FactorNotation &N) {
  return llvm::any_of(N.Results, [](const FactorTensor &T) {
    return llvm::any_of(T, isEllipsis);
  });
}

/// Without an arrow: the batch dims and every label that occurs once, sorted.
FactorTensor impliedResult(llvm::ArrayRef<FactorTensor> Operands) {
  std::map<std::string, unsigned> Count;
  FactorTensor Out;
  for (const FactorTensor &T : Operands)
    for (const FactorDim &D : T)
      if (!isEllipsis(D))
        ++Count[D.Factors[0].Name];
      else if (Out.empty())
        Out.push_back(D);
  for (const auto &[Label, Times] : Count)
    if (Times == 1) {
      Out.emplace_back();
      Out.back().Factors.push_back({Label, 0});
    }
  return Out;
}

/// A label twice in one operand is a diagonal, of which shards have no part.
bool hasDiagonal(const FactorTensor &T) {
  for (const FactorDim &D : T)
    if (!isEllipsis(D) && llvm::count(T, D) > 1)
      return true;
  return false;
}

std::optional<FactorNotation> parseEquation(llvm::StringRef Text) {
  FactorNotation Out;
  const auto [Left, Right] = Text.split("->");
  llvm::SmallVector<llvm::StringRef, 4> Operands;
  Left.split(Operands, ',');
  for (llvm::StringRef O : Operands) {
    std::optional<FactorTensor> T = labels(O);
    if (!T || hasDiagonal(*T))
      return std::nullopt;
    Out.Operands.push_back(std::move(*T));
  }
  std::optional<FactorTensor> Result =
      Text.contains("->") ? labels(Right) : impliedResult(Out.Operands);
  if (!Result)
    return std::nullopt;
  Out.Results.push_back(std::move(*Result));
  return Out;
}

} // namespace

bool fitsRank(const FactorNotation &N, unsigned Position, unsigned Rank) {
  return Position < N.Operands.size() && fits(N.Operands[Position], Rank);
}

bool isGiven(const RuleBuilder &B, const FactorNotation &N) {
  for (unsigned I : B.tensors())
    if (B.position(I) >= N.Operands.size())
      return false;
  for (unsigned P = 0; P != N.Operands.size(); ++P) {
    const ShapeRule &S = B.shape();
    const bool Optional =
        P < S.Of.size() ? S.Of[P].Optional : N.Operands[P].empty();
    if (!Optional && !B.at(P))
      return false;
  }
  return true;
}

SameSize fits(const RuleBuilder &B, const FactorNotation &N) {
  if (!isGiven(B, N))
    return SameSize::No;
  SameSize Out = SameSize::Yes;
  for (unsigned I : B.tensors()) {
    const FactorTensor &T = N.Operands[B.position(I)];
    const PartitionSpec &S = B.spec(I);
    if (!fits(T, S.rank()) || (S.rank() && isLoneEllipsis(T) && !keepsBatch(N)))
      return SameSize::No;
    // Those written `1` come after `...`, if that is there at all.
    const auto After = static_cast<unsigned>(T.size());
    for (unsigned K = 0; K != After; ++K)
      if (T[K].K == FactorDim::Kind::One) {
        const bool FromBack =
            llvm::any_of(llvm::ArrayRef(T).take_front(K), isEllipsis);
        const unsigned D = FromBack ? S.rank() - (After - K) : K;
        const SameSize One = compare(S.Dims[D].Size, Extent::number(1));
        if (One == SameSize::No)
          return One;
        if (One == SameSize::Unknown)
          Out = One;
      }
  }
  return Out;
}

void buildNotation(RuleBuilder &B, const FactorNotation &N) {
  Instance(B, N).run();
}

void buildEinsum(RuleBuilder &B) {
  const std::string Equation = B.text(0);
  if (B.failed())
    return;
  const std::optional<FactorNotation> N = parseEquation(Equation);
  if (!N || N->Operands.size() != B.tensors().size())
    return B.undecided("equation");
  Instance(B, *N, /*InOrder=*/true).run();
}

} // namespace spmd::rules::global

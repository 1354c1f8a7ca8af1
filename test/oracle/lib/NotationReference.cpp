//===- NotationReference.cpp - What factor notation computes --------------===//
//
// Every operand becomes a tensor with a dim for each factor, of size one where
// it has not the factor. A factor goes as soon as no other operand has it: by
// adding up when it is unmarked and the result lacks it, by a function of all
// of it when it is marked.
//
//===----------------------------------------------------------------------===//

#include "spmd/oracle/SpecReference.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <map>

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

bool isBatch(const FactorDim &D) { return D.K == FactorDim::Kind::Ellipsis; }

bool hasFunction(const RuleTerm &T) {
  return (T.K == RuleTerm::Kind::Apply && T.Class != OpClass::Linear &&
          T.Class != OpClass::Multilinear && T.Class != OpClass::Quotient &&
          T.Class != OpClass::StopGradient) ||
         llvm::any_of(T.Children, hasFunction);
}

class Loops {
public:
  Loops(const SpecCall &Call, const FactorNotation &N,
        llvm::ArrayRef<Tensor> Given)
      : Call(Call), N(N), Operands(Given.begin(), Given.end()) {}

  MaybeTensor run() {
    const auto Spoken = Call.spoken();
    for (const SpecCall::Spoken &S : Spoken)
      if (S.Position >= N.Operands.size() || !countBatch(S))
        return std::nullopt;
    for (const std::vector<FactorTensor> *Of : {&N.Operands, &N.Results})
      for (const FactorTensor &T : *Of)
        for (const FactorDim &D : T)
          for (const FactorUse &U : D.Factors)
            know(U);
    for (const SpecCall::Spoken &S : Spoken)
      if (!measure(S))
        return std::nullopt;
    for (const SpecCall::Spoken &S : Spoken)
      if (!spread(S))
        return std::nullopt;
    const MaybeTensor Value =
        combine(Call, Operands, [&](Tensor X, llvm::ArrayRef<unsigned> Of) {
          return finish(std::move(X), Of);
        });
    if (!Value || N.Results.empty())
      return std::nullopt;
    // Of operands that the term of the rule does not have, too.
    llvm::SmallVector<unsigned, 4> All;
    for (unsigned I : llvm::seq(static_cast<unsigned>(Operands.size())))
      All.push_back(I);
    return result(finish(*Value, All));
  }

private:
  struct Loop {
    bool Whole = false, Done = false;
    int Size = -1; ///< not known
    llvm::SmallVector<unsigned, 4> Of;
  };

  void know(const FactorUse &U) {
    auto [At, New] = Ids.try_emplace(U.Name, 0);
    if (New) {
      At->second = static_cast<int>(NumBatch + Factors.size());
      Factors.emplace_back();
    }
    factor(U).Whole |= U.Mark && U.Mark != '!';
  }
  Loop &factor(const FactorUse &U) {
    return Factors[static_cast<std::size_t>(Ids.at(U.Name)) - NumBatch];
  }

  bool countBatch(const SpecCall::Spoken &S) {
    const FactorTensor &T = N.Operands[S.Position];
    const std::size_t Rank = Operands[S.Actual].Dims.size();
    const bool Any = llvm::any_of(T, isBatch);
    const std::size_t Fixed = T.size() - Any;
    if (Any ? Rank < Fixed : Rank != Fixed)
      return false;
    NumBatch = std::max(NumBatch, Rank - Fixed);
    if (Rank != Fixed)
      BatchOf.push_back(S.Actual);
    return true;
  }
  std::size_t batchOf(const SpecCall::Spoken &S) const {
    const FactorTensor &T = N.Operands[S.Position];
    return Operands[S.Actual].Dims.size() - T.size() + llvm::any_of(T, isBatch);
  }

  /// One stands for a dim that is repeated.
  static bool agree(Loop &F, int Size) {
    if (F.Size == -1 || F.Size == 1)
      F.Size = Size;
    return F.Size == Size || Size == 1;
  }

  /// The sizes of factors that are dims by themselves.
  bool measure(const SpecCall::Spoken &S) {
    std::size_t D = 0;
    for (const FactorDim &Written : N.Operands[S.Position]) {
      if (isBatch(Written)) {
        D += batchOf(S);
        continue;
      }
      const int Size = Operands[S.Actual].Dims[D++];
      if (Written.K == FactorDim::Kind::One && Size != 1)
        return false;
      if (Written.Factors.size() == 1 &&
          !agree(factor(Written.Factors[0]), Size))
        return false;
      for (const FactorUse &U : Written.Factors)
        factor(U).Of.push_back(S.Actual);
    }
    return true;
  }

  /// A dim for each factor.
  bool spread(const SpecCall::Spoken &S) {
    Tensor &X = Operands[S.Actual];
    const std::size_t Own = batchOf(S);
    std::size_t D = 0;
    Shape Split;
    Index Labels; ///< by dim of Split
    for (const FactorDim &Written : N.Operands[S.Position]) {
      if (isBatch(Written)) {
        for (std::size_t B = NumBatch - Own; B != NumBatch; ++B) {
          Split.push_back(X.Dims[D++]);
          Labels.push_back(static_cast<int>(B));
        }
        continue;
      }
      int Left = X.Dims[D++];
      if (Written.K == FactorDim::Kind::One)
        continue;
      for (const FactorUse &U : llvm::drop_begin(Written.Factors)) {
        Loop &F = factor(U);
        if (F.Size == -1)
          F.Size = 2;
        if (F.Size == 0 || Left % F.Size != 0)
          return false;
        Left /= F.Size;
      }
      if (Written.Factors.size() > 1 &&
          !agree(factor(Written.Factors[0]), Left))
        return false;
      for (const FactorUse &U : Written.Factors) {
        Split.push_back(Written.Factors.size() == 1 ? Left : factor(U).Size);
        Labels.push_back(Ids.at(U.Name));
      }
    }
    Shape Dims(NumBatch + Factors.size(), 1);
    for (std::size_t L = 0; L != Labels.size(); ++L)
      Dims[static_cast<unsigned>(Labels[L])] = Split[L];
    const Tensor Parts{Split, X.Data};
    X = tabulate(Dims, [&](const Index &I) {
      Index J;
      for (int L : Labels)
        J.push_back(I[static_cast<unsigned>(L)]);
      return at(Parts, J);
    });
    return true;
  }

  bool isInResult(int Id) const {
    for (const FactorDim &D : N.Results.empty() ? FactorTensor() : N.Results[0])
      for (const FactorUse &U : D.Factors)
        if (Ids.at(U.Name) == Id)
          return true;
    return false;
  }

  Tensor finish(Tensor X, llvm::ArrayRef<unsigned> Of) {
    if (X.Dims.empty())
      return X;
    Index Added, Mixed, Gone;
    const bool Last = Of.size() == Operands.size();
    const bool Keeps =
        !N.Results.empty() && llvm::any_of(N.Results[0], isBatch);
    for (std::size_t B = 0; B != NumBatch && !Keeps && !BatchDone; ++B)
      if (llvm::all_of(BatchOf,
                       [&](unsigned O) { return llvm::is_contained(Of, O); }))
        Added.push_back(static_cast<int>(B));
    BatchDone |= !Added.empty();
    for (std::size_t F = 0; F != Factors.size(); ++F) {
      Loop &L = Factors[F];
      const int Id = static_cast<int>(NumBatch + F);
      if (L.Done || L.Of.empty() || !llvm::all_of(L.Of, [&](unsigned O) {
            return llvm::is_contained(Of, O);
          }))
        continue;
      L.Done = true;
      const bool Stays = isInResult(Id);
      if (L.Whole)
        (Stays ? Mixed : Gone).push_back(Id);
      else if (!Stays && (!OfFunction || Last))
        Added.push_back(Id);
      else if (!Stays)
        L.Done = false;
    }
    if (!Gone.empty())
      X = reduceDims(X, Gone, /*Keep=*/true, /*Mix=*/true);
    if (!Mixed.empty())
      X = mixAlong(X, Mixed);
    if (!Added.empty())
      X = reduceDims(X, Added, /*Keep=*/true, /*Mix=*/false);
    return X;
  }

  Tensor result(const Tensor &Value) {
    Shape Loops, Merged;
    Index Labels;
    for (const FactorDim &D : N.Results[0]) {
      if (isBatch(D)) {
        for (std::size_t B = 0; B != NumBatch; ++B) {
          Labels.push_back(static_cast<int>(B));
          Loops.push_back(B < Value.Dims.size() ? Value.Dims[B] : 1);
          Merged.push_back(Loops.back());
        }
        continue;
      }
      Merged.push_back(1);
      for (const FactorUse &U : D.Factors) {
        const Loop &F = factor(U);
        const auto Id = static_cast<unsigned>(Ids.at(U.Name));
        // One that no operand has is made.
        Loops.push_back(Id < Value.Dims.size() && Value.Dims[Id] != 1
                            ? Value.Dims[Id]
                        : F.Of.empty() ? 2
                                       : F.Size);
        Merged.back() *= Loops.back();
        Labels.push_back(Ids.at(U.Name));
      }
    }
    Tensor Out = tabulate(Loops, [&](const Index &I) {
      if (Value.Data.empty())
        return Number(0);
      Index J(NumBatch + Factors.size(), 0);
      Number Made = 1;
      for (std::size_t L = 0; L != Labels.size(); ++L) {
        const auto Label = static_cast<unsigned>(Labels[L]);
        if (Label < Value.Dims.size() && Value.Dims[Label] == 1) {
          if (Label >= NumBatch && Factors[Label - NumBatch].Of.empty())
            Made = times(Made, weight(static_cast<std::size_t>(I[L]), Label));
          continue;
        }
        J[Label] = I[L];
      }
      J.resize(Value.Dims.size());
      return times(Made, at(Value, J));
    });
    Out.Dims = Merged;
    return Out;
  }

  const SpecCall &Call;
  const FactorNotation &N;
  std::vector<Tensor> Operands;
  std::size_t NumBatch = 0;
  bool BatchDone = false;
  /// What is added up are values of a function, not its arguments.
  const bool OfFunction = hasFunction(Call.Op->Term);
  llvm::SmallVector<unsigned, 4> BatchOf; ///< operands that have such dims
  std::map<std::string, int> Ids;
  std::vector<Loop> Factors;
};

} // namespace

MaybeTensor runNotation(const SpecCall &Call, const FactorNotation &N,
                        llvm::ArrayRef<Tensor> Operands) {
  return Loops(Call, N, Operands).run();
}

} // namespace spmd::oracle

//===- LayerKernels.cpp - Products over several dims ----------------------===//

#include "spmd/oracle/LayerKernels.h"

#include "llvm/ADT/SmallVector.h"

#include <map>

namespace spmd::oracle {

namespace {

Shape outer(const Tensor &T, std::size_t Drop) {
  return Shape(T.Dims.begin(),
               T.Dims.end() - static_cast<std::ptrdiff_t>(Drop));
}

/// The dims before the last two, of all together.
std::optional<Shape> batchOf(llvm::ArrayRef<const Tensor *> All) {
  std::vector<Tensor> Outer;
  for (const Tensor *T : All)
    Outer.push_back(Tensor::zeros(outer(*T, 2)));
  const MaybeTensor Out =
      broadcast(Outer, [](llvm::ArrayRef<Number>) { return Number(0); });
  return Out ? std::optional(Out->Dims) : std::nullopt;
}

/// Element (Row, Column) of the matrix at \p Batch, or at its last dims.
Number matrixAt(const Tensor &T, llvm::ArrayRef<int> Batch, int Row,
                int Column) {
  Index I(T.Dims.size());
  const std::size_t Own = I.size() - 2;
  for (std::size_t D = 0; D != Own; ++D)
    I[D] = T.Dims[D] == 1 ? 0 : Batch[Batch.size() - Own + D];
  I[Own] = T.Dims[Own] == 1 ? 0 : Row;
  I[Own + 1] = T.Dims[Own + 1] == 1 ? 0 : Column;
  return at(T, I);
}

int fromBack(const Tensor &T, std::size_t D) {
  return T.Dims[T.Dims.size() - D];
}

} // namespace

MaybeTensor matrixProduct(const Tensor &A, const Tensor &B) {
  if (A.Dims.empty() || B.Dims.empty())
    return std::nullopt;
  Tensor X = A, Y = B;
  if (A.Dims.size() == 1)
    X.Dims.insert(X.Dims.begin(), 1);
  if (B.Dims.size() == 1)
    Y.Dims.push_back(1);
  const auto Batch = batchOf({&X, &Y});
  const int K = fromBack(X, 1);
  if (!Batch || K != fromBack(Y, 2))
    return std::nullopt;
  Shape Dims = *Batch;
  Dims.push_back(fromBack(X, 2));
  Dims.push_back(fromBack(Y, 1));
  Tensor Out = tabulate(Dims, [&](const Index &I) {
    const auto Where = llvm::ArrayRef<int>(I).drop_back(2);
    Number Sum = 0;
    for (int J = 0; J != K; ++J)
      Sum = plus(Sum, times(matrixAt(X, Where, I[I.size() - 2], J),
                            matrixAt(Y, Where, J, I.back())));
    return Sum;
  });
  if (B.Dims.size() == 1)
    Out.Dims.pop_back();
  if (A.Dims.size() == 1)
    Out.Dims.erase(Out.Dims.end() - (B.Dims.size() == 1 ? 1 : 2));
  return Out;
}

//===--- Einsum -----------------------------------------------------------===//

namespace {

/// One character for each dim: those of an ellipsis are digits, so many that
/// they end at '9'.
std::string spelled(llvm::StringRef Written, std::size_t Batch) {
  const auto [Before, After] = Written.split("...");
  std::string Out = Before.str();
  if (Written.contains("..."))
    for (std::size_t D = 0; D != Batch; ++D)
      Out += static_cast<char>('9' - static_cast<int>(Batch - 1 - D));
  return Out + After.str();
}

} // namespace

MaybeTensor einsum(llvm::StringRef Equation, llvm::ArrayRef<Tensor> Operands) {
  const auto [Left, Right] = Equation.split("->");
  llvm::SmallVector<llvm::StringRef, 3> Written;
  Left.split(Written, ',');
  if (Written.size() != Operands.size())
    return std::nullopt;
  std::vector<std::string> Of;
  std::map<char, int> Sizes, Times;
  std::size_t Batch = 0;
  for (std::size_t I = 0; I != Operands.size(); ++I) {
    const std::size_t Rank = Operands[I].Dims.size();
    const std::size_t Letters =
        Written[I].size() - (Written[I].contains("...") ? 3 : 0);
    if (Rank < Letters)
      return std::nullopt;
    Batch = std::max(Batch, Rank - Letters);
    Of.push_back(spelled(Written[I], Rank - Letters));
    if (Of.back().size() != Rank)
      return std::nullopt;
    for (std::size_t D = 0; D != Rank; ++D) {
      const int Size = Operands[I].Dims[D];
      const char Name = Of.back()[D];
      ++Times[Name];
      int &Known = Sizes.try_emplace(Name, Size).first->second;
      const bool MayRepeat = Name >= '0' && Name <= '9';
      if (MayRepeat && Known == 1)
        Known = Size;
      if (Known != Size && (!MayRepeat || Size != 1))
        return std::nullopt;
    }
  }
  std::string Result;
  if (Equation.contains("->")) {
    Result = spelled(Right, Batch);
  } else {
    // Digits sort before letters.
    for (const auto &[Name, Count] : Times)
      if (Count == 1 || (Name >= '0' && Name <= '9'))
        Result += Name;
  }
  std::string All = Result;
  for (const auto &[Name, Count] : Times)
    if (All.find(Name) == std::string::npos)
      All += Name;
  Shape Dims;
  for (char Name : All)
    Dims.push_back(Sizes.at(Name));
  const Tensor Products = tabulate(Dims, [&](const Index &I) {
    Number Out = 1;
    for (std::size_t O = 0; O != Operands.size(); ++O) {
      Index J;
      for (std::size_t D = 0; D != Of[O].size(); ++D)
        J.push_back(Operands[O].Dims[D] == 1 ? 0 : I[All.find(Of[O][D])]);
      Out = times(Out, at(Operands[O], J));
    }
    return Out;
  });
  Index Added;
  for (std::size_t D = Result.size(); D != All.size(); ++D)
    Added.push_back(static_cast<int>(D));
  return reduceDims(Products, Added, /*Keep=*/false, /*Mix=*/false);
}

//===--- Attention --------------------------------------------------------===//

MaybeTensor attend(const Tensor &Query, const Tensor &Key, const Tensor &Value,
                   const Tensor *Mask, const Attention &How) {
  if (Query.Dims.size() < 2 || Key.Dims.size() < 2 || Value.Dims.size() < 2)
    return std::nullopt;
  Tensor K = Key, V = Value;
  if (How.Grouped) {
    if (Query.Dims.size() < 3 || K.Dims.size() < 3 || V.Dims.size() < 3)
      return std::nullopt;
    const int Heads = fromBack(Query, 3);
    for (Tensor *T : {&K, &V}) {
      const int Own = fromBack(*T, 3);
      if (Own == 0 || Heads % Own != 0)
        return std::nullopt;
      *T = interleaved(*T, static_cast<int>(T->Dims.size()) - 3, Heads / Own);
    }
  }
  llvm::SmallVector<const Tensor *, 4> All = {&Query, &K, &V};
  if (Mask && Mask->Dims.size() < 2)
    return std::nullopt;
  if (Mask)
    All.push_back(Mask);
  const auto Batch = batchOf(All);
  const int L = fromBack(Query, 2), E = fromBack(Query, 1), S = fromBack(K, 2);
  const auto Fits = [](int Has, int Wants) { return Has == Wants || Has == 1; };
  if (!Batch || fromBack(K, 1) != E || fromBack(V, 2) != S ||
      (Mask && !(Fits(fromBack(*Mask, 2), L) && Fits(fromBack(*Mask, 1), S))))
    return std::nullopt;
  Shape OfScores = *Batch;
  OfScores.insert(OfScores.end(), {L, S});
  const Tensor Scores = tabulate(OfScores, [&](const Index &I) {
    const auto Where = llvm::ArrayRef<int>(I).drop_back(2);
    const int Row = I[I.size() - 2], Column = I.back();
    if (How.Causal && Column > Row)
      return Number(0);
    Number X = Mask ? matrixAt(*Mask, Where, Row, Column) : 0;
    for (int J = 0; J != E; ++J)
      X = plus(X, times(matrixAt(Query, Where, Row, J),
                        matrixAt(K, Where, Column, J)));
    return plus(times(X, X), plus(X, 1));
  });
  Shape Dims = *Batch;
  Dims.insert(Dims.end(), {L, fromBack(V, 1)});
  return tabulate(Dims, [&](const Index &I) {
    const auto Where = llvm::ArrayRef<int>(I).drop_back(2);
    Index J(I.begin(), I.end());
    Number Sum = 0, All = 0;
    for (int X = 0; X != S; ++X) {
      J.back() = X;
      const Number Score = at(Scores, J);
      Sum = plus(Sum, times(Score, matrixAt(V, Where, X, I.back())));
      All = plus(All, Score);
    }
    return times(Sum, All);
  });
}

//===--- Convolution ------------------------------------------------------===//

MaybeTensor convolve(const Tensor &Input, const Tensor &Weight,
                     const Tensor *Bias, const Convolution &How) {
  if (Weight.Dims.size() < 3)
    return std::nullopt;
  const std::size_t Spatial = Weight.Dims.size() - 2;
  Tensor X = Input;
  const bool HasBatch = Input.Dims.size() == Weight.Dims.size();
  if (!HasBatch)
    X.Dims.insert(X.Dims.begin(), 1);
  if (X.Dims.size() != Weight.Dims.size())
    return std::nullopt;
  const int C = X.Dims[1], G = How.Groups;
  const int OfIn = Weight.Dims[How.Transposed ? 0 : 1],
            OfOut = Weight.Dims[How.Transposed ? 1 : 0];
  if (C % G != 0 || OfIn * (How.Transposed ? 1 : G) != C ||
      (!How.Transposed && OfOut % G != 0))
    return std::nullopt;
  const int O = How.Transposed ? OfOut * G : OfOut;
  if (Bias && Bias->Dims != Shape{O})
    return std::nullopt;
  Shape Dims = {X.Dims[0], O}, Window = {C / G};
  for (std::size_t D = 2; D != X.Dims.size(); ++D) {
    const int Reach = How.Dilation * (Weight.Dims[D] - 1);
    const int Size =
        How.Transposed
            ? (X.Dims[D] - 1) * How.Stride - 2 * How.Padding + Reach + 1
            : (X.Dims[D] + 2 * How.Padding - Reach - 1) / How.Stride + 1;
    if (Size < 1)
      return std::nullopt;
    Dims.push_back(Size);
    Window.push_back(Weight.Dims[D]);
  }
  Tensor Out = tabulate(Dims, [&](const Index &I) {
    Number Sum = Bias ? at(*Bias, {I[1]}) : 0;
    const int Group = I[1] / (O / G);
    Index From(X.Dims.size()), Of(X.Dims.size());
    From[0] = I[0];
    (void)tabulate(Window, [&](const Index &W) {
      From[1] = Group * (C / G) + W[0];
      Of[0] = How.Transposed ? From[1] : I[1];
      Of[1] = How.Transposed ? I[1] % OfOut : W[0];
      for (std::size_t D = 0; D != Spatial; ++D) {
        const int Shift = W[D + 1] * How.Dilation - How.Padding;
        int At =
            How.Transposed ? I[D + 2] - Shift : I[D + 2] * How.Stride + Shift;
        if (How.Transposed && At % How.Stride != 0)
          return Number(0);
        At /= How.Transposed ? How.Stride : 1;
        if (At < 0 || At >= X.Dims[D + 2])
          return Number(0);
        From[D + 2] = At;
        Of[D + 2] = W[D + 1];
      }
      Sum = plus(Sum, times(at(X, From), at(Weight, Of)));
      return Number(0);
    });
    return Sum;
  });
  if (!HasBatch)
    Out.Dims.erase(Out.Dims.begin());
  return Out;
}

} // namespace spmd::oracle

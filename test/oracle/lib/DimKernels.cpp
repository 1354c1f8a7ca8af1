//===- DimKernels.cpp - What ops do to the dims of tensors ----------------===//

#include "spmd/oracle/DimKernels.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace spmd::oracle {

Number weight(std::size_t Position, std::size_t Size, std::size_t Result) {
  std::uint64_t H = (Position * 31 + Size * 7 + Result * 101 + 13) *
                    std::uint64_t(0x9E3779B97F4A7C15);
  H ^= H >> 29;
  return static_cast<Number>(H % 19) - 9;
}

namespace {

std::size_t flat(const Shape &Dims, const Index &I) {
  std::size_t Out = 0;
  for (std::size_t D = 0; D != Dims.size(); ++D)
    Out = Out * static_cast<std::size_t>(Dims[D]) +
          static_cast<std::size_t>(I[D]);
  return Out;
}

/// The place of an element among those that differ along \p Over only.
std::size_t flatOver(const Shape &Dims, const Index &I, DimList Over) {
  std::size_t Out = 0;
  for (int D : Over)
    Out = Out * static_cast<std::size_t>(Dims[static_cast<unsigned>(D)]) +
          static_cast<std::size_t>(I[static_cast<unsigned>(D)]);
  return Out;
}

std::size_t sizeOver(const Shape &Dims, DimList Over) {
  std::size_t Out = 1;
  for (int D : Over)
    Out *= static_cast<std::size_t>(Dims[static_cast<unsigned>(D)]);
  return Out;
}

/// Calls \p Visit for each index of \p Dims.
void eachIndex(const Shape &Dims,
               llvm::function_ref<void(const Index &)> Visit) {
  Index I(Dims.size(), 0);
  for (std::size_t N = sizeOf(Dims); N != 0; --N) {
    Visit(I);
    for (std::size_t D = Dims.size(); D-- != 0;) {
      if (++I[D] != Dims[D])
        break;
      I[D] = 0;
    }
  }
}

} // namespace

Tensor tabulate(Shape Dims, llvm::function_ref<Number(const Index &)> Value) {
  Tensor Out;
  Out.Dims = std::move(Dims);
  Out.Data.reserve(sizeOf(Out.Dims));
  eachIndex(Out.Dims, [&](const Index &I) { Out.Data.push_back(Value(I)); });
  return Out;
}

Number at(const Tensor &T, const Index &I) { return T.Data[flat(T.Dims, I)]; }

MaybeTensor
broadcast(llvm::ArrayRef<Tensor> Operands,
          llvm::function_ref<Number(llvm::ArrayRef<Number>)> Value) {
  std::size_t Rank = 0;
  for (const Tensor &T : Operands)
    Rank = std::max(Rank, T.Dims.size());
  Shape Out(Rank, 1);
  for (const Tensor &T : Operands)
    for (std::size_t D = 0; D != T.Dims.size(); ++D) {
      int &Here = Out[Rank - T.Dims.size() + D];
      if (T.Dims[D] == 1 || T.Dims[D] == Here)
        continue;
      if (Here != 1)
        return std::nullopt;
      Here = T.Dims[D];
    }
  std::vector<Number> Values(Operands.size());
  return tabulate(Out, [&](const Index &I) {
    for (std::size_t O = 0; O != Operands.size(); ++O) {
      const Tensor &T = Operands[O];
      Index Own(I.end() - static_cast<std::ptrdiff_t>(T.Dims.size()), I.end());
      for (std::size_t D = 0; D != Own.size(); ++D)
        if (T.Dims[D] == 1)
          Own[D] = 0;
      Values[O] = at(T, Own);
    }
    return Value(Values);
  });
}

Tensor reduceDims(const Tensor &T, DimList Over, bool Keep, bool Mix) {
  Shape Kept = T.Dims;
  for (int D : Over)
    Kept[static_cast<unsigned>(D)] = 1;
  Tensor Out = Tensor::zeros(Kept);
  const std::size_t Size = sizeOver(T.Dims, Over);
  eachIndex(T.Dims, [&](const Index &I) {
    Index To = I;
    for (int D : Over)
      To[static_cast<unsigned>(D)] = 0;
    const Number W = Mix ? weight(flatOver(T.Dims, I, Over), Size) : 1;
    Number &Into = Out.Data[flat(Kept, To)];
    Into = plus(Into, times(W, at(T, I)));
  });
  if (Keep)
    return Out;
  Out.Dims.clear();
  for (std::size_t D = 0; D != Kept.size(); ++D)
    if (!llvm::is_contained(Over, static_cast<int>(D)))
      Out.Dims.push_back(Kept[D]);
  return Out;
}

Tensor mixAlong(const Tensor &T, DimList Over) {
  const std::size_t Size = sizeOver(T.Dims, Over);
  Shape Sub;
  for (int D : Over)
    Sub.push_back(T.Dims[static_cast<unsigned>(D)]);
  return tabulate(T.Dims, [&](const Index &I) {
    Number Out = 0;
    const std::size_t To = 1 + flatOver(T.Dims, I, Over);
    std::size_t From = 0;
    Index J = I;
    eachIndex(Sub, [&](const Index &S) {
      for (std::size_t K = 0; K != S.size(); ++K)
        J[static_cast<unsigned>(Over[K])] = S[K];
      Out = plus(Out, times(weight(From++, Size, To), at(T, J)));
    });
    return Out;
  });
}

Tensor mixInto(const Tensor &T, int D, int Size) {
  const auto Dim = static_cast<unsigned>(D);
  Shape Dims = T.Dims;
  Dims[Dim] = Size;
  const auto Had = static_cast<std::size_t>(T.Dims[Dim]);
  return tabulate(Dims, [&](const Index &I) {
    Number Out = 0;
    Index J = I;
    for (J[Dim] = 0; J[Dim] != T.Dims[Dim]; ++J[Dim])
      Out = plus(Out, times(weight(static_cast<std::size_t>(J[Dim]), Had,
                                   1 + static_cast<std::size_t>(I[Dim])),
                            at(T, J)));
    return Out;
  });
}

Tensor permuted(const Tensor &T, DimList From) {
  Shape Dims;
  for (int D : From)
    Dims.push_back(T.Dims[static_cast<unsigned>(D)]);
  return tabulate(Dims, [&](const Index &I) {
    Index J(I.size());
    for (std::size_t D = 0; D != I.size(); ++D)
      J[static_cast<unsigned>(From[D])] = I[D];
    return at(T, J);
  });
}

MaybeTensor reshaped(const Tensor &T, Shape Sizes) {
  const std::size_t Have = T.Data.size();
  std::size_t Asked = 1;
  int *Rest = nullptr;
  for (int &S : Sizes) {
    if (S >= 0) {
      Asked *= static_cast<std::size_t>(S);
      continue;
    }
    if (Rest)
      return std::nullopt;
    Rest = &S;
  }
  if (Rest) {
    if (Asked == 0 || Have % Asked != 0)
      return std::nullopt;
    *Rest = static_cast<int>(Have / Asked);
    Asked = Have;
  }
  if (Asked != Have)
    return std::nullopt;
  return Tensor{std::move(Sizes), T.Data};
}

MaybeTensor expanded(const Tensor &T, const Shape &Sizes) {
  if (Sizes.size() < T.Dims.size())
    return std::nullopt;
  const std::size_t New = Sizes.size() - T.Dims.size();
  Shape Out = Sizes;
  for (std::size_t D = 0; D != Sizes.size(); ++D) {
    const int Have = D < New ? 1 : T.Dims[D - New];
    if (Sizes[D] == -1 && D < New)
      return std::nullopt;
    if (Sizes[D] == -1)
      Out[D] = Have;
    else if (Have != 1 && Have != Sizes[D])
      return std::nullopt;
  }
  return tabulate(Out, [&](const Index &I) {
    Index J(I.begin() + static_cast<std::ptrdiff_t>(New), I.end());
    for (std::size_t D = 0; D != J.size(); ++D)
      if (T.Dims[D] == 1)
        J[D] = 0;
    return at(T, J);
  });
}

MaybeTensor tiled(const Tensor &T, const Shape &Times) {
  if (Times.size() < T.Dims.size())
    return std::nullopt;
  const std::size_t New = Times.size() - T.Dims.size();
  Shape Out = Times;
  for (std::size_t D = New; D != Times.size(); ++D)
    Out[D] *= T.Dims[D - New];
  return tabulate(Out, [&](const Index &I) {
    Index J(I.begin() + static_cast<std::ptrdiff_t>(New), I.end());
    for (std::size_t D = 0; D != J.size(); ++D)
      J[D] %= T.Dims[D];
    return at(T, J);
  });
}

Tensor interleaved(const Tensor &T, int D, int Times) {
  Shape Out = T.Dims;
  Out[static_cast<unsigned>(D)] *= Times;
  return tabulate(Out, [&](const Index &I) {
    Index J = I;
    J[static_cast<unsigned>(D)] /= Times;
    return at(T, J);
  });
}

MaybeTensor concatenated(llvm::ArrayRef<Tensor> Parts, int D) {
  for (const Tensor &P : Parts) {
    if (P.Dims.size() != Parts[0].Dims.size())
      return std::nullopt;
    for (std::size_t X = 0; X != P.Dims.size(); ++X)
      if (static_cast<int>(X) != D && P.Dims[X] != Parts[0].Dims[X])
        return std::nullopt;
  }
  return concat(std::vector<Tensor>(Parts.begin(), Parts.end()), D);
}

MaybeTensor gathered(const Tensor &T, const Tensor &Of, int D) {
  if (T.Dims.size() != Of.Dims.size())
    return std::nullopt;
  for (std::size_t X = 0; X != T.Dims.size(); ++X)
    if (static_cast<int>(X) != D && Of.Dims[X] > T.Dims[X])
      return std::nullopt;
  bool Inside = true;
  const auto Dim = static_cast<unsigned>(D);
  Tensor Out = tabulate(Of.Dims, [&](const Index &I) {
    Index J = I;
    const Number Where = at(Of, I);
    if (Where < 0 || Where >= T.Dims[Dim]) {
      Inside = false;
      return Number(0);
    }
    J[Dim] = static_cast<int>(Where);
    return at(T, J);
  });
  return Inside ? MaybeTensor(std::move(Out)) : std::nullopt;
}

MaybeTensor lookedUp(const Tensor &T, const Tensor &Of, int D) {
  const auto Dim = static_cast<unsigned>(D);
  Shape Dims = T.Dims;
  Dims.erase(Dims.begin() + D);
  Dims.insert(Dims.begin() + D, Of.Dims.begin(), Of.Dims.end());
  const auto Chosen = static_cast<std::ptrdiff_t>(Of.Dims.size());
  bool Inside = true;
  Tensor Out = tabulate(Dims, [&](const Index &I) {
    const Index Which(I.begin() + D, I.begin() + D + Chosen);
    Index J(I.begin(), I.begin() + D);
    const Number Where = at(Of, Which);
    if (Where < 0 || Where >= T.Dims[Dim]) {
      Inside = false;
      return Number(0);
    }
    J.push_back(static_cast<int>(Where));
    J.insert(J.end(), I.begin() + D + Chosen, I.end());
    return at(T, J);
  });
  return Inside ? MaybeTensor(std::move(Out)) : std::nullopt;
}

MaybeTensor scattered(Tensor T, const Tensor &Of, const Tensor &Written,
                      int D) {
  if (T.Dims.size() != Of.Dims.size() || Written.Dims.size() != Of.Dims.size())
    return std::nullopt;
  const auto Dim = static_cast<unsigned>(D);
  for (std::size_t X = 0; X != T.Dims.size(); ++X)
    if ((X != Dim && Of.Dims[X] > T.Dims[X]) || Of.Dims[X] > Written.Dims[X])
      return std::nullopt;
  bool Inside = true;
  eachIndex(Of.Dims, [&](const Index &I) {
    Index J = I;
    const Number Where = at(Of, I);
    Inside &= Where >= 0 && Where < T.Dims[Dim];
    if (!Inside)
      return;
    J[Dim] = static_cast<int>(Where);
    T.Data[flat(T.Dims, J)] = at(Written, I);
  });
  return Inside ? MaybeTensor(std::move(T)) : std::nullopt;
}

MaybeTensor without(const Tensor &T, int D) {
  if (T.Dims[static_cast<unsigned>(D)] != 1)
    return std::nullopt;
  Shape Dims = T.Dims;
  Dims.erase(Dims.begin() + D);
  return Tensor{std::move(Dims), T.Data};
}

} // namespace spmd::oracle

//===- Tensor.cpp - Small dense tensors of integers -----------------------===//

#include "spmd/oracle/Tensor.h"

#include <cassert>
#include <numeric>

namespace spmd::oracle {

std::size_t sizeOf(const Shape &S) {
  return std::accumulate(
      S.begin(), S.end(), std::size_t(1),
      [](std::size_t A, int B) { return A * static_cast<std::size_t>(B); });
}

Tensor Tensor::zeros(Shape Dims) {
  Tensor T;
  T.Data.assign(sizeOf(Dims), 0);
  T.Dims = std::move(Dims);
  return T;
}

Tensor operator+(const Tensor &A, const Tensor &B) {
  assert(A.Dims == B.Dims);
  Tensor Out = A;
  for (std::size_t I = 0; I != Out.Data.size(); ++I)
    Out.Data[I] = plus(Out.Data[I], B.Data[I]);
  return Out;
}

Tensor operator*(Number A, Tensor T) {
  for (Number &X : T.Data)
    X = times(A, X);
  return T;
}

Number inverse(Number A) {
  assert(A != 0 && "zero has no inverse");
  Number Out = 1;
  for (Number Exponent = Prime - 2; Exponent; Exponent /= 2) {
    if (Exponent % 2)
      Out = times(Out, A);
    A = times(A, A);
  }
  return Out;
}

Number dot(const Tensor &A, const Tensor &B) {
  assert(A.Dims == B.Dims);
  Number Out = 0;
  for (std::size_t I = 0; I != A.Data.size(); ++I)
    Out = plus(Out, times(A.Data[I], B.Data[I]));
  return Out;
}

namespace {

/// A tensor as [outer, the dim, inner].
struct Strides {
  std::size_t Outer = 1, Inner = 1;

  Strides(const Shape &S, int Dim) {
    for (int I = 0; I != static_cast<int>(S.size()); ++I)
      (I < Dim ? Outer : Inner) *=
          I == Dim ? 1 : static_cast<std::size_t>(S[static_cast<unsigned>(I)]);
  }
};

/// Calls \p Visit(index in the larger, index in the smaller) for each element
/// of the larger shape, the smaller one repeated.
template <typename Function>
void eachRepeated(const Shape &Large, const Shape &Small, Function Visit) {
  assert(Large.size() == Small.size());
  for (std::size_t I = 0, Size = sizeOf(Large); I != Size; ++I) {
    std::size_t Rest = I, At = 0, Stride = 1;
    for (std::size_t D = Large.size(); D-- != 0;) {
      const auto L = static_cast<std::size_t>(Large[D]);
      const auto S = static_cast<std::size_t>(Small[D]);
      At += Rest % L % S * Stride;
      Rest /= L;
      Stride *= S;
    }
    Visit(I, At);
  }
}

} // namespace

Tensor repeat(const Tensor &T, const Shape &Dims) {
  if (T.Dims == Dims)
    return T;
  Tensor Out = Tensor::zeros(Dims);
  eachRepeated(Dims, T.Dims, [&](std::size_t To, std::size_t From) {
    Out.Data[To] = T.Data[From];
  });
  return Out;
}

Tensor fold(const Tensor &T, const Shape &Dims) {
  if (T.Dims == Dims)
    return T;
  Tensor Out = Tensor::zeros(Dims);
  eachRepeated(T.Dims, Dims, [&](std::size_t From, std::size_t To) {
    Out.Data[To] = plus(Out.Data[To], T.Data[From]);
  });
  return Out;
}

Tensor slice(const Tensor &T, int Dim, int Begin, int Length) {
  const Strides S(T.Dims, Dim);
  const auto Size =
      static_cast<std::size_t>(T.Dims[static_cast<unsigned>(Dim)]);
  Tensor Out;
  Out.Dims = T.Dims;
  Out.Dims[static_cast<unsigned>(Dim)] = Length;
  for (std::size_t O = 0; O != S.Outer; ++O) {
    const auto From = T.Data.begin() +
                      static_cast<std::ptrdiff_t>(
                          (O * Size + static_cast<unsigned>(Begin)) * S.Inner);
    Out.Data.insert(Out.Data.end(), From,
                    From + static_cast<std::ptrdiff_t>(
                               static_cast<unsigned>(Length) * S.Inner));
  }
  return Out;
}

Tensor concat(const std::vector<Tensor> &Parts, int Dim) {
  const auto D = static_cast<unsigned>(Dim);
  Tensor Out;
  Out.Dims = Parts.front().Dims;
  Out.Dims[D] = 0;
  for (const Tensor &P : Parts)
    Out.Dims[D] += P.Dims[D];
  const Strides S(Out.Dims, Dim);
  for (std::size_t O = 0; O != S.Outer; ++O)
    for (const Tensor &P : Parts) {
      const auto Row = static_cast<std::ptrdiff_t>(
          static_cast<std::size_t>(P.Dims[D]) * S.Inner);
      const auto From = P.Data.begin() + static_cast<std::ptrdiff_t>(O) * Row;
      Out.Data.insert(Out.Data.end(), From, From + Row);
    }
  return Out;
}

Tensor stack(const std::vector<Tensor> &Parts) {
  Tensor Out;
  Out.Dims = Parts.front().Dims;
  Out.Dims.insert(Out.Dims.begin(), static_cast<int>(Parts.size()));
  for (const Tensor &P : Parts)
    Out.Data.insert(Out.Data.end(), P.Data.begin(), P.Data.end());
  return Out;
}

} // namespace spmd::oracle

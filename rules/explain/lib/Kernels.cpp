//===- Kernels.cpp - The small ops that ops are made of -------------------===//

#include "spmd/explain/Kernels.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace spmd::explain {

namespace {

using Operands = llvm::ArrayRef<Values>;

const Dual &at(const Values &X, std::size_t I) { return X[I % X.size()]; }

template <typename Function> Values elementwise(Operands X, Function F) {
  std::size_t Size = 0;
  for (const Values &Y : X)
    Size = std::max(Size, Y.size());
  Values Out = X[0];
  Out.resize(Size);
  for (std::size_t I = 0; I != Size; ++I) {
    Out[I] = at(X[0], I);
    for (const Values &Y : X.drop_front())
      Out[I] = F(Out[I], at(Y, I));
  }
  return Out;
}

template <typename Function> Values map(Operands X, Function F) {
  Values Out = X[0];
  for (Dual &D : Out)
    D = F(D);
  return Out;
}

Dual step(bool Condition) { return Condition ? 1 : 0; }
/// Any number is an index, so that an op on indices can be given any.
std::size_t indexOf(const Dual &D, std::size_t Size) {
  const std::int64_t At = D.Value.floor() % static_cast<std::int64_t>(Size);
  return static_cast<std::size_t>(At < 0 ? At + static_cast<std::int64_t>(Size)
                                         : At);
}
Values total(Operands X) {
  Dual Out;
  for (const Dual &D : X[0])
    Out = Out + D;
  return {Out};
}
template <typename Function> Values fold(Operands X, Function F) {
  Dual Out = X[0].front();
  for (const Dual &D : llvm::drop_begin(X[0]))
    Out = F(Out, D);
  return {Out};
}
Dual larger(const Dual &A, const Dual &B) { return A.Value < B.Value ? B : A; }
Dual smaller(const Dual &A, const Dual &B) { return B.Value < A.Value ? B : A; }

Values matmul(const Values &A, const Values &B) {
  Values Out(4);
  for (unsigned I = 0; I != 2; ++I)
    for (unsigned J = 0; J != 2; ++J)
      for (unsigned K = 0; K != 2; ++K)
        Out[2 * I + J] = Out[2 * I + J] + at(A, 2 * I + K) * at(B, 2 * K + J);
  return Out;
}
Dual determinant(const Values &A) {
  return at(A, 0) * at(A, 3) - at(A, 1) * at(A, 2);
}
Values sorted(Values X) {
  llvm::sort(X, [](const Dual &A, const Dual &B) { return A.Value < B.Value; });
  return X;
}

/// Elements of the third operand go to where the second says, in a copy of the
/// first.
template <typename Function> Values scatter(Operands X, Function Into) {
  Values Out = X[0];
  for (std::size_t I = 0; I != X[1].size(); ++I) {
    Dual &Target = Out[indexOf(X[1][I], Out.size())];
    Target = Into(Target, at(X[2], I));
  }
  return Out;
}

constexpr Kernel All[] = {
    // Element by element.
    {"identity", 1, 1, "x", [](Operands X) { return X[0]; }},
    {"add", 1, AnyNumber, "x + y + ...",
     [](Operands X) {
       return elementwise(X, [](Dual A, Dual B) { return A + B; });
     }},
    {"subtract", 2, 2, "x - y",
     [](Operands X) {
       return elementwise(X, [](Dual A, Dual B) { return A - B; });
     }},
    {"negate", 1, 1, "-x",
     [](Operands X) { return map(X, [](Dual D) { return 0 - D; }); }},
    {"multiply", 1, AnyNumber, "x * y * ...",
     [](Operands X) {
       return elementwise(X, [](Dual A, Dual B) { return A * B; });
     }},
    {"divide", 1, 2, "x / y",
     [](Operands X) {
       return elementwise(X, [](Dual A, Dual B) { return A / B; });
     }},
    {"reciprocal", 1, 1, "1 / x",
     [](Operands X) { return map(X, [](Dual D) { return 1 / D; }); }},
    {"square", 1, 1, "x * x",
     [](Operands X) { return map(X, [](Dual D) { return D * D; }); }},
    {"absolute", 1, 1, "|x|",
     [](Operands X) {
       return map(X, [](Dual D) { return D.Value < 0 ? 0 - D : D; });
     }},
    {"relu", 1, 1, "x where it is above 0, else 0",
     [](Operands X) { return map(X, [](Dual D) { return larger(0, D); }); }},
    {"maximum", 1, AnyNumber, "the larger of x, y, ...",
     [](Operands X) { return elementwise(X, larger); }},
    {"minimum", 1, AnyNumber, "the smaller of x, y, ...",
     [](Operands X) { return elementwise(X, smaller); }},
    // Without a gradient.
    {"zero", 0, 0, "0", [](Operands) { return Values{0}; }},
    {"one", 0, 0, "1", [](Operands) { return Values{1}; }},
    {"detach", 1, 1, "x as a constant",
     [](Operands X) { return map(X, [](Dual D) { return Dual(D.Value); }); }},
    {"floor", 1, 1, "the integer below x",
     [](Operands X) {
       return map(X, [](Dual D) { return Dual(Rational(D.Value.floor())); });
     }},
    {"less", 2, 2, "1 where x < y, else 0",
     [](Operands X) {
       return elementwise(
           X, [](Dual A, Dual B) { return step(A.Value < B.Value); });
     }},
    {"equal", 2, 2, "1 where x = y, else 0",
     [](Operands X) {
       return elementwise(
           X, [](Dual A, Dual B) { return step(A.Value == B.Value); });
     }},
    {"where", 1, 3,
     "x (1 without) where the condition is not 0, else y (0 without)",
     [](Operands X) {
       if (X.size() == 1)
         return map(X, [](Dual D) { return step(!(D.Value == 0)); });
       Values Out = elementwise(X.drop_front(), [](Dual A, Dual) { return A; });
       for (std::size_t I = 0; I != Out.size(); ++I)
         if (at(X[0], I).Value == 0)
           Out[I] = X.size() == 3 ? at(X[2], I) : 0;
       return Out;
     }},
    // All elements.
    {"sum", 1, 1, "the sum of the elements", total},
    {"mean", 1, 1, "their mean",
     [](Operands X) {
       Values Out = total(X);
       Out[0] = Out[0] / static_cast<int>(X[0].size());
       return Out;
     }},
    {"cumulative_sum", 1, 1, "the sums of the first elements",
     [](Operands X) {
       Values Out = X[0];
       for (std::size_t I = 1; I < Out.size(); ++I)
         Out[I] = Out[I - 1] + Out[I];
       return Out;
     }},
    {"product", 1, 1, "the product of the elements",
     [](Operands X) { return fold(X, [](Dual A, Dual B) { return A * B; }); }},
    {"largest", 1, 1, "the largest element",
     [](Operands X) { return fold(X, larger); }},
    {"smallest", 1, 1, "the smallest element",
     [](Operands X) { return fold(X, smaller); }},
    {"argmax", 1, 1, "the index of the largest element",
     [](Operands X) {
       const auto Last = llvm::max_element(
           X[0], [](auto &A, auto &B) { return A.Value < B.Value; });
       return Values{Dual(Rational(Last - X[0].begin()))};
     }},
    {"sort", 1, 1, "the elements by size",
     [](Operands X) { return sorted(X[0]); }},
    {"middle", 1, 1, "the element in the middle by size",
     [](Operands X) { return Values{sorted(X[0])[(X[0].size() - 1) / 2]}; }},
    {"size", 1, 1, "how many elements there are",
     [](Operands X) { return Values{Dual(static_cast<int>(X[0].size()))}; }},
    // Elsewhere.
    {"reverse", 1, 1, "the elements from last to first",
     [](Operands X) { return Values(X[0].rbegin(), X[0].rend()); }},
    {"first", 1, 1, "the first half of the elements",
     [](Operands X) {
       return Values(X[0].begin(),
                     X[0].begin() + static_cast<int>(X[0].size() + 1) / 2);
     }},
    {"repeat", 1, 1, "the elements twice",
     [](Operands X) {
       Values Out = X[0];
       Out.insert(Out.end(), X[0].begin(), X[0].end());
       return Out;
     }},
    {"concatenate", 1, AnyNumber, "the elements of x, then those of y, ...",
     [](Operands X) {
       Values Out;
       for (const Values &Y : X)
         Out.insert(Out.end(), Y.begin(), Y.end());
       return Out;
     }},
    {"pad", 1, 2, "x with one more element y (0 without) on both sides",
     [](Operands X) {
       Values Out = X[0];
       const Dual Border = X.size() == 2 ? X[1].front() : 0;
       Out.insert(Out.begin(), Border);
       Out.push_back(Border);
       return Out;
     }},
    {"gather", 1, 2, "the elements of x at the indices y (all without)",
     [](Operands X) {
       if (X.size() == 1)
         return X[0];
       Values Out;
       for (const Dual &I : X[1])
         Out.push_back(X[0][indexOf(I, X[0].size())]);
       return Out;
     }},
    {"scatter", 3, 3, "x with the elements of z in place of those at y",
     [](Operands X) { return scatter(X, [](Dual, Dual B) { return B; }); }},
    {"scatter_add", 3, 3, "x with the elements of z added to those at y",
     [](Operands X) {
       return scatter(X, [](Dual A, Dual B) { return A + B; });
     }},
    // Matrices and signals.
    {"transpose", 1, 1, "the transposed matrix",
     [](Operands X) {
       return Values{at(X[0], 0), at(X[0], 2), at(X[0], 1), at(X[0], 3)};
     }},
    {"diagonal", 1, 1, "the diagonal of a matrix",
     [](Operands X) { return Values{at(X[0], 0), at(X[0], 3)}; }},
    {"lower_triangle", 1, 1, "the matrix without what is above the diagonal",
     [](Operands X) {
       return Values{at(X[0], 0), 0, at(X[0], 2), at(X[0], 3)};
     }},
    {"matmul", 1, AnyNumber, "the product of matrices",
     [](Operands X) {
       Values Out = X[0];
       for (const Values &Y : X.drop_front())
         Out = matmul(Out, Y);
       return Out;
     }},
    {"dot", 2, 2, "the sum of the products of corresponding elements",
     [](Operands X) {
       return total(elementwise(X, [](Dual A, Dual B) { return A * B; }));
     }},
    {"outer", 2, 2, "the product of each element of x with each of y",
     [](Operands X) {
       Values Out;
       for (const Dual &A : X[0])
         for (const Dual &B : X[1])
           Out.push_back(A * B);
       return Out;
     }},
    {"convolve", 2, 2, "the sums of products with shifted elements of y",
     [](Operands X) {
       Values Out(X[0].size());
       for (std::size_t I = 0; I != Out.size(); ++I)
         for (std::size_t K = 0; K != X[1].size(); ++K)
           Out[I] = Out[I] + at(X[0], I + K) * X[1][K];
       return Out;
     }},
    {"windows", 1, 1, "the sums of neighbouring elements",
     [](Operands X) {
       Values Out;
       for (std::size_t I = 0; I + 1 < X[0].size(); ++I)
         Out.push_back(X[0][I] + X[0][I + 1]);
       return Out.empty() ? X[0] : Out;
     }},
    {"transform", 1, 1, "sums and differences of pairs of elements",
     [](Operands X) {
       Values Out;
       for (std::size_t I = 0; I < X[0].size(); I += 2) {
         Out.push_back(X[0][I] + at(X[0], I + 1));
         Out.push_back(X[0][I] - at(X[0], I + 1));
       }
       return Out;
     }},
    {"determinant", 1, 1, "the determinant of a matrix",
     [](Operands X) { return Values{determinant(X[0])}; }},
    {"inverse", 1, 1, "the inverse of a matrix",
     [](Operands X) {
       const Dual By = determinant(X[0]);
       return Values{at(X[0], 3) / By, 0 - at(X[0], 1) / By,
                     0 - at(X[0], 2) / By, at(X[0], 0) / By};
     }},
};

} // namespace

llvm::ArrayRef<Kernel> kernels() { return All; }

} // namespace spmd::explain

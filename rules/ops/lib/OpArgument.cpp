//===- OpArgument.cpp - Products and quotients of sizes -------------------===//

#include "spmd/ops/OpArgument.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>
#include <numeric>
#include <tuple>

namespace spmd::rules {
namespace {

bool product(std::int64_t A, std::int64_t B, std::int64_t &Out) {
  // The least number has no absolute value.
  return !llvm::MulOverflow(A, B, Out) &&
         Out != std::numeric_limits<std::int64_t>::min();
}

std::optional<SizeValue> combine(const SizeValue &A, const SizeValue &B,
                                 int Sign) {
  SizeValue Out;
  if (!product(A.Number, Sign > 0 ? B.Number : B.Divisor, Out.Number) ||
      !product(A.Divisor, Sign > 0 ? B.Divisor : B.Number, Out.Divisor) ||
      Out.Divisor == 0)
    return std::nullopt;
  if (Out.Divisor < 0) {
    Out.Number = -Out.Number;
    Out.Divisor = -Out.Divisor;
  }
  const std::int64_t Common = std::gcd(Out.Number, Out.Divisor);
  Out.Number /= Common;
  Out.Divisor /= Common;
  Out.Terms = A.Terms;
  for (const SizeTerm &T : B.Terms) {
    const auto Same = llvm::find_if(Out.Terms, [&](const SizeTerm &Mine) {
      return Mine.Tensor == T.Tensor && Mine.Dim == T.Dim &&
             Mine.Variable == T.Variable;
    });
    if (Same == Out.Terms.end()) {
      Out.Terms.push_back(T);
      Out.Terms.back().Exponent *= Sign;
      continue;
    }
    Same->Exponent += Sign * T.Exponent;
    if (Same->Exponent == 0)
      Out.Terms.erase(Same);
  }
  // One order, so that equal products are equal.
  llvm::sort(Out.Terms, [](const SizeTerm &X, const SizeTerm &Y) {
    const auto Key = [](const SizeTerm &T) {
      return std::tuple(T.Exponent < 0, T.Tensor, T.Dim,
                        std::string_view(T.Variable));
    };
    return Key(X) < Key(Y);
  });
  return Out;
}

} // namespace

std::optional<SizeValue> multiply(const SizeValue &A, const SizeValue &B) {
  return combine(A, B, 1);
}

std::optional<SizeValue> divide(const SizeValue &A, const SizeValue &B) {
  return combine(A, B, -1);
}

} // namespace spmd::rules

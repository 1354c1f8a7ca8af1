//===- Extent.cpp - The size of a tensor dim ------------------------------===//

#include "spmd/types/Extent.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>
#include <tuple>

namespace spmd::rules {

Extent Extent::number(std::int64_t N) {
  Extent Out;
  Out.Known = N > 0;
  Out.Numerator = N > 0 ? N : 1;
  return Out;
}

Extent Extent::name(llvm::StringRef Name) {
  Extent Out;
  Out.Known = !Name.empty() && Name != "_";
  if (Out.Known)
    Out.Names.push_back({Name.str(), false, 1});
  return Out;
}

Extent Extent::variable(llvm::StringRef Name) {
  Extent Out = name(Name);
  for (Power &P : Out.Names)
    P.IsVariable = true;
  return Out;
}

Extent Extent::parse(llvm::StringRef Text) {
  Extent Out = number(1);
  llvm::SmallVector<llvm::StringRef, 4> Parts;
  Text.split(Parts, '*');
  for (llvm::StringRef Part : Parts) {
    Part = Part.trim();
    std::int64_t N = 0;
    if (Part.empty())
      return {};
    Out = Out * (llvm::isDigit(Part[0]) && !Part.getAsInteger(10, N)
                     ? number(N)
                     : name(Part));
  }
  return Out;
}

std::optional<std::int64_t> Extent::asNumber() const {
  if (!Known || !Names.empty() || Denominator != 1)
    return std::nullopt;
  return Numerator;
}

bool Extent::isWhole() const {
  return Known && Denominator == 1 &&
         llvm::all_of(Names, [](const Power &P) { return P.Exponent > 0; });
}

llvm::StringRef Extent::asName() const {
  const bool Single = Known && Numerator == 1 && Denominator == 1 &&
                      Names.size() == 1 && Names[0].Exponent == 1 &&
                      !Names[0].IsVariable;
  return Single ? llvm::StringRef(Names[0].Name) : llvm::StringRef();
}

Extent
Extent::substitute(llvm::function_ref<Extent(llvm::StringRef)> Value) const {
  if (!Known)
    return *this;
  Extent Out = number(Numerator) / number(Denominator);
  for (const Power &P : Names) {
    const Extent Each = P.IsVariable ? variable(P.Name) : Value(P.Name);
    for (int I = 0; I != std::abs(P.Exponent); ++I)
      Out = P.Exponent > 0 ? Out * Each : Out / Each;
  }
  return Out;
}

std::string Extent::str() const {
  if (!Known)
    return "_";
  std::string Above, Below;
  const auto Append = [](std::string &To, llvm::StringRef Part, char By) {
    if (!To.empty())
      To += By;
    To += Part;
  };
  if (Numerator != 1)
    Append(Above, std::to_string(Numerator), '*');
  if (Denominator != 1)
    Append(Below, std::to_string(Denominator), '/');
  for (const Power &P : Names)
    for (int I = 0; I != std::abs(P.Exponent); ++I)
      P.Exponent > 0 ? Append(Above, P.Name, '*') : Append(Below, P.Name, '/');
  if (Above.empty())
    Above = "1";
  return Below.empty() ? Above : Above + "/" + Below;
}

Extent operator*(const Extent &A, const Extent &B) {
  Extent Out;
  if (!A.Known || !B.Known)
    return Out;
  // Crosswise first: what cancels cannot overflow.
  const std::int64_t Left = std::gcd(A.Numerator, B.Denominator);
  const std::int64_t Right = std::gcd(B.Numerator, A.Denominator);
  if (llvm::MulOverflow(A.Numerator / Left, B.Numerator / Right,
                        Out.Numerator) ||
      llvm::MulOverflow(A.Denominator / Right, B.Denominator / Left,
                        Out.Denominator))
    return Extent();
  Out.Known = true;
  Out.Names = A.Names;
  for (const Extent::Power &P : B.Names) {
    auto *At = llvm::lower_bound(
        Out.Names, P, [](const Extent::Power &X, const Extent::Power &Y) {
          return std::tie(X.Name, X.IsVariable) <
                 std::tie(Y.Name, Y.IsVariable);
        });
    if (At == Out.Names.end() || At->Name != P.Name ||
        At->IsVariable != P.IsVariable)
      Out.Names.insert(At, P);
    else if ((At->Exponent += P.Exponent) == 0)
      Out.Names.erase(At);
  }
  return Out;
}

Extent operator/(const Extent &A, const Extent &B) {
  Extent Inverse = B;
  std::swap(Inverse.Numerator, Inverse.Denominator);
  for (Extent::Power &P : Inverse.Names)
    P.Exponent = -P.Exponent;
  return A * Inverse;
}

SameSize compare(const Extent &A, const Extent &B) {
  if (!A.isKnown() || !B.isKnown())
    return SameSize::Unknown;
  if (A == B)
    return SameSize::Yes;
  const bool TwoNames = !A.asName().empty() && !B.asName().empty();
  return TwoNames || (A / B).isNumeric() ? SameSize::No : SameSize::Unknown;
}

} // namespace spmd::rules

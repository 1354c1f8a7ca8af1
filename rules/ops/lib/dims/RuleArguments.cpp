//===- RuleArguments.cpp - What the parameters of a term are in a call ----===//

#include "RuleBuilder.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::global {

const ShapeParameter &RuleBuilder::parameter(unsigned P) const {
  static const ShapeParameter None;
  return P < Shape.Parameters.size() ? Shape.Parameters[P] : None;
}

const OpArgument *RuleBuilder::argument(llvm::StringRef Names) const {
  llvm::SmallVector<llvm::StringRef, 4> Each;
  Names.split(Each, '|', -1, false);
  for (const OpArgument &A : Call.Arguments)
    if (llvm::is_contained(Each, A.Name))
      return &A;
  return nullptr;
}

std::optional<std::int64_t> RuleBuilder::integer(llvm::StringRef Names) const {
  const OpArgument *A = argument(Names);
  const auto *V = A && A->Value ? std::get_if<SizeValue>(&*A->Value) : nullptr;
  return V && V->isNumber() ? std::optional(V->Number) : std::nullopt;
}

bool RuleBuilder::isHidden(unsigned P) {
  const std::string &Name = parameter(P).Name;
  if (Name.empty() || argument(Name) || !hasOptions())
    return false;
  undecided("options");
  return true;
}

llvm::SmallVector<std::int64_t, 4> RuleBuilder::numbers(unsigned P) {
  const ShapeParameter &Formal = parameter(P);
  if (isHidden(P))
    return {};
  const OpArgument *A = argument(Formal.Name);
  if (!A)
    return Formal.Default ? llvm::SmallVector<std::int64_t, 4>{*Formal.Default}
                          : llvm::SmallVector<std::int64_t, 4>();
  llvm::SmallVector<std::int64_t, 4> Out;
  const auto Add = [&](const SizeValue &V) {
    if (!V.isNumber())
      return false;
    Out.push_back(V.Number);
    return true;
  };
  bool Known = A->Value.has_value();
  if (Known) {
    if (const auto *One = std::get_if<SizeValue>(&*A->Value))
      Known = Add(*One);
    else if (const auto *List = std::get_if<SizeList>(&*A->Value))
      for (const std::optional<SizeValue> &V : *List)
        Known &= V && Add(*V);
  }
  if (!Known)
    undecided(A->Name);
  return Out;
}

std::optional<unsigned> RuleBuilder::fromFront(std::int64_t D, unsigned Rank,
                                               unsigned P) {
  const auto R = static_cast<std::int64_t>(Rank);
  if (R == 0 && (D == 0 || D == -1))
    return std::nullopt; // a scalar counts as a tensor of one dim
  if (D >= -R && D < R)
    return static_cast<unsigned>(D < 0 ? D + R : D);
  SpecViolation V;
  V.K = SpecViolation::Kind::Dimension;
  const OpArgument *A = argument(parameter(P).Name);
  V.Argument = (A ? A->Name : "dim") + " = " + std::to_string(D);
  wrong(std::move(V));
  return std::nullopt;
}

std::optional<llvm::SmallVector<unsigned, 4>> RuleBuilder::dims(unsigned P,
                                                                unsigned Rank) {
  llvm::SmallVector<unsigned, 4> Out;
  for (std::int64_t D : numbers(P))
    if (std::optional<unsigned> Front = fromFront(D, Rank, P))
      Out.push_back(*Front);
  if (Out.empty())
    return std::nullopt;
  return Out;
}

unsigned RuleBuilder::dim(unsigned P, unsigned Rank) {
  const auto Found = dims(P, Rank);
  if (!failed() && (!Found || Found->size() != 1))
    undecided(parameter(P).Name);
  return Found && !failed() ? (*Found)[0] : 0;
}

bool RuleBuilder::flag(unsigned P) {
  if (isHidden(P))
    return false;
  const OpArgument *A = argument(parameter(P).Name);
  if (!A)
    return parameter(P).Default.value_or(0) != 0;
  if (A->Value)
    if (const bool *Flag = std::get_if<bool>(&*A->Value))
      return *Flag;
  undecided(A->Name);
  return false;
}

AskedSize RuleBuilder::asked(const std::optional<SizeValue> &V) const {
  AskedSize S;
  if (V && V->isNumber())
    S.Number = V->Number;
  S.Rest = S.Number == -1;
  if (V && V->Number > 0) {
    S.Size = Extent::number(V->Number) / Extent::number(V->Divisor);
    for (const SizeTerm &T : V->Terms)
      for (int I = 0; I != std::abs(T.Exponent); ++I)
        S.Size =
            T.Exponent > 0 ? S.Size * Call.SizeOf(T) : S.Size / Call.SizeOf(T);
  }
  return S;
}

Extent RuleBuilder::size(llvm::StringRef Names) const {
  const OpArgument *A = argument(Names);
  const auto *V = A && A->Value ? std::get_if<SizeValue>(&*A->Value) : nullptr;
  return V ? asked(*V).Size : Extent();
}

llvm::SmallVector<AskedSize, 4> RuleBuilder::sizes(unsigned P) {
  llvm::SmallVector<AskedSize, 4> Out;
  if (isHidden(P))
    return Out;
  const OpArgument *A = argument(parameter(P).Name);
  if (!A || !A->Value) {
    undecided(A ? A->Name : parameter(P).Name);
    return Out;
  }
  const auto Add = [&](const std::optional<SizeValue> &V) {
    Out.push_back(asked(V));
  };
  if (const auto *List = std::get_if<SizeList>(&*A->Value))
    llvm::for_each(*List, Add);
  else if (const auto *One = std::get_if<SizeValue>(&*A->Value))
    Add(*One);
  else
    undecided(A->Name);
  return Out;
}

std::string RuleBuilder::text(unsigned P) {
  const OpArgument *A = argument(parameter(P).Name);
  if (A && A->Value)
    if (const auto *Text = std::get_if<std::string>(&*A->Value))
      return *Text;
  undecided(A ? A->Name : parameter(P).Name);
  return {};
}

std::optional<unsigned> RuleBuilder::lengthOf(unsigned P) const {
  const OpArgument *A = argument(parameter(P).Name);
  const auto *List =
      A && A->Value ? std::get_if<SizeList>(&*A->Value) : nullptr;
  return List ? std::optional(static_cast<unsigned>(List->size()))
              : std::nullopt;
}

} // namespace spmd::rules::global

//===- SpecCall.cpp - A call of an op with a shape rule -------------------===//

#include "spmd/oracle/SpecCall.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::oracle {

const OpArgument *SpecCall::argument(llvm::StringRef Names) const {
  llvm::SmallVector<llvm::StringRef, 4> Each;
  Names.split(Each, '|', -1, false);
  for (const OpArgument &A : Arguments)
    if (llvm::is_contained(Each, A.Name))
      return &A;
  return nullptr;
}

std::optional<Index> SpecCall::numbers(unsigned P) const {
  const ShapeRule &S = *Op->Shape;
  if (P >= S.Parameters.size())
    return std::nullopt;
  const OpArgument *A = argument(S.Parameters[P].Name);
  if (!A)
    return S.Parameters[P].Default
               ? std::optional(
                     Index{static_cast<int>(*S.Parameters[P].Default)})
               : std::nullopt;
  if (const auto *One = std::get_if<SizeValue>(&*A->Value))
    return Index{static_cast<int>(One->Number)};
  if (const auto *Flag = std::get_if<bool>(&*A->Value))
    return Index{*Flag};
  Index Out;
  if (const auto *List = std::get_if<SizeList>(&*A->Value))
    for (const std::optional<SizeValue> &V : *List)
      Out.push_back(static_cast<int>(V->Number));
  return Out;
}

bool SpecCall::flag(unsigned P) const {
  const auto N = numbers(P);
  return N && !N->empty() && N->front() != 0;
}

std::optional<std::string> SpecCall::text(unsigned P) const {
  const OpArgument *A = argument(Op->Shape->Parameters[P].Name);
  const auto *Text = A ? std::get_if<std::string>(&*A->Value) : nullptr;
  return Text ? std::optional(*Text) : std::nullopt;
}

/// Terms that take no notice of formals after the first.
static bool isOfFirst(const ShapeRule &S) {
  using T = ShapeTerm;
  return S.Notations.empty() && S.Of.empty() &&
         llvm::is_contained({T::Sum, T::Fold, T::Along, T::Swap, T::Permute,
                             T::Move, T::Reverse, T::Insert, T::Remove,
                             T::Reshape, T::Flatten, T::Unflatten, T::Expand,
                             T::Repeat, T::Interleave, T::Part, T::Pad,
                             T::Pick},
                            S.Term);
}

llvm::SmallVector<SpecCall::Spoken, 4> SpecCall::spoken() const {
  llvm::SmallVector<Spoken, 4> Out;
  const ShapeRule &S = *Op->Shape;
  const auto Take = [&](unsigned Formal, unsigned Position) {
    for (unsigned I = 0; I != FormalOf.size(); ++I)
      if (FormalOf[I] == Formal)
        Out.push_back({I, Position});
  };
  for (unsigned F = 0; F != Op->Formals.size(); ++F) {
    if (S.Of.empty() && (F == 0 || !isOfFirst(S)))
      Take(F, F);
  }
  for (unsigned P = 0; P != S.Of.size(); ++P)
    for (unsigned F = 0; F != Op->Formals.size(); ++F)
      if (Op->Formals[F].Name == S.Of[P].Name)
        Take(F, P);
  return Out;
}

std::string SpecCall::str() const {
  std::string Out = Op->Name + "(";
  const auto Number = [](const std::optional<SizeValue> &V) {
    return std::to_string(V->Number);
  };
  for (const OpArgument &A : Arguments) {
    Out += (&A == Arguments.begin() ? "" : ", ") + A.Name + "=";
    if (const auto *One = std::get_if<SizeValue>(&*A.Value))
      Out += Number(*One);
    if (const auto *Flag = std::get_if<bool>(&*A.Value))
      Out += *Flag ? "true" : "false";
    if (const auto *Text = std::get_if<std::string>(&*A.Value))
      Out += *Text;
    if (std::holds_alternative<OpArgument::None>(*A.Value))
      Out += "none";
    if (const auto *List = std::get_if<SizeList>(&*A.Value)) {
      Out += "{";
      for (const std::optional<SizeValue> &V : *List)
        Out += (&V == List->begin() ? "" : ",") + Number(V);
      Out += "}";
    }
  }
  return Out + ")";
}

} // namespace spmd::oracle

//===- Value.cpp - Unknown values and constants by name -------------------===//

#include "Value.h"

namespace spmd::collectives {

Value Symbols::get(llvm::StringRef Key, Trust T) {
  const auto [At, New] = ByKey.try_emplace(Key, Entries.size());
  if (New)
    Entries.push_back({T, Key.str(), std::nullopt, false});
  return Value::of(ValueKind::Symbol, At->second);
}

Value Symbols::relation(const Relation &R) {
  const bool IsEqual = R.K == Relation::Kind::Equal;
  const auto [At, New] = RelationIds.try_emplace(
      {4 * R.Symbol + 2 * IsEqual + R.Negated, R.To}, 0);
  if (New) {
    const std::string Key = std::to_string(R.Symbol) + (IsEqual ? "=" : "<") +
                            std::to_string(R.To) + (R.Negated ? "!" : "?");
    At->second = get(Key, Entries[R.Symbol].Trust).Id;
    Entries[At->second].Says = R;
  }
  return Value::of(ValueKind::Symbol, At->second);
}

unsigned Symbols::name(llvm::StringRef Name,
                       std::optional<rules::CallConstant> Meaning) {
  const auto [At, New] = NameIds.try_emplace(Name, Names.size());
  if (New)
    Names.emplace_back(Name.str(), Meaning);
  return At->second;
}

std::string Symbols::textOf(const Value &V) const {
  switch (V.Kind) {
  case ValueKind::Undefined:
    return "?";
  case ValueKind::Integer:
    return std::to_string(V.Integer);
  case ValueKind::Real:
    return std::to_string(V.Real);
  case ValueKind::Symbol:
    return std::to_string(V.Scale) + "s" + std::to_string(V.Id) + "+" +
           std::to_string(V.Integer);
  case ValueKind::Pointer:
    return "o" + std::to_string(V.To.Object) + pathText(V.To.Path);
  case ValueKind::Comm:
    return "c" + std::to_string(V.Id);
  case ValueKind::Name:
    return Names[V.Id].first;
  case ValueKind::Function:
    return "f" + std::to_string(V.Id);
  case ValueKind::Request:
    return "r" + std::to_string(V.Id);
  case ValueKind::Group:
    return "g" + std::to_string(V.Id);
  }
  return {};
}

PathId Symbols::intern(Path P) {
  const auto [At, New] =
      PathIds.try_emplace({2 * P.Parent + P.IsIndex, P.Index}, Paths.size());
  if (New)
    Paths.push_back(P);
  return At->second;
}

PathId Symbols::field(PathId Of, llvm::StringRef Name) {
  const auto [At, New] = FieldIds.try_emplace(Name, FieldIds.size());
  if (New)
    SomeIndex.push_back(Name.starts_with("["));
  const unsigned Id = At->second;
  return intern({Of, false, Id});
}

PathId Symbols::element(PathId Of, std::int64_t Index) {
  return intern({Of, true, Index});
}

bool Symbols::isWithin(PathId P, PathId Whole) const {
  while (P != Whole && P != WholeObject)
    P = Paths[P].Parent;
  return P == Whole;
}

PathId Symbols::stepTo(PathId P, PathId Whole) const {
  while (Paths[P].Parent != Whole)
    P = Paths[P].Parent;
  return P;
}

PathId Symbols::moved(PathId P, PathId From, PathId To) {
  if (P == From)
    return To;
  const Path Last = Paths[P];
  return intern({moved(Last.Parent, From, To), Last.IsIndex, Last.Index});
}

std::string Symbols::pathText(PathId P, PathId From) const {
  if (P == From || P == WholeObject)
    return {};
  return pathText(Paths[P].Parent, From) + (Paths[P].IsIndex ? "[" : ".") +
         std::to_string(Paths[P].Index);
}

} // namespace spmd::collectives

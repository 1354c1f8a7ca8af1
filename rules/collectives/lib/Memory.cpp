//===- Memory.cpp - The storage of one rank -------------------------------===//

#include "Memory.h"

#include <set>

namespace spmd::collectives {

unsigned Memory::create(Source Initial) {
  Objects.emplace_back();
  Objects.back().IsShared = Initial.IsShared;
  Objects.back().IsPinned = Initial.IsPinned;
  Objects.back().Layers.push_back({WholeObject, std::move(Initial)});
  return Objects.size() - 1;
}

Value Memory::read(Location At) {
  Object &O = Objects[At.Object];
  for (const auto &[Path, By] : O.Hangs)
    if (S.isWithin(At.Path, Path))
      Asked |= By;
  if (const auto It = O.Cells.find(At.Path); It != O.Cells.end())
    return It->second;
  if (const auto It = O.Unwritten.find(At.Path); It != O.Unwritten.end())
    return Value::of(ValueKind::Symbol, It->second);
  for (auto It = O.Layers.rbegin(); It != O.Layers.rend(); ++It) {
    if (!S.isWithin(At.Path, It->Of))
      continue;
    if (It->From.IsZero)
      return Value::integer(0);
    const Value V =
        S.get(It->From.Key + S.pathText(At.Path, It->Of), It->From.Trust);
    O.Unwritten.try_emplace(At.Path, V.Id);
    return V;
  }
  return {};
}

void Memory::write(Location At, Value V) {
  Object &O = Objects[At.Object];
  O.Cells[At.Path] = V;
  setReasons(O, At.Path);
}

void Memory::addReasons(Location At, Reasons By) {
  Objects[At.Object].Hangs[At.Path] |= By;
}

void Memory::setReasons(Object &O, PathId Path) {
  const Reasons By = Asked | Within;
  if (By.any() || O.Hangs.count(Path))
    O.Hangs[Path] = By;
}

void Memory::forget(Location At, Source From) {
  Object &O = Objects[At.Object];
  const auto IsGone = [&](const auto &C) {
    return S.isWithin(C.first, At.Path);
  };
  O.Cells.eraseIf(IsGone);
  O.Unwritten.eraseIf(IsGone);
  O.Hangs.eraseIf(IsGone);
  setReasons(O, At.Path);
  llvm::erase_if(O.Layers, [&](const Layer &L) {
    return L.Of != WholeObject && S.isWithin(L.Of, At.Path);
  });
  O.Layers.push_back({At.Path, std::move(From)});
}

void Memory::copy(Location From, Location To) { copyFrom(*this, From, To); }

void Memory::copyFrom(Memory &Other, Location From, Location To) {
  const Object &Old = Other.Objects[From.Object];
  Source Base;
  // What goes along, before To is forgotten, which may be in the same object.
  llvm::SmallVector<Layer, 2> Layers;
  for (const Layer &L : Old.Layers) {
    if (S.isWithin(From.Path, L.Of)) {
      Base = L.From;
      Base.Key += S.pathText(From.Path, L.Of);
    }
    if (L.Of != From.Path && S.isWithin(L.Of, From.Path))
      Layers.push_back(L);
  }
  llvm::SmallVector<std::pair<PathId, Value>, 8> Cells;
  for (const auto &C : Old.Cells)
    // A pointer or a request means nothing elsewhere.
    if (S.isWithin(C.first, From.Path) &&
        (&Other == this || (C.second.Kind != ValueKind::Pointer &&
                            C.second.Kind != ValueKind::Request)))
      Cells.push_back(C);
  Reasons All;
  for (const auto &[Path, By] : Old.Hangs)
    if (S.isWithin(Path, From.Path) || S.isWithin(From.Path, Path))
      All |= By;
  forget(To, std::move(Base));
  Object &New = Objects[To.Object];
  for (Layer &L : Layers)
    New.Layers.push_back(
        {S.moved(L.Of, From.Path, To.Path), std::move(L.From)});
  for (const auto &[Path, V] : Cells)
    New.Cells[S.moved(Path, From.Path, To.Path)] = V;
  if (All.any())
    New.Hangs[To.Path] |= All;
}

std::vector<std::int64_t> Memory::elementsOf(Location At) const {
  std::set<std::int64_t> Found;
  const auto Add = [&](PathId P) {
    if (P == At.Path || !S.isWithin(P, At.Path))
      return;
    if (const PathId Step = S.stepTo(P, At.Path); S.isElement(Step))
      Found.insert(S.indexOf(Step));
  };
  for (const auto &[Path, V] : Objects[At.Object].Cells)
    Add(Path);
  for (const Layer &L : Objects[At.Object].Layers)
    Add(L.Of);
  return {Found.begin(), Found.end()};
}

std::vector<Location> Memory::holders(const Value &V) const {
  std::vector<Location> Out;
  for (unsigned I = 0; I != Objects.size(); ++I)
    for (const auto &[Path, Held] : Objects[I].Cells)
      if (Held == V)
        Out.push_back({I, Path});
  return Out;
}

std::vector<Location> Memory::placesOf(unsigned Symbol) const {
  std::vector<Location> Out;
  for (unsigned I = 0; I != Objects.size(); ++I) {
    for (const auto &[Path, Held] : Objects[I].Cells)
      if (Held.isSymbol() && Held.Id == Symbol)
        Out.push_back({I, Path});
    for (const auto &[Path, First] : Objects[I].Unwritten)
      if (First == Symbol)
        Out.push_back({I, Path});
  }
  return Out;
}

std::string Memory::keyOf(Location At, unsigned Symbol) const {
  return keyOf(At.Object).str() + S.pathText(At.Path) + "=" + S[Symbol].Key;
}

std::vector<Value> Memory::valuesIn(Location At) const {
  std::vector<Value> Out;
  for (const auto &[Path, V] : Objects[At.Object].Cells)
    if (S.isWithin(Path, At.Path))
      Out.push_back(V);
  return Out;
}

Location Memory::advance(Location At, std::int64_t Index) {
  if (S.isElement(At.Path))
    return {At.Object,
            S.element(S.parent(At.Path), S.indexOf(At.Path) + Index)};
  if (Index == 0)
    return At;
  return {At.Object, S.element(At.Path, Index)};
}

} // namespace spmd::collectives

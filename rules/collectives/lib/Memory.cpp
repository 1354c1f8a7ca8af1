//===- Memory.cpp - The storage of one rank -------------------------------===//

#include "Memory.h"

namespace spmd::collectives {

unsigned Memory::create(Source Initial) {
  Objects.emplace_back();
  Objects.back().Layers.push_back({WholeObject, std::move(Initial)});
  return Objects.size() - 1;
}

Value Memory::read(Location At) {
  Object &O = Objects[At.Object];
  if (const auto It = O.Cells.find(At.Path); It != O.Cells.end())
    return It->second;
  for (auto It = O.Layers.rbegin(); It != O.Layers.rend(); ++It) {
    if (!S.isWithin(At.Path, It->Of))
      continue;
    if (It->From.IsZero)
      return Value::integer(0);
    const PathId Made = S.moved(At.Path, It->Of, It->MadeAt);
    return S.get(It->From.Key + S.pathText(Made), It->From.Trust);
  }
  return {};
}

void Memory::write(Location At, Value V) {
  Objects[At.Object].Cells[At.Path] = V;
}

void Memory::forget(Location At, Source From) {
  Object &O = Objects[At.Object];
  std::erase_if(O.Cells,
                [&](const auto &C) { return S.isWithin(C.first, At.Path); });
  std::erase_if(O.Layers, [&](const Layer &L) {
    return L.Of != WholeObject && S.isWithin(L.Of, At.Path);
  });
  O.Layers.push_back({At.Path, std::move(From), At.Path});
}

void Memory::copy(Location From, Location To) { copyFrom(*this, From, To); }

void Memory::copyFrom(Memory &Other, Location From, Location To) {
  const Object Old = Other.Objects[From.Object];
  Layer Base;
  for (const Layer &L : Old.Layers)
    if (S.isWithin(From.Path, L.Of))
      Base = L;
  forget(To, std::move(Base.From));
  Object &New = Objects[To.Object];
  New.Layers.back().MadeAt = S.moved(From.Path, Base.Of, Base.MadeAt);
  for (const Layer &L : Old.Layers)
    if (L.Of != From.Path && S.isWithin(L.Of, From.Path))
      New.Layers.push_back(
          {S.moved(L.Of, From.Path, To.Path), L.From, L.MadeAt});
  for (const auto &[Path, V] : Old.Cells)
    // A pointer or a request means nothing elsewhere.
    if (S.isWithin(Path, From.Path) &&
        (&Other == this ||
         (V.Kind != ValueKind::Pointer && V.Kind != ValueKind::Request)))
      New.Cells[S.moved(Path, From.Path, To.Path)] = V;
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

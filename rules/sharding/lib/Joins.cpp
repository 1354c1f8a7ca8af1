//===- Joins.cpp - Where ways through a function meet ---------------------===//

#include "Joins.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace spmd::rules;

namespace spmd::sharding {

std::optional<ValueId> Joins::join(llvm::ArrayRef<std::optional<ValueId>> All) {
  llvm::SmallVector<ValueId, 2> Distinct;
  for (const std::optional<ValueId> &V : All)
    if (V && !llvm::is_contained(Distinct, *V))
      Distinct.push_back(*V);
  if (Distinct.empty())
    return std::nullopt;
  if (Distinct.size() == 1)
    return Distinct.front();
  for (ValueId V : Distinct)
    if (G.Values[V].Maker && !G.Nodes[*G.Values[V].Maker].Joins)
      G.note(G.Values[V].At, "this is one of several ways: all are counted as "
                             "if they were taken");
  return add(Distinct, nullptr);
}

ValueId Joins::add(llvm::ArrayRef<ValueId> Of,
                   std::shared_ptr<const TypeSpec> Declared) {
  Node N;
  N.Joins = true;
  N.Name = G.Values[Of.front()].Name;
  N.At = G.Values[Of.front()].At;
  N.Declared = std::move(Declared);
  Value Made = G.Values[Of.front()];
  for (ValueId V : Of) {
    N.Operands.push_back({V, PlaceId::None});
    Made.Differentiable |= G.Values[V].Differentiable;
    if (G.Values[V].Sizes != Made.Sizes || !G.Values[V].HasDims)
      Made.HasDims = false;
  }
  if (!Made.HasDims) {
    Made.Sizes.clear();
    Made.Written.clear();
  }
  Made.From = Value::Source::Made;
  Made.Slot = SlotId::None;
  Made.Declared = nullptr;
  Made.Maker = static_cast<unsigned>(G.Nodes.size());
  G.Values.push_back(std::move(Made));
  N.Result = static_cast<ValueId>(G.Values.size() - 1);
  G.Nodes.push_back(std::move(N));
  return *G.Nodes.back().Result;
}

Storages Joins::meet(llvm::ArrayRef<const Storages *> Ends) {
  if (Ends.size() == 1)
    return *Ends.front();
  Storages Out;
  std::map<std::vector<StorageId>, StorageId> Met;
  for (const auto &[Slot, First] : Ends.front()->Now) {
    std::vector<StorageId> Each;
    std::vector<std::optional<ValueId>> Values;
    for (const Storages *S : Ends)
      if (const auto It = S->Now.find(Slot); It != S->Now.end()) {
        Each.push_back(It->second);
        Values.push_back(S->Contents.at(It->second));
      }
    // Made on some ways only: gone after them.
    if (Each.size() != Ends.size())
      continue;
    const auto [It, New] = Met.try_emplace(Each, First);
    if (New) {
      if (llvm::any_of(Each, [&](StorageId S) { return S != First; }))
        It->second = newStorage();
      Out.Contents[It->second] = join(Values);
    }
    Out.Now[Slot] = It->second;
  }
  // What is declared is there on all ways.
  for (const Storages *S : Ends)
    for (const auto &[Slot, Id] : S->Now)
      if (const std::optional<ValueId> V = S->Contents.at(Id);
          V && G.Values[*V].From != Value::Source::Made &&
          Out.Now.try_emplace(Slot, Id).second)
        Out.Contents[Id] = V;
  return Out;
}

Joins::Loop Joins::beginLoop(const Function &F, const Ways::Stop &At,
                             Storages &Here) {
  Loop L;
  L.At = &At;
  std::set<SlotId> Bound, Written;
  for (std::uint32_t B : At.Loop)
    for (const Fact &X : F.Blocks[B].Facts)
      forEachSlot(X, [&](SlotId S, SlotAccess Access) {
        // The buffer of a collective names its result from then on.
        const bool Receives =
            Access.Writes && std::holds_alternative<TransferFact>(X);
        if (Access.Defines || Receives)
          Bound.insert(S);
        else if (Access.Writes)
          Written.insert(S);
      });
  const auto Join = [&](SlotId S, StorageId Into) {
    const std::optional<ValueId> V = Here.Contents.at(Here.Now.at(S));
    if (!V || !G.Values[*V].HasDims)
      return;
    L.Joins.push_back({S, static_cast<unsigned>(G.Nodes.size())});
    Here.Contents[Into] = add(*V, nullptr);
    Here.Now[S] = Into;
  };
  for (SlotId S : Written)
    if (Here.Now.contains(S))
      Join(S, Here.Now.at(S));
  for (SlotId S : Bound)
    if (Here.Now.contains(S) && !Written.contains(S))
      Join(S, newStorage());
  return L;
}

void Joins::endLoop(const Loop &L, const Storages &Here) {
  for (const auto &[Slot, N] : L.Joins) {
    const auto It = Here.Now.find(Slot);
    const std::optional<ValueId> V =
        It == Here.Now.end() ? std::nullopt : Here.Contents.at(It->second);
    if (V && V != G.Nodes[N].Result && G.Values[*V].HasDims &&
        G.Values[*V].Sizes == G.Values[*G.Nodes[N].Result].Sizes)
      G.Nodes[N].Operands.push_back({*V, PlaceId::None});
  }
}

} // namespace spmd::sharding

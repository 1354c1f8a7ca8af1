//===- Joins.h - Where ways through a function meet -------------*- C++ -*-===//

#ifndef SPMD_SHARDING_LIB_JOINS_H
#define SPMD_SHARDING_LIB_JOINS_H

#include "Ways.h"

#include "spmd/sharding/Graph.h"

namespace spmd::sharding {

using StorageId = unsigned;
/// What slots name at a place, and what that holds.
struct Storages {
  std::map<rules::SlotId, StorageId> Now;
  std::map<StorageId, std::optional<ValueId>> Contents;
};

/// Adds the nodes that join values to a graph.
class Joins {
public:
  explicit Joins(Graph &G) : G(G) {}

  StorageId newStorage() { return Next++; }

  /// The value that is one of \p All, or the one that there is.
  std::optional<ValueId> join(llvm::ArrayRef<std::optional<ValueId>> All);
  /// The same as a node in any case.
  ValueId add(llvm::ArrayRef<ValueId> Of,
              std::shared_ptr<const rules::TypeSpec> Declared = nullptr);

  /// What slots name where several ways meet.
  Storages meet(llvm::ArrayRef<const Storages *> Ends);

  struct Loop {
    const Ways::Stop *At;
    /// By slot: the node at its begin.
    std::vector<std::pair<rules::SlotId, unsigned>> Joins;
    bool IsNoted = false;
  };
  /// Joins at the begin of a loop what it changes.
  Loop beginLoop(const rules::Function &F, const Ways::Stop &At,
                 Storages &Here);
  void endLoop(const Loop &L, const Storages &Here);

private:
  Graph &G;
  StorageId Next = 0;
};

} // namespace spmd::sharding

#endif // SPMD_SHARDING_LIB_JOINS_H

//===- TraceStorage.h - What the names of a run refer to --------*- C++ -*-===//

#ifndef SPMD_ORACLE_LIB_TRACESTORAGE_H
#define SPMD_ORACLE_LIB_TRACESTORAGE_H

#include "spmd/ir/IR.h"

#include "llvm/ADT/StringMap.h"

#include <map>

namespace spmd::oracle {

/// What a name refers to. Its fields are storage of their own; a part of an
/// array writes through to the whole.
struct Storage {
  std::string Name;
  std::optional<unsigned> Node;
  std::vector<std::string> Axes; ///< of a communicator
  std::shared_ptr<const rules::TypeAnnotation> Declared;
  llvm::StringMap<Storage *> Fields;
  Storage *Whole = nullptr;
  /// On each rank one of two: the first where the node By is 1.
  struct Either {
    unsigned By;
    Storage *First, *Second;
  };
  std::optional<Either> Of;
};

/// What names refer to, and what it holds.
struct Snapshot {
  std::vector<Storage> Storages;
  std::map<std::uint32_t, Storage *> Slots;
  Storage *Returned = nullptr;
};

} // namespace spmd::oracle

#endif // SPMD_ORACLE_LIB_TRACESTORAGE_H

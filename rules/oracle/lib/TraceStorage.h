//===- TraceStorage.h - What the names of a run refer to --------*- C++ -*-===//

#ifndef SPMD_ORACLE_LIB_TRACESTORAGE_H
#define SPMD_ORACLE_LIB_TRACESTORAGE_H

#include "spmd/rules/IR.h"

#include "llvm/ADT/StringMap.h"

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
};

} // namespace spmd::oracle

#endif // SPMD_ORACLE_LIB_TRACESTORAGE_H

//===- CollectiveReader.h - Communication APIs from YAML --------*- C++ -*-===//

#ifndef SPMD_OPS_LIB_COLLECTIVEREADER_H
#define SPMD_OPS_LIB_COLLECTIVEREADER_H

#include "spmd/ops/CollectiveApi.h"

namespace spmd::rules {

/// Reads a list of APIs in the format of docs/apis.md. The error has one line
/// for each mistake: "file:line:column: error: …".
llvm::Expected<std::deque<CollectiveApi>>
readCollectiveApis(llvm::MemoryBufferRef Buffer);

} // namespace spmd::rules

#endif // SPMD_OPS_LIB_COLLECTIVEREADER_H

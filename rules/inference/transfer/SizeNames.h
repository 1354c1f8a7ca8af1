//===- SizeNames.h - Names of sizes in contracts ----------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_TRANSFER_SIZENAMES_H
#define SPMD_INFERENCE_TRANSFER_SIZENAMES_H

#include "domain/Value.h"

#include "llvm/ADT/StringMap.h"

namespace spmd::rules::inference {

/// The names of sizes in a callee's contract.
class SizeNames {
public:
  /// \p Declared with the names as far as they are bound; \p Given binds those
  /// that are not.
  SpecPtr instantiate(const SpecPtr &Declared, const PartitionSpec *Given);

private:
  llvm::StringMap<Extent> Bound;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_TRANSFER_SIZENAMES_H

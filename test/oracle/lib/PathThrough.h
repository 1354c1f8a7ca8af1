//===- PathThrough.h - Which way a run takes --------------------*- C++ -*-===//

#ifndef SPMD_ORACLE_LIB_PATHTHROUGH_H
#define SPMD_ORACLE_LIB_PATHTHROUGH_H

#include "spmd/ir/IR.h"

namespace spmd::oracle {

/// A path that a number chooses, the same through functions with the same
/// blocks. It goes round a loop once or a few times and never where the program
/// ends.
class PathThrough {
public:
  PathThrough(const rules::Function &F, unsigned Number);

  /// Whether the function can return from block \p B.
  bool returns(std::uint32_t B) const { return Returns[B]; }
  /// The block after \p B, or nothing where the function returns.
  std::optional<std::uint32_t> after(std::uint32_t B);

private:
  bool beginsLoop(std::uint32_t B) const;

  const rules::Function &F;
  unsigned Number;
  std::uint32_t Last = 0; ///< the block before
  std::vector<bool> Returns;
  std::vector<unsigned> Visits;
};

} // namespace spmd::oracle

#endif // SPMD_ORACLE_LIB_PATHTHROUGH_H

//===- NamedAxes.h - The axes that a function is on -------------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_NAMEDAXES_H
#define SPMD_LINT_LIB_NAMEDAXES_H

#include "spmd/ir/IR.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

namespace spmd::lint {

/// Which of a module's axes the code of a function is on: all of its mesh's,
/// or those that are its own parameters.
class NamedAxes {
public:
  explicit NamedAxes(const rules::Module &M);

  /// A bit per axis of \p Axes.
  std::uint32_t of(const rules::Function &F,
                   llvm::ArrayRef<std::string> Axes) const;

private:
  llvm::DenseMap<const rules::Function *, llvm::StringSet<>> Own;
  llvm::StringSet<> Formal; ///< axes that are parameters and nothing else
};

/// The communicator \p Axis of \p F by the name that it has there.
rules::SlotId namedRanks(const rules::Function &F, rules::SlotId Axis);
/// Whether \p Axis is known to be of this rank alone, or of an axis that has
/// one.
bool isOfOneRank(const rules::Function &F, rules::SlotId Axis);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_NAMEDAXES_H

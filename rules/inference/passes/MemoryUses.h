//===- MemoryUses.h - Who reads and writes a buffer -------------*- C++ -*-===//
//
// What is done to the memory that some slots of a function point to, by any of
// their names, also in what the function calls: where it is read, where it is
// written, and what comes first.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_PASSES_MEMORYUSES_H
#define SPMD_INFERENCE_PASSES_MEMORYUSES_H

#include "spmd/ir/IR.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace spmd::rules::inference {

/// One fact that reads or writes the memory.
struct MemoryAccess {
  std::uint32_t Block = 0, Index = 0;
  const Fact *X = nullptr;
  bool Reads = false, Writes = false;
  /// What it writes itself comes later.
  bool ReadsFirst = false;
  /// It reads once more what it has written.
  bool ReadsAgain = false;
};

/// What a function does in all.
struct MemoryUse {
  bool Reads = false, Writes = false;
  /// Whoever writes has read before.
  bool ReadsFirst = false;
  /// A loop comes back to where that is read, when some of it is written.
  bool ReadsAgain = false;
};

class MemoryUses {
public:
  using Finder = llvm::function_ref<const Function *(llvm::StringRef)>;
  /// \p Find, which lives on, tells the functions that are called.
  explicit MemoryUses(Finder Find) : Find(Find) {}

  /// What \p F does with what \p Slots point to; nothing where not all of that
  /// is known.
  std::optional<std::vector<MemoryAccess>>
  accesses(const Function &F, llvm::ArrayRef<SlotId> Slots);
  std::optional<MemoryUse> of(const Function &F, llvm::ArrayRef<SlotId> Slots);
  /// Whether \p Call writes to nothing but what \p Slots point to, as far as
  /// its arguments say.
  bool writesNothingElse(const CallFact &Call, llvm::ArrayRef<SlotId> Slots);

private:
  std::optional<MemoryUse> ofCall(const CallFact &Call,
                                  llvm::function_ref<bool(SlotId)> IsOf);

  Finder Find;
  unsigned Depth = 0;
};

/// Whether \p F comes to \p Then behind \p First, which may be itself.
bool comesTo(const Function &F, const MemoryAccess &First,
             const MemoryAccess &Then);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_PASSES_MEMORYUSES_H

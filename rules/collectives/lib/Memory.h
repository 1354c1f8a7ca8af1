//===- Memory.h - The storage of one rank -----------------------*- C++ -*-===//

#ifndef SPMD_COLLECTIVES_MEMORY_H
#define SPMD_COLLECTIVES_MEMORY_H

#include "FlatMap.h"
#include "Reasons.h"
#include "Value.h"

namespace spmd::collectives {

/// What is read where nothing was written.
struct Source {
  std::string Key; ///< of symbols; equal on all ranks
  collectives::Trust Trust = Trust::Unknown;
  bool IsZero = false;
  bool IsShared = false; ///< the host and the device both reach it
  bool IsPinned = false; ///< and it is the host's
};

class Memory {
public:
  explicit Memory(Symbols &S) : S(S) { Objects.reserve(FewObjects); }

  unsigned create(Source Initial);
  Value read(Location At);
  void write(Location At, Value V);
  /// All that is in \p At comes from \p From from now on.
  void forget(Location At, Source From);
  void copy(Location From, Location To);
  /// The values in \p At, by their paths from there on, and what holds for
  /// others: for another rank to have.
  void copyFrom(Memory &Other, Location From, Location To);
  /// The place \p Index elements behind \p At.
  Location advance(Location At, std::int64_t Index);
  /// What a buffer that begins at \p At is in.
  Location whole(Location At) const {
    return S.isElement(At.Path) ? Location{At.Object, S.parent(At.Path)} : At;
  }
  /// The indices in \p At of elements that something is known of.
  std::vector<std::int64_t> elementsOf(Location At) const;
  /// Where \p V is.
  std::vector<Location> holders(const Value &V) const;
  /// Where a number is that follows from \p Symbol alone.
  std::vector<Location> placesOf(unsigned Symbol) const;
  /// The values in \p At.
  std::vector<Value> valuesIn(Location At) const;
  bool isShared(unsigned Object) const { return Objects[Object].IsShared; }
  bool isPinned(unsigned Object) const { return Objects[Object].IsPinned; }
  unsigned numVersions(unsigned Object) const {
    return Objects[Object].Layers.size();
  }
  /// Nothing was ever put into it, or into a part of it.
  bool isUnwritten(unsigned Object) const {
    return Objects[Object].Cells.empty() && Objects[Object].Layers.size() == 1;
  }
  /// The same of a place that says something of what it holds.
  bool isUnwritten(Location At) const {
    return !Objects[At.Object].Cells.count(At.Path);
  }
  /// What is in \p At hangs on \p By.
  void addReasons(Location At, Reasons By);
  /// What all that was read hangs on since it was last cleared, and what hangs
  /// on whatever is written now besides.
  Reasons Asked, Within;
  /// What it held at first.
  llvm::StringRef keyOf(unsigned Object) const {
    return Objects[Object].Layers.front().From.Key;
  }
  /// A text for \p Symbol in \p At, equal on ranks that have the same there.
  std::string keyOf(Location At, unsigned Symbol) const;

private:
  struct Layer {
    PathId Of = WholeObject;
    Source From;
  };
  struct Object {
    FlatMap<PathId, Value, 1> Cells;
    llvm::SmallVector<Layer, 1> Layers; ///< the last that covers a path holds
    /// The symbols that were read where there are no cells: their keys are
    /// made once.
    FlatMap<PathId, unsigned, 1> Unwritten;
    bool IsShared = false, IsPinned = false;
    FlatMap<PathId, Reasons, 1> Hangs;
  };
  void setReasons(Object &O, PathId Path);

  /// Of most ranks: these are not moved as they become more.
  static constexpr unsigned FewObjects = 32;

  Symbols &S;
  std::vector<Object> Objects;
};

} // namespace spmd::collectives

#endif // SPMD_COLLECTIVES_MEMORY_H

//===- SharedWords.h - What ranks of one node tell each other ---*- C++ -*-===//

#ifndef SPMD_MPI_SHAREDWORDS_H
#define SPMD_MPI_SHAREDWORDS_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <mpi.h>

namespace spmd::mpi {

/// Where ranks that share memory say what they are about to do. A message of
/// MPI passes through several cache lines, and as many functions; this is one
/// line.
class SharedWords {
public:
  /// What a rank says at one operator.
  struct Word {
    std::uint64_t Hash = 0, Place = 0;
  };

  /// Of the ranks of \p Comm, all of which call this; null on all where they
  /// share no memory, as those of several nodes do not, and where one has too
  /// many of these.
  static std::unique_ptr<SharedWords> open(MPI_Comm Comm, int Ranks, int Self);
  ~SharedWords();
  SharedWords(const SharedWords &) = delete;
  SharedWords &operator=(const SharedWords &) = delete;

  /// Says \p Mine at the next operator.
  void say(Word Mine);
  /// Whether all have said something at it; looks on where it stopped.
  bool haveAllSaid();
  /// What \p Rank has said at it.
  Word of(int Rank) const;

private:
  struct alignas(64) Slot {
    /// Operators that the rank has come to.
    std::atomic<std::uint64_t> Came;
    Word Said;
  };
  static_assert(sizeof(Slot) == 64 &&
                std::atomic<std::uint64_t>::is_always_lock_free);

  SharedWords(Slot *Slots, int Ranks, int Self)
      : Slots(Slots), Ranks(Ranks), Self(Self) {}
  static std::size_t bytes(int Ranks) {
    return 2 * static_cast<std::size_t>(Ranks) * sizeof(Slot);
  }
  /// Two operators take turns: who comes to the next one has been at this one
  /// with all others, so nobody reads the one before any more.
  Slot &at(int Rank) const {
    return Slots[static_cast<int>(Operators % 2) * Ranks + Rank];
  }

  Slot *const Slots;
  const int Ranks, Self;
  std::uint64_t Operators = 0;
  /// The first that had not come when last looked at.
  int Next = 0;
};

} // namespace spmd::mpi

#endif // SPMD_MPI_SHAREDWORDS_H

//===- GiveUp.h - Where the run of a program ends early ---------*- C++ -*-===//

#ifndef SPMD_COLLECTIVES_GIVEUP_H
#define SPMD_COLLECTIVES_GIVEUP_H

#include "spmd/collectives/EffectProgram.h"

namespace spmd::collectives {

/// Why not all of a root was looked at.
enum class GiveUpReason : std::uint8_t {
  // Caps
  Ways,
  Steps,
  Depth,
  Rounds,
  Requests,
  Communicators,
  // What is not understood
  Statement,
  Jump,
  // What ranks do that no run shows
  AnySource,
  Probe,
  Peer,
  Tag,
  AnyOf,
  Members,
  Unmatched, ///< ranks wait, and code that is not seen may be why
  // What still runs
  Stream,
  Handed,
};

struct GiveUp {
  GiveUpReason Why = GiveUpReason::Ways;
  Site At;          ///< Id 0: the function
  std::string What; ///< the call, the statement
  /// Not of what ranks match, but of what still runs.
  bool OfAsynchrony = false;
  unsigned Root = 0; ///< the function that was run

  friend bool operator==(const GiveUp &A, const GiveUp &B) {
    return A.Why == B.Why && A.At.Id == B.At.Id &&
           A.OfAsynchrony == B.OfAsynchrony && A.Root == B.Root;
  }
};

/// "its loop has more than 300 rounds".
std::string describe(const GiveUp &G);

} // namespace spmd::collectives

#endif // SPMD_COLLECTIVES_GIVEUP_H

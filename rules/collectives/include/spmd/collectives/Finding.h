//===- Finding.h - Calls that cannot match ----------------------*- C++ -*-===//

#ifndef SPMD_COLLECTIVES_FINDING_H
#define SPMD_COLLECTIVES_FINDING_H

#include "spmd/collectives/GiveUp.h"

namespace spmd::collectives {

enum class FindingKind : std::uint8_t {
  Divergent, ///< some ranks do not get to the call
  Order,     ///< all ranks wait, each for another call
  Metadata,  ///< one call, with other arguments
  Argument,  ///< a call that no rank may make like this
  Hazard,    ///< of what still runs
  Leak,      ///< of what nobody frees
};

/// What is wrong with an argument.
enum class BadArgument : std::uint8_t {
  Root,   ///< is no rank
  Buffer, ///< of another type than is said
  NullComm,
  NullType,
  UncommittedType,
  NullOp,
  OneSidedOp, ///< which no collective takes
  Count,      ///< negative, as the following
  Tag,
  Rank,
  Colour,
  Peer,       ///< is no rank, however many there are
  NullBuffer, ///< and something is counted
  Overrun,    ///< of more than the buffer holds
  OtherSize,  ///< of as many elements as it holds, which have another size
  Part,       ///< of a buffer of which more is copied
  NullWindow,
  NullOutput, ///< no place for what the call makes
  TwoCounts,  ///< of one access, here and there
};

/// What comes too early.
enum class HazardKind : std::uint8_t {
  Read,        ///< of what it may still write
  Written,     ///< while it may still read or write
  Freed,       ///< storage that it uses
  Gone,        ///< a variable that it uses goes out of scope
  Overwritten, ///< its request
  Restarted,   ///< a persistent request that is active
  Lost,        ///< nobody completes it
  OpenGroup,   ///< a group that nobody ends
  NoEpoch,     ///< an access that nothing begins
  Unended,     ///< an access, or a lock, that nothing ends
  Leaked,      ///< a handle that nobody frees
};

struct Finding {
  FindingKind Kind = FindingKind::Divergent;
  Site At;
  std::string Call;  ///< "MPI_Bcast"
  std::string Other; ///< the call on other ranks; empty: none
  Site OtherAt;
  std::string Differs;     ///< Metadata: "root", what ranks disagree about
  Site Branch;             ///< where their ways part; Id 0: nowhere
  bool OfMessages = false; ///< sends and receives
  /// Of messages, and of no consequence on other numbers of ranks.
  bool MissesPartner = false;
  /// Of no consequence if some number of ranks has no such finding.
  bool IfOnAllSizes = false;
  bool IsCycle = false; ///< of an Order: of messages, as the witness says
  // Of an Argument
  BadArgument Argument = BadArgument::Root;
  std::string Held, Said; ///< of a Buffer: the types
  std::string Witness;    ///< "with 3 ranks: rank 0 returns; ranks 1, 2 …"
  // Of a Hazard, whose operation is Other
  HazardKind Hazard = HazardKind::Read;
  std::string Storage; ///< as the operation's call names it
  std::string By;      ///< "the host", "the kernel 'scale' on 'compute'"
  std::string Missing; ///< "no wait for 'req'"
};

struct Statistics {
  unsigned Roots = 0, Runs = 0, Steps = 0;
  /// Why not all was looked at; each reason once.
  std::vector<GiveUp> GivenUp;

  void add(GiveUp G);
};

/// Runs each root of \p P on a few ranks at once, for all that its unknowns may
/// be, and reports what cannot match. Silent about what it does not understand.
/// \p Sizes: numbers of ranks; empty: small ones and those that P compares
/// with, none below \p Least.
std::vector<Finding> findMismatches(const EffectProgram &P,
                                    llvm::ArrayRef<unsigned> Sizes,
                                    Statistics &Stats, unsigned Least = 2);

/// What touches the buffers or requests of operations that may still run, on
/// some rank, for some way through a root of \p P.
std::vector<Finding> findHazards(const EffectProgram &P, Statistics &Stats);

} // namespace spmd::collectives

#endif // SPMD_COLLECTIVES_FINDING_H

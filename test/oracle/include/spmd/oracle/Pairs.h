//===- Pairs.h - Small programs of ranks that communicate -------*- C++ -*-===//
//
// What two ways of a program do, with communicators, requests, groups and
// streams; drawn at random, run on ranks, and given to the analysis of
// collectives as an effect program. The run and the analysis share nothing but
// this description.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_ORACLE_PAIRS_H
#define SPMD_ORACLE_PAIRS_H

#include "spmd/collectives/EffectProgram.h"

#include <random>
#include <string>
#include <vector>

namespace spmd::oracle::pairs {

/// A number that each rank computes.
enum class Term : unsigned char {
  Zero,
  One,
  Two,
  Three,
  Rank,
  RankMod2,
  RankDiv2,
  Last, ///< size - 1
  Size,
  Flag,     ///< an input, the same on all ranks
  Other,    ///< another one
  Own,      ///< an input of each rank
  Next,     ///< (rank + 1) % size
  Previous, ///< (rank + size - 1) % size
  Partner,  ///< rank ^ 1
};

enum class Test : unsigned char { Always, Equal, Unequal, Less };

struct Condition {
  Test Is = Test::Always;
  Term L = Term::Rank, R = Term::Zero;
};

enum class Act : unsigned char {
  Collective,
  Send,
  Recv,
  Wait,
  Read,
  Write,
  Rebind, ///< communicator Comm is Peer's from now on
  GroupBegin,
  GroupEnd,
  Kernel,
  Record,
  WaitEvent,
  SyncStream,
  SyncEvent,
  SyncDevice,
  If,
  Loop,
  Return,
};

enum class Shape : unsigned char {
  Barrier,
  Broadcast,
  Reduce,
  AllReduce,
  AllGather,
  Gather,
  Scatter,
  AllToAll,
  Scan,
  ReduceScatter,
};

struct Action {
  Act Does = Act::Collective;
  Shape Of = Shape::Barrier;
  bool Nonblocking = false;
  bool OnStream = false; ///< NCCL's
  unsigned Comm = 0;     ///< 0: the world
  Term Root = Term::Zero;
  Term Peer = Term::Zero;
  unsigned Tag = 0, Type = 0, Op = 0;
  int Count = 1;
  unsigned In = 0, Out = 1; ///< buffers
  unsigned Request = 0, Stream = 0, Event = 0;
  bool Writes = false; ///< of a kernel
  Condition If;
  Term Rounds = Term::Two;
  std::vector<Action> Then, Else;
  unsigned Line = 0; ///< its number, unique
};

/// A communicator made at the start.
struct Split {
  Term Colour = Term::RankMod2;
  bool WithoutZero = false; ///< those of colour 0 get none
};

struct Program {
  std::vector<Split> Splits; ///< communicators 1, 2, …
  bool UsesNccl = false;     ///< the next one is NCCL's
  std::vector<Action> Body;
  unsigned Lines = 0;

  unsigned ncclComm() const { return Splits.size() + 1; }
  std::string str() const;
};

constexpr unsigned NumBuffers = 3, NumRequests = 2, NumStreams = 2,
                   NumEvents = 1;

Program randomProgram(std::mt19937 &Random);

/// The call's name in its library.
std::string nameOf(const Action &A);
const char *typeName(const Action &A, unsigned Type);
const char *opName(const Action &A);

/// For the analysis.
void lower(const Program &P, collectives::EffectProgram &Into);

//===--- The run ------------------------------------------------------------//

struct Inputs {
  bool Flag = false, Other = false;
  unsigned Own = 0; ///< a bit for each rank
};

/// What a rank does, one thing after the other.
struct Step {
  const Action *Does = nullptr;
  int Root = 0, Peer = 0;
};
std::vector<Step> stepsOf(const Program &P, const Inputs &In, int Rank,
                          int Size);
int valueOf(Term T, const Inputs &In, int Rank, int Size);
bool uses(const Program &P, Term T);

/// What comes of a run.
struct Outcome {
  std::string Wrong; ///< why ranks do not come to their end; empty: they do
  bool IsNothing = false; ///< on so many ranks it means nothing
  bool OfMessages = false;
  /// Calls with a root by line, and whether it was a rank.
  std::vector<std::pair<unsigned, bool>> Roots;
};
/// All ranks, strictly: a call waits for all members of its communicator, a
/// send for its receive.
Outcome run(const Program &P, const Inputs &In, int Size);

/// What some order of what nothing orders touches too early; empty: nothing.
std::string touchedTooEarly(const Program &P, const Inputs &In, int Rank,
                            int Size);

/// Of all runs.
struct Verdict {
  std::string Wrong, Early;
  bool OnlySomeSizes = false; ///< messages are right for some number of ranks
};
Verdict verdict(const Program &P);

} // namespace spmd::oracle::pairs

#endif // SPMD_ORACLE_PAIRS_H

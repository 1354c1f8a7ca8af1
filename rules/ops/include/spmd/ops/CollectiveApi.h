//===- CollectiveApi.h - What communication libraries call what -*- C++ -*-===//
//
// rules/ops/apis/*.yaml, embedded at build time, plus the user's `Collectives:`
// entries: for each call of MPI, NCCL, c10d or a house's own wrapper, what it
// does and what each of its arguments is. The format is in docs/apis.md.
//
// Lowering reads kinds, buffers, communicators, ranks, reductions and outputs.
// Roots, counts, datatypes, tags, peers, requests, streams and forms are there
// for whoever asks whether calls of different ranks match.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_OPS_COLLECTIVEAPI_H
#define SPMD_OPS_COLLECTIVEAPI_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace spmd::rules {

/// What a call does.
enum class CallKind : std::uint8_t {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  Broadcast,
  Reduce,
  Gather,
  Scatter,
  Scan,
  Exscan,
  Barrier,
  NeighborAllGather,
  NeighborAllToAll,
  Send,
  Recv,
  SendRecv,
  Probe,
  Rank,
  Size,
  CommDup,    ///< of the same ranks
  CommSplit,  ///< by colour and key
  CommCreate, ///< of a group, a topology, other processes
  CommInit,   ///< out of nothing
  CommFree,
  Wait,
  Test,
  Start, ///< of a persistent request
  RequestFree,
  HandleFree, ///< of a datatype, a reduction, a group: null afterwards
  GroupOf,    ///< the ranks of a communicator
  GroupPick,  ///< some of another group's, by their numbers
  GroupDrop,  ///< the others
  GroupUnion,
  GroupIntersection,
  GroupDifference,
  WinCreate, ///< storage that other ranks get at
  WinFence,
  WinFree,
  Put,
  Get,
  Accumulate,
  WinLock,
  WinUnlock,
  WinFlush,
  WinStart,    ///< accesses of which others know
  WinComplete, ///< ends them
  GroupBegin,  ///< calls until GroupEnd are one
  GroupEnd,
  Finalize,
  Abort,
  Local, ///< no communication
};
constexpr std::size_t NumCallKinds =
    static_cast<std::size_t>(CallKind::Local) + 1;
llvm::StringRef callKindName(CallKind K);

/// All ranks of a communicator make it together, and none is made by it.
constexpr bool isCollective(CallKind K) { return K < CallKind::Send; }
/// Between two ranks; a probe only asks for one.
constexpr bool isMessage(CallKind K) {
  return K >= CallKind::Send && K <= CallKind::Probe;
}
constexpr bool makesComm(CallKind K) {
  return K >= CallKind::CommDup && K <= CallKind::CommInit;
}

/// What an argument, the receiver or the result of a call is.
enum class CallRole : std::uint8_t {
  None,
  Send,
  Recv,
  Buffer, ///< read and written
  Parts,  ///< of a send, each of which may be written until it is ready
  Count,
  SendCount,
  RecvCount,
  Type,
  SendType,
  RecvType,
  Op,
  Root,
  Comm,
  NewComm, ///< a communicator that the call makes
  NewType, ///< a datatype that is not committed yet
  NewOp,
  Group,
  NewGroup,
  Members, ///< numbers of ranks in a group
  Ranges,  ///< the same as triples: the first, the last, a step
  Window,
  NewWindow,
  NewId, ///< what ranks that make a communicator out of nothing share
  Id,
  Base, ///< storage that other ranks may write from now on
  Colour,
  Key,
  Rank, ///< of the caller on the communicator
  Size, ///< of the communicator
  Dest,
  Source,
  Tag,
  Request,
  Stream,
  Options, ///< a struct with the op and the root
  Result,  ///< written with what is the same on all ranks
  Output,  ///< written with what may be anything
  Status,  ///< whether it went well, which is the same on all ranks
};
constexpr std::size_t NumCallRoles =
    static_cast<std::size_t>(CallRole::Status) + 1;
llvm::StringRef callRoleName(CallRole R);

/// How a call is completed.
enum class CallForm : std::uint8_t {
  Blocking,
  Nonblocking, ///< by a wait for its request, or for the handle it returns
  Persistent,  ///< started and waited for as often as one likes
  OnStream,    ///< when its stream gets there
};
llvm::StringRef callFormName(CallForm F);

/// What a name of a library's means.
enum class CallConstant : std::uint8_t {
  Sum,
  Average,
  Product,
  Min,
  Max,
  And,
  Or,
  Xor,
  BitAnd,
  BitOr,
  BitXor,
  MinLoc,
  MaxLoc,
  Replace,
  NoOp,
  InPlace,
  World,
  Self,
  NullComm,
  NullPeer,
  AnySource,
  AnyTag,
  NullRequest,
  Undefined, ///< a colour of nobody
  NullType,
  NullOp,
  NullGroup,
  EmptyGroup,
  NullWindow,
};
constexpr std::size_t NumCallConstants =
    static_cast<std::size_t>(CallConstant::NullWindow) + 1;
llvm::StringRef callConstantName(CallConstant C);

struct CollectiveApi;

/// One call, under one name.
struct CollectiveCall {
  std::string Name; ///< qualified, as a glob
  CallKind Kind = CallKind::Local;
  llvm::SmallVector<CallRole, 8> Arguments;
  CallRole Receiver = CallRole::None;
  CallRole Returns = CallRole::Status;
  CallForm Form = CallForm::Blocking;
  /// What it sends is copied: it waits for nobody.
  bool IsBuffered = false;
  /// On a device it runs on the stream of its axis, which no call names.
  bool HasStreamOfAxis = false;
  /// Of calls that are not told it by an argument.
  std::optional<CallConstant> Op;
  /// The axes that the call is over, whatever it is told.
  std::vector<std::string> Axes;
  /// The same as another with another prefix or suffix.
  bool IsVariant = false;
  const CollectiveApi *Api = nullptr;

  bool has(CallRole R) const;
  /// The first argument with the role \p R.
  std::optional<unsigned> argument(CallRole R) const;
};

struct CollectiveApi {
  std::string Name;
  llvm::StringMap<CallConstant> Constants;
  /// Its names of datatypes, as C++ types.
  llvm::StringMap<std::string> Datatypes;
  /// The fields of its options that hold the op and the root.
  std::string OpField, RootField;
  std::deque<CollectiveCall> Calls;
  std::string File;
  unsigned Line = 0;
};

class CollectiveApis {
public:
  /// MPI, NCCL and c10d; parsed once, immutable.
  static const CollectiveApis &builtin();

  CollectiveApis() = default;
  CollectiveApis(const CollectiveApis &Other);
  CollectiveApis &operator=(const CollectiveApis &) = delete;

  /// Adds the APIs of one YAML document in the format of rules/ops/apis.
  /// Errors carry file, line, column and what was expected; then nothing is
  /// added. Later entries win.
  llvm::Error addYAML(llvm::MemoryBufferRef Buffer);

  /// The call of a qualified C++ name; null when none is known.
  const CollectiveCall *find(llvm::StringRef QualifiedName) const;
  /// The meaning of a constant of any API.
  std::optional<CallConstant> constant(llvm::StringRef Name) const;

  const std::deque<CollectiveApi> &all() const { return Apis; }

private:
  void index(const CollectiveApi &Api);

  struct Pattern {
    llvm::GlobPattern Glob;
    const CollectiveCall *Call = nullptr;
  };

  std::deque<CollectiveApi> Apis;
  llvm::StringMap<const CollectiveCall *> Exact;
  /// By what follows the last `::`, so that a call tries few of them.
  llvm::StringMap<std::vector<Pattern>> Patterns;
};

/// All calls, one a line, for --list-rules.
void listCalls(const CollectiveApis &Apis, llvm::raw_ostream &OS);

} // namespace spmd::rules

#endif // SPMD_OPS_COLLECTIVEAPI_H

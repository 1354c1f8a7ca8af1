//===- World.h - The threads of one run_local -------------------*- C++ -*-===//

#ifndef SPMD_LIB_LOCAL_WORLD_H
#define SPMD_LIB_LOCAL_WORLD_H

#include "ThreadBarrier.h"

#include "../InstalledBackend.h"
#include "../Recorder.h"

#include "spmd/run_local.h"
#include "spmd/store.h"

#include <exception>
#include <map>

namespace spmd::local {

/// What the ranks of one run share: where they meet, and who has ended.
class World : public std::enable_shared_from_this<World> {
public:
  World(int Ranks, const LocalOptions &Options)
      : Options(Options), Ended(static_cast<std::size_t>(Ranks), false),
        Connections(static_cast<std::size_t>(Ranks)),
        Recorders(static_cast<std::size_t>(Ranks)),
        Backends(static_cast<std::size_t>(Ranks)) {}

  int size() const { return static_cast<int>(Ended.size()); }
  std::chrono::milliseconds deadline() const { return Options.Deadline; }

  /// Where the ranks \p Members meet; the same object for all who ask.
  ThreadBarrier &barrier(const std::vector<int> &Members);

  /// What connects \p Rank with \p Members, if anything of it does: all its
  /// meshes share one, so that what is started keeps one order. For the rank's
  /// own thread.
  std::weak_ptr<Communicator> &connection(int Rank,
                                          const std::vector<int> &Members) {
    return Connections[static_cast<std::size_t>(Rank)][Members];
  }

  /// \p Rank comes no more; \p Failure is what it threw, or null.
  void end(int Rank, std::exception_ptr Failure);

  /// Why rank \p Rank will not come, "rank 2 failed: …"; empty if it may.
  std::string whyAbsent(int Rank) const;

  Recorder &recorder(int Rank) {
    return Recorders[static_cast<std::size_t>(Rank)];
  }

  /// The rank's own, if it has set one. For the rank's own thread.
  InstalledBackend &backend(int Rank) {
    return Backends[static_cast<std::size_t>(Rank)];
  }

  const std::shared_ptr<Store> &store() const { return Shared; }

  /// The first failure, or null.
  std::exception_ptr failure() const { return First; }

private:
  LocalOptions Options;
  mutable std::mutex Lock;
  std::map<std::vector<int>, std::unique_ptr<ThreadBarrier>> Barriers;
  std::vector<bool> Ended;
  /// By rank and members.
  std::vector<std::map<std::vector<int>, std::weak_ptr<Communicator>>>
      Connections;
  std::vector<Recorder> Recorders;
  std::vector<InstalledBackend> Backends;
  const std::shared_ptr<Store> Shared = memory_store();
  std::exception_ptr First;
  int FirstRank = -1;
  std::string FirstText;
};

/// The run that the calling thread is a rank of; World is null outside.
struct Self {
  World *In = nullptr;
  int Rank = 0;
};
Self &self();

/// A rank, for what may outlive its run.
struct RankOfRun {
  std::weak_ptr<World> In;
  int Rank = 0;
  static RankOfRun ofThread();
};

/// While it lives, a thread that is no rank is \p Of, if its run lasts.
class StandIn {
public:
  explicit StandIn(const RankOfRun &Of) : Before(self()) {
    if (!Before.In && (Kept = Of.In.lock()))
      self() = {Kept.get(), Of.Rank};
  }
  ~StandIn() { self() = Before; }
  StandIn(const StandIn &) = delete;
  StandIn &operator=(const StandIn &) = delete;

private:
  std::shared_ptr<World> Kept;
  const Self Before;
};

} // namespace spmd::local

#endif // SPMD_LIB_LOCAL_WORLD_H

#include "World.h"

#include <thread>

namespace spmd {
namespace local {

Self &self() {
  thread_local Self Here;
  return Here;
}

RankOfRun RankOfRun::ofThread() {
  const Self &Here = self();
  return Here.In ? RankOfRun{Here.In->weak_from_this(), Here.Rank}
                 : RankOfRun();
}

ThreadBarrier &World::barrier(const std::vector<int> &Members) {
  const std::lock_guard<std::mutex> Held(Lock);
  std::unique_ptr<ThreadBarrier> &M = Barriers[Members];
  if (!M)
    M = std::make_unique<ThreadBarrier>(*this, Members);
  return *M;
}

static std::string textOf(const std::exception_ptr &Failure) {
  try {
    std::rethrow_exception(Failure);
  } catch (const std::exception &E) {
    return E.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

void World::end(int Rank, std::exception_ptr Failure) {
  std::vector<ThreadBarrier *> All;
  {
    const std::lock_guard<std::mutex> Held(Lock);
    Ended[static_cast<std::size_t>(Rank)] = true;
    if (Failure && !First) {
      First = Failure;
      FirstRank = Rank;
      FirstText = textOf(Failure);
    }
    for (const auto &Entry : Barriers)
      All.push_back(Entry.second.get());
  }
  for (ThreadBarrier *M : All)
    M->wake();
}

std::string World::whyAbsent(int Rank) const {
  const std::lock_guard<std::mutex> Held(Lock);
  if (!Ended[static_cast<std::size_t>(Rank)])
    return {};
  if (First)
    return "rank " + std::to_string(FirstRank) + " failed: " + FirstText;
  return "rank " + std::to_string(Rank) + " has ended";
}

} // namespace local

void run_local(int Ranks, const std::function<void(int)> &Body,
               const LocalOptions &Options) {
  if (Ranks < 1)
    detail::fail("spmd::run_local: " + std::to_string(Ranks) +
                 " ranks, expected at least 1");
  const auto In = std::make_shared<local::World>(Ranks, Options);
  std::vector<std::thread> Threads;
  for (int Rank = 0; Rank < Ranks; ++Rank)
    Threads.emplace_back([&In, &Body, Rank] {
      local::self() = {In.get(), Rank};
      std::exception_ptr Failure;
      try {
        Body(Rank);
        In->recorder(Rank).throwDropped();
      } catch (...) {
        Failure = std::current_exception();
      }
      In->backend(Rank) = {};
      local::self() = {};
      In->end(Rank, Failure);
    });
  for (std::thread &T : Threads)
    T.join();
  if (const std::exception_ptr Failure = In->failure())
    std::rethrow_exception(Failure);
}

} // namespace spmd

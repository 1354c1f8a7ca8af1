#include "BriefLock.h"
#include "Progress.h"
#include "Recorder.h"

#include "spmd/backend.h"

#include <algorithm>

namespace spmd {

/// Started operators that are free, and the thread, from its first operator on.
struct Communicator::Kept {
  BriefLock Lock;
  std::vector<std::unique_ptr<Started>> Free;
  std::unique_ptr<Progress> Thread;
};

Communicator::Communicator() : Here(std::make_unique<Kept>()) {}
Communicator::~Communicator() = default;

void Communicator::start(Started &S) {
  if (!Here->Thread)
    Here->Thread = std::make_unique<Progress>(*this);
  Here->Thread->put(S);
}

void Communicator::finish(Started &S) { Here->Thread->wait(S); }

bool Communicator::isDone(Started &S) { return Here->Thread->isDone(S); }

void Communicator::settle() {
  if (Here->Thread)
    Here->Thread->idle();
}

void Communicator::abandon(const Call &, const std::string &) noexcept {}

Communicator::Kept &Started::keptWith(Communicator *With) {
  // Axes of one rank have no communicator, and ranks may be threads, with a
  // device each.
  static thread_local Communicator::Kept Alone;
  return With ? *With->Here : Alone;
}

Started &Started::take(const Call &Like) {
  const std::shared_ptr<Communicator> &With = Like.On.connected();
  Communicator::Kept &From = keptWith(With.get());
  std::unique_ptr<Started> S;
  {
    const std::lock_guard<BriefLock> Held(From.Lock);
    if (!From.Free.empty()) {
      S = std::move(From.Free.back());
      From.Free.pop_back();
    }
  }
  if (!S)
    S = std::make_unique<Started>();
  S->With = With;
  S->In = &recorder();
  S->Running = false;
  S->OnDevice = detail::BackendScope::isOnDevice();
  S->Exceptions = std::uncaught_exceptions();
  S->On = Like.On;
  S->Src = Like.Src;
  S->Dst = Like.Dst;
  S->C.Op = Like.Op;
  S->C.Type = Like.Type;
  S->C.In = Like.In;
  S->C.At = Like.At;
  S->C.Whole = Like.Whole;
  S->C.Mean = Like.Mean;
  S->C.Root = Like.Root;
  S->C.Sent = Like.Sent;
  S->C.Received = Like.Received;
  return *S.release();
}

void Started::enter() {
  Number = In->begin(C);
  Range.begin(C);
}

void Started::leave() {
  In->finish(Number);
  Range.end();
}

void Started::giveBack() {
  Range.end();
  // Last, as they may hold the communicator, and that the list.
  const Axis Last = std::move(On);
  const std::shared_ptr<Communicator> LastWith = std::move(With);
  const std::shared_ptr<const detail::Redistribution> LastPlan =
      std::move(Plan);
  Src.Sizes = Dst.Sizes = nullptr;
  Pieces = nullptr;
  const bool HasScratch = std::any_of(std::begin(Sizes), std::end(Sizes),
                                      [](std::size_t N) { return N != 0; });
  if (HasScratch && Last.memory().isDevice()) {
    for (std::shared_ptr<void> &Buffer : Buffers)
      Buffer = nullptr;
    std::fill(std::begin(Sizes), std::end(Sizes), 0);
  }
  Communicator::Kept &To = keptWith(LastWith.get());
  const std::lock_guard<BriefLock> Held(To.Lock);
  To.Free.emplace_back(this);
}

void *Started::scratch(int Slot, std::size_t Bytes) {
  if (Sizes[Slot] < Bytes) {
    Sizes[Slot] = 0;
    Buffers[Slot] = nullptr;
    Buffers[Slot] = On.memory().allocate(Bytes);
    Sizes[Slot] = Bytes;
  }
  return Buffers[Slot].get();
}

void Started::leaveScratch() {
  for (std::shared_ptr<void> &Buffer : Buffers)
    detail::keepForGood(std::exchange(Buffer, nullptr));
  std::fill(std::begin(Sizes), std::end(Sizes), 0);
}

} // namespace spmd

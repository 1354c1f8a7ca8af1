#include "Progress.h"

#include "CheckCall.h"

namespace spmd {

static void ask(Communicator &With, const Call &C, const Transfer &Data) {
  using rules::OperatorKind;
  switch (detail::carrierOf(C.Op)) {
  case OperatorKind::AllReduce:
    return With.allReduce(C, Data.In, Data.Out, Data.Count);
  case OperatorKind::AllGather:
    return With.allGather(C, Data.In, Data.Out, Data.Parts);
  case OperatorKind::ReduceScatter:
    return With.reduceScatter(C, Data.In, Data.Out, Data.Parts);
  case OperatorKind::AllToAll:
    return With.allToAll(C, Data.In, Data.Parts, Data.Out, Data.Received);
  default: // stays on the rank
    break;
  }
}

void transfer(Communicator &With, const Call &C, const Transfer &Data) {
  try {
    ask(With, C, Data);
  } catch (...) {
    detail::failAsThrown(C);
  }
}

Progress::Progress(Communicator &With)
    : With(With), Thread([this] { run(); }) {}

Progress::~Progress() {
  {
    const std::lock_guard<std::mutex> Held(Lock);
    Ending = true;
  }
  Put.notify_one();
  Thread.join();
}

void Progress::put(Started &S) {
  if (!S.Own)
    S.Own = std::make_unique<Entry>();
  Entry &E = entry(S);
  E.Next = nullptr;
  E.Who = local::self();
  E.Done = false;
  {
    const std::lock_guard<std::mutex> Held(Lock);
    (First ? entry(*Last).Next : First) = &S;
    Last = &S;
  }
  Put.notify_one();
}

void Progress::wait(Started &S) {
  Entry &E = entry(S);
  std::exception_ptr Failure;
  {
    std::unique_lock<std::mutex> Held(Lock);
    Done.wait(Held, [&E] { return E.Done; });
    std::swap(Failure, E.Failure);
  }
  if (Failure)
    std::rethrow_exception(Failure);
}

bool Progress::isDone(Started &S) {
  const std::lock_guard<std::mutex> Held(Lock);
  return entry(S).Done;
}

void Progress::idle() {
  std::unique_lock<std::mutex> Held(Lock);
  Done.wait(Held, [this] { return !First; });
}

void Progress::call(Started &S) {
  Entry &E = entry(S);
  local::self() = E.Who;
  try {
    transfer(With, S.C, S.Data);
  } catch (...) {
    E.Failure = std::current_exception();
  }
  local::self() = {};
}

void Progress::run() {
  std::unique_lock<std::mutex> Held(Lock);
  while (true) {
    Put.wait(Held, [this] { return First || Ending; });
    if (!First)
      return;
    Started &S = *First;
    Held.unlock();
    call(S);
    Held.lock();
    First = entry(S).Next;
    entry(S).Done = true;
    Done.notify_all();
  }
}

} // namespace spmd

#include "spmd/work.h"

#include "Complete.h"
#include "Recorder.h"

#include "spmd/backend.h"

#include <cstdio>
#include <exception>

namespace spmd {
namespace {

/// Gives what was started back, whatever comes of it.
struct Ending {
  Started &S;
  const detail::BackendScope Where{S.OnDevice};
  ~Ending() { S.giveBack(); }
};

void finishRunning(Started &S, bool GoesOn) {
  S.With->finish(S);
  if (!S.Plan) {
    detail::complete(S);
    S.leave();
  } else if (GoesOn) {
    detail::goOn(S);
  }
}

void finish(Started &S, bool GoesOn = true) {
  if (!S.Running)
    return;
  S.Running = false;
  try {
    finishRunning(S, GoesOn);
  } catch (...) {
    if (detail::mayHold(S))
      S.leaveScratch();
    throw;
  }
}

} // namespace

bool Work::done() const { return !Of || !Of->Running || Of->With->isDone(*Of); }

void Work::wait() {
  if (!Of)
    return;
  const Ending Last{*std::exchange(Of, nullptr)};
  finish(Last.S);
}

void Work::drop() noexcept {
  const Ending Last{*std::exchange(Of, nullptr)};
  Started &S = Last.S;
  const bool Passing = std::uncaught_exceptions() > S.Exceptions;
  const Error Dropped = detail::errorOf(
      S, Passing ? "given up, as an exception passed its owner by"
                 : "started, and never waited for");
  if (!Passing) {
    std::fprintf(stderr, "%s\n", Dropped.what());
    dumpOnFailure(S.C.On);
    S.In->drop(std::make_exception_ptr(Dropped));
  }
  try {
    if (Passing && S.Running) {
      if (!S.With->isDone(S))
        S.With->abandon(S.C, Dropped.what());
      detail::abandonSteps(S, Dropped.what());
    }
    finish(S, /*GoesOn=*/!Passing);
  } catch (const std::exception &) {
    // Its own failure has no one to go to.
  }
}

} // namespace spmd

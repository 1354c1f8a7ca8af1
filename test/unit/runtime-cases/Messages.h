//===- Messages.h - What fails, by its text ---------------------*- C++ -*-===//

#ifndef SPMD_TEST_RUNTIMECASES_MESSAGES_H
#define SPMD_TEST_RUNTIMECASES_MESSAGES_H

#include <spmd/error.h>
#include <spmd/run_local.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace spmd::test {

/// Of the Error that \p Call ends with; no other exception is caught.
inline std::string messageOf(const std::function<void()> &Call) {
  try {
    Call();
  } catch (const Error &E) {
    return E.what();
  }
  return "no error";
}

/// What each rank's body throws, "" for nothing; the run's own error is last.
inline std::vector<std::string>
messagesOf(int Ranks, const std::function<void(int)> &Body,
           std::chrono::milliseconds Deadline = std::chrono::seconds(20)) {
  std::vector<std::string> Texts(static_cast<std::size_t>(Ranks) + 1);
  try {
    run_local(Ranks,
              [&](int Rank) {
                try {
                  Body(Rank);
                } catch (const std::exception &E) {
                  Texts[static_cast<std::size_t>(Rank)] = E.what();
                  throw;
                }
              },
              {Deadline});
  } catch (const std::exception &E) {
    Texts.back() = E.what();
  }
  return Texts;
}

} // namespace spmd::test

#endif // SPMD_TEST_RUNTIMECASES_MESSAGES_H

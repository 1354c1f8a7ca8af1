#include "Termination.h"

#include "../lib/Recorder.h"

#include <cstdio>
#include <cstring>
#include <exception>

namespace spmd {
namespace {

std::terminate_handler Before = nullptr;
int RankInGroup = 0;

/// Of the exception that ends the process.
bool isOfGloo() {
  try {
    if (const std::exception_ptr Current = std::current_exception())
      std::rethrow_exception(Current);
  } catch (const std::exception &E) {
    return std::strstr(E.what(), "gloo") != nullptr;
  } catch (...) {
  }
  return false;
}

void explain() {
  if (isOfGloo()) {
    std::string Which = "no operator";
    for (const FlightEntry &E : flight_record())
      if (!E.Finished)
        Which = describeEntry(E);
    std::fprintf(stderr,
                 "spmd: Gloo ends this process, as it does where a rank calls "
                 "something else or brings another shape, while %s is under "
                 "way: SPMD_CHECK=1 has ranks compare calls before\n",
                 Which.c_str());
    dumpOnFailure(launchedRank(RankInGroup));
  }
  Before();
}

} // namespace

void explainTerminations(int Rank) {
  static const bool Once = [Rank] {
    RankInGroup = Rank;
    Before = std::set_terminate(explain);
    return true;
  }();
  (void)Once;
}

} // namespace spmd

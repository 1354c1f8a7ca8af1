//===- GiveUp.cpp - Where the run of a program ends early -----------------===//

#include "Caps.h"

#include "spmd/collectives/Finding.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::collectives {

std::string describe(const GiveUp &G) {
  const std::string Call = "this '" + G.What + "'";
  switch (G.Why) {
  case GiveUpReason::Ways:
    return "there are more than " +
           std::to_string(G.OfAsynchrony ? MaxWatchedRuns : MaxRuns) +
           " ways through it";
  case GiveUpReason::Steps:
    return "a run of it takes more than " +
           std::to_string(G.OfAsynchrony ? MaxWatchedSteps : MaxSteps) +
           " steps";
  case GiveUpReason::Depth:
    return "calls are nested more than " + std::to_string(MaxDepth) + " deep";
  case GiveUpReason::Rounds:
    return "this loop has more than " + std::to_string(MaxTrips) +
           " rounds, or no end";
  case GiveUpReason::Requests:
    return Call +
           " is of a number of requests that is not known, or of more "
           "than " +
           std::to_string(MaxRequests);
  case GiveUpReason::Communicators:
    return "more than " + std::to_string(MaxBases) +
           " communicators come from elsewhere";
  case GiveUpReason::Statement:
    return G.What.empty() ? "this is not understood"
                          : "this " + G.What + " is not understood";
  case GiveUpReason::Jump:
    return "where this jump leads is not known";
  case GiveUpReason::AnySource:
    return Call + " takes what comes first, from any rank";
  case GiveUpReason::Probe:
    return Call + " asks what has come, which depends on time";
  case GiveUpReason::Peer:
    return "the other rank of " + Call + " is not computed from the rank";
  case GiveUpReason::Tag:
    return "the tag of " + Call + " is not computed";
  case GiveUpReason::AnyOf:
    return Call + " goes on when any of its requests is done";
  case GiveUpReason::Members:
    return "which ranks " + Call + " is for is not known";
  case GiveUpReason::Unmatched:
    return "ranks wait in " + Call + ", and code that is not seen may be why";
  case GiveUpReason::Stream:
    return "whether the stream of " + Call +
           " is the one of what follows is not known";
  case GiveUpReason::Handed:
    return "code that is not seen may wait for " + Call;
  }
  return {};
}

void Statistics::add(GiveUp G) {
  if (!llvm::is_contained(GivenUp, G))
    GivenUp.push_back(std::move(G));
}

} // namespace spmd::collectives

//===- spmd-collective-argument.cpp - See spmd-collective-argument.md -----===//

#include "spmd/lint/CollectiveText.h"

using namespace spmd::collectives;

namespace spmd::lint {

static const CheckRegistration
    Register({"spmd-collective-argument", Severity::Error,
              "an argument that a collective cannot be called with"});

static const char *inWords(BadArgument A) {
  switch (A) {
  case BadArgument::Root:
    return "root";
  case BadArgument::Buffer:
    return "buffer";
  case BadArgument::NullComm:
    return "null communicator";
  case BadArgument::NullType:
    return "null datatype";
  case BadArgument::UncommittedType:
    return "datatype that is not committed";
  case BadArgument::NullOp:
    return "null reduction";
  case BadArgument::OneSidedOp:
    return "reduction that only one-sided calls take";
  case BadArgument::Count:
    return "negative count";
  case BadArgument::Tag:
    return "negative tag";
  case BadArgument::Rank:
    return "negative rank";
  case BadArgument::Colour:
    return "negative colour";
  case BadArgument::Peer:
    return "peer";
  case BadArgument::NullBuffer:
    return "null buffer";
  case BadArgument::Overrun:
    return "short buffer";
  case BadArgument::OtherSize:
    return "datatype of another size";
  case BadArgument::Part:
    return "count of a part";
  case BadArgument::NullWindow:
    return "null window";
  case BadArgument::NullOutput:
    return "null pointer to what it is to make";
  case BadArgument::TwoCounts:
    return "pair of counts";
  }
  return "";
}

static std::string message(const Finding &F) {
  if (F.Argument == BadArgument::Root)
    return "no rank has the number of the root of this '" + F.Call +
           "', however many there are";
  if (F.Argument == BadArgument::Peer)
    return "no rank has the number that this '" + F.Call +
           "' is told, however many there are";
  if (F.Argument == BadArgument::Rank && !F.Said.empty())
    return "this '" + F.Call + "' is told by several ranks that each is rank " +
           F.Said + ": every rank has a number of its own";
  if (F.Argument == BadArgument::TwoCounts)
    return "this '" + F.Call +
           "' has one count for its own buffer and another for the window: "
           "both must be of one size";
  if (F.Argument == BadArgument::Overrun)
    return "this '" + F.Call + "' goes over " + F.Said + " of '" + F.Storage +
           "', which has " + F.Held + ": on behind its end";
  if (F.Argument == BadArgument::OtherSize)
    return "this '" + F.Call + "' takes the elements of '" + F.Storage +
           "', which are of '" + F.Held + "', all of them for " + F.Said +
           ": it goes on behind their end, or leaves some out";
  if (F.Argument == BadArgument::Part)
    return "this '" + F.Call + "' fills a part of '" + F.Storage + "', and '" +
           F.Other +
           "' takes more of it: nobody has written the rest, which holds what "
           "its memory did before";
  if (F.Argument == BadArgument::Buffer)
    return "this '" + F.Call + "' reduces a buffer of '" + F.Held + "' as " +
           F.Said + ": it would take the bits of one for the other";
  return "this '" + F.Call + "' gets a " + inWords(F.Argument) +
         ", with which nothing can be done: " + F.Witness;
}

static const CollectiveTextRegistration
    Text({FindingKind::Argument, "spmd-collective-argument", message});

} // namespace spmd::lint

//===- Windows.cpp - One-sided calls --------------------------------------===//
//
// A window is a communicator of its own: fences and its end are collectives of
// its ranks. Accesses wait for nobody; what they may be given is looked at.
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"

namespace spmd::collectives {

using rules::CallConstant;
using rules::CallForm;
using rules::CallKind;
using rules::CallRole;

/// The window of a call: handed over, or where it is.
const Value *Simulation::windowOf(const Operation &O, Value &Held) const {
  const Value *V = O.argument(CallRole::Window);
  if (!V || V->Kind != ValueKind::Pointer)
    return V;
  Held = Ranks[O.Lane]->Run.Data.read(V->To);
  return &Held;
}

/// Other ranks may have written what the rank lends.
void Simulation::forgetLent(Rank &R, const Stmt &S) {
  unsigned I = 0;
  for (const Location At : R.Lent)
    R.Run.Data.forget(At, {R.Run.keyOf(S, "lent") + "." + std::to_string(I++) +
                               "@" + std::to_string(R.Run.Number),
                           Trust::Unknown});
}

void Simulation::lend(Rank &R, const Stmt &S, const Operation &O) {
  const Value *Base = O.argument(CallRole::Base);
  std::optional<Location> At =
      Base ? R.Run.target(*Base) : std::optional<Location>();
  if (const Value *Given = O.argument(CallRole::Output)) // allocated
    if (const std::optional<Location> Into = R.Run.target(*Given)) {
      R.Run.Data.forget(
          *Into, {R.Run.keyOf(S, "lent") + "@" + std::to_string(R.Run.Number),
                  Trust::Unknown});
      At = R.Run.target(R.Run.Data.read(*Into));
    }
  if (At)
    R.Lent.push_back(R.Run.Data.whole(*At));
}

/// A window that is made, for all its ranks.
void Simulation::giveWindows(Slot &Of) {
  Groups.push_back(Groups[Of.front()->Comm]);
  Groups.back().Key = Ranks[Of.front()->Lane]->Run.keyOf(
      *Of.front()->At, "window" + std::to_string(Of.front()->Comm) + ".");
  for (Operation *O : Of)
    give(*Ranks[O->Lane], *O->At, *O, CallRole::NewWindow,
         Value::of(ValueKind::Comm, Groups.size() - 1));
}

void Simulation::access(Rank &R, const Stmt &S, Operation O) {
  O.Comm = commOf(O);
  if (O.Comm == NullComm)
    return fail(wrong(BadArgument::NullWindow, O));
  // What is only read there needs no buffer, nor a type of one, here.
  const Value *Op = O.argument(CallRole::Op);
  const bool IsRead = Op && W.Known.means(*Op, CallConstant::NoOp);
  if (std::optional<Finding> F = IsRead ? std::nullopt : checkMessage(O))
    return fail(std::move(*F));
  if (std::optional<Finding> F = checkAccess(O))
    return fail(std::move(*F));
  R.Unmatched.push_back({O.Call->Name});
  forgetLent(R, S);
  forget(O, R.Run.keyOf(S, "got") + "@" + std::to_string(O.Lane),
         Trust::Unknown);
  if (O.Call->Form == CallForm::Nonblocking)
    give(R, S, O, CallRole::Request, addRequest(R, {}));
}

/// What is the caller's and what is the other rank's must be of one size, and
/// there must be such a rank.
std::optional<Finding> Simulation::checkAccess(const Operation &O) {
  const Value *Peer = O.argument(CallRole::Dest);
  if (Peer && W.Known.means(*Peer, CallConstant::NullPeer))
    return std::nullopt;
  const Group &In = Groups[O.Comm];
  if (Peer && Peer->isInteger() && !In.IsForeign && Peer->OfRanks &&
      Peer->Integer == static_cast<std::int64_t>(In.Lanes.size())) {
    Finding F = wrong(BadArgument::Peer, O);
    F.IfOnAllSizes = true;
    return F;
  }
  const std::optional<Value> Mine = countOf(O, CallRole::SendCount,
                                            CallRole::SendType),
                             Theirs = countOf(O, CallRole::RecvCount,
                                              CallRole::RecvType);
  if (O.Call->Kind == CallKind::Accumulate || !Mine || !Theirs ||
      !Mine->isInteger() || !Theirs->isInteger() ||
      Mine->Integer == Theirs->Integer)
    return std::nullopt;
  const std::optional<bool> Same =
      haveOneType(O, CallRole::SendType, O, CallRole::RecvType);
  if (!Same || !*Same)
    return std::nullopt;
  return wrong(BadArgument::TwoCounts, O);
}

} // namespace spmd::collectives

// Redistributions that are waited for: steps up to the first that communicates
// at the start, those after it in the wait.

#include "Redistribution.h"

#include "../Buffers.h"
#include "../CheckCall.h"
#include "../Complete.h"
#include "../Recorder.h"

#include "spmd/redistribute.h"

namespace spmd::detail {
namespace {

struct StartedPassage final : Started::State {
  Passage Now;
};

Passage &passageOf(const Started &S) {
  return static_cast<StartedPassage &>(*S.Passage).Now;
}

} // namespace

Call Redistribution::firstCall(DType Type, Site At) const {
  for (const Stage &S : Stages)
    if (S.communicates())
      return callOf(S, Type, At);
  static const Axis Alone;
  static const Placement Any = {LocalType::V};
  return {rules::OperatorKind::Convert, Alone, Any, Any, Type, In, At, Global};
}

void Redistribution::start(Started &S, const View &X, const View &Y) const {
  if (!S.Passage)
    S.Passage = std::make_unique<StartedPassage>();
  Passage &P = passageOf(S);
  P = enter(X, Y, static_cast<char *>(S.scratch(0, scratchBytes(X.dtype()))),
            S.C.At);
  // What is compared takes calls of its own, which ranks make in one order.
  while (P.Step < Stages.size() &&
         (checksCalls() || !Stages[P.Step].communicates()))
    runStep(P);
  if (P.Step == Stages.size())
    return;
  // Ranks connect an axis together: at the start, in the order of starts.
  for (const Stage &Later : Stages)
    if (Later.communicates())
      communicatorOf(callOf(Later, P.Type, P.At));
  S.enter();
  S.Data = prepare(P);
  S.With->start(S);
  S.Running = true;
}

void Redistribution::goOn(Started &S) const {
  Passage &P = passageOf(S);
  pass(P, S.Data.Out);
  S.leave();
  while (P.Step < Stages.size())
    runStep(P);
}

void Redistribution::abandon(const Started &S,
                             const std::string &Why) const noexcept {
  const Passage &P = passageOf(S);
  for (std::size_t Step = P.Step + 1; Step < Stages.size(); ++Step)
    if (const Stage &Next = Stages[Step]; Next.communicates())
      Next.Group.communicator()->abandon(callOf(Next, P.Type, P.At), Why);
}

std::string place(Site At) {
  return At.Line ? At.File + (":" + std::to_string(At.Line)) + ": " : "";
}

Error Redistribution::errorOn(DType Type, Site At,
                              const std::string &Cause) const {
  const std::string Operation = "spmd::redistribute", From = Src.str(),
                    To = Dst.str();
  return Error(place(At) + Operation + " from '" + From + "' to '" + To +
                   "' of " + nameOf(Type) + In.str() + ": " + Cause,
               {Operation, "", From, To, nameOf(Type), In.str(), At, Cause});
}

void Redistribution::failFor(DType Type, Site At,
                             const std::string &Cause) const {
  const Error Of = errorOn(Type, At, Cause);
  fail(Of.what(), Of.call());
}

Work startRedistribution(std::shared_ptr<const Redistribution> R, const View &X,
                         const View &Y, Site At) {
  const local::StandIn Here(R->maker());
  const BackendScope Where = R->backendFor(X, Y, At);
  if (const std::string Why = unusable(backend()->memory(), X, Y); !Why.empty())
    R->failFor(X.dtype(), At, Why);
  Started &S = takeStarted(R->firstCall(X.dtype(), At));
  try {
    S.Plan = std::move(R);
    setResult(S, Y);
    S.Plan->start(S, denseOperand(S, X), S.Out);
    if (!S.Running)
      deliver(S);
  } catch (const std::bad_alloc &) {
    const auto Of = std::move(S.Plan);
    S.giveBack();
    Of->failFor(X.dtype(), At, NoMemory);
  } catch (...) {
    S.giveBack();
    throw;
  }
  return Work(S);
}

void goOn(Started &S) {
  S.Plan->goOn(S);
  deliver(S);
}

void abandonSteps(Started &S, const std::string &Why) noexcept {
  if (S.Plan)
    S.Plan->abandon(S, Why);
}

bool mayHold(const Started &S) {
  return S.With->mayHold() || (S.Plan && S.Plan->mayHold());
}

Error errorOf(const Started &S, const std::string &Cause) {
  return S.Plan ? S.Plan->errorOn(S.C.Type, S.C.At, Cause)
                : errorOn(S.C, Cause);
}

} // namespace spmd::detail

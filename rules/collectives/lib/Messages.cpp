//===- Messages.cpp - Sends and receives ----------------------------------===//
//
// A send waits for its receive. Messages between two ranks with one tag on one
// communicator match in their order.
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace spmd::collectives {

using rules::CallConstant;
using rules::CallForm;
using rules::CallKind;
using rules::CallRole;

void Simulation::message(Rank &R, const Stmt &S, Operation O) {
  O.Comm = commOf(O);
  HasMessages = true;
  if (O.Comm == NullComm)
    return failOnNull(O);
  if (std::optional<Finding> F = checkMessage(O))
    return failOn(O, std::move(*F));
  if (!Root.IsMain)
    Doubtful[O.At].Right.insert(O.Lane);
  if (Groups[O.Comm].IsForeign || O.Comm == SelfComm) {
    if (O.Comm != WorldComm && O.Comm > NullComm)
      Others.insert({Groups[O.Comm].Key, "", ""});
    R.Unmatched.push_back({O.Call->Name + " " + Groups[O.Comm].Key, O.Comm});
    forget(O, R.Run.keyOf(S, "got") + "@" + std::to_string(O.Lane),
           Trust::Unknown);
    if (O.Call->Form == CallForm::Nonblocking)
      give(R, S, O, CallRole::Request, addRequest(R, {}));
    return;
  }
  if (O.Call->Form == CallForm::Persistent) {
    Request Q;
    Q.Persistent = O;
    return give(R, S, O, CallRole::Request, addRequest(R, std::move(Q)));
  }
  std::vector<Operation *> Parts;
  if (O.Call->Kind != CallKind::Recv)
    Parts.push_back(postMessage(O, true));
  if (O.Call->Kind != CallKind::Send)
    Parts.push_back(postMessage(O, false));
  llvm::erase(Parts, nullptr);
  if (O.Call->Form == CallForm::OnStream && R.GroupDepth)
    llvm::append_range(R.Grouped, Parts);
  else if (O.Call->Form == CallForm::Nonblocking)
    give(R, S, O, CallRole::Request, addRequest(R, {Parts, std::nullopt}));
  else
    wait(R, Parts);
}

/// Null where there is nobody to talk to.
Operation *Simulation::postMessage(Operation Given, bool Sends) {
  Given.Sends = Sends;
  const Value *Peer = Given.argument(Sends ? CallRole::Dest : CallRole::Source);
  if (Peer && W.Known.means(*Peer, CallConstant::NullPeer))
    return nullptr;
  const std::vector<unsigned> &In = Groups[Given.Comm].Lanes;
  if (!Peer || !Peer->isInteger()) {
    giveUp(Peer && W.Known.means(*Peer, CallConstant::AnySource)
               ? GiveUpReason::AnySource
               : GiveUpReason::Peer,
           *Given.At);
    return nullptr;
  }
  if (Peer->Integer < 0 ||
      Peer->Integer >= static_cast<std::int64_t>(In.size())) {
    failOnPeer(Given, *Peer);
    return nullptr;
  }
  Given.Peer = In[Peer->Integer];
  // The first tag of a send-receive is the send's.
  for (const auto &[Role, V] : Given.Arguments)
    if (Role == CallRole::Tag) {
      Given.Tag = V;
      if (Sends)
        break;
    }
  Operations.push_back(std::move(Given));
  Operation &O = Operations.back();
  for (Operation *&M : Messages) {
    if (!areFor(*M, O) || M->Comm != O.Comm || !haveOneTag(*M, O))
      continue;
    Operation &Partner = *M;
    Messages.erase(&M - Messages.data() + Messages.begin());
    Operation &From = Sends ? O : Partner, &To = Sends ? Partner : O;
    if (std::optional<Finding> F = compareMessage(From, To))
      fail(std::move(*F));
    transfer(From, To);
    O.Done = Partner.Done = true;
    return &O;
  }
  Messages.push_back(&O);
  O.Done = Sends && O.Call->IsBuffered;
  return &O;
}

/// Waits for a message that it leaves where it is.
void Simulation::probe(Rank &R, const Stmt &S, Operation O) {
  O.Comm = commOf(O);
  HasMessages = true;
  const Value *Peer = O.argument(CallRole::Source),
              *Tag = O.argument(CallRole::Tag);
  if (O.Comm == NullComm)
    return failOnNull(O);
  // Which one comes first, and when, depends on time.
  const Group &In = Groups[O.Comm];
  if (O.Call->Form != CallForm::Blocking || In.IsForeign || !Peer || !Tag ||
      !Peer->isInteger() || Peer->Integer < 0 ||
      Peer->Integer >= static_cast<std::int64_t>(In.Lanes.size()) ||
      llvm::count(O.Call->Arguments, CallRole::Output) != 1)
    return giveUp(GiveUpReason::Probe, S);
  O.Peer = In.Lanes[Peer->Integer];
  O.Tag = *Tag;
  local(R, S, O);
  Operations.push_back(std::move(O));
  wait(R, {&Operations.back()});
}

bool Simulation::isThere(const Operation &Probe) const {
  return llvm::any_of(Messages, [&](const Operation *M) {
    return areFor(*M, Probe) && M->Comm == Probe.Comm && haveOneTag(*M, Probe);
  });
}

/// On so many ranks the call means nothing, but where no number of ranks makes
/// it right: of the number that comes after the last rank's, or before the
/// first's, which of a receive may be a library's name for any.
void Simulation::failOnPeer(const Operation &O, const Value &Peer) {
  // On each of several numbers of ranks, no constant is.
  const bool IsFirstAbove =
      Peer.Integer == static_cast<std::int64_t>(W.NumLanes);
  const unsigned OfAll = On.Key.empty() ? WorldComm : NumFixedComms;
  if (O.Comm != OfAll || !(Peer.Integer < 0 ? O.Sends : IsFirstAbove)) {
    Unclear = true;
    return;
  }
  Finding F = wrong(BadArgument::Peer, O);
  F.IfOnAllSizes = true;
  IsBroken = true;
  failOn(O, std::move(F));
}

/// A message with an argument that is nothing on this rank. Who calls the
/// function that makes it, unless that is the program, may do so on those ranks
/// alone on which it is something.
void Simulation::failOn(const Operation &O, Finding F) {
  if (Root.IsMain)
    return fail(std::move(F));
  F.IfOnAllSizes |=
      llvm::any_of(O.Arguments, [](const auto &A) { return A.second.OfRank; });
  Made &By = Doubtful[O.At];
  By.Wrong.insert(O.Lane);
  if (!By.Is)
    By.Is = std::move(F);
}

/// False where some ranks make such a call only as they may: nothing is known
/// of the others then.
bool Simulation::settleDoubts() {
  for (auto &[At, By] : Doubtful) {
    if (!By.Is)
      continue;
    if (!std::includes(By.Wrong.begin(), By.Wrong.end(), By.Right.begin(),
                       By.Right.end()))
      return false;
    fail(std::move(*By.Is));
  }
  return true;
}

/// One sends to the other, who receives from it.
bool Simulation::areFor(const Operation &A, const Operation &B) {
  return A.Sends != B.Sends && A.Peer == B.Lane && B.Peer == A.Lane;
}

bool Simulation::haveOneTag(const Operation &A, const Operation &B) const {
  const Operation &To = A.Sends ? B : A;
  return A.Tag == B.Tag || W.Known.means(To.Tag, CallConstant::AnyTag) ||
         (A.Tag.isInteger() && B.Tag.isInteger() &&
          A.Tag.Integer == B.Tag.Integer);
}

//===--- What is wrong ------------------------------------------------------//

/// Whether \p Part is `Whole / k`.
bool Simulation::isPartOf(const Value &Part, const Value &Whole) const {
  constexpr std::int64_t MaxParts = 16;
  if (!Part.isSymbol() || Part.Scale != 1 || Part.Integer != 0)
    return false;
  const std::string Quotient =
      "op" + std::to_string(static_cast<int>(Operator::Divide)) + "(" +
      W.Known.textOf(Whole) + ",";
  for (std::int64_t K = 2; K <= MaxParts; ++K)
    if (W.Known[Part.Id].Key ==
        Quotient + W.Known.textOf(Value::integer(K)) + ",")
      return true;
  return false;
}

/// Whether \p A is less than, as large as or more than \p B, two numbers of
/// elements: of an unknown number there are some.
std::optional<int> Simulation::compareCounts(const Value &A,
                                             const Value &B) const {
  const auto Sign = [](std::int64_t D) { return D < 0 ? -1 : D > 0 ? 1 : 0; };
  if (A.isInteger() && B.isInteger())
    return Sign(A.Integer - B.Integer);
  if (!A.isSymbol() || !B.isSymbol() || W.Known[A.Id].Trust == Trust::Varying ||
      W.Known[B.Id].Trust == Trust::Varying)
    return std::nullopt;
  if (A.Id == B.Id && A.Scale == B.Scale)
    return Sign(A.Integer - B.Integer);
  if (A.Id == B.Id && A.Integer == 0 && B.Integer == 0)
    return Sign(A.Scale - B.Scale);
  return isPartOf(A, B)   ? std::optional(-1)
         : isPartOf(B, A) ? std::optional(1)
                          : std::nullopt;
}

/// A receive may be larger than its send, but with NCCL.
std::optional<Finding> Simulation::compareMessage(const Operation &From,
                                                  const Operation &To) {
  const auto Count = [this](const Operation &O, CallRole Own, CallRole Type) {
    return O.argument(Own) ? countOf(O, Own, Type)
                           : countOf(O, CallRole::Count, CallRole::Type);
  };
  const std::optional<Value> Sent = Count(From, CallRole::SendCount,
                                          CallRole::SendType),
                             Taken = Count(To, CallRole::RecvCount,
                                           CallRole::RecvType);
  const std::optional<int> Compared =
      Sent && Taken ? compareCounts(*Sent, *Taken) : std::nullopt;
  const auto IsNothing = [](const std::optional<Value> &N) {
    return !N || (N->isInteger() && N->Integer == 0);
  };
  if (IsNothing(Sent) ? !Compared || *Compared == 0
                      : !Compared && IsNothing(Taken))
    return std::nullopt;
  const std::optional<bool> Same =
      haveOneType(From, CallRole::SendType, To, CallRole::RecvType);
  if (!Same)
    return std::nullopt;
  const bool Exact = From.Call->Form == CallForm::OnStream;
  const bool Fits = !Compared || (Exact ? *Compared == 0 : *Compared <= 0);
  if (*Same && Fits)
    return std::nullopt;
  Finding F = ofMessage(FindingKind::Metadata, To, &From);
  F.Differs = *Same ? "count" : "datatype";
  return F;
}

Finding Simulation::ofMessage(FindingKind K, const Operation &O,
                              const Operation *Other) {
  Finding F = finding(K, O, Other);
  F.OfMessages = true;
  if (Other)
    F.Branch = branchOf(O, Other->Lane);
  return F;
}

/// Why messages are left without a partner.
std::optional<Finding> Simulation::explainMessages() {
  std::vector<const Operation *> Waiting;
  for (const auto &R : Ranks)
    for (const Operation *O : R->For)
      if (!O->Done && O->isMessage())
        Waiting.push_back(O);
  for (const Operation *O : Waiting)
    if (!O->Tag.isInteger() && O->argument(CallRole::Tag) &&
        !W.Known.means(O->Tag, CallConstant::AnyTag)) {
      giveUp(GiveUpReason::Tag, *O->At);
      return std::nullopt;
    }
  for (const Operation *O : Waiting)
    for (const Operation *M : Messages) {
      if (!areFor(*O, *M) || (O->Comm == M->Comm) == haveOneTag(*O, *M))
        continue;
      Finding F = ofMessage(FindingKind::Metadata, *O, M);
      F.Differs = O->Comm == M->Comm ? "tag" : "communicator";
      F.MissesPartner = true;
      return F;
    }
  // NCCL's to oneself end with their other end in one group. Of a number that
  // is some rank's callers may leave that out.
  const auto ToItself = [&](const Operation *O) {
    return O->Peer == O->Lane && O->Call->Form == CallForm::OnStream;
  };
  const bool AllDo = llvm::all_of(Ranks, [&](const auto &R) {
    return llvm::any_of(R->For, [&](const Operation *O) {
      return !O->Done && O->isMessage() && ToItself(O);
    });
  });
  for (const Operation *O : Waiting)
    if (AllDo && ToItself(O))
      if (std::optional<Finding> F = explainCycle(*O))
        return F;
  // Callers may have the other end.
  if (!W.Of.exchanges(Root))
    return std::nullopt;
  for (const Operation *O : Waiting)
    if (std::optional<Finding> F = explainCycle(*O))
      return F;
  // Where others have found each other at the same place, both ends are there.
  const auto OthersMet = [&](const Operation *O) {
    return O->Call->Form == CallForm::OnStream &&
           llvm::any_of(Operations, [&](const Operation &P) {
             return P.At == O->At && P.isMessage() && P.Done &&
                    P.Peer != P.Lane;
           });
  };
  for (const Operation *O : Waiting)
    if ((Root.IsMain || OthersMet(O)) && Ranks[O->Peer]->Is == Status::Ended) {
      Finding F = ofMessage(FindingKind::Divergent, *O, nullptr);
      F.Branch = branchOf(*O, O->Peer);
      F.MissesPartner = true;
      return F;
    }
  return std::nullopt;
}

/// What \p Lane is in.
const Operation *Simulation::waitsFor(unsigned Lane) const {
  const std::vector<Operation *> &For = Ranks[Lane]->For;
  const auto At =
      llvm::find_if(For, [](const Operation *O) { return !O->Done; });
  return At == For.end() ? nullptr : *At;
}

/// Who has to do something for \p O to end.
std::optional<unsigned> Simulation::missingIn(const Operation &O) const {
  if (O.isMessage())
    return O.Peer;
  for (const auto &[At, Of] : Slots)
    if (llvm::is_contained(Of, &O))
      for (const unsigned Lane : Groups[O.Comm].Lanes)
        if (llvm::none_of(Of,
                          [&](const Operation *P) { return P->Lane == Lane; }))
          return Lane;
  return std::nullopt;
}

/// From \p First on, each rank waits for the next one.
std::optional<Finding> Simulation::explainCycle(const Operation &First) {
  std::vector<std::pair<const Operation *, unsigned>> Path;
  for (const Operation *O = &First;;) {
    const std::optional<unsigned> Next = missingIn(*O);
    const Operation *There = Next ? waitsFor(*Next) : nullptr;
    // What a rank sends itself is another function's, or another rank's; a
    // communicator that others made may be one between two groups.
    const bool MayBeOfOthers = O->Call->Form != CallForm::OnStream &&
                               (!Root.IsMain || !On.Key.empty());
    if (!There || (*Next == O->Lane && MayBeOfOthers))
      return std::nullopt;
    Path.emplace_back(O, *Next);
    if (There == &First)
      break;
    if (llvm::is_contained(llvm::make_first_range(Path), There))
      return std::nullopt;
    O = There;
  }
  Finding F = ofMessage(FindingKind::Order, First, Path[1 % Path.size()].first);
  F.Branch = {};
  F.IsCycle = F.MissesPartner = true;
  F.Witness =
      "with " + std::to_string(W.NumLanes) + " ranks" + assumptions() + ": ";
  llvm::ListSeparator Semicolon("; ");
  for (const auto &[P, Other] : Path)
    F.Witness += llvm::StringRef(Semicolon).str() + "rank " +
                 std::to_string(P->Lane) + " waits for rank " +
                 std::to_string(Other) + " in " + P->At->What.Name + ", line " +
                 std::to_string(P->At->At.Line);
  return F;
}

} // namespace spmd::collectives

//===- Mismatch.cpp - Why ranks do not go on ------------------------------===//

#include "Simulation.h"

#include "spmd/ops/NumberType.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace spmd::collectives {

using rules::CallForm;
using rules::CallKind;
using rules::CallRole;

Finding Simulation::finding(FindingKind K, const Operation &A,
                            const Operation *B) {
  Finding F;
  F.Kind = K;
  F.At = A.At->At;
  F.Call = A.At->What.Name;
  if (B) {
    F.Other = B->At->What.Name;
    F.OtherAt = B->At->At;
  }
  // Some programs are made for as many ranks as fence.
  F.IfOnAllSizes =
      A.argument(CallRole::Window) || (B && B->argument(CallRole::Window));
  F.Witness = witness(&A, B);
  return F;
}

//===--- Where ways part ----------------------------------------------------//

static std::pair<const Stmt *, unsigned> keyOf(const Decision &D) {
  return {D.At, D.Occurrence};
}

/// Whether \p O is where only ranks are that went another way than \p Other.
bool Simulation::isAfterParting(const Operation &O, unsigned Other) const {
  const auto &Taken = Ranks[Other]->Run.Taken;
  return llvm::any_of(O.Inside, [&](const Decision &D) {
    const auto It = Taken.find(keyOf(D));
    return It == Taken.end() || It->second != D.Arm;
  });
}

/// The branch that makes \p Other miss \p O: one that O is in, or one that
/// Other left early by.
Site Simulation::branchOf(const Operation &O, unsigned Other) const {
  const auto &There = Ranks[Other]->Run.Taken;
  for (const Decision &D : O.Inside) {
    const auto It = There.find(keyOf(D));
    if (It == There.end() || It->second != D.Arm)
      return D.At->At;
  }
  const auto &Here = Ranks[O.Lane]->Run.Taken;
  for (const Jump &J : Ranks[Other]->Run.Jumps)
    for (const Decision &D : J.Inside) {
      const auto It = Here.find(keyOf(D));
      if (It == Here.end() || It->second != D.Arm)
        return D.At->At;
    }
  return {};
}

//===--- Calls that do not match --------------------------------------------//

static bool isStarted(const Operation &O) {
  return O.Call->Form == CallForm::Nonblocking ||
         O.Call->Form == CallForm::Persistent;
}

std::optional<Finding> Simulation::compareKinds(const Operation &A,
                                                const Operation &B) {
  if (A.Call->Kind == B.Call->Kind && isStarted(A) == isStarted(B) &&
      A.HasCountLists == B.HasCountLists)
    return std::nullopt;
  // Lists of counts and single ones may be one operation to some libraries.
  if (A.Call->Kind == B.Call->Kind && isStarted(A) == isStarted(B) &&
      A.Call->Api != B.Call->Api)
    return std::nullopt;
  return inOtherCalls(A, B);
}

/// Whether one of two ranks is in a call that the other skips.
bool Simulation::isOneAhead(const Operation &A, const Operation &B) const {
  return isAfterParting(A, B.Lane) != isAfterParting(B, A.Lane);
}

/// One rank is in \p A and another in \p B, and neither goes on.
Finding Simulation::inOtherCalls(const Operation &A, const Operation &B) {
  if (isOneAhead(A, B)) {
    const bool InA = isAfterParting(A, B.Lane);
    const Operation &Extra = InA ? A : B;
    const Operation &Later = InA ? B : A;
    Finding F = finding(FindingKind::Divergent, Extra, &Later);
    F.Branch = branchOf(Extra, Later.Lane);
    return F;
  }
  Finding F = finding(FindingKind::Order, A, &B);
  F.Branch = branchOf(A, B.Lane);
  return F;
}

/// Calls that match, and are two in the program: they may be meant to.
void Simulation::noteOutOfStep(const Slot &Of) {
  if (OutOfStep)
    return;
  const Operation &A = *Of.front();
  for (const Operation *B : llvm::drop_begin(Of))
    if (B->At != A.At && isOneAhead(A, *B)) {
      OutOfStep = inOtherCalls(A, *B);
      return;
    }
}

void Simulation::fail(Finding F) {
  const bool Follows =
      OutOfStep && !F.OfMessages &&
      (F.Kind == FindingKind::Divergent || F.Kind == FindingKind::Order ||
       F.Kind == FindingKind::Metadata);
  Failures.push_back(
      {Follows ? *OutOfStep : std::move(F), enteredByAll(), knowsLast()});
}

/// None: that is not known, or bytes may be anything.
static std::optional<bool> areOne(llvm::StringRef A, llvm::StringRef B) {
  if (A.empty() || B.empty())
    return std::nullopt;
  const auto NA = rules::numberType(A), NB = rules::numberType(B);
  if (NA && NB ? *NA == *NB : A == B)
    return true;
  return A == "std::byte" || B == "std::byte" ? std::nullopt
                                              : std::optional(false);
}

/// The same of two calls that say it by these roles, or by that of both.
std::optional<bool> Simulation::haveOneType(const Operation &A, CallRole RA,
                                            const Operation &B,
                                            CallRole RB) const {
  const auto Of = [this](const Operation &O, CallRole R) {
    return elementsOf(O, O.argument(R) ? R : CallRole::Type);
  };
  const auto TA = Of(A, RA), TB = Of(B, RB);
  return TA && TB ? areOne(llvm::StringRef(TA->Type), TB->Type) : std::nullopt;
}

/// Of numbers that are known, or follow from one that is not; none: nobody
/// knows.
static std::optional<bool> areOne(const Value &A, const Value &B) {
  if (A.isInteger() && B.isInteger())
    return A.Integer == B.Integer;
  if (A.isSymbol() && B.isSymbol() && A.Id == B.Id && A.Scale == B.Scale)
    return A.Integer == B.Integer;
  return std::nullopt;
}

/// Whether one is nothing, and the other a number that nobody knows, but that
/// may well be more: who gives it has something to send.
bool Simulation::isOneNothing(const Value &A, const Value &B) const {
  const Value &S = A.isSymbol() ? A : B, &N = A.isSymbol() ? B : A;
  if (!S.isSymbol() || S.Integer != 0 || !N.isInteger() || N.Integer != 0)
    return false;
  W.Matters |= W.Choose.reasonsFor(S);
  return W.Choose.implied({S.Id, Relation::Kind::Equal, 0, false}) != true;
}

/// Which of type and count differs for sure; empty: nothing.
const char *Simulation::differ(const Operation &A, Signature SA,
                               const Operation &B, Signature SB) const {
  const std::optional<Elements> TA = elementsOf(A, SA.Type),
                                TB = elementsOf(B, SB.Type);
  const std::optional<Value> CA = countOf(A, SA.Count, SA.Type),
                             CB = countOf(B, SB.Count, SB.Type);
  if (!TA || !TB || !CA || !CB)
    return nullptr;
  const bool AreLists = A.HasCountLists && B.HasCountLists;
  std::optional<bool> OneCount = areOne(*CA, *CB);
  if (isOneNothing(*CA, *CB))
    OneCount = false;
  const bool AreNothing = CA->isInteger() && CA->Integer == 0 &&
                          CB->isInteger() && CB->Integer == 0;
  if (!AreLists && (!OneCount || AreNothing))
    return nullptr;
  const std::optional<bool> Same = areOne(llvm::StringRef(TA->Type), TB->Type);
  if (!Same || !*Same)
    return Same ? "datatype" : nullptr;
  return !AreLists && !*OneCount ? "count" : nullptr;
}

/// For each pair of ranks, the arguments that must agree.
const char *Simulation::differIn(const Operation &A, const Operation &B) const {
  const bool AIsRoot = isRoot(A), BIsRoot = isRoot(B);
  const Signature All{CallRole::Type, CallRole::Count},
      Send{CallRole::SendType, CallRole::SendCount},
      Recv{CallRole::RecvType, CallRole::RecvCount},
      // Calls that say once what both are.
      SendOf{CallRole::Type, CallRole::SendCount},
      RecvOf{CallRole::Type, CallRole::RecvCount};
  const CallKind K = A.Call->Kind;
  if (A.HasCountLists != B.HasCountLists)
    return nullptr;
  for (const Signature S : {All, SendOf, RecvOf})
    if (const char *D = differ(A, S, B, S))
      return D;
  if (isInPlace(A, W.Known) || isInPlace(B, W.Known))
    return nullptr;
  if (K == CallKind::Gather) {
    if (const char *D = differ(A, Send, B, Send))
      return D;
    return AIsRoot   ? differ(A, Recv, B, Send)
           : BIsRoot ? differ(A, Send, B, Recv)
                     : nullptr;
  }
  if (K == CallKind::Scatter) {
    if (const char *D = differ(A, Recv, B, Recv))
      return D;
    return AIsRoot   ? differ(A, Send, B, Recv)
           : BIsRoot ? differ(A, Recv, B, Send)
                     : nullptr;
  }
  if (const char *D = differ(A, Send, B, Send))
    return D;
  if (K == CallKind::AllGather || K == CallKind::AllToAll)
    return differ(A, Send, B, Recv);
  return nullptr;
}

/// Numbers that are not the same, or for some input are not.
bool Simulation::mayDiffer(const Value &A, const Value &B, unsigned Lane) {
  if (A.isInteger() && B.isInteger())
    return A.Integer != B.Integer;
  const Value &S = A.isSymbol() ? A : B, &I = A.isSymbol() ? B : A;
  if (!S.isSymbol() || S.Scale != 1 || !I.isInteger() ||
      W.Known[S.Id].Trust != Trust::Input)
    return false;
  const bool AreEqual = W.Choose.answer(
      {S.Id, Relation::Kind::Equal, I.Integer - S.Integer, false}, Lane, true);
  W.Matters |= W.Choose.reasonsFor(S);
  return !AreEqual;
}

/// Whether one has an id that it made, and the other another one, or nothing.
bool Simulation::areOtherIds(const Operation &A, const Operation &B) const {
  const auto Key = [this](const Operation &O) {
    const Value *V = O.argument(CallRole::Id);
    const llvm::StringRef Of =
        V && V->isSymbol() ? W.Known[V->Id].Key : llvm::StringRef();
    return Of.starts_with(NewIdKey) ? Of : llvm::StringRef();
  };
  if (Key(A).empty() && Key(B).empty())
    return false;
  return Key(A).empty()   ? hasUnwrittenId(A)
         : Key(B).empty() ? hasUnwrittenId(B)
                          : Key(A) != Key(B);
}

/// The argument on which \p A and \p B must agree and do not; empty: none.
const char *Simulation::disagreeOn(const Operation &A, const Operation &B) {
  const Value *RA = A.argument(CallRole::Root),
              *RB = B.argument(CallRole::Root);
  if (RA && RB && mayDiffer(*RA, *RB, A.Lane))
    return "root";
  const Value *OA = A.argument(CallRole::Op), *OB = B.argument(CallRole::Op);
  if (OA && OB && OA->Kind == ValueKind::Name && OB->Kind == ValueKind::Name &&
      W.Known.meaningOf(OA->Id) && W.Known.meaningOf(OB->Id) &&
      W.Known.meaningOf(OA->Id) != W.Known.meaningOf(OB->Id))
    return "reduction";
  return areOtherIds(A, B) ? "id" : differIn(A, B);
}

std::optional<Finding> Simulation::compareArguments(const Slot &Of) {
  for (unsigned I = 1; I < Of.size(); ++I) {
    // What the first rank gives may be unknown, and the others' not.
    const Operation &B = *Of[I], *A = Of.front();
    const char *Differs = disagreeOn(*A, B);
    if (!Differs && I > 1)
      Differs = disagreeOn(*(A = Of[I - 1]), B);
    if (!Differs)
      continue;
    if (isOneAhead(*A, B))
      return inOtherCalls(*A, B);
    Finding F = finding(FindingKind::Metadata, *A, &B);
    F.Differs = Differs;
    F.Branch = branchOf(*A, B.Lane);
    return F;
  }
  return std::nullopt;
}

/// False where no rank can be the root: on these ranks it means nothing.
bool Simulation::checkRoot(const Operation &O) {
  const Value *Root = O.argument(CallRole::Root);
  if (!Root)
    return true;
  const std::int64_t N = Groups[O.Comm].Lanes.size();
  if (Root->isSymbol() && Root->Scale == 1) {
    W.Choose.assume({Root->Id, Relation::Kind::Less, -Root->Integer, false},
                    false);
    W.Choose.assume({Root->Id, Relation::Kind::Less, N - Root->Integer, false},
                    true);
    return W.Choose.isPossible();
  }
  if (!Root->isInteger())
    return true;
  if (Root->Integer < 62)
    W.Compared.insert(std::max<std::int64_t>(Root->Integer, 2));
  const bool Fits = Root->Integer >= 0 && Root->Integer < N;
  // Between two groups, there are roots that are no ranks.
  if (Root->Integer >= 0 || On.Key.empty())
    Roots[O.At] |= Fits;
  if (!Fits)
    Unclear = true;
  return Fits;
}

//===--- Ranks that wait ----------------------------------------------------//

std::optional<Finding> Simulation::explainStuck() {
  // A rank that has ended is the simplest reason.
  for (const bool Ended : {true, false})
    for (const auto &R : Ranks) {
      for (const Operation *O : R->For) {
        if (O->Done || O->isMessage() || Groups[O->Comm].IsForeign)
          continue;
        for (const unsigned Lane : Groups[O->Comm].Lanes)
          if ((Ranks[Lane]->Is == Status::Ended) == Ended)
            if (std::optional<Finding> F = explainMissing(*O))
              return F;
      }
    }
  // Started and never matched.
  if (llvm::all_of(Ranks, [](const auto &R) { return R->Is == Status::Ended; }))
    for (const auto &[At, Of] : Slots)
      if (!Of.empty() && Of.size() != Groups[At.first].Lanes.size() &&
          llvm::none_of(Of, [&](const Operation *O) { return isHandedOn(*O); }))
        return explainMissing(*Of.front());
  return explainMessages();
}

/// Whether others have its request, and may make the rest of the calls.
bool Simulation::isHandedOn(const Operation &O) const {
  const Rank &R = *Ranks[O.Lane];
  const auto Own = llvm::find_if(R.Requests, [&](const Request &Q) {
    return llvm::is_contained(Q.Parts, &O);
  });
  if (Root.IsMain || Own == R.Requests.end())
    return false;
  const Value V =
      Value::of(ValueKind::Request,
                static_cast<unsigned>(std::distance(R.Requests.begin(), Own)));
  const auto Held = R.Run.Data.holders(V);
  if (Held.empty())
    return O.At->Target || O.argument(CallRole::Request);
  return R.Run.Result == V || llvm::any_of(Held, [&](Location At) {
           const auto Local = R.Run.Locals.find(At.Object);
           if (Local == R.Run.Locals.end() ||
               (R.Run.Result && R.Run.Result->Kind == ValueKind::Pointer &&
                R.Run.Result->To.Object == At.Object))
             return true;
           const Variable &In = W.P.Variables[Local->second];
           return In.IsObject && !In.IsContainer && At.Path != WholeObject;
         });
}

std::optional<Finding> Simulation::explainMissing(const Operation &O) {
  const Slot *Of = nullptr;
  for (const auto &[At, S] : Slots)
    if (llvm::is_contained(S, &O))
      Of = &S;
  if (!Of)
    return std::nullopt;
  const Rank *Missing = nullptr;
  for (const unsigned Lane : Groups[O.Comm].Lanes) {
    if (llvm::any_of(*Of, [&](const Operation *P) { return P->Lane == Lane; }))
      continue;
    if (!Missing || Ranks[Lane]->Is == Status::Ended)
      Missing = Ranks[Lane].get();
  }
  if (!Missing)
    return std::nullopt;
  if (Missing->Is == Status::Ended) {
    Finding F = finding(FindingKind::Divergent, O, nullptr);
    F.Branch = branchOf(O, Missing->Run.Number);
    return F;
  }
  for (const Operation *P : Missing->For) {
    if (P->Done)
      continue;
    if (P->isMessage()) {
      // Only where its partner waits in this very call is that the reason.
      if (!llvm::any_of(*Of, [&](const Operation *Q) {
            return Q->Lane == P->Peer && !Q->Done &&
                   llvm::is_contained(Ranks[Q->Lane]->For, Q);
          }))
        return std::nullopt;
    }
    if (!P->isMessage() && P->Comm != O.Comm && P->Call->Kind == O.Call->Kind) {
      Finding F = finding(FindingKind::Metadata, O, P);
      F.Differs = "communicator";
      F.Branch = branchOf(O, Missing->Run.Number);
      return F;
    }
    if (!P->isMessage())
      return inOtherCalls(O, *P);
    Finding F = finding(FindingKind::Order, O, P);
    F.OfMessages = F.MissesPartner = true;
    F.Branch = branchOf(O, Missing->Run.Number);
    return F;
  }
  return std::nullopt;
}

//===--- The witness --------------------------------------------------------//

std::string Simulation::statusOf(unsigned Lane) const {
  const Rank &R = *Ranks[Lane];
  for (const Operation *O : R.For)
    if (!O->Done)
      return "waits in " + O->At->What.Name + ", line " +
             std::to_string(O->At->At.Line);
  return R.Is == Status::Ended ? "is at its end" : "";
}

std::string Simulation::assumptions() const {
  for (const Choices::Choice &C : W.Choose.made()) {
    llvm::StringRef Key = W.Known[C.About.Symbol].Key;
    unsigned Variable = 0;
    // What the program gives no name says nothing to its reader.
    if (!Key.consume_front("v") || Key.getAsInteger(10, Variable) ||
        W.P.Variables[Variable].Name.empty())
      continue;
    const bool Holds = C.Answer != C.About.Negated;
    const bool IsBound = C.About.K != Relation::Kind::Equal && !Holds;
    if (W.RoundsLeftOut && !IsBound)
      continue;
    const char *Is = C.About.K == Relation::Kind::Equal
                         ? Holds ? " == " : " != "
                     : Holds ? " < "
                             : " >= ";
    return " and " + W.P.Variables[Variable].Name + Is +
           std::to_string(C.About.To + W.RoundsLeftOut);
  }
  return {};
}

/// "0, 1, 5 to 9".
static std::string listed(llvm::ArrayRef<unsigned> Numbers) {
  std::string Out;
  for (unsigned I = 0; I != Numbers.size();) {
    unsigned End = I + 1;
    while (End != Numbers.size() && Numbers[End] == Numbers[End - 1] + 1)
      ++End;
    const bool IsRun = End - I > 2;
    Out += (I ? ", " : "") + std::to_string(Numbers[I]);
    if (IsRun)
      Out += " to " + std::to_string(Numbers[End - 1]);
    I = IsRun ? End : I + 1;
  }
  return Out;
}

std::string Simulation::witness(const Operation *A, const Operation *B) const {
  std::string Out =
      "with " + std::to_string(W.NumLanes) + " ranks" + assumptions() + ": ";
  // Ranks that do the same are told together.
  std::vector<std::pair<std::string, std::vector<unsigned>>> By;
  for (unsigned I = 0; I != W.NumLanes; ++I) {
    std::string Does = statusOf(I);
    for (const Operation *O : {A, B})
      if (O && O->Lane == I)
        Does = "waits in " + O->At->What.Name + ", line " +
               std::to_string(O->At->At.Line);
    if (Does.empty())
      continue;
    const auto At =
        llvm::find_if(By, [&](const auto &E) { return E.first == Does; });
    if (At == By.end())
      By.push_back({Does, {I}});
    else
      At->second.push_back(I);
  }
  llvm::ListSeparator Semicolon("; ");
  for (auto &[Does, Who] : By) {
    Out += llvm::StringRef(Semicolon).str();
    llvm::StringRef Rest(Does);
    if (Who.size() == 1) {
      Out += "rank " + std::to_string(Who[0]) + " " + Does;
      continue;
    }
    Out += "ranks " + listed(Who) + " ";
    Out += Rest.consume_front("waits")       ? ("wait" + Rest).str()
           : Rest.consume_front("is at its") ? ("are at their" + Rest).str()
                                             : Does;
  }
  return Out;
}

} // namespace spmd::collectives

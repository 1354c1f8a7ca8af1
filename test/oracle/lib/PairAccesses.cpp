//===- PairAccesses.cpp - What nothing orders -----------------------------===//
//
// One rank's steps, and what streams and the library do beside it, as a graph:
// an edge where one is surely done before the other begins. Who touches a
// buffer that a call uses, with no path between them, may find it poisoned.
//
//===----------------------------------------------------------------------===//

#include "spmd/oracle/Pairs.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <optional>
#include <set>

namespace spmd::oracle::pairs {

namespace {

struct Use {
  unsigned Buffer;
  bool Writes;
};

struct Node {
  std::vector<Use> Uses;
  bool IsCall = false, Receives = false, OnStream = false, IsTouch = false;
  std::vector<unsigned> After;
};

class Order {
public:
  Order(const std::vector<Step> &Steps, int Rank) : Rank(Rank) {
    for (const Step &S : Steps)
      add(S);
    end();
  }
  std::string Wrong;

private:
  unsigned node(std::vector<unsigned> After) {
    Nodes.emplace_back();
    Nodes.back().After = std::move(After);
    return Nodes.size() - 1;
  }
  void host(std::vector<unsigned> After = {}) {
    if (!Nodes.empty())
      After.push_back(Host);
    Host = node(std::move(After));
  }
  void add(const Step &S);
  void begin(const Step &S);
  void call(unsigned At, const Step &S) {
    Nodes[At].Uses = usesOf(S);
    Nodes[At].IsCall = true;
    Nodes[At].Receives = S.Does->Does == Act::Recv;
    Nodes[At].OnStream = S.Does->OnStream;
  }
  void endGroup();
  void end();
  std::vector<Use> usesOf(const Step &S) const;
  bool isBefore(unsigned A, unsigned B) const;

  int Rank;
  std::vector<Node> Nodes;
  unsigned Host = 0, Depth = 0;
  std::map<unsigned, unsigned> Requests; ///< what each completes
  std::map<unsigned, std::vector<unsigned>> Streams, Events; ///< the last ones
  std::vector<const Step *> Grouped;
  std::set<unsigned> Whole{0}; ///< communicators that are the world
};

} // namespace

/// As the standard says: some buffers are of the root alone. On a part of the
/// world, and where an input tells the root, it is not known: what roots read
/// is read by some rank, what they write counts for nobody, as in the analysis.
std::vector<Use> Order::usesOf(const Step &S) const {
  const Action &A = *S.Does;
  if (A.Count == 0 || A.Of == Shape::Barrier)
    if (A.Does == Act::Collective || A.Count == 0)
      return {};
  if (A.Does == Act::Send)
    return {{A.In, false}};
  if (A.Does == Act::Recv)
    return {{A.Out, true}};
  const std::optional<bool> Root =
      (Whole.count(A.Comm) || A.OnStream) && A.Root != Term::Flag
          ? std::optional(S.Root == Rank)
          : std::nullopt;
  switch (A.Of) {
  case Shape::Barrier:
    return {};
  case Shape::Broadcast:
    if (!A.OnStream)
      return {{A.In, Root && !*Root}};
    [[fallthrough]];
  case Shape::Scatter:
    if (Root.value_or(true))
      return {{A.In, false}, {A.Out, true}};
    return {{A.Out, true}};
  case Shape::Reduce:
  case Shape::Gather:
    if (Root.value_or(false))
      return {{A.In, false}, {A.Out, true}};
    return {{A.In, false}};
  default:
    return {{A.In, false}, {A.Out, true}};
  }
}

void Order::begin(const Step &S) {
  const Action &A = *S.Does;
  if (A.OnStream) {
    Grouped.push_back(&S);
    if (Depth == 0)
      endGroup();
    return;
  }
  if (!A.Nonblocking) {
    return call(Host, S);
  }
  if (Requests.count(A.Request))
    Wrong = "a request is used again";
  const unsigned Begun = node({Host});
  call(Begun, S);
  Requests[A.Request] = Begun;
}

/// All calls of a group wait for all of its streams, and these for all calls.
void Order::endGroup() {
  std::vector<unsigned> Before{Host}, Done;
  for (const Step *S : Grouped)
    llvm::append_range(Before, Streams[S->Does->Stream]);
  for (const Step *S : Grouped) {
    Done.push_back(node(Before));
    call(Done.back(), *S);
  }
  for (const Step *S : Grouped)
    Streams[S->Does->Stream] = Done;
  Grouped.clear();
}

void Order::add(const Step &S) {
  const Action &A = *S.Does;
  std::vector<unsigned> After;
  if (A.Does == Act::Wait && Requests.count(A.Request)) {
    After = {Requests[A.Request]};
    Requests.erase(A.Request);
  } else if (A.Does == Act::SyncStream) {
    After = Streams[A.Stream];
  } else if (A.Does == Act::SyncEvent) {
    After = Events[A.Event];
  } else if (A.Does == Act::SyncDevice) {
    for (const auto &[Stream, Last] : Streams)
      llvm::append_range(After, Last);
  }
  host(std::move(After));
  switch (A.Does) {
  case Act::Collective:
  case Act::Send:
  case Act::Recv:
    return begin(S);
  case Act::Read:
  case Act::Write:
    Nodes[Host].Uses = {{A.In, A.Does == Act::Write}};
    Nodes[Host].IsTouch = true;
    return;
  case Act::Rebind:
    if (Whole.count(A.In))
      Whole.insert(A.Comm);
    return;
  case Act::GroupBegin:
    ++Depth;
    return;
  case Act::GroupEnd:
    if (Depth && --Depth == 0)
      endGroup();
    return;
  case Act::Kernel: {
    std::vector<unsigned> Before = Streams[A.Stream];
    Before.push_back(Host);
    const unsigned K = node(std::move(Before));
    Nodes[K].Uses = {{A.In, A.Writes}};
    Streams[A.Stream] = {K};
    return;
  }
  case Act::Record:
    Events[A.Event] = Streams[A.Stream];
    Events[A.Event].push_back(Host);
    return;
  case Act::WaitEvent:
    llvm::append_range(Streams[A.Stream], Events[A.Event]);
    return;
  default:
    return;
  }
}

bool Order::isBefore(unsigned A, unsigned B) const {
  // Edges lead to earlier nodes.
  if (B < A)
    return false;
  std::vector<bool> Seen(B + 1);
  std::vector<unsigned> Open{B};
  while (!Open.empty()) {
    const unsigned N = Open.back();
    Open.pop_back();
    if (N == A)
      return true;
    for (const unsigned M : Nodes[N].After)
      if (M >= A && !Seen[M]) {
        Seen[M] = true;
        Open.push_back(M);
      }
  }
  return false;
}

void Order::end() {
  if (Depth)
    Wrong = "a group stays open";
  else if (!Requests.empty())
    Wrong = "nobody waits for a request";
  for (unsigned B = 0; B != Nodes.size(); ++B)
    for (unsigned A = 0; A != B; ++A) {
      // What is received twice may be what nobody reads, and the host reaches
      // nothing that is on a stream.
      if ((!Nodes[A].IsCall && !Nodes[B].IsCall) ||
          (Nodes[A].Receives && Nodes[B].Receives) ||
          (Nodes[A].OnStream && Nodes[B].IsTouch))
        continue;
      for (const Use &X : Nodes[A].Uses)
        for (const Use &Y : Nodes[B].Uses)
          if (X.Buffer == Y.Buffer && (X.Writes || Y.Writes) && !isBefore(A, B))
            Wrong = "buffer " + std::to_string(X.Buffer) + " is touched early";
    }
}

std::string touchedTooEarly(const Program &P, const Inputs &In, int Rank,
                            int Size) {
  const std::vector<Step> Steps = stepsOf(P, In, Rank, Size);
  return Order(Steps, Rank).Wrong;
}

//===--- All runs -----------------------------------------------------------//

static bool usesIn(const std::vector<Action> &Body, Term T) {
  return llvm::any_of(Body, [T](const Action &A) {
    return A.Root == T || A.Peer == T || A.Rounds == T || A.If.L == T ||
           A.If.R == T || usesIn(A.Then, T) || usesIn(A.Else, T);
  });
}

bool uses(const Program &P, Term T) {
  return usesIn(P.Body, T) ||
         llvm::any_of(P.Splits, [T](const Split &S) { return S.Colour == T; });
}

Verdict verdict(const Program &P) {
  Verdict Out;
  bool AnyFine = false, AllOfMessages = true, WrongInNothing = false;
  std::map<unsigned, bool> Roots;
  const bool Flag = uses(P, Term::Flag), Other = uses(P, Term::Other);
  const bool Own = uses(P, Term::Own);
  for (int Size = 2; Size <= 6; ++Size) {
    bool Fine = true;
    const unsigned Cases = (Flag ? 2 : 1) * (Other ? 2 : 1);
    for (unsigned I = 0; I != Cases; ++I)
      for (unsigned Bits = 0; Bits != (Own ? 1u << Size : 1u); ++Bits) {
        const Inputs In{(I & 1) && Flag, Flag ? I > 1 : I == 1, Bits};
        const Outcome Is = run(P, In, Size);
        for (const auto &[Line, Fits] : Is.Roots)
          Roots[Line] |= Fits;
        Fine &= !Is.IsNothing && Is.Wrong.empty();
        WrongInNothing |= Is.IsNothing && !Is.Wrong.empty();
        if (!Is.IsNothing && !Is.Wrong.empty()) {
          Out.Wrong = Is.Wrong + ", " + std::to_string(Size) + " ranks";
          AllOfMessages &= Is.OfMessages;
        }
        for (int R = 0; R != Size && Out.Early.empty(); ++R)
          Out.Early = touchedTooEarly(P, In, R, Size);
      }
    AnyFine |= Fine;
  }
  Out.OnlySomeSizes =
      Out.Wrong.empty() ? WrongInNothing : AnyFine && AllOfMessages;
  for (const auto &[Line, Fits] : Roots)
    if (!Fits && Out.Wrong.empty())
      Out.Wrong = "a root that is no rank";
  return Out;
}

} // namespace spmd::oracle::pairs

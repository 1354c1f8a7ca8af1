//===- RandomPair.cpp - Draws small programs that communicate -------------===//
//
// Two ways that a condition chooses between: mostly alike, or alike but for
// one thing, as what is drawn without any plan is nearly always wrong.
//
//===----------------------------------------------------------------------===//

#include "spmd/oracle/Pairs.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::oracle::pairs {

namespace {

using Body = std::vector<Action>;

class Draw {
public:
  explicit Draw(std::mt19937 &Random) : Random(Random) {}

  Program program();

private:
  unsigned below(unsigned N) { return Random() % N; }
  bool oneIn(unsigned N) { return below(N) == 0; }
  template <typename T> T any(std::initializer_list<T> Of) {
    return *(Of.begin() + below(Of.size()));
  }

  Condition condition();
  Action collective();
  Term root(unsigned Comm);
  /// Has all ranks.
  bool isWhole(unsigned Comm) const {
    return Comm == 0 || (Comm <= P.Splits.size() &&
                         P.Splits[Comm - 1].Colour == Term::Zero &&
                         !P.Splits[Comm - 1].WithoutZero);
  }
  Action nccl();
  Action touch();
  Action act(Act A) {
    Action Out;
    Out.Does = A;
    return Out;
  }
  Action wait(unsigned Request) {
    Action Out = act(Act::Wait);
    Out.Request = Request;
    return Out;
  }
  Action message(Act A, Term Peer);
  Action when(Condition C, Body Then, Body Else = {}) {
    Action Out = act(Act::If);
    Out.If = C;
    Out.Then = std::move(Then);
    Out.Else = std::move(Else);
    return Out;
  }
  Body arm();
  Body started();
  Body messages();
  Body streams();
  Body group();
  Action *anyOf(Body &In);
  void mutate(Body &In);
  Body two();
  void number(Body &In);

  std::mt19937 &Random;
  Program P;
};

} // namespace

Condition Draw::condition() {
  Condition C;
  C.Is = any({Test::Equal, Test::Equal, Test::Unequal, Test::Less});
  switch (below(8)) {
  case 0:
    C.L = Term::Flag;
    C.R = Term::Zero;
    break;
  case 1:
    C.L = any({Term::Flag, Term::Other});
    C.R = Term::One;
    break;
  case 2:
    C.L = Term::Own;
    C.R = Term::One;
    break;
  case 3:
    C.L = Term::Size;
    C.R = any({Term::Two, Term::Three});
    break;
  case 4:
    C.L = Term::RankMod2;
    C.R = any({Term::Zero, Term::One});
    break;
  case 5:
    C.R = any({Term::Last, Term::Size});
    break;
  default:
    C.R = any({Term::Zero, Term::Zero, Term::One, Term::Two, Term::Three});
  }
  return C;
}

/// Mostly one that there is, however many ranks the communicator has.
Term Draw::root(unsigned Comm) {
  return isWhole(Comm) ? any({Term::Zero, Term::Zero, Term::Zero, Term::One,
                              Term::Last, Term::Flag, Term::RankMod2})
                       : Term::Zero;
}

Action Draw::collective() {
  Action A;
  A.Of = any({Shape::Barrier, Shape::Broadcast, Shape::Reduce, Shape::AllReduce,
              Shape::AllGather, Shape::Gather, Shape::Scatter, Shape::AllToAll,
              Shape::Scan});
  A.Comm = oneIn(3) ? below(P.Splits.size() + 1) : 0;
  A.Root = root(A.Comm);
  A.Type = oneIn(6);
  A.Op = oneIn(6);
  A.Count = oneIn(12) ? 0 : 1 + oneIn(6);
  if (oneIn(4))
    A.In = 2;
  return A;
}

Action Draw::nccl() {
  Action A = collective();
  A.Of = any({Shape::Broadcast, Shape::AllReduce, Shape::AllGather,
              Shape::ReduceScatter, Shape::Reduce});
  A.OnStream = true;
  A.Comm = P.ncclComm();
  A.Root = root(0);
  A.Stream = oneIn(4);
  return A;
}

Action Draw::touch() {
  Action A = act(oneIn(2) ? Act::Read : Act::Write);
  A.In = below(NumBuffers);
  return A;
}

/// A call that is begun, what comes between, and its end.
Body Draw::started() {
  Action A = collective();
  A.Nonblocking = true;
  A.Request = below(NumRequests);
  Body Out{A};
  if (oneIn(2))
    Out.push_back(touch());
  if (oneIn(4))
    Out.push_back(collective());
  if (!oneIn(8))
    Out.push_back(wait(oneIn(12) ? 1 - A.Request : A.Request));
  if (oneIn(3))
    Out.push_back(touch());
  return Out;
}

Action Draw::message(Act Does, Term Peer) {
  Action A = act(Does);
  A.Peer = Peer;
  A.Tag = oneIn(12);
  A.Type = oneIn(15);
  A.Count = 1 + oneIn(15);
  return A;
}

Body Draw::messages() {
  const Condition Even{Test::Equal, Term::RankMod2, Term::Zero};
  const Action Send = message(Act::Send, Term::Next);
  const Action Recv = message(Act::Recv, Term::Previous);
  switch (below(5)) {
  case 0: // a ring, by turns
    return {when(Even, {Send, Recv}, {Recv, Send})};
  case 1: { // a ring, begun
    Action Begun = oneIn(2) ? Recv : Send;
    Begun.Nonblocking = true;
    Body Out{Begun};
    if (oneIn(4))
      Out.push_back(touch());
    Out.push_back(Begun.Does == Act::Recv ? Send : Recv);
    Out.push_back(wait(0));
    return Out;
  }
  case 2: // a chain
    return {when({Test::Less, Term::Zero, Term::Rank},
                 {message(Act::Recv, Term::Previous)}),
            when({Test::Less, Term::Rank, Term::Last},
                 {message(Act::Send, Term::Next)})};
  case 3: // one to another
    return {when({Test::Equal, Term::Rank, Term::Zero},
                 {message(Act::Send, Term::One)}),
            when({Test::Equal, Term::Rank, Term::One},
                 {message(Act::Recv, Term::Zero)})};
  default: // pairs
    return {when(Even, {message(Act::Send, Term::Partner)},
                 {message(Act::Recv, Term::Partner)})};
  }
}

Body Draw::group() {
  Body Out{act(Act::GroupBegin)};
  Action Send = message(Act::Send, Term::Next);
  Action Recv = message(Act::Recv, Term::Previous);
  for (Action *A : {&Send, &Recv}) {
    A->OnStream = true;
    A->Comm = P.ncclComm();
    A->Tag = 0;
  }
  if (oneIn(2)) {
    Out.push_back(Send);
    Out.push_back(Recv);
  } else {
    Out.push_back(nccl());
    Out.push_back(nccl());
  }
  if (!oneIn(12))
    Out.push_back(act(Act::GroupEnd));
  if (oneIn(12)) // without the group
    Out = {Send, Recv};
  return Out;
}

/// Kernels and calls on streams.
Body Draw::streams() {
  Body Out;
  const auto Kernel = [&] {
    Action A = act(Act::Kernel);
    A.Stream = oneIn(2);
    A.In = below(NumBuffers);
    A.Writes = oneIn(2);
    return A;
  };
  Out.push_back(oneIn(2) ? Kernel() : nccl());
  const unsigned Of = Out.front().Stream;
  Action Sync =
      act(any({Act::Record, Act::Record, Act::SyncStream, Act::SyncDevice}));
  Sync.Stream = oneIn(8) ? 1 - Of : Of;
  if (!oneIn(6))
    Out.push_back(Sync);
  if (Sync.Does == Act::Record) {
    Action Wait = act(oneIn(3) ? Act::SyncEvent : Act::WaitEvent);
    Wait.Stream = oneIn(8) ? Of : 1 - Of;
    Out.push_back(Wait);
  }
  Out.push_back(Out.front().Does == Act::Kernel ? nccl() : Kernel());
  if (oneIn(3))
    Out.push_back(Kernel());
  return Out;
}

Body Draw::arm() {
  switch (below(8)) {
  case 0:
    return started();
  case 1:
    return messages();
  case 2:
    return P.UsesNccl ? (oneIn(2) ? streams() : group()) : started();
  case 3:
    return {};
  case 4:
    return {collective(), collective()};
  default:
    return {collective()};
  }
}

Action *Draw::anyOf(Body &In) {
  if (In.empty())
    return nullptr;
  Action &A = In[below(In.size())];
  if (!A.Then.empty() && oneIn(2))
    return anyOf(A.Then);
  if (!A.Else.empty() && oneIn(2))
    return anyOf(A.Else);
  return &A;
}

/// One edit.
void Draw::mutate(Body &In) {
  switch (below(5)) {
  case 0:
    if (!In.empty())
      In.erase(In.begin() + below(In.size()));
    return;
  case 1:
    if (In.size() > 1)
      std::swap(In[0], In[1]);
    return;
  case 2:
    In.insert(In.begin() + below(In.size() + 1), collective());
    return;
  default:
    break;
  }
  Action *A = anyOf(In);
  if (!A)
    return;
  switch (below(8)) {
  case 0:
    A->Root = root(A->OnStream ? 0 : A->Comm);
    return;
  case 1:
    A->Type ^= 1;
    return;
  case 2:
    A->Count = 2;
    return;
  case 3:
    A->Op ^= 1;
    return;
  case 4:
    if (const unsigned New = below(P.Splits.size() + 1);
        !A->OnStream &&
        (isWhole(New) || (A->Does == Act::Collective && A->Root == Term::Zero)))
      A->Comm = New;
    return;
  case 5:
    A->Peer = any({Term::Next, Term::Previous, Term::Partner, Term::Zero});
    return;
  case 6:
    A->Tag ^= !A->OnStream; // NCCL has none
    return;
  default:
    A->Stream = 1 - A->Stream;
    return;
  }
}

/// The same twice, or nearly so.
Body Draw::two() {
  Body One = arm(), Other = oneIn(5) ? arm() : One;
  if (oneIn(2))
    mutate(Other);
  if (!oneIn(4) && One.size() > 2)
    return {when(condition(), std::move(One), std::move(Other))};
  Body Inner{when(condition(), std::move(Other))};
  if (oneIn(4))
    return {when(condition(), std::move(One), std::move(Inner))};
  return {when(condition(), std::move(One), std::move(Inner.front().Then))};
}

void Draw::number(Body &In) {
  for (Action &A : In) {
    A.Line = ++P.Lines;
    number(A.Then);
    number(A.Else);
  }
}

Program Draw::program() {
  for (unsigned I = below(3); I; --I)
    P.Splits.push_back({any({Term::RankMod2, Term::RankDiv2, Term::Zero,
                             Term::Rank, Term::Flag}),
                        oneIn(10)});
  P.UsesNccl = oneIn(3);
  if (oneIn(4))
    P.Body = arm();
  if (!P.Splits.empty() && oneIn(10)) {
    Action A = act(Act::Rebind);
    A.Comm = 1;
    A.In = 0;
    P.Body.push_back(when(condition(), {A}));
  }
  switch (below(6)) {
  case 0: {
    Action Loop = act(Act::Loop);
    Loop.Rounds = any({Term::One, Term::Two, Term::Three, Term::Size,
                       Term::Last, Term::Rank, Term::RankMod2, Term::Flag});
    Loop.Then = oneIn(2) ? arm() : two();
    if (oneIn(8))
      Loop.Then.push_back(when(condition(), {act(Act::Return)}));
    P.Body.push_back(std::move(Loop));
    break;
  }
  case 1: {
    P.Body.push_back(when(condition(), {act(Act::Return)}));
    break;
  }
  case 2: {
    Body More = arm();
    if (oneIn(2))
      mutate(More);
    llvm::append_range(P.Body, More);
    break;
  }
  default:
    llvm::append_range(P.Body, two());
  }
  if (oneIn(2))
    llvm::append_range(P.Body, arm());
  number(P.Body);
  return std::move(P);
}

Program randomProgram(std::mt19937 &Random) { return Draw(Random).program(); }

//===--- As text ------------------------------------------------------------//

static const char *text(Term T) {
  static constexpr const char *Names[] = {
      "0",    "1",    "2",     "3",   "rank", "rank % 2", "rank / 2", "last",
      "size", "flag", "other", "own", "next", "previous", "rank ^ 1"};
  return Names[static_cast<unsigned>(T)];
}

static std::string text(const Action &A) {
  const std::string Comm = " comm" + std::to_string(A.Comm);
  const auto Data = [&] {
    return " " + std::to_string(A.Count) + " " + typeName(A, A.Type);
  };
  switch (A.Does) {
  case Act::Collective:
    return nameOf(A) + Comm + Data() + " " + opName(A) + " root " +
           text(A.Root) + " in" + std::to_string(A.In) + " out" +
           std::to_string(A.Out) +
           (A.Nonblocking ? " request" + std::to_string(A.Request) : "") +
           (A.OnStream ? " stream" + std::to_string(A.Stream) : "");
  case Act::Send:
  case Act::Recv:
    return nameOf(A) + Comm + Data() + " peer " + text(A.Peer) + " tag " +
           std::to_string(A.Tag) +
           (A.Nonblocking ? " request" + std::to_string(A.Request) : "");
  case Act::Wait:
    return "wait request" + std::to_string(A.Request);
  case Act::Read:
  case Act::Write:
    return (A.Does == Act::Read ? "read " : "write ") + std::to_string(A.In);
  case Act::Rebind:
    return "comm" + std::to_string(A.Comm) + " = comm" + std::to_string(A.In);
  case Act::GroupBegin:
    return "group begin";
  case Act::GroupEnd:
    return "group end";
  case Act::Kernel:
    return std::string("kernel ") + (A.Writes ? "writes " : "reads ") +
           std::to_string(A.In) + " stream" + std::to_string(A.Stream);
  case Act::Record:
    return "record stream" + std::to_string(A.Stream);
  case Act::WaitEvent:
    return "wait for event, stream" + std::to_string(A.Stream);
  case Act::SyncStream:
    return "sync stream" + std::to_string(A.Stream);
  case Act::SyncEvent:
    return "sync event";
  case Act::SyncDevice:
    return "sync device";
  case Act::Return:
    return "return";
  case Act::Loop:
    return std::string("for ") + text(A.Rounds) + " rounds";
  case Act::If:
    return std::string("if ") + text(A.If.L) +
           (A.If.Is == Test::Equal     ? " == "
            : A.If.Is == Test::Unequal ? " != "
                                       : " < ") +
           text(A.If.R);
  }
  return {};
}

static void print(const Body &In, unsigned Indent, std::string &Out) {
  for (const Action &A : In) {
    Out += std::string(Indent, ' ') + text(A) + "  // " +
           std::to_string(A.Line) + "\n";
    print(A.Then, Indent + 2, Out);
    if (!A.Else.empty()) {
      Out += std::string(Indent, ' ') + "else\n";
      print(A.Else, Indent + 2, Out);
    }
  }
}

std::string Program::str() const {
  std::string Out;
  for (unsigned I = 0; I != Splits.size(); ++I)
    Out += "comm" + std::to_string(I + 1) + " = split by " +
           text(Splits[I].Colour) +
           (Splits[I].WithoutZero ? ", none for 0" : "") + "\n";
  if (UsesNccl)
    Out += "comm" + std::to_string(ncclComm()) + " = NCCL's\n";
  print(Body, 0, Out);
  return Out;
}

} // namespace spmd::oracle::pairs

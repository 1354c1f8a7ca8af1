//===- PairLowering.cpp - Small programs for the analysis -----------------===//

#include "spmd/oracle/Pairs.h"

#include "llvm/ADT/STLExtras.h"

#include <array>

namespace spmd::oracle::pairs {

using namespace collectives;
using rules::CallRole;

std::string nameOf(const Action &A) {
  if (A.Does == Act::Send || A.Does == Act::Recv) {
    const bool Sends = A.Does == Act::Send;
    if (A.OnStream)
      return Sends ? "ncclSend" : "ncclRecv";
    return A.Nonblocking ? (Sends ? "MPI_Isend" : "MPI_Irecv")
                         : (Sends ? "MPI_Send" : "MPI_Recv");
  }
  static constexpr std::array<const char *, 10> Names = {
      "barrier", "bcast",   "reduce",   "allreduce", "allgather",
      "gather",  "scatter", "alltoall", "scan",      "reduce_scatter_block"};
  static constexpr std::array<const char *, 10> Nccl = {
      "", "Broadcast", "Reduce", "AllReduce", "AllGather",
      "", "",          "",       "",          "ReduceScatter"};
  if (A.OnStream)
    return std::string("nccl") + Nccl[static_cast<unsigned>(A.Of)];
  std::string Name = Names[static_cast<unsigned>(A.Of)];
  if (A.Nonblocking)
    return "MPI_I" + Name;
  Name[0] = static_cast<char>(std::toupper(Name[0]));
  return "MPI_" + Name;
}

const char *typeName(const Action &A, unsigned Type) {
  if (A.OnStream)
    return Type ? "ncclInt32" : "ncclFloat";
  return Type ? "MPI_INT" : "MPI_FLOAT";
}

const char *opName(const Action &A) {
  if (A.OnStream)
    return A.Op ? "ncclMax" : "ncclSum";
  return A.Op ? "MPI_MAX" : "MPI_SUM";
}

namespace {

class Lowering {
public:
  Lowering(const Program &P, EffectProgram &Into) : P(P), E(Into) {}
  void run();

private:
  using Body = std::vector<const Stmt *>;

  const Expr *variable(const char *Name) {
    Variable V;
    V.Name = Name;
    return E.variable(E.addVariable(std::move(V)));
  }
  Stmt make(StmtKind K, unsigned Line = 0) {
    Stmt S;
    S.Kind = K;
    S.At = {Line, Line};
    return S;
  }
  const Stmt *assign(const Expr *Into, const Expr *V) {
    Stmt S = make(StmtKind::Assign, ++Setup);
    S.Target = Into;
    S.Value = V;
    return E.add(std::move(S));
  }
  const Stmt *sequence(Body B) {
    Stmt S;
    S.Body = std::move(B);
    return E.add(std::move(S));
  }
  const Stmt *event(llvm::StringRef Name, unsigned Line,
                    llvm::function_ref<const Expr *(CallRole, unsigned)> Of);
  const Expr *number(Term T);
  const Expr *condition(const Condition &C);
  const Expr *first(const Expr *Buffer) {
    return E.element(Buffer, E.integer(0), false);
  }
  const Expr *constant(llvm::StringRef Name) {
    return E.name(Name, rules::CollectiveApis::builtin().constant(Name));
  }
  const Expr *comm(unsigned I) { return E.load(Comms[I]); }
  const Stmt *call(const Action &A);
  const Stmt *stream(const Action &A, StreamAction Is,
                     std::vector<const Expr *> Arguments);
  const Stmt *lower(const Action &A);
  const Stmt *lower(const std::vector<Action> &Of) {
    Body Out;
    for (const Action &A : Of)
      Out.push_back(lower(A));
    return sequence(std::move(Out));
  }
  void begin(Body &Out);

  const Program &P;
  EffectProgram &E;
  const Expr *Rank = nullptr, *Size = nullptr, *Flag = nullptr,
             *Other = nullptr, *Own = nullptr;
  std::vector<const Expr *> Comms, Buffers, Requests, Streams, Events;
  unsigned Setup = 1000;
};

} // namespace

const Expr *Lowering::number(Term T) {
  const auto Two = [&] { return E.integer(2); };
  const auto Plus = [&](int By) {
    return E.binary(Operator::Add, E.load(Rank), E.integer(By));
  };
  switch (T) {
  case Term::Zero:
  case Term::One:
  case Term::Two:
  case Term::Three:
    return E.integer(static_cast<int>(T) - static_cast<int>(Term::Zero));
  case Term::Rank:
    return E.load(Rank);
  case Term::RankMod2:
    return E.binary(Operator::Remainder, E.load(Rank), Two());
  case Term::RankDiv2:
    return E.binary(Operator::Divide, E.load(Rank), Two());
  case Term::Last:
    return E.binary(Operator::Subtract, E.load(Size), E.integer(1));
  case Term::Size:
    return E.load(Size);
  case Term::Flag:
    return E.load(Flag);
  case Term::Other:
    return E.load(Other);
  case Term::Own:
    return E.load(Own);
  case Term::Next:
    return E.binary(Operator::Remainder, Plus(1), E.load(Size));
  case Term::Previous:
    return E.binary(Operator::Remainder,
                    E.binary(Operator::Add, Plus(-1), E.load(Size)),
                    E.load(Size));
  case Term::Partner:
    return E.binary(Operator::BitXor, E.load(Rank), E.integer(1));
  }
  return nullptr;
}

const Expr *Lowering::condition(const Condition &C) {
  if (C.Is == Test::Always)
    return E.integer(1);
  const Operator Is = C.Is == Test::Equal     ? Operator::Equal
                      : C.Is == Test::Unequal ? Operator::Unequal
                                              : Operator::Less;
  return E.binary(Is, number(C.L), number(C.R));
}

const Stmt *
Lowering::event(llvm::StringRef Name, unsigned Line,
                llvm::function_ref<const Expr *(CallRole, unsigned)> Of) {
  Stmt S = make(StmtKind::Event, Line);
  S.What.Call = rules::CollectiveApis::builtin().find(Name);
  S.What.Name = Name.str();
  S.What.PerCount = 1;
  for (unsigned I = 0; I != S.What.Call->Arguments.size(); ++I)
    if (const Expr *A = Of(S.What.Call->Arguments[I], I))
      S.What.Arguments.emplace_back(S.What.Call->Arguments[I], A);
  return E.add(std::move(S));
}

const Stmt *Lowering::call(const Action &A) {
  return event(nameOf(A), A.Line, [&](CallRole R, unsigned) -> const Expr * {
    switch (R) {
    case CallRole::Send:
    case CallRole::Buffer:
      return E.address(first(Buffers[A.In]));
    case CallRole::Recv:
      return E.address(first(Buffers[A.Out]));
    case CallRole::Count:
    case CallRole::SendCount:
    case CallRole::RecvCount:
      return E.integer(A.Count);
    case CallRole::Type:
    case CallRole::SendType:
    case CallRole::RecvType:
      return constant(typeName(A, A.Type));
    case CallRole::Op:
      return constant(opName(A));
    case CallRole::Root:
      return number(A.Root);
    case CallRole::Dest:
    case CallRole::Source:
      return number(A.Peer);
    case CallRole::Tag:
      return E.integer(A.Tag);
    case CallRole::Comm:
      return comm(A.Comm);
    case CallRole::Request:
      return E.address(Requests[A.Request]);
    case CallRole::Stream:
      return E.load(Streams[A.Stream]);
    default:
      return nullptr;
    }
  });
}

const Stmt *Lowering::stream(const Action &A, StreamAction Is,
                             std::vector<const Expr *> Arguments) {
  Stmt S = make(StmtKind::Stream, A.Line);
  S.Action = Is;
  S.Arguments = std::move(Arguments);
  return E.add(std::move(S));
}

const Stmt *Lowering::lower(const Action &A) {
  Stmt S = make(StmtKind::Sequence, A.Line);
  switch (A.Does) {
  case Act::Collective:
  case Act::Send:
  case Act::Recv:
    return call(A);
  case Act::Wait:
    return event("MPI_Wait", A.Line, [&](CallRole R, unsigned) {
      return R == CallRole::Request ? E.address(Requests[A.Request]) : nullptr;
    });
  case Act::Read:
  case Act::Write:
  case Act::Kernel:
    S.Kind = StmtKind::Access;
    S.Value = E.address(first(Buffers[A.In]));
    S.Writes = A.Does == Act::Kernel ? A.Writes : A.Does == Act::Write;
    S.Name = A.Does == Act::Kernel ? "kernel" : "";
    S.On = A.Does == Act::Kernel ? E.load(Streams[A.Stream]) : nullptr;
    break;
  case Act::Rebind:
    return assign(Comms[A.Comm], comm(A.In));
  case Act::GroupBegin:
  case Act::GroupEnd:
    return event(A.Does == Act::GroupBegin ? "ncclGroupStart" : "ncclGroupEnd",
                 A.Line, [](CallRole, unsigned) { return nullptr; });
  case Act::Record:
    return stream(A, StreamAction::Record,
                  {E.load(Events[A.Event]), E.load(Streams[A.Stream])});
  case Act::WaitEvent:
    return stream(A, StreamAction::WaitEvent,
                  {E.load(Events[A.Event]), E.load(Streams[A.Stream])});
  case Act::SyncStream:
    return stream(A, StreamAction::SyncStream, {E.load(Streams[A.Stream])});
  case Act::SyncEvent:
    return stream(A, StreamAction::SyncEvent, {E.load(Events[A.Event])});
  case Act::SyncDevice:
    return stream(A, StreamAction::SyncDevice, {});
  case Act::Return:
    S.Kind = StmtKind::Return;
    break;
  case Act::If:
    S.Kind = StmtKind::If;
    S.Value = condition(A.If);
    S.Body = {lower(A.Then), lower(A.Else)};
    break;
  case Act::Loop: {
    const Expr *I = variable("i");
    const Stmt *Start = assign(I, E.integer(0));
    S.Kind = StmtKind::Loop;
    S.Value = E.binary(Operator::Less, E.load(I), number(A.Rounds));
    S.Body = {sequence({}), lower(A.Then),
              assign(I, E.binary(Operator::Add, E.load(I), E.integer(1)))};
    return sequence({Start, E.add(std::move(S))});
  }
  }
  return E.add(std::move(S));
}

/// Ranks, inputs, communicators, and what is there to be used.
void Lowering::begin(Body &Out) {
  const Expr *World = constant("MPI_COMM_WORLD");
  const auto Ask = [&](const char *Name, const Expr *Into) {
    Out.push_back(
        event(Name, ++Setup, [&](CallRole R, unsigned) -> const Expr * {
          return R == CallRole::Comm ? World : E.address(Into);
        }));
  };
  Rank = variable("rank");
  Size = variable("size");
  Ask("MPI_Comm_rank", Rank);
  Ask("MPI_Comm_size", Size);
  Flag = variable("flag");
  Other = variable("other");
  Own = variable("own");
  const auto Bit = [&](const Expr *Into, Trust T) {
    const Expr *Any = variable("any");
    Out.push_back(assign(Any, E.unknown(T)));
    Out.push_back(
        assign(Into, E.binary(Operator::Unequal, E.load(Any), E.integer(0))));
  };
  if (uses(P, Term::Flag))
    Bit(Flag, Trust::Input);
  if (uses(P, Term::Other))
    Bit(Other, Trust::Input);
  if (uses(P, Term::Own))
    Bit(Own, Trust::Varying);
  for (unsigned I = 0; I <= P.ncclComm(); ++I)
    Comms.push_back(variable("comm"));
  for (unsigned I = 0; I != NumBuffers; ++I)
    Buffers.push_back(variable("buffer"));
  Out.push_back(assign(Comms[0], World));
  for (unsigned I = 0; I != P.Splits.size(); ++I)
    Out.push_back(event("MPI_Comm_split", ++Setup, [&](CallRole R, unsigned) {
      const Split &S = P.Splits[I];
      const Expr *Colour = number(S.Colour);
      if (S.WithoutZero)
        Colour = E.conditional(Colour, Colour, constant("MPI_UNDEFINED"));
      return R == CallRole::Comm     ? World
             : R == CallRole::Colour ? Colour
             : R == CallRole::Key    ? E.load(Rank)
                                     : E.address(Comms[I + 1]);
    }));
  for (unsigned I = 0; I != NumRequests; ++I) {
    Requests.push_back(variable("request"));
    Out.push_back(assign(Requests[I], constant("MPI_REQUEST_NULL")));
  }
  if (!P.UsesNccl)
    return;
  Out.push_back(event(
      "ncclCommInitRank", ++Setup, [&](CallRole R, unsigned) -> const Expr * {
        return R == CallRole::Rank      ? E.load(Rank)
               : R == CallRole::Size    ? E.load(Size)
               : R == CallRole::NewComm ? E.address(Comms[P.ncclComm()])
                                        : nullptr;
      }));
  Action Create;
  for (unsigned I = 0; I != NumStreams; ++I) {
    Streams.push_back(variable("stream"));
    Create.Line = ++Setup;
    Out.push_back(
        stream(Create, StreamAction::CreateApart, {E.address(Streams[I])}));
  }
  Events.push_back(variable("event"));
  Create.Line = ++Setup;
  Out.push_back(
      stream(Create, StreamAction::CreateEvent, {E.address(Events[0])}));
}

void Lowering::run() {
  Body All;
  begin(All);
  All.push_back(lower(P.Body));
  E.Functions.emplace_back();
  E.Functions.back().Name = "pair";
  E.Functions.back().IsMain = true;
  E.Functions.back().Body = sequence(std::move(All));
  E.Roots = {0};
}

void lower(const Program &P, EffectProgram &Into) { Lowering(P, Into).run(); }

} // namespace spmd::oracle::pairs

#include "Redistribution.h"

#include "../Buffers.h"
#include "../CheckCall.h"
#include "../DenseViews.h"
#include "../MeshState.h"
#include "../Progress.h"
#include "../Recorder.h"

#include "spmd/redistribute.h"

namespace spmd::detail {
namespace {

void copyAll(Memory &M, const std::vector<BoxCopy> &Copies, void *To,
             const void *From, std::size_t Size) {
  for (const BoxCopy &C : Copies) {
    StridedCopy Box = C.Box;
    Box.Size = Size;
    M.copyStrided(static_cast<char *>(To) + C.To * std::int64_t(Size),
                  static_cast<const char *>(From) + C.From * std::int64_t(Size),
                  Box);
  }
}

std::size_t aligned(std::int64_t Elements, std::size_t Size) {
  constexpr std::size_t Line = 256;
  return (static_cast<std::size_t>(Elements) * Size + Line - 1) / Line * Line;
}

const Placement Sum = {LocalType::P}, Parts = {LocalType::V},
                Same = {LocalType::R};

} // namespace

std::size_t Redistribution::scratchBytes(DType Type) const {
  const std::size_t Size = sizeOf(Type);
  return aligned(LargestPacked, Size) + aligned(LargestReceived, Size) +
         2 * aligned(LargestBuffer, Size);
}

Call Redistribution::callOf(const Stage &S, DType Type, Site At) const {
  const bool Sums = S.K == Stage::AllReduce || S.K == Stage::ReduceScatter;
  const bool Whole = S.K == Stage::AllReduce || S.K == Stage::AllGather;
  return {S.op(),
          S.Group,
          Sums ? Sum : Parts,
          Whole ? Same : Parts,
          Type,
          {S.HeldSize},
          At,
          Global};
}

void *Redistribution::next(const Passage &P) const {
  if (P.Step + 1 == Stages.size())
    return P.Result;
  const std::size_t Size = sizeOf(P.Type);
  return P.Scratch + aligned(LargestPacked, Size) +
         aligned(LargestReceived, Size) +
         static_cast<std::size_t>(P.Free) * aligned(LargestBuffer, Size);
}

Transfer Redistribution::prepare(const Passage &P) const {
  const Stage &S = Stages[P.Step];
  void *const Next = next(P);
  Memory &M = backend()->memory();
  const std::size_t Size = sizeOf(P.Type);
  if (S.K == Stage::ToPartial)
    M.zero(Next, static_cast<std::size_t>(S.NextSize) * Size);
  copyAll(M, S.Own, Next, P.Held, Size);
  const auto Counted = [&](const ChunkSizes &Of) {
    return S.Even ? Counts(Of[0]) : Counts(Of, 1);
  };
  Transfer T;
  T.In = P.Held;
  T.Out = Next;
  T.Count = S.HeldSize;
  if (!S.Pack.empty()) {
    T.In = P.Scratch;
    copyAll(M, S.Pack, P.Scratch, P.Held, Size);
  }
  if (!S.Unpack.empty())
    T.Out = P.Scratch + aligned(LargestPacked, Size);
  if (S.K == Stage::AllToAll) {
    T.Parts = Counted(S.Sent);
    T.Received = Counted(S.Received);
  } else if (S.communicates() && S.K != Stage::AllReduce) {
    T.Parts = Counted(S.Received);
  }
  return T;
}

void Redistribution::pass(Passage &P, const void *Received) const {
  void *const Next = next(P);
  copyAll(backend()->memory(), Stages[P.Step].Unpack, Next, Received,
          sizeOf(P.Type));
  P.Held = Next;
  P.Free ^= 1;
  ++P.Step;
}

void Redistribution::runStep(Passage &P) const {
  const Stage &S = Stages[P.Step];
  if (!S.communicates()) {
    prepare(P);
    return pass(P, nullptr);
  }
  const Call C = callOf(S, P.Type, P.At);
  Communicator &With = communicatorOf(C);
  Recording Entry(recorder(), C);
  With.settle();
  if (checksCalls())
    checkSameCall(C);
  const Transfer T = prepare(P);
  transfer(With, C, T);
  pass(P, T.Out);
  Entry.finish();
}

/// What the type says is the same on all ranks of an axis.
void Redistribution::checkOperand(const View &X, Site At) const {
  if (!checksCalls())
    return;
  for (const auto &[Over, Is] : Alike) {
    const Call C = {rules::OperatorKind::Convert,
                    Over,
                    Is,
                    Is,
                    X.dtype(),
                    X.shape(),
                    At,
                    Global};
    Over.communicator()->settle();
    checkSameValue(C, Is, X, "operand");
  }
}

Passage Redistribution::enter(const View &X, const View &Y, char *Scratch,
                              Site At) const {
  const auto Misfit = [&](const std::string &Why) {
    failFor(X.dtype(), At, Why);
  };
  if (Y.shape() != Out || Y.dtype() != X.dtype())
    Misfit("the result is " + std::string(nameOf(X.dtype())) + Out.str() +
           ", the output given is " + Y.str());
  if (const std::string Why = missing(backend()->memory(), X, Y); !Why.empty())
    Misfit(Why);
  if (overlap(X, Y) && (X.data() != Y.data() || X.shape() != Y.shape()))
    Misfit(Overlaps);
  recorder().throwDropped();
  checkOperand(X, At);
  Memory &M = backend()->memory();
  Passage P{Scratch, X.data(), Y.data(), X.dtype(), At};
  if (Stages.empty()) {
    M.copyRows(Y.data(), Y.bytes(), X.data(), X.bytes(), X.bytes(), 1);
  } else if (P.Held == P.Result) {
    // In place, the operand would be written as it is read.
    P.Free = 1;
    char *const Copy = Scratch + scratchBytes(P.Type) -
                       2 * aligned(LargestBuffer, sizeOf(P.Type));
    M.copyRows(Copy, X.bytes(), P.Held, X.bytes(), X.bytes(), 1);
    P.Held = Copy;
  }
  return P;
}

bool Redistribution::mayHold() const {
  return std::any_of(Stages.begin(), Stages.end(), [](const Stage &S) {
    return S.communicates() && S.Group.communicator()->mayHold();
  });
}

BackendScope Redistribution::backendFor(const View &X, const View &Y,
                                        Site At) const {
  try {
    return BackendScope(X, Y);
  } catch (const Error &E) {
    failFor(X.dtype(), At, E.what());
  }
}

void Redistribution::run(const View &Operand, const View &Result,
                         Site At) const {
  const local::StandIn Here(Maker);
  const BackendScope Where = backendFor(Operand, Result, At);
  if (const std::string Why = unusable(backend()->memory(), Operand, Result);
      !Why.empty())
    failFor(Operand.dtype(), At, Why);
  try {
    runSteps(Operand, Result, At);
  } catch (const std::bad_alloc &) {
    failFor(Operand.dtype(), At, NoMemory);
  }
}

void Redistribution::runSteps(const View &Operand, const View &Result,
                              Site At) const {
  Memory &M = backend()->memory();
  const ScratchScope Ends{M, 2, 2};
  const DenseViews Dense(M, Operand, Result);
  Passage P = enter(
      Dense.in(), Dense.out(),
      static_cast<char *>(M.scratch(2, scratchBytes(Operand.dtype()))), At);
  while (P.Step < Stages.size())
    runStep(P);
  Dense.unpack();
}

std::shared_ptr<const Redistribution> planned(const Mesh &M,
                                              std::string_view Src,
                                              std::string_view Dst,
                                              const Shape &In, Site At) {
  MeshState &State = M.state();
  {
    const std::lock_guard<std::mutex> Held(State.Lock);
    if (auto Known = State.Plans.find({Src, Dst, In}))
      return Known;
  }
  std::shared_ptr<const Redistribution> Made;
  try {
    Made = std::make_shared<const Redistribution>(M, parseSpec(Src),
                                                  parseSpec(Dst), In);
  } catch (const Error &E) {
    fail(place(At) + E.what(), {"spmd::redistribute", "", std::string(Src),
                                std::string(Dst), "", In.str(), At, E.what()});
  }
  const std::lock_guard<std::mutex> Held(State.Lock);
  return State.Plans.add({std::string(Src), std::string(Dst), In},
                         std::move(Made));
}

const Shape &resultShape(const Redistribution &R) { return R.out(); }
bool isIdentity(const Redistribution &R) { return R.isIdentity(); }
bool mayHold(const Redistribution &R) { return R.mayHold(); }
const Redistribution &dual(const Redistribution &R, const Mesh &M) {
  return R.dual(M);
}
void run(const Redistribution &R, const View &X, const View &Y, Site At) {
  R.run(X, Y, At);
}

} // namespace spmd::detail

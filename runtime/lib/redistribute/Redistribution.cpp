#include "Redistribution.h"

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

void Redistribution::run(const Stage &S, const void *Held, void *Next,
                         char *Scratch, DType Type, Site At) const {
  Memory &M = backend()->memory();
  const std::size_t Size = sizeOf(Type);
  if (S.K == Stage::ToPartial)
    M.zero(Next, static_cast<std::size_t>(S.NextSize) * Size);
  copyAll(M, S.Own, Next, Held, Size);
  if (S.K == Stage::Local || S.K == Stage::ToPartial)
    return;
  const bool Sums = S.K == Stage::AllReduce || S.K == Stage::ReduceScatter;
  const bool Whole = S.K == Stage::AllReduce || S.K == Stage::AllGather;
  const Call C = {S.op(),
                  S.Group,
                  Sums ? Sum : Parts,
                  Whole ? Same : Parts,
                  Type,
                  {S.HeldSize},
                  At,
                  Global};
  Communicator &With = *S.Group.communicator();
  Recorder &Calls = recorder();
  Recording Entry(Calls, C);
  With.settle();
  if (checksCalls())
    checkSameCall(C);
  const auto Counted = [&](const ChunkSizes &Of) {
    return S.Even ? Counts(Of[0]) : Counts(Of, 1);
  };
  Transfer T;
  T.In = Held;
  T.Out = Next;
  T.Count = S.HeldSize;
  if (!S.Pack.empty()) {
    T.In = Scratch;
    copyAll(M, S.Pack, Scratch, Held, Size);
  }
  if (!S.Unpack.empty())
    T.Out = Scratch + aligned(LargestPacked, Size);
  if (S.K == Stage::AllToAll) {
    T.Parts = Counted(S.Sent);
    T.Received = Counted(S.Received);
  } else if (S.K != Stage::AllReduce) {
    T.Parts = Counted(S.Received);
  }
  transfer(With, C, T);
  copyAll(M, S.Unpack, Next, T.Out, Size);
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

void Redistribution::run(const View &Operand, const View &Result,
                         Site At) const {
  const DenseViews Dense(backend()->memory(), Operand, Result);
  runDense(Dense.in(), Dense.out(), At);
  Dense.unpack();
}

void Redistribution::runDense(const View &X, const View &Y, Site At) const {
  if (Y.shape() != Out || Y.dtype() != X.dtype())
    misfit("the result is " + std::string(nameOf(X.dtype())) + Out.str() +
           ", the output given is " + Y.str());
  recorder().throwDropped();
  checkOperand(X, At);
  Memory &M = backend()->memory();
  if (Stages.empty()) {
    M.copyRows(Y.data(), Y.bytes(), X.data(), X.bytes(), X.bytes(), 1);
    return;
  }
  const std::size_t Size = sizeOf(X.dtype());
  const std::size_t Buffer = aligned(LargestBuffer, Size);
  const std::size_t Packs =
      aligned(LargestPacked, Size) + aligned(LargestReceived, Size);
  char *const Scratch = static_cast<char *>(M.scratch(2, Packs + 2 * Buffer));
  char *const Buffers[2] = {Scratch + Packs, Scratch + Packs + Buffer};
  const void *Held = X.data();
  int Free = 0;
  // In place, the operand would be written as it is read.
  if (Held == Y.data()) {
    M.copyRows(Buffers[0], X.bytes(), Held, X.bytes(), X.bytes(), 1);
    Held = Buffers[0];
    Free = 1;
  }
  for (const Stage &S : Stages) {
    void *const Next = &S == &Stages.back() ? Y.data() : Buffers[Free];
    run(S, Held, Next, Scratch, X.dtype(), At);
    Held = Next;
    Free ^= 1;
  }
}

std::shared_ptr<const Redistribution> planned(const Mesh &M,
                                              std::string_view Src,
                                              std::string_view Dst,
                                              const Shape &In) {
  MeshState &State = M.state();
  {
    const std::lock_guard<std::mutex> Held(State.Lock);
    const auto It = State.Plans.find(PlanKey<std::string_view>{Src, Dst, In});
    if (It != State.Plans.end())
      return It->second;
  }
  auto Made = std::make_shared<const Redistribution>(M, parseSpec(Src),
                                                     parseSpec(Dst), In);
  const std::lock_guard<std::mutex> Held(State.Lock);
  return State.Plans
      .emplace(PlanKey<std::string>{std::string(Src), std::string(Dst), In},
               std::move(Made))
      .first->second;
}

const Shape &resultShape(const Redistribution &R) { return R.out(); }
bool isIdentity(const Redistribution &R) { return R.isIdentity(); }
const Redistribution &dual(const Redistribution &R, const Mesh &M) {
  return R.dual(M);
}
void run(const Redistribution &R, const View &X, const View &Y, Site At) {
  R.run(X, Y, At);
}

} // namespace spmd::detail

#include "spmd/async.h"

#include "Buffers.h"
#include "CheckCall.h"
#include "Complete.h"
#include "DenseViews.h"
#include "Progress.h"
#include "Recorder.h"

namespace spmd::detail {
namespace {

/// Those of \p P, \p Unit elements for each of its sizes. Where they are equal,
/// which all ranks see, transports have better calls.
Counts countsOf(const Placement &P, std::int64_t Unit) {
  const ChunkSizes &Sizes = *P.Sizes;
  return std::equal(Sizes.begin() + 1, Sizes.end(), Sizes.begin())
             ? Counts(Sizes[0] * Unit)
             : Counts(Sizes, Unit);
}

/// A tensor that is cut on one dim, in bytes: \c Outer rows, of which each rank
/// has a run.
struct Cut {
  Cut(const View &Whole, int Dim)
      : Data(static_cast<char *>(Whole.data())),
        Outer(static_cast<std::size_t>(Whole.shape().numel(0, Dim))),
        Inner(static_cast<std::size_t>(Whole.shape().numel(
                  static_cast<std::size_t>(Dim) + 1, Whole.shape().size())) *
              sizeOf(Whole.dtype())),
        Pitch(static_cast<std::size_t>(Whole.shape()[Dim]) * Inner) {}

  /// Bytes of each of \p Ranks in a row.
  Counts runs(const Placement &P, int Ranks) const {
    const auto Unit = static_cast<std::int64_t>(Inner);
    return P.Sizes ? countsOf(P, Unit)
                   : Counts(static_cast<std::int64_t>(Pitch) / Ranks);
  }

  char *Data;
  std::size_t Outer, Inner, Pitch;
};

/// Copies \p Extent elements of the dim from \p Begin on between the cut tensor
/// and a dense piece.
void copyChunk(Memory &M, const Cut &Whole, std::int64_t Begin,
               std::int64_t Extent, void *Piece, bool ToPiece) {
  char *const At = Whole.Data + static_cast<std::size_t>(Begin) * Whole.Inner;
  const std::size_t Run = static_cast<std::size_t>(Extent) * Whole.Inner;
  if (ToPiece)
    M.copyRows(Piece, Run, At, Whole.Pitch, Run, Whole.Outer);
  else
    M.copyRows(At, Whole.Pitch, Piece, Run, Run, Whole.Outer);
}

/// One transition under way.
class Transition {
public:
  Transition(const Call &C, const View &In, const View &Out)
      : C(C), In(In), Out(Out), A(C.On), Src(C.Src), Dst(C.Dst) {}

  void run();
  /// The same, left to \p S where it communicates.
  void start(Started &S);
  /// Scales a sum whose mean is asked for, unless the communicator has.
  void average(const Communicator &With) {
    if (C.Mean && !With.averages())
      A.memory().scale(Out.data(), Out.dtype(), Out.numel(), 1.0 / A.size());
  }
  /// Puts the pieces that were received where they belong.
  void unpack(void *Pieces);
  /// Zeros where nobody sent anything.
  void fill() {
    const bool None =
        C.Op == OperatorKind::Reduce ? A.rank() != C.Root : comesFromNobody();
    if (None)
      A.memory().zero(Out.data(), Out.bytes());
  }

private:
  int dim(const Placement &P, const View &Of) const {
    return P.HasDim ? dimOf(C, P, Of.shape()) : 0;
  }
  Counts parts(const Placement &P, const View &Whole, int Dim) const;
  /// The ranks' dense pieces of \p Whole, one after the other.
  void pack(const View &Whole, const Placement &P, void *Pieces);
  void copy() {
    A.memory().copyRows(Out.data(), Out.bytes(), In.data(), In.bytes(),
                        In.bytes(), 1);
  }
  void copyPiece(const View &Whole, const View &Piece, const Placement &P,
                 bool ToPiece);
  void convert();
  void checkShapes() const;
  bool keepsChunks() const;
  std::int64_t chunk(const Placement &P, std::int64_t Whole, int Rank) const {
    return P.Sizes ? (*P.Sizes)[static_cast<std::size_t>(Rank)]
                   : Whole / A.size();
  }
  void checkBuffers() const;
  bool mayOverlap() const;
  void checkOperand() const;
  bool isCut(const View &Whole, const Placement &P) const {
    return Cut(Whole, dim(P, Whole)).Outer != 1;
  }
  void *scratch(int Slot, std::size_t Bytes) {
    return Later ? Later->scratch(Slot, Bytes)
                 : A.memory().scratch(Slot, Bytes);
  }
  /// What the communicator is to do; packs what it is given.
  Transfer prepare();
  void *packed(const View &Whole, const Placement &P);
  void *received(const View &Whole, const Placement &P);
  Transfer allToAll();
  bool comesFromNobody() const;

  const Call &C;
  const View &In, &Out;
  const Axis &A;
  const Placement &Src, &Dst;
  Started *Later = nullptr;
  /// What is to be unpacked, or null.
  void *Pieces = nullptr;
};

Counts Transition::parts(const Placement &P, const View &Whole, int Dim) const {
  if (!P.Sizes)
    return Counts(Whole.numel() / A.size());
  Shape One = Whole.shape();
  One[Dim] = 1;
  return countsOf(P, One.numel());
}

void Transition::pack(const View &Whole, const Placement &P, void *Pieces) {
  const Cut Of(Whole, dim(P, Whole));
  A.memory().pack(Pieces, Whole.data(), Of.Outer, Of.runs(P, A.size()),
                  A.size());
}

void Transition::unpack(void *Pieces) {
  const Cut Of(Out, dim(Src, Out));
  A.memory().unpack(Out.data(), Pieces, Of.Outer, Of.runs(Src, A.size()),
                    A.size());
}

void Transition::copyPiece(const View &Whole, const View &Piece,
                           const Placement &P, bool ToPiece) {
  const int Dim = dim(P, Whole);
  const std::int64_t Extent =
      P.HasDim ? Piece.shape()[static_cast<std::size_t>(Dim)] : 1;
  copyChunk(A.memory(), Cut(Whole, Dim), chunkBegin(P, Extent, A.rank()),
            Extent, Piece.data(), ToPiece);
}

/// Local.
void Transition::convert() {
  if (C.Op == OperatorKind::Keep) {
    if (A.rank() == C.Root)
      return copy();
    return A.memory().zero(Out.data(), Out.bytes());
  }
  if (Dst.Type == LocalType::V)
    return copyPiece(In, Out, Dst, /*ToPiece=*/true);
  if (Src.Type == LocalType::V) {
    A.memory().zero(Out.data(), Out.bytes());
    return copyPiece(Out, In, Src, /*ToPiece=*/false);
  }
  // To partial: the value once, zeros elsewhere. Between R and I: itself.
  if (Dst.Type == LocalType::P && A.rank() != 0)
    A.memory().zero(Out.data(), Out.bytes());
  else
    copy();
}

void *Transition::packed(const View &Whole, const Placement &P) {
  if (!isCut(Whole, P))
    return Whole.data();
  void *const To = scratch(0, Whole.bytes());
  pack(Whole, P, To);
  return To;
}

void *Transition::received(const View &Whole, const Placement &P) {
  if (!isCut(Whole, P))
    return Whole.data();
  return Pieces = scratch(1, Whole.bytes());
}

/// Of a permutation, whether no rank sends to this one.
bool Transition::comesFromNobody() const {
  return C.Op == OperatorKind::Permute &&
         std::all_of(C.Received->begin(), C.Received->end(),
                     [](std::int64_t N) { return N == 0; });
}

Transfer Transition::allToAll() {
  if (C.Sent) {
    const std::int64_t Row =
        In.shape().numel(C.Op == OperatorKind::Permute ? 0 : 1, In.rank());
    return {In.data(), Out.data(), 0, Counts(*C.Sent, Row),
            Counts(*C.Received, Row)};
  }
  if (!Src.HasDim) {
    const Counts Each(In.numel() / A.size());
    return {In.data(), Out.data(), 0, Each, Each};
  }
  return {packed(In, Dst), received(Out, Src), 0, parts(Dst, In, dim(Dst, In)),
          parts(Src, Out, dim(Src, Out))};
}

Transfer Transition::prepare() {
  const bool IsRoot = A.rank() == C.Root;
  switch (C.Op) {
  case OperatorKind::AllReduce:
  case OperatorKind::AllReduceMax:
  case OperatorKind::AllReduceMin:
  case OperatorKind::Barrier:
    return {In.data(), Out.data(), In.numel()};
  case OperatorKind::Broadcast:
    return {IsRoot ? In.data() : nullptr, Out.data(), 0,
            Counts(*C.Sent, In.numel())};
  case OperatorKind::Reduce:
    return {In.data(), IsRoot ? Out.data() : nullptr, 0,
            Counts(*C.Sent, In.numel())};
  case OperatorKind::AllGather:
    return {In.data(), received(Out, Src), 0, parts(Src, Out, dim(Src, Out))};
  case OperatorKind::ReduceScatter:
    return {packed(In, Dst), Out.data(), 0, parts(Dst, In, dim(Dst, In))};
  case OperatorKind::AllToAll:
  case OperatorKind::Permute:
    return allToAll();
  case OperatorKind::Convert:
  case OperatorKind::Reinterpret:
  case OperatorKind::Keep:
    break;
  }
  return {};
}

/// From S(i) to S(i): nothing moves.
bool Transition::keepsChunks() const {
  if (C.Op != OperatorKind::AllToAll || !Src.HasDim ||
      dim(Src, In) != dim(Dst, In))
    return false;
  // All ranks look at all chunks, so that all of them fail or none.
  const std::int64_t Whole = C.Whole[static_cast<std::size_t>(dim(Src, In))];
  for (int R = 0; R < A.size(); ++R)
    if (chunk(Src, Whole, R) != chunk(Dst, Whole, R))
      failOn(C, "this cuts dim " + std::to_string(dim(Src, In)) +
                    " anew, which takes an all_gather and a convert");
  return true;
}

void Transition::checkShapes() const {
  const Shape Expected = resultShape(C);
  if (Out.shape() != Expected || Out.dtype() != In.dtype())
    failOn(C, "the result is " + Expected.str() + ", the output given is " +
                  Out.str());
}

/// Whether an operand and a result that share memory share it as they may: as
/// one buffer where the shape stays, or as this rank's piece in its place.
bool Transition::mayOverlap() const {
  if (In.data() == Out.data() && In.shape() == Out.shape() &&
      (A.size() == 1 || detail::carrierOf(C.Op) == OperatorKind::AllReduce ||
       C.Op == OperatorKind::Broadcast || C.Op == OperatorKind::Keep ||
       C.Op == OperatorKind::Reinterpret || keepsChunks() ||
       (C.Op == OperatorKind::Convert && Src.Type != LocalType::V)))
    return true;
  const bool Gathers = C.Op == OperatorKind::AllGather;
  const bool Cuts = C.Op == OperatorKind::ReduceScatter ||
                    (C.Op == OperatorKind::Convert && Dst.Type == LocalType::V);
  if (!Gathers && !Cuts)
    return false;
  const View &Whole = Gathers ? Out : In, &Piece = Gathers ? In : Out;
  const Placement &By = Gathers ? Src : Dst;
  if (isCut(Whole, By))
    return false;
  const std::int64_t Before = parts(By, Whole, dim(By, Whole)).before(A.rank());
  return Piece.data() ==
         static_cast<char *>(Whole.data()) +
             Before * static_cast<std::int64_t>(sizeOf(Whole.dtype()));
}

void Transition::checkBuffers() const {
  if (const std::string Why = missing(A.memory(), In, Out); !Why.empty())
    failOn(C, Why);
  if (overlap(In, Out) && !mayOverlap())
    failOn(C, Overlaps);
}

void Transition::run() {
  checkShapes();
  checkBuffers();
  Recorder &Calls = recorder();
  Calls.throwDropped();
  if (A.size() == 1)
    return comesFromNobody() ? fill() : copy();
  if (!rules::communicates(C.Op)) {
    checkOperand();
    return C.Op == OperatorKind::Reinterpret ? copy() : convert();
  }
  Recording Entry(Calls, C);
  Communicator &With = *A.communicator();
  With.settle();
  checkOperand();
  if (keepsChunks()) {
    copy();
  } else {
    transfer(With, C, prepare());
    if (Pieces)
      unpack(Pieces);
    fill();
    average(With);
  }
  Entry.finish();
  if (checksCalls())
    checkSameValue(C, C.Dst, Out, "result");
}

void Transition::start(Started &S) {
  checkShapes();
  checkBuffers();
  // What is compared takes calls of its own, which ranks make in one order.
  if (A.size() == 1 || !rules::communicates(C.Op) || checksCalls() ||
      keepsChunks())
    return run();
  S.In->throwDropped();
  S.enter();
  Later = &S;
  S.Data = prepare();
  S.Pieces = Pieces;
  S.With->start(S);
  S.Running = true;
}

void Transition::checkOperand() const {
  if (!checksCalls())
    return;
  checkSameCall(C);
  if (C.Received)
    checkCounts(C);
  checkSameValue(C, C.Src, In, "operand");
}

BackendScope backendFor(const Call &C, const View &In, const View &Out) {
  try {
    return BackendScope(In, Out);
  } catch (...) {
    failAsThrown(C);
  }
}

} // namespace

void runTransition(OperatorKind Op, const View &In, const View &Out,
                   const Axis &A, const Placement &Src, const Placement &Dst,
                   Site At, const Details &D) {
  const Call C = callOf(Op, A, Src, Dst, In.dtype(), In.shape(), At, D);
  const BackendScope Where = backendFor(C, In, Out);
  try {
    const ScratchScope Ends{A.memory(), 0, 1};
    if (In.isDense() && Out.isDense())
      return Transition(C, In, Out).run();
    if (const std::string Why = unusable(A.memory(), In, Out); !Why.empty())
      failOn(C, Why);
    const DenseViews Dense(A.memory(), In, Out);
    Transition(C, Dense.in(), Dense.out()).run();
    Dense.unpack();
  } catch (...) {
    failAsThrown(C);
  }
}

const View &denseOperand(Started &S, const View &Of) {
  if (Of.isDense())
    return Of;
  const View &Copy =
      S.Packed.emplace(S.scratch(2, Of.bytes()), Of.dtype(), Of.shape());
  S.C.On.memory().copyStrided(
      Copy.data(), Of.data(),
      {Of.shape(), Copy.strides(), Of.strides(), sizeOf(Of.dtype())});
  return Copy;
}

Started &takeStarted(const Call &C) {
  try {
    return Started::take(C);
  } catch (...) {
    failAsThrown(C);
  }
}

void setResult(Started &S, const View &Out) {
  S.Strided.reset();
  if (Out.isDense()) {
    S.Out = Out;
    return;
  }
  S.Strided = Out;
  S.Out = View(S.scratch(3, Out.bytes()), Out.dtype(), Out.shape());
}

void deliver(Started &S) {
  if (S.Strided)
    S.C.On.memory().copyStrided(S.Strided->data(), S.Out.data(),
                                {S.Out.shape(), S.Strided->strides(),
                                 S.Out.strides(), sizeOf(S.Out.dtype())});
}

Work startTransition(OperatorKind Op, const View &In, const View &Out,
                     const Axis &A, const Placement &Src, const Placement &Dst,
                     Site At, const Details &D) {
  const Call C = callOf(Op, A, Src, Dst, In.dtype(), In.shape(), At, D);
  const BackendScope Where = backendFor(C, In, Out);
  if (const std::string Why = unusable(A.memory(), In, Out); !Why.empty())
    failOn(C, Why);
  Started &S = takeStarted(C);
  try {
    setResult(S, Out);
    Transition(S.C, denseOperand(S, In), S.Out).start(S);
    if (!S.Running)
      deliver(S);
  } catch (...) {
    S.giveBack();
    failAsThrown(C);
  }
  return Work(S);
}

void complete(Started &S) {
  Transition Done(S.C, S.Out, S.Out);
  if (S.Pieces)
    Done.unpack(S.Pieces);
  Done.fill();
  if (S.With)
    Done.average(*S.With);
  deliver(S);
}

void checkOperand(OperatorKind Op, const View &X, const Axis &A,
                  const Placement &Src, const Placement &Dst, Site At) {
  if (A.size() == 1)
    return;
  Call C = {Op, A, Src, Dst, X.dtype(), X.shape(), At};
  C.Whole = wholeShape(C);
  A.communicator()->settle();
  const DenseViews Dense(A.memory(), X, X);
  checkSameCall(C);
  checkSameValue(C, Src, Dense.in(), "operand");
}

} // namespace spmd::detail

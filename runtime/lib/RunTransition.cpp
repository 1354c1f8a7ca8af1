#include "spmd/transition.h"

#include "CheckCall.h"
#include "Recorder.h"

namespace spmd::detail {
namespace {

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

private:
  int dim(const Placement &P, const View &Of) const {
    return P.HasDim ? dimOf(C, P, Of.shape()) : 0;
  }
  Counts parts(const Placement &P, const View &Whole, int Dim) const;
  /// Between the whole tensor and the ranks' dense pieces one after the other.
  void copyChunks(const View &Whole, const Placement &P, void *Pieces,
                  bool ToPieces);
  void copy() {
    A.memory().copyRows(Out.data(), Out.bytes(), In.data(), In.bytes(),
                        In.bytes(), 1);
  }
  void copyPiece(const View &Whole, const View &Piece, const Placement &P,
                 bool ToPiece);
  void convert();
  void checkOperand() const;
  void communicate();
  void allGather();
  void reduceScatter();
  void allToAll();

  const Call &C;
  const View &In, &Out;
  const Axis &A;
  const Placement &Src, &Dst;
};

Counts Transition::parts(const Placement &P, const View &Whole, int Dim) const {
  if (!P.Sizes)
    return Counts(Whole.numel() / A.size());
  Shape One = Whole.shape();
  One[Dim] = 1;
  return Counts(*P.Sizes, One.numel());
}

void Transition::copyChunks(const View &Whole, const Placement &P, void *Pieces,
                            bool ToPieces) {
  const int Dim = dim(P, Whole);
  const Cut Run(Whole, Dim);
  char *At = static_cast<char *>(Pieces);
  const std::int64_t Each =
      Whole.shape()[static_cast<std::size_t>(Dim)] / A.size();
  std::int64_t Begin = 0;
  for (std::size_t R = 0; R < static_cast<std::size_t>(A.size()); ++R) {
    const std::int64_t Extent = P.Sizes ? (*P.Sizes)[R] : Each;
    copyChunk(A.memory(), Run, Begin, Extent, At, ToPieces);
    Begin += Extent;
    At += Run.Outer * static_cast<std::size_t>(Extent) * Run.Inner;
  }
}

void Transition::copyPiece(const View &Whole, const View &Piece,
                           const Placement &P, bool ToPiece) {
  const int Dim = dim(P, Whole);
  const std::int64_t Extent =
      P.HasDim ? Piece.shape()[static_cast<std::size_t>(Dim)] : 1;
  copyChunk(A.memory(), Cut(Whole, Dim), chunkBegin(P, Extent, A.rank()),
            Extent, Piece.data(), ToPiece);
}

/// Local, and the denotation stays what it was.
void Transition::convert() {
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

void Transition::allGather() {
  const int Dim = dim(Src, Out);
  const Counts Parts = parts(Src, Out, Dim);
  const bool Dense = Cut(Out, Dim).Outer == 1;
  void *const To = Dense ? Out.data() : A.memory().scratch(0, Out.bytes());
  A.communicator()->allGather(C, In.data(), To, Parts);
  if (!Dense)
    copyChunks(Out, Src, To, /*ToPieces=*/false);
}

void Transition::reduceScatter() {
  const int Dim = dim(Dst, In);
  const Counts Parts = parts(Dst, In, Dim);
  void *From = In.data();
  if (Cut(In, Dim).Outer != 1) {
    From = A.memory().scratch(0, In.bytes());
    copyChunks(In, Dst, From, /*ToPieces=*/true);
  }
  A.communicator()->reduceScatter(C, From, Out.data(), Parts);
}

void Transition::allToAll() {
  if (!Src.HasDim) {
    const Counts Each(In.numel() / A.size());
    return A.communicator()->allToAll(C, In.data(), Each, Out.data(), Each);
  }
  const int From = dim(Src, In), To = dim(Dst, In);
  if (From == To) {
    if (Out.shape() != In.shape() || (Src.Sizes && Dst.Sizes && Src != Dst))
      failOn(C, "this cuts dim " + std::to_string(From) +
                    " anew, which takes an all_gather and a convert");
    return copy();
  }
  void *Sent = In.data(), *Received = Out.data();
  if (Cut(In, To).Outer != 1) {
    Sent = A.memory().scratch(0, In.bytes());
    copyChunks(In, Dst, Sent, /*ToPieces=*/true);
  }
  const bool Dense = Cut(Out, From).Outer == 1;
  if (!Dense)
    Received = A.memory().scratch(1, Out.bytes());
  A.communicator()->allToAll(C, Sent, parts(Dst, In, To), Received,
                             parts(Src, Out, From));
  if (!Dense)
    copyChunks(Out, Src, Received, /*ToPieces=*/false);
}

void Transition::run() {
  const Shape Expected = resultShape(C);
  if (Out.shape() != Expected || Out.dtype() != In.dtype())
    failOn(C, "the result is " + Expected.str() + ", the output given is " +
                  Out.str());
  if (A.size() == 1)
    return copy();
  if (!rules::communicates(C.Op)) {
    checkOperand();
    return C.Op == OperatorKind::Convert ? convert() : copy();
  }
  Recording Entry(C);
  checkOperand();
  communicate();
  Entry.finish();
  if (checksCalls())
    checkSameValue(C, C.Dst, Out, "result");
}

void Transition::checkOperand() const {
  if (!checksCalls())
    return;
  checkSameCall(C);
  checkSameValue(C, C.Src, In, "operand");
}

void Transition::communicate() {
  switch (C.Op) {
  case OperatorKind::AllReduce:
    return A.communicator()->allReduce(C, In.data(), Out.data(), In.numel());
  case OperatorKind::AllGather:
    return allGather();
  case OperatorKind::ReduceScatter:
    return reduceScatter();
  case OperatorKind::AllToAll:
    return allToAll();
  case OperatorKind::Convert:
  case OperatorKind::Reinterpret:
    break;
  }
}

} // namespace

void runTransition(OperatorKind Op, const View &In, const View &Out,
                   const Axis &A, const Placement &Src, const Placement &Dst,
                   Site At) {
  Call C = {Op, A, Src, Dst, In.dtype(), In.shape(), At};
  C.Whole = wholeShape(C);
  Transition(C, In, Out).run();
}

} // namespace spmd::detail

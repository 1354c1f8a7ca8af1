//===- transition.h - One transition of one buffer --------------*- C++ -*-===//
//
// What all typed operators come down to once types have been checked: a row of
// the transition table, two buffers and an axis.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TRANSITION_H
#define SPMD_TRANSITION_H

#include "spmd/backend.h"
#include "spmd/shapes.h"
#include "spmd/transition_check.h"

namespace spmd::detail {

inline void copyBytes(void *To, const void *From, std::size_t Bytes) {
  if (To == From || Bytes == 0)
    return;
  if (const auto B = backend())
    B->copy(To, From, Bytes);
  else
    std::memmove(To, From, Bytes);
}

inline void zeroBytes(void *To, std::size_t Bytes) {
  if (Bytes == 0)
    return;
  if (const auto B = backend())
    B->zero(To, Bytes);
  else
    std::memset(To, 0, Bytes);
}

/// Copies this rank's piece between \p Whole and \p Piece, which have been
/// checked to fit; \p ToPiece says in which direction.
inline void copyPiece(const View &Whole, const View &Piece, const Axis &A,
                      Placement P, bool ToPiece) {
  const Shape &S = Whole.shape();
  const int Dim = P.HasDim ? dimOf(OperatorKind::Convert, A, P, S) : 0;
  std::size_t Outer = 1, Inner = sizeOf(Whole.dtype());
  for (int D = 0; D < Dim; ++D)
    Outer *= static_cast<std::size_t>(S[D]);
  for (std::size_t D = Dim + 1; D < S.size(); ++D)
    Inner *= static_cast<std::size_t>(S[D]);
  const std::size_t Row = static_cast<std::size_t>(S[Dim]) * Inner;
  const std::size_t Part = Row / static_cast<std::size_t>(A.size());
  const std::size_t Offset = static_cast<std::size_t>(A.rank()) * Part;
  char *const W = static_cast<char *>(Whole.data()) + Offset;
  char *const Q = static_cast<char *>(Piece.data());
  for (std::size_t O = 0; O < Outer; ++O)
    if (ToPiece)
      copyBytes(Q + O * Part, W + O * Row, Part);
    else
      copyBytes(W + O * Row, Q + O * Part, Part);
}

/// convert: local, and the denotation stays what it was.
inline void convertLocally(const View &In, const View &Out, const Axis &A,
                           Placement Src, Placement Dst) {
  if (Dst.Type == LocalType::V)
    return copyPiece(In, Out, A, Dst, /*ToPiece=*/true);
  if (Src.Type == LocalType::V) {
    zeroBytes(Out.data(), Out.bytes());
    return copyPiece(Out, In, A, Src, /*ToPiece=*/false);
  }
  // To partial: the value once, zeros elsewhere. Between R and I: itself.
  if (Dst.Type == LocalType::P && A.rank() != 0)
    zeroBytes(Out.data(), Out.bytes());
  else
    copyBytes(Out.data(), In.data(), In.bytes());
}

inline void communicate(OperatorKind Op, const View &In, const View &Out,
                        const Axis &A, Placement Src, Placement Dst) {
  const std::shared_ptr<Backend> B = backend();
  if (!B)
    failOn(Op, A, "no backend is installed, see spmd::set_backend");
  switch (Op) {
  case OperatorKind::AllReduce:
    return B->allReduce(In, Out, A);
  case OperatorKind::AllGather:
    return B->allGather(In, Out, A, Src);
  case OperatorKind::ReduceScatter:
    return B->reduceScatter(In, Out, A, Dst);
  case OperatorKind::AllToAll:
    return B->allToAll(In, Out, A, Src, Dst);
  case OperatorKind::Reinterpret:
  case OperatorKind::Convert:
    break;
  }
}

/// Runs \p Op from \p Src to \p Dst, a pair that the table has. Shapes or
/// dtypes that do not fit are an Error. On an axis of one rank every operator
/// is the identity.
inline void runTransition(OperatorKind Op, const View &In, const View &Out,
                          const Axis &A, Placement Src, Placement Dst) {
  const Shape Expected = resultShape(Op, A, Src, Dst, In.shape());
  if (Out.shape() != Expected || Out.dtype() != In.dtype())
    failOn(Op, A,
           "from " + In.str() + " the result is " + str(Expected) +
               ", the output given is " + Out.str());
  if (A.size() == 1 || Op == OperatorKind::Reinterpret)
    copyBytes(Out.data(), In.data(), In.bytes());
  else if (rules::communicates(Op))
    communicate(Op, In, Out, A, Src, Dst);
  else
    convertLocally(In, Out, A, Src, Dst);
}

/// The same for tags, checked by the compiler first.
template <OperatorKind Op, bool Unlocked = false, class Src, class Dst>
void runChecked(const View &In, const View &Out, const Axis &A, Src From,
                Dst To) {
  checkTransition<Op, Src, Dst, Unlocked>();
  if constexpr (IsTag<Src>::Value && IsTag<Dst>::Value)
    runTransition(Op, In, Out, A, From, To);
}

} // namespace spmd::detail

#endif // SPMD_TRANSITION_H

//===- HostPieces.h - Packing what S(i) cuts, on the host -------*- C++ -*-===//
//
// Row by row rather than piece by piece: the whole is then read, or written,
// from its begin to its end, and no line of it is fetched once for each rank
// that has a part of it.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LIB_HOSTPIECES_H
#define SPMD_LIB_HOSTPIECES_H

#include "KnownLength.h"
#include "Stream.h"

#include "spmd/communicator.h"

namespace spmd {

/// What Memory::pack and unpack are given.
struct HostPieces {
  char *Pieces, *Whole;
  std::size_t Rows;
  const Counts &Runs;
  int Ranks;
};

/// Copies a run; where it \p Asks, for what is copied soon after each line:
/// hardware looks ahead along a run, and short ones end before that. What is in
/// a cache is there before it could be asked for.
template <bool Asks, std::size_t Known>
void copyLines(char *To, const char *From, std::size_t Bytes) {
  constexpr std::size_t Line = 64, Ahead = 512;
  const std::size_t Size = Known ? Known : Bytes;
  std::size_t B = 0;
  // Line by line: asked for all at once, some are not fetched.
  for (; B + Line <= Size; B += Line) {
    if constexpr (Asks) {
      __builtin_prefetch(ahead(To, Ahead + B), 1);
      __builtin_prefetch(ahead(From, Ahead + B), 0);
    }
    copyRun<Line>(To + B, From + B, Line);
  }
  if (B < Size)
    copyRun<0>(To + B, From + B, Size - B);
}

template <bool Packs, bool Asks, std::size_t Known>
void copyBetween(char *Piece, char *Whole, std::size_t Run) {
  constexpr std::size_t Long = 64 << 10;
  char *const To = Packs ? Piece : Whole, *const From = Packs ? Whole : Piece;
  // What is long is for memcpy.
  if (Run >= Long)
    return copyRun<0>(To, From, Run);
  copyLines<Asks, Known>(To, From, Run);
}

/// Rows from \p First to \p End, \p Pitch long, of one rank after the other.
template <bool Packs>
void copyByPieces(const HostPieces &P, std::size_t Pitch, std::size_t First,
                  std::size_t End) {
  std::size_t Before = 0;
  for (int Rank = 0; Rank < P.Ranks; ++Rank) {
    const auto Run = static_cast<std::size_t>(P.Runs[Rank]);
    for (std::size_t Row = First; Row < End; ++Row)
      copyBetween<Packs, true, 0>(P.Pieces + Before * P.Rows + Row * Run,
                                  P.Whole + Row * Pitch + Before, Run);
    Before += Run;
  }
}

/// Of even runs, row after row.
template <bool Packs, bool Asks, std::size_t Known>
void copyByRows(const HostPieces &P) {
  const std::size_t Run = Known ? Known : static_cast<std::size_t>(P.Runs[0]);
  const std::size_t Apart = P.Rows * Run;
  char *Whole = P.Whole;
  for (std::size_t Row = 0; Row < P.Rows; ++Row) {
    char *Piece = P.Pieces + Row * Run;
    for (int Rank = 0; Rank < P.Ranks; ++Rank) {
      copyBetween<Packs, Asks, Known>(Piece, Whole, Run);
      Whole += Run;
      Piece += Apart;
    }
  }
}

template <bool Packs> void copyPieces(const HostPieces &P) {
  // More pieces than a core follows at once are filled by blocks of rows that
  // stay in its cache.
  constexpr int Followed = 16;
  constexpr std::size_t Block = 64 << 10;
  const auto Pitch = static_cast<std::size_t>(P.Runs.before(P.Ranks));
  if (Pitch == 0)
    return;
  if (P.Ranks > Followed || !P.Runs.even()) {
    const std::size_t AtOnce =
        P.Ranks > Followed ? std::max<std::size_t>(1, Block / Pitch) : 1;
    for (std::size_t Row = 0; Row < P.Rows; Row += AtOnce)
      copyByPieces<Packs>(P, Pitch, Row, std::min(P.Rows, Row + AtOnce));
    return;
  }
  withKnownLength(static_cast<std::size_t>(P.Runs[0]), [&](auto Known) {
    constexpr std::size_t Run = decltype(Known)::value;
    if (P.Rows * Pitch < StreamsFrom)
      copyByRows<Packs, false, Run>(P);
    else
      copyByRows<Packs, true, Run>(P);
  });
}

} // namespace spmd

#endif // SPMD_LIB_HOSTPIECES_H

#include "Strided.h"

#include "spmd/communicator.h"

namespace spmd {
namespace {

/// Calls \p Visit for each rank with where its first run is in the whole and in
/// the pieces, and how long its runs are.
template <class Fn>
void eachPiece(std::size_t Rows, const Counts &Runs, int Ranks, Fn Visit) {
  std::size_t Before = 0;
  for (int R = 0; R < Ranks; ++R) {
    const auto Run = static_cast<std::size_t>(Runs[R]);
    Visit(Before, Before * Rows, Run);
    Before += Run;
  }
}

} // namespace

StridedCopy StridedCopy::simplified() const {
  StridedCopy Out = {{}, {}, {}, Size};
  const auto Push = [&](std::size_t D) {
    Out.Extents.insert(Out.Extents.size(), Extents[D]);
    Out.To.insert(Out.To.size(), To[D]);
    Out.From.insert(Out.From.size(), From[D]);
  };
  for (std::size_t D = 0; D < Extents.size(); ++D) {
    if (Extents[D] == 0)
      return {{0}, {1}, {1}, Size};
    if (Extents[D] == 1)
      continue;
    const std::size_t Last = Out.Extents.size() - 1;
    const bool Joins = !Out.Extents.empty() &&
                       Out.To[Last] == Extents[D] * To[D] &&
                       Out.From[Last] == Extents[D] * From[D];
    if (!Joins) {
      Push(D);
      continue;
    }
    Out.Extents[Last] *= Extents[D];
    Out.To[Last] = To[D];
    Out.From[Last] = From[D];
  }
  return Out;
}

void Memory::pack(void *Pieces, const void *Whole, std::size_t Rows,
                  const Counts &Runs, int Ranks) {
  const auto Pitch = static_cast<std::size_t>(Runs.before(Ranks));
  eachPiece(Rows, Runs, Ranks,
            [&](std::size_t AtWhole, std::size_t AtPiece, std::size_t Run) {
              copyRows(static_cast<char *>(Pieces) + AtPiece, Run,
                       static_cast<const char *>(Whole) + AtWhole, Pitch, Run,
                       Rows);
            });
}

void Memory::unpack(void *Whole, const void *Pieces, std::size_t Rows,
                    const Counts &Runs, int Ranks) {
  const auto Pitch = static_cast<std::size_t>(Runs.before(Ranks));
  eachPiece(Rows, Runs, Ranks,
            [&](std::size_t AtWhole, std::size_t AtPiece, std::size_t Run) {
              copyRows(static_cast<char *>(Whole) + AtWhole, Pitch,
                       static_cast<const char *>(Pieces) + AtPiece, Run, Run,
                       Rows);
            });
}

void Memory::copyStrided(void *To, const void *From, const StridedCopy &Of) {
  const StridedCopy C = Of.simplified();
  std::size_t Outer = C.Extents.size();
  // The innermost dim is a row if it is dense, the one before counts rows.
  std::size_t Row = C.Size;
  if (endsInRuns(C))
    Row *= static_cast<std::size_t>(C.Extents[--Outer]);
  std::size_t Rows = 1, ToPitch = Row, FromPitch = Row;
  if (Outer) {
    --Outer;
    Rows = static_cast<std::size_t>(C.Extents[Outer]);
    ToPitch = static_cast<std::size_t>(C.To[Outer]) * C.Size;
    FromPitch = static_cast<std::size_t>(C.From[Outer]) * C.Size;
  }
  if (Row != 0)
    eachOuter(C, Outer, [&](std::int64_t T, std::int64_t F) {
      copyRows(static_cast<char *>(To) + T, ToPitch,
               static_cast<const char *>(From) + F, FromPitch, Row, Rows);
    });
}

} // namespace spmd

#include "spmd/communicator.h"

namespace spmd {

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

void Memory::copyStrided(void *To, const void *From, const StridedCopy &Of) {
  const StridedCopy C = Of.simplified();
  std::size_t Outer = C.Extents.size();
  // The innermost dim is a row if it is dense, the one before counts rows.
  std::size_t Row = C.Size;
  if (Outer && C.To[Outer - 1] == 1 && C.From[Outer - 1] == 1)
    Row *= static_cast<std::size_t>(C.Extents[--Outer]);
  std::size_t Rows = 1, ToPitch = Row, FromPitch = Row;
  if (Outer) {
    --Outer;
    Rows = static_cast<std::size_t>(C.Extents[Outer]);
    ToPitch = static_cast<std::size_t>(C.To[Outer]) * C.Size;
    FromPitch = static_cast<std::size_t>(C.From[Outer]) * C.Size;
  }
  if (Row == 0)
    return;
  Shape At(std::vector<std::int64_t>(Outer, 0));
  char *T = static_cast<char *>(To);
  const char *F = static_cast<const char *>(From);
  const auto Size = static_cast<std::int64_t>(C.Size);
  for (;;) {
    copyRows(T, ToPitch, F, FromPitch, Row, Rows);
    std::size_t D = Outer;
    for (; D-- > 0;) {
      T += C.To[D] * Size;
      F += C.From[D] * Size;
      if (++At[D] != C.Extents[D])
        break;
      T -= C.To[D] * C.Extents[D] * Size;
      F -= C.From[D] * C.Extents[D] * Size;
      At[D] = 0;
    }
    if (D == static_cast<std::size_t>(-1))
      return;
  }
}

} // namespace spmd

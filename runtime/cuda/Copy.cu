#include "Kernels.h"
#include "Launch.h"

#include <algorithm>
#include <optional>

namespace spmd::cuda {
namespace {

constexpr unsigned Threads = 256;

/// Enough blocks to fill a device; threads take what is left in strides.
unsigned blocksFor(std::size_t Work, unsigned PerBlock) {
  const std::size_t Blocks = (Work + PerBlock - 1) / PerBlock;
  return static_cast<unsigned>(std::min<std::size_t>(Blocks, 132 * 16));
}

/// Threads of a block are \c blockDim.x units wide and as many rows high as
/// are left: no thread divides.
template <class Unit>
__global__ void copyRowsKernel(char *To, std::size_t ToPitch, const char *From,
                               std::size_t FromPitch, std::size_t Units,
                               std::size_t Rows) {
  const std::size_t FirstUnit =
      std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::size_t UnitStep = std::size_t(gridDim.x) * blockDim.x;
  const std::size_t RowStep = std::size_t(gridDim.y) * blockDim.y;
  for (std::size_t R = std::size_t(blockIdx.y) * blockDim.y + threadIdx.y;
       R < Rows; R += RowStep) {
    Unit *const T = reinterpret_cast<Unit *>(To + R * ToPitch);
    const Unit *const F = reinterpret_cast<const Unit *>(From + R * FromPitch);
    for (std::size_t U = FirstUnit; U < Units; U += UnitStep)
      T[U] = F[U];
  }
}

template <class Unit>
cudaError_t launchRows(void *To, std::size_t ToPitch, const void *From,
                       std::size_t FromPitch, std::size_t RowBytes,
                       std::size_t Rows, cudaStream_t Stream) {
  const std::size_t Units = RowBytes / sizeof(Unit);
  unsigned Wide = 1;
  while (Wide < Threads && Wide < Units)
    Wide *= 2;
  const dim3 Block(Wide, Threads / Wide);
  const unsigned Across = blocksFor(Units, 4 * Wide);
  // The grid's second dim has sixteen bits.
  const unsigned Down = std::max(
      1u, std::min(blocksFor(Rows, Block.y), 65535u / std::max(1u, Across)));
  return launch(copyRowsKernel<Unit>, dim3(Across, Down), Block, Stream,
                static_cast<char *>(To), ToPitch,
                static_cast<const char *>(From), FromPitch, Units, Rows);
}

/// One element a thread; the innermost dim varies fastest.
template <class Element>
__global__ void copyBoxKernel(char *To, const char *From, Box B,
                              std::int64_t Count) {
  const std::int64_t Step = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t I = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
       I < Count; I += Step) {
    std::int64_t Rest = I, T = 0, F = 0;
    for (int D = B.Rank; D-- > 0;) {
      const std::int64_t Next = Rest / B.Extents[D];
      const std::int64_t At = Rest - Next * B.Extents[D];
      T += At * B.To[D];
      F += At * B.From[D];
      Rest = Next;
    }
    *reinterpret_cast<Element *>(To + T) =
        *reinterpret_cast<const Element *>(From + F);
  }
}

constexpr unsigned Tile = 32;

/// The dims of a box whose neighbours lie beside each other in one of the
/// arrays, where these differ: what is read in rows is written in columns.
struct Turned {
  int Read, Written;
};
std::optional<Turned> turnedDims(const Box &B, std::int64_t Size) {
  Turned Of = {-1, -1};
  for (int D = 0; D < B.Rank; ++D) {
    if (B.From[D] == Size)
      Of.Read = D;
    if (B.To[D] == Size)
      Of.Written = D;
  }
  const auto IsWide = [&](int D) { return D >= 0 && B.Extents[D] >= 8; };
  if (Of.Read == Of.Written || !IsWide(Of.Read) || !IsWide(Of.Written))
    return std::nullopt;
  return Of;
}

/// A tile a block, through memory of the block: both arrays are met in runs.
/// \p B is without the dims that are turned, \p Read and \p Written, whose
/// other strides are \p ReadTo and \p WrittenFrom.
template <class Element>
__global__ void turnKernel(char *To, const char *From, Box B, std::int64_t Read,
                           std::int64_t ReadTo, std::int64_t Written,
                           std::int64_t WrittenFrom, std::int64_t Tiles) {
  __shared__ Element Kept[Tile][Tile + 1];
  const std::int64_t Across = (Read + Tile - 1) / Tile,
                     Down = (Written + Tile - 1) / Tile;
  for (std::int64_t I = blockIdx.x; I < Tiles; I += gridDim.x) {
    std::int64_t Rest = I / (Across * Down), T = 0, F = 0;
    const std::int64_t FirstRead = I % Across * Tile,
                       FirstWritten = I / Across % Down * Tile;
    for (int D = B.Rank; D-- > 0; Rest /= B.Extents[D]) {
      T += Rest % B.Extents[D] * B.To[D];
      F += Rest % B.Extents[D] * B.From[D];
    }
    for (unsigned Row = threadIdx.y; Row < Tile; Row += blockDim.y) {
      const std::int64_t R = FirstRead + threadIdx.x, W = FirstWritten + Row;
      if (R < Read && W < Written)
        Kept[Row][threadIdx.x] =
            reinterpret_cast<const Element *>(From + F + W * WrittenFrom)[R];
    }
    __syncthreads();
    for (unsigned Row = threadIdx.y; Row < Tile; Row += blockDim.y) {
      const std::int64_t R = FirstRead + Row, W = FirstWritten + threadIdx.x;
      if (R < Read && W < Written)
        reinterpret_cast<Element *>(To + T + R * ReadTo)[W] =
            Kept[threadIdx.x][Row];
    }
    __syncthreads();
  }
}

template <class Element>
cudaError_t launchTurn(void *To, const void *From, const Box &B, Turned Of,
                       cudaStream_t Stream) {
  Box Rest;
  std::int64_t Tiles = 1;
  for (int D = 0; D < B.Rank; ++D) {
    if (D == Of.Read || D == Of.Written) {
      Tiles *= (B.Extents[D] + Tile - 1) / Tile;
      continue;
    }
    Rest.Extents[Rest.Rank] = B.Extents[D];
    Rest.To[Rest.Rank] = B.To[D];
    Rest.From[Rest.Rank++] = B.From[D];
    Tiles *= B.Extents[D];
  }
  return launch(
      turnKernel<Element>, blocksFor(static_cast<std::size_t>(Tiles), 1),
      dim3(Tile, Threads / Tile), Stream, static_cast<char *>(To),
      static_cast<const char *>(From), Rest, B.Extents[Of.Read], B.To[Of.Read],
      B.Extents[Of.Written], B.From[Of.Written], Tiles);
}

template <class Element>
cudaError_t launchBox(void *To, const void *From, const Box &B,
                      cudaStream_t Stream) {
  std::int64_t Count = 1;
  for (int D = 0; D < B.Rank; ++D)
    Count *= B.Extents[D];
  if (Count == 0)
    return cudaSuccess;
  if (const std::optional<Turned> Of =
          turnedDims(B, static_cast<std::int64_t>(sizeof(Element))))
    return launchTurn<Element>(To, From, B, *Of, Stream);
  return launch(copyBoxKernel<Element>,
                blocksFor(static_cast<std::size_t>(Count), Threads), Threads,
                Stream, static_cast<char *>(To),
                static_cast<const char *>(From), B, Count);
}

/// The lowest bit that any of them has set: what all can be divided by.
template <class... Sizes> std::size_t alignmentOf(Sizes... Of) {
  const std::size_t All = (std::size_t(Of) | ...);
  return All & (~All + 1);
}
std::size_t address(const void *Of) {
  return reinterpret_cast<std::uintptr_t>(Of);
}

} // namespace

cudaError_t copyRows(void *To, std::size_t ToPitch, const void *From,
                     std::size_t FromPitch, std::size_t RowBytes,
                     std::size_t Rows, cudaStream_t Stream) {
  if (RowBytes == 0 || Rows == 0)
    return cudaSuccess;
  const auto Launch = [&](auto Unit) {
    return launchRows<decltype(Unit)>(To, ToPitch, From, FromPitch, RowBytes,
                                      Rows, Stream);
  };
  // A single row has no pitch to keep to.
  const std::size_t Pitches = Rows > 1 ? ToPitch | FromPitch : 0;
  const std::size_t Aligned =
      alignmentOf(address(To), address(From), Pitches, RowBytes);
  if (Aligned >= 16)
    return Launch(uint4());
  if (Aligned >= 8)
    return Launch(uint2());
  if (Aligned >= 4)
    return Launch(std::uint32_t());
  if (Aligned >= 2)
    return Launch(std::uint16_t());
  return Launch(std::uint8_t());
}

cudaError_t copyBox(void *To, const void *From, const Box &B, std::size_t Size,
                    cudaStream_t Stream) {
  switch (Size) {
  case 1:
    return launchBox<std::uint8_t>(To, From, B, Stream);
  case 2:
    return launchBox<std::uint16_t>(To, From, B, Stream);
  case 4:
    return launchBox<std::uint32_t>(To, From, B, Stream);
  case 8:
    return launchBox<std::uint64_t>(To, From, B, Stream);
  case 16:
    return launchBox<uint4>(To, From, B, Stream);
  default:
    return cudaErrorInvalidValue;
  }
}

} // namespace spmd::cuda

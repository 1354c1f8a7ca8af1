// What runtime/cuda/ launches, by the host's own functions.

#include "StandIn.h"

#include "../../../runtime/cuda/Kernels.h"
#include "../../../runtime/lib/CallHash.h"

#include <spmd/communicator.h>

#include <cstring>

namespace spmd::cuda {

cudaError_t copyRows(void *To, std::size_t ToPitch, const void *From,
                     std::size_t FromPitch, std::size_t RowBytes,
                     std::size_t Rows, cudaStream_t Stream) {
  standin::expectOnDevice(To, (Rows - 1) * ToPitch + RowBytes, "copyRows");
  standin::expectOnDevice(From, (Rows - 1) * FromPitch + RowBytes, "copyRows");
  standin::put(Stream, [=] {
    return [=] {
      hostMemory().copyRows(To, ToPitch, From, FromPitch, RowBytes, Rows);
    };
  });
  return cudaSuccess;
}

static void copy(char *To, const char *From, const Box &B, std::size_t Size,
                 int Dim) {
  if (Dim == B.Rank) {
    std::memcpy(To, From, Size);
    return;
  }
  for (std::int64_t E = 0; E < B.Extents[Dim]; ++E)
    copy(To + E * B.To[Dim], From + E * B.From[Dim], B, Size, Dim + 1);
}

cudaError_t copyBox(void *To, const void *From, const Box &B, std::size_t Size,
                    cudaStream_t Stream) {
  standin::expectOnDevice(To, Size, "copyBox");
  standin::expectOnDevice(From, Size, "copyBox");
  standin::put(Stream, [=] {
    return [=] {
      copy(static_cast<char *>(To), static_cast<const char *>(From), B, Size,
           0);
    };
  });
  return cudaSuccess;
}

cudaError_t addHash(std::uint64_t *To, const void *X, std::size_t Size,
                    std::int64_t Count, std::uint64_t Infinity,
                    cudaStream_t Stream) {
  standin::expectOnDevice(To, sizeof *To, "addHash");
  standin::expectOnDevice(X, static_cast<std::size_t>(Count) * Size, "addHash");
  standin::put(Stream, [=] {
    return [=] {
      for (const DType T :
           {DType::F8E4M3, DType::F8E5M2, DType::U8, DType::F16, DType::BF16,
            DType::F32, DType::U32, DType::F64, DType::U64})
        if (sizeOf(T) == Size && detail::infinityOf(T) == Infinity)
          hostMemory().hash(To, X, T, Count);
    };
  });
  return cudaSuccess;
}

cudaError_t scale(void *X, Scalar T, std::int64_t Count, double By,
                  cudaStream_t Stream) {
  const auto Type = static_cast<DType>(T);
  standin::expectOnDevice(X, static_cast<std::size_t>(Count) * sizeOf(Type),
                          "scale");
  standin::put(Stream,
               [=] { return [=] { hostMemory().scale(X, Type, Count, By); }; });
  return cudaSuccess;
}

} // namespace spmd::cuda

#include "ElementHash.h"

#include "CallHash.h"

#include <cstring>
#include <vector>

namespace spmd {
namespace {

template <class Word>
std::uint64_t hashOf(const char *X, std::int64_t Count,
                     std::uint64_t Infinity) {
  std::uint64_t Sum = 0;
  for (std::int64_t I = 0; I < Count; ++I) {
    Word Bits;
    std::memcpy(&Bits, X + I * std::int64_t(sizeof Bits), sizeof Bits);
    Sum += detail::elementHash(Bits, static_cast<Word>(Infinity),
                               static_cast<std::uint64_t>(I));
  }
  return Sum;
}

} // namespace

std::uint64_t detail::infinityOf(DType Type) {
  switch (Type) {
  case DType::F16:
    return 0x7c00;
  case DType::BF16:
    return 0x7f80;
  case DType::F8E4M3: // one NaN, and no infinity
    return 0x7e;
  case DType::F8E5M2:
    return 0x7c;
  case DType::F32:
    return 0x7f800000;
  case DType::F64:
    return 0x7ff0000000000000;
  default: // whole numbers
    return UINT64_MAX;
  }
}

void Memory::hash(void *To, const void *X, DType Type, std::int64_t Count) {
  const std::size_t Bytes = static_cast<std::size_t>(Count) * sizeOf(Type);
  std::vector<char> Copy(isDevice() ? Bytes : 0);
  if (isDevice())
    download(Copy.data(), X, Bytes);
  const char *const Here =
      isDevice() ? Copy.data() : static_cast<const char *>(X);
  const std::uint64_t Infinity = detail::infinityOf(Type);
  const std::uint64_t Hash =
      sizeOf(Type) == 1   ? hashOf<std::uint8_t>(Here, Count, Infinity)
      : sizeOf(Type) == 2 ? hashOf<std::uint16_t>(Here, Count, Infinity)
      : sizeOf(Type) == 4 ? hashOf<std::uint32_t>(Here, Count, Infinity)
                          : hashOf<std::uint64_t>(Here, Count, Infinity);
  upload(To, &Hash, sizeof Hash);
}

} // namespace spmd

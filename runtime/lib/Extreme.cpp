#include "Sum.h"

#include "spmd/float8.h"

namespace spmd::detail {

/// One element at a time into all results: these are few, and short.
template <class T>
static void extremeOf(bool Greatest, const void *const *From, int Count,
                      std::int64_t Begin, std::int64_t End, void *const *To,
                      int Copies, std::int64_t At) {
  for (std::int64_t E = Begin; E < End; ++E) {
    T Best = static_cast<const T *>(From[0])[E];
    for (int K = 1; K < Count; ++K) {
      const T X = static_cast<const T *>(From[K])[E];
      if (Greatest ? Best < X : X < Best)
        Best = X;
    }
    for (int K = 0; K < Copies; ++K)
      static_cast<T *>(To[K])[At + E - Begin] = Best;
  }
}

namespace {
/// Short floats, compared as floats.
template <class T> struct Compared {
  T X;
  friend bool operator<(Compared A, Compared B) {
    return static_cast<float>(A.X) < static_cast<float>(B.X);
  }
};
} // namespace

void extreme(DType Type, bool Greatest, const void *const *From, int Count,
             std::int64_t Begin, std::int64_t End, void *const *To, int Copies,
             std::int64_t At) {
  const auto Do = [&](auto Of) {
    extremeOf<decltype(Of)>(Greatest, From, Count, Begin, End, To, Copies, At);
  };
  switch (Type) {
  case DType::F16:
    return Do(Compared<half>());
  case DType::BF16:
    return Do(Compared<bfloat16>());
  case DType::F8E4M3:
    return Do(Compared<float8_e4m3>());
  case DType::F8E5M2:
    return Do(Compared<float8_e5m2>());
  case DType::F32:
    return Do(float());
  case DType::F64:
    return Do(double());
  case DType::I8:
    return Do(std::int8_t());
  case DType::U8:
  case DType::Bool:
    return Do(std::uint8_t());
  case DType::I32:
    return Do(std::int32_t());
  case DType::I64:
    return Do(std::int64_t());
  case DType::U32:
    return Do(std::uint32_t());
  case DType::U64:
    return Do(std::uint64_t());
  }
}

} // namespace spmd::detail

#include "Elements.h"
#include "Sum.h"

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
  withElement(Type, [&](auto Of) {
    using T = decltype(Of);
    extremeOf<std::conditional_t<std::is_arithmetic<T>::value, T, Compared<T>>>(
        Greatest, From, Count, Begin, End, To, Copies, At);
  });
}

} // namespace spmd::detail

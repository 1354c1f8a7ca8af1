//===- view.h - A raw buffer with its shape ---------------------*- C++ -*-===//

#ifndef SPMD_VIEW_H
#define SPMD_VIEW_H

#include "spmd/shape.h"

namespace spmd {

enum class DType : std::uint8_t { F16, BF16, F32, F64, I8, U8, I32, I64 };

constexpr std::size_t sizeOf(DType T) {
  constexpr std::size_t Sizes[] = {2, 2, 4, 8, 1, 1, 4, 8};
  return Sizes[static_cast<int>(T)];
}
constexpr const char *nameOf(DType T) {
  constexpr const char *Names[] = {"f16", "bf16", "f32", "f64",
                                   "i8",  "u8",   "i32", "i64"};
  return Names[static_cast<int>(T)];
}

namespace detail {
template <class T> struct DTypeOf;
template <> struct DTypeOf<float> {
  static constexpr DType Value = DType::F32;
};
template <> struct DTypeOf<double> {
  static constexpr DType Value = DType::F64;
};
template <> struct DTypeOf<std::int8_t> {
  static constexpr DType Value = DType::I8;
};
template <> struct DTypeOf<std::uint8_t> {
  static constexpr DType Value = DType::U8;
};
template <> struct DTypeOf<std::int32_t> {
  static constexpr DType Value = DType::I32;
};
template <> struct DTypeOf<std::int64_t> {
  static constexpr DType Value = DType::I64;
};
} // namespace detail

/// A dense row-major buffer that the view does not own.
class View {
public:
  /// A buffer of float, double or a fixed-width integer.
  template <class T>
  View(T *Data, const Shape &Of) : View(Data, detail::DTypeOf<T>::Value, Of) {}
  /// A buffer of any element type, half and bfloat16 included. A negative
  /// extent is an Error.
  View(void *Data, DType Type, const Shape &Of)
      : Pointer(Data), Element(Type), Extents(Of) {
    for (std::int64_t E : Extents)
      if (E < 0)
        detail::fail("spmd::View: negative extent in " + str());
  }

  void *data() const { return Pointer; }
  DType dtype() const { return Element; }
  const Shape &shape() const { return Extents; }
  int rank() const { return static_cast<int>(Extents.size()); }
  /// Number of elements.
  std::int64_t numel() const { return Extents.numel(); }
  std::size_t bytes() const {
    return static_cast<std::size_t>(numel()) * sizeOf(Element);
  }
  /// "f32[8, 16]", for messages.
  std::string str() const { return nameOf(Element) + Extents.str(); }

private:
  void *Pointer;
  DType Element;
  Shape Extents;
};

} // namespace spmd

#endif // SPMD_VIEW_H

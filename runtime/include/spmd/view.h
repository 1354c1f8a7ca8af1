//===- view.h - A raw buffer with its shape ---------------------*- C++ -*-===//

#ifndef SPMD_VIEW_H
#define SPMD_VIEW_H

#include "spmd/float8.h"
#include "spmd/half.h"
#include "spmd/strided.h"

#include <type_traits>

namespace spmd {

enum class DType : std::uint8_t {
  F16,
  BF16,
  F32,
  F64,
  I8,
  U8,
  I32,
  I64,
  U32,
  U64,
  Bool,
  F8E4M3,
  F8E5M2,
};

constexpr std::size_t sizeOf(DType T) {
  constexpr std::size_t Sizes[] = {2, 2, 4, 8, 1, 1, 4, 8, 4, 8, 1, 1, 1};
  return Sizes[static_cast<int>(T)];
}
constexpr const char *nameOf(DType T) {
  constexpr const char *Names[] = {"f16",  "bf16",   "f32",   "f64", "i8",
                                   "u8",   "i32",    "i64",   "u32", "u64",
                                   "bool", "f8e4m3", "f8e5m2"};
  return Names[static_cast<int>(T)];
}

constexpr bool isFloat8(DType T) {
  return T == DType::F8E4M3 || T == DType::F8E5M2;
}
/// Bools among them.
constexpr bool isWhole(DType T) { return T > DType::F64 && !isFloat8(T); }

namespace detail {
/// Of a whole number, or of a float that has this size.
template <class T> constexpr DType plainTypeOf() {
  constexpr bool Signed = std::is_signed<T>::value;
  static_assert(sizeof(T) == 1 || sizeof(T) >= 4,
                "spmd: whole numbers are 8, 32 or 64 bits");
  static_assert(sizeof(bool) == 1, "spmd: a bool is taken for a byte");
  return std::is_same<T, bool>::value ? DType::Bool
         : std::is_floating_point<T>::value
             ? (sizeof(T) == 4 ? DType::F32 : DType::F64)
         : sizeof(T) == 8 ? (Signed ? DType::I64 : DType::U64)
         : sizeof(T) == 4 ? (Signed ? DType::I32 : DType::U32)
         : Signed         ? DType::I8
                          : DType::U8;
}

/// \c Value is the element type of a T; none for types that are not moved.
template <class T, class Enable = void> struct DTypeOf {
  static_assert(!std::is_const<T>::value,
                "spmd: a view may be written: of const elements, take it of "
                "const_cast<T *>(data) where it is an operand alone");
  static_assert(!std::is_void<T>::value,
                "spmd: void has no size: say the element type, as in "
                "View(data, spmd::DType::F32, shape)");
  static_assert(std::is_const<T>::value || std::is_void<T>::value,
                "spmd: elements are float8_e4m3, float8_e5m2, half, "
                "bfloat16, float, double, bool, or whole numbers of 8, 32 or "
                "64 bits");
  static constexpr DType Value = DType::U8;
};
template <DType Is> struct ShortType {
  static constexpr DType Value = Is;
};
template <> struct DTypeOf<half> : ShortType<DType::F16> {};
template <> struct DTypeOf<bfloat16> : ShortType<DType::BF16> {};
template <> struct DTypeOf<float8_e4m3> : ShortType<DType::F8E4M3> {};
template <> struct DTypeOf<float8_e5m2> : ShortType<DType::F8E5M2> {};
template <class T>
struct DTypeOf<T, std::enable_if_t<std::is_arithmetic<T>::value &&
                                   !std::is_const<T>::value &&
                                   !std::is_same<T, long double>::value>> {
  static constexpr DType Value = plainTypeOf<T>();
};
} // namespace detail

/// A buffer with its shape, which the view does not own: dense and row-major,
/// or with a stride for each dim, as a transposed or a cut matrix has.
///
///     spmd::View Whole(Data, {8, 16});
///     spmd::View Columns = Whole.slice(1, 4, 8);    // 8 x 4
///     spmd::View Flipped = Whole.transposed(0, 1);  // 16 x 8
///
/// Every operator takes any view. What is not dense is packed before it is
/// sent, and unpacked from what is received: one copy more in memory each.
class View {
public:
  /// A dense buffer of floats of 8 to 64 bits, bool, or whole numbers of 8, 32
  /// or 64 bits. Sums of what is shorter than a float are made in float. Of
  /// bools there is no sum, but all_reduce_max is any of them, all_reduce_min
  /// all.
  template <class T>
  View(T *Data, const Shape &Of) : View(Data, detail::DTypeOf<T>::Value, Of) {}
  /// A dense buffer of any element type. A negative extent is an Error.
  View(void *Data, DType Type, const Shape &Of)
      : Pointer(Data), Element(Type), Extents(Of), Steps(denseStrides(Of)) {
    for (std::int64_t E : Extents)
      if (E < 0)
        detail::fail("spmd::View: negative extent in " + str());
    Elements = Extents.numel();
  }
  /// Strides in elements, one a dim; elements of a result do not overlap. An
  /// Error when the numbers of dims differ.
  template <class T>
  View(T *Data, const Shape &Of, const Shape &Strides)
      : View(Data, detail::DTypeOf<T>::Value, Of, Strides) {}
  View(void *Data, DType Type, const Shape &Of, const Shape &Strides)
      : View(Data, Type, Of) {
    if (Strides.size() != Of.size())
      detail::fail("spmd::View: strides " + Strides.str() + " for shape " +
                   Of.str());
    Dense = StridedCopy{Of, Strides, Steps, 1}.simplified().isRun();
    Steps = Strides;
  }

  /// The same elements with two dims exchanged. Errors, here and below: a dim
  /// or an index that the view does not have.
  View transposed(int A, int B) const {
    Shape To = Extents, Strides = Steps;
    std::swap(To[dim(A)], To[dim(B)]);
    std::swap(Strides[dim(A)], Strides[dim(B)]);
    return View(Pointer, Element, To, Strides);
  }
  /// Elements [\p Begin, \p End) of dim \p Of.
  View slice(int Of, std::int64_t Begin, std::int64_t End) const {
    const std::size_t D = dim(Of);
    if (Begin < 0 || End < Begin || End > Extents[D])
      detail::fail("spmd::View: elements " + std::to_string(Begin) + " to " +
                   std::to_string(End) + " of dim " + std::to_string(D) +
                   " of " + str());
    Shape To = Extents;
    To[D] = End - Begin;
    char *const At =
        static_cast<char *>(Pointer) +
        Begin * Steps[D] * static_cast<std::int64_t>(sizeOf(Element));
    return View(At, Element, To, Steps);
  }

  void *data() const { return Pointer; }
  DType dtype() const { return Element; }
  const Shape &shape() const { return Extents; }
  /// In elements.
  const Shape &strides() const { return Steps; }
  /// Whether the elements are one row-major run.
  bool isDense() const { return Dense; }
  int rank() const { return static_cast<int>(Extents.size()); }
  /// Number of elements.
  std::int64_t numel() const { return Elements; }
  /// Of the elements, without what is between them.
  std::size_t bytes() const {
    return static_cast<std::size_t>(numel()) * sizeOf(Element);
  }
  /// "f32[8, 16]", for messages.
  std::string str() const { return nameOf(Element) + Extents.str(); }

private:
  std::size_t dim(int Of) const {
    const int D = Of < 0 ? Of + rank() : Of;
    if (D < 0 || D >= rank())
      detail::fail("spmd::View: dim " + std::to_string(Of) + " of " + str());
    return static_cast<std::size_t>(D);
  }

  void *Pointer;
  DType Element;
  bool Dense = true;
  std::int64_t Elements = 0;
  Shape Extents, Steps;
};

} // namespace spmd

#endif // SPMD_VIEW_H

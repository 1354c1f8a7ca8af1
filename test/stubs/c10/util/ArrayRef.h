// Stand-in for c10's array views and optionals; declarations only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace c10 {

template <class T> using optional = std::optional<T>;
using nullopt_t = std::nullopt_t;
inline constexpr nullopt_t nullopt = std::nullopt;

using string_view = std::string_view;

template <typename T> class ArrayRef final {
public:
  using iterator = const T *;
  using value_type = T;

  constexpr ArrayRef() = default;
  constexpr ArrayRef(const T &One) : Data(&One), Length(1) {}
  constexpr ArrayRef(const T *Data, size_t Length)
      : Data(Data), Length(Length) {}
  template <typename A>
  ArrayRef(const std::vector<T, A> &V) : Data(V.data()), Length(V.size()) {}
  template <size_t N>
  constexpr ArrayRef(const T (&A)[N]) : Data(A), Length(N) {}
  constexpr ArrayRef(const std::initializer_list<T> &L)
      : Data(L.begin() == L.end() ? nullptr : L.begin()), Length(L.size()) {}

  constexpr iterator begin() const { return Data; }
  constexpr iterator end() const { return Data + Length; }
  constexpr bool empty() const { return Length == 0; }
  constexpr const T *data() const { return Data; }
  constexpr size_t size() const { return Length; }
  const T &front() const { return Data[0]; }
  const T &back() const { return Data[Length - 1]; }
  const T &operator[](size_t I) const { return Data[I]; }
  const T &at(size_t I) const { return Data[I]; }
  ArrayRef slice(size_t N, size_t M) const { return {Data + N, M}; }
  ArrayRef slice(size_t N) const { return {Data + N, Length - N}; }
  bool equals(ArrayRef Other) const;
  std::vector<T> vec() const { return std::vector<T>(begin(), end()); }

private:
  const T *Data = nullptr;
  size_t Length = 0;
};

template <typename T> bool operator==(ArrayRef<T> A, ArrayRef<T> B);
template <typename T> bool operator!=(ArrayRef<T> A, ArrayRef<T> B);

using IntArrayRef = ArrayRef<int64_t>;

template <typename T> class OptionalArrayRef final {
public:
  constexpr OptionalArrayRef() = default;
  constexpr OptionalArrayRef(nullopt_t) {}
  template <typename U, typename = decltype(ArrayRef<T>(std::declval<U>()))>
  OptionalArrayRef(U &&V) : Value(ArrayRef<T>(static_cast<U &&>(V))) {}
  constexpr OptionalArrayRef(const std::initializer_list<T> &L)
      : Value(ArrayRef<T>(L)) {}
  bool has_value() const { return Value.has_value(); }
  const ArrayRef<T> &value() const { return *Value; }
  const ArrayRef<T> &operator*() const { return *Value; }
  explicit operator bool() const { return has_value(); }

private:
  optional<ArrayRef<T>> Value;
};

using OptionalIntArrayRef = OptionalArrayRef<int64_t>;

} // namespace c10

namespace at {
using namespace c10;
using c10::ArrayRef;
using c10::IntArrayRef;
} // namespace at

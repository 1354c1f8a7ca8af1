//===- ShortVector.h - A vector that is short -------------------*- C++ -*-===//
//
// Up to N elements in place, more on the heap. Layouts have a few axes and
// dims, and planning copies many of them. The planner's core uses the standard
// library alone: the runtime compiles it too.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_PLANNER_SHORTVECTOR_H
#define SPMD_PLANNER_SHORTVECTOR_H

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>

namespace spmd::planner {

template <class T, unsigned N> class ShortVector {
public:
  using value_type = T;
  using size_type = std::size_t;
  using iterator = T *;
  using const_iterator = const T *;
  using reference = T &;
  using const_reference = const T &;

  ShortVector() = default;
  explicit ShortVector(std::size_t Of) { resize(Of); }
  ShortVector(std::size_t Of, const T &X) { resize(Of, X); }
  ShortVector(std::initializer_list<T> Of) { append(Of.begin(), Of.end()); }
  template <class It,
            class = typename std::iterator_traits<It>::iterator_category>
  ShortVector(It From, It To) {
    append(From, To);
  }
  ShortVector(const ShortVector &Of) { append(Of.begin(), Of.end()); }
  ShortVector(ShortVector &&Of) noexcept { take(std::move(Of)); }
  ShortVector &operator=(const ShortVector &Of) {
    if (this != &Of)
      assign(Of.begin(), Of.end());
    return *this;
  }
  ShortVector &operator=(ShortVector &&Of) noexcept {
    if (this == &Of)
      return *this;
    clear();
    release();
    take(std::move(Of));
    return *this;
  }
  ~ShortVector() {
    clear();
    release();
  }

  std::size_t size() const { return Count; }
  bool empty() const { return Count == 0; }
  T *data() { return First; }
  const T *data() const { return First; }
  T *begin() { return First; }
  T *end() { return First + Count; }
  const T *begin() const { return First; }
  const T *end() const { return First + Count; }
  T &operator[](std::size_t I) { return First[I]; }
  const T &operator[](std::size_t I) const { return First[I]; }
  T &front() { return First[0]; }
  const T &front() const { return First[0]; }
  T &back() { return First[Count - 1]; }
  const T &back() const { return First[Count - 1]; }

  void reserve(std::size_t Of) {
    if (Of <= Capacity)
      return;
    Of = std::max<std::size_t>(Of, 2 * Capacity);
    T *const Larger = std::allocator<T>().allocate(Of);
    std::uninitialized_move(begin(), end(), Larger);
    std::destroy(begin(), end());
    release();
    First = Larger;
    Capacity = Of;
  }
  void clear() {
    std::destroy(begin(), end());
    Count = 0;
  }
  void push_back(T X) { emplace_back(std::move(X)); }
  template <class... Args> T &emplace_back(Args &&...Of) {
    reserve(Count + 1);
    return *::new (static_cast<void *>(First + Count++))
        T{std::forward<Args>(Of)...};
  }
  void pop_back() { std::destroy_at(First + --Count); }
  void resize(std::size_t Of, const T &X = T()) {
    if (Of > Count) {
      reserve(Of);
      std::uninitialized_fill(end(), First + Of, X);
    } else {
      std::destroy(First + Of, end());
    }
    Count = Of;
  }
  template <class It> void append(It From, It To) {
    reserve(Count + static_cast<std::size_t>(std::distance(From, To)));
    Count = static_cast<std::size_t>(std::uninitialized_copy(From, To, end()) -
                                     First);
  }
  void assign(std::size_t Of, const T &X) {
    clear();
    resize(Of, X);
  }
  template <class It,
            class = typename std::iterator_traits<It>::iterator_category>
  void assign(It From, It To) {
    clear();
    append(From, To);
  }
  void insert(const T *At, T X) {
    const std::ptrdiff_t Index = At - First;
    push_back(std::move(X));
    std::rotate(First + Index, end() - 1, end());
  }
  T *erase(const T *At) { return erase(At, At + 1); }
  T *erase(const T *From, const T *To) {
    T *const At = First + (From - First);
    T *const NewEnd = std::move(First + (To - First), end(), At);
    std::destroy(NewEnd, end());
    Count = static_cast<std::size_t>(NewEnd - First);
    return At;
  }

  friend bool operator==(const ShortVector &A, const ShortVector &B) {
    return std::equal(A.begin(), A.end(), B.begin(), B.end());
  }
  friend bool operator!=(const ShortVector &A, const ShortVector &B) {
    return !(A == B);
  }
  friend bool operator<(const ShortVector &A, const ShortVector &B) {
    return std::lexicographical_compare(A.begin(), A.end(), B.begin(), B.end());
  }

private:
  T *inPlace() { return reinterpret_cast<T *>(Storage); }

  /// Of one that is empty and in place.
  void take(ShortVector &&Of) {
    if (Of.First == Of.inPlace()) {
      append(std::make_move_iterator(Of.begin()),
             std::make_move_iterator(Of.end()));
      Of.clear();
      return;
    }
    First = std::exchange(Of.First, Of.inPlace());
    Count = std::exchange(Of.Count, 0);
    Capacity = std::exchange(Of.Capacity, N);
  }
  void release() {
    if (First != inPlace())
      std::allocator<T>().deallocate(First, Capacity);
    First = inPlace();
    Capacity = N;
  }

  alignas(T) unsigned char Storage[N * sizeof(T)];
  T *First = inPlace();
  std::size_t Count = 0;
  std::size_t Capacity = N;
};

template <class Range, class T> bool contains(const Range &Of, const T &X) {
  return std::find(Of.begin(), Of.end(), X) != Of.end();
}
/// Removes all that are equal to \p X.
template <class T, unsigned N, class Value>
void drop(ShortVector<T, N> &From, const Value &X) {
  From.erase(std::remove(From.begin(), From.end(), X), From.end());
}

} // namespace spmd::planner

#endif // SPMD_PLANNER_SHORTVECTOR_H

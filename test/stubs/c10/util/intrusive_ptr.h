// Stand-in for c10's reference counted handle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace c10 {

class intrusive_ptr_target {
public:
  intrusive_ptr_target() = default;
  virtual ~intrusive_ptr_target() = default;
};

template <class T> class intrusive_ptr final {
public:
  using element_type = T;

  intrusive_ptr() noexcept = default;
  intrusive_ptr(std::nullptr_t) noexcept {}
  intrusive_ptr(const intrusive_ptr &) noexcept = default;
  intrusive_ptr(intrusive_ptr &&) noexcept = default;
  template <class From,
            class = decltype(static_cast<T *>(static_cast<From *>(nullptr)))>
  intrusive_ptr(const intrusive_ptr<From> &R) noexcept : Target(R.get()) {}
  template <class From,
            class = decltype(static_cast<T *>(static_cast<From *>(nullptr)))>
  intrusive_ptr(intrusive_ptr<From> &&R) noexcept : Target(R.get()) {}
  intrusive_ptr &operator=(const intrusive_ptr &) & noexcept = default;
  intrusive_ptr &operator=(intrusive_ptr &&) & noexcept = default;

  T *get() const noexcept { return Target; }
  T &operator*() const noexcept { return *Target; }
  T *operator->() const noexcept { return Target; }
  explicit operator bool() const noexcept { return Target != nullptr; }
  bool defined() const noexcept { return Target != nullptr; }
  size_t use_count() const noexcept;
  void reset() noexcept;
  T *release() noexcept;
  void swap(intrusive_ptr &R) noexcept;

  template <class... Args> static intrusive_ptr make(Args &&...A) {
    intrusive_ptr P;
    P.Target = new T(std::forward<Args>(A)...);
    return P;
  }
  static intrusive_ptr reclaim(T *Owned);

private:
  T *Target = nullptr;
};

template <class T, class... Args> intrusive_ptr<T> make_intrusive(Args &&...A) {
  return intrusive_ptr<T>::make(std::forward<Args>(A)...);
}
template <class A, class B>
bool operator==(const intrusive_ptr<A> &, const intrusive_ptr<B> &) noexcept;
template <class A, class B>
bool operator!=(const intrusive_ptr<A> &, const intrusive_ptr<B> &) noexcept;
template <class A>
bool operator==(const intrusive_ptr<A> &, std::nullptr_t) noexcept;
template <class A>
bool operator!=(const intrusive_ptr<A> &, std::nullptr_t) noexcept;

} // namespace c10

namespace torch {
using CustomClassHolder = c10::intrusive_ptr_target;
} // namespace torch

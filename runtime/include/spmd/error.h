//===- error.h - The one error type of the runtime --------------*- C++ -*-===//

#ifndef SPMD_ERROR_H
#define SPMD_ERROR_H

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace spmd {

/// Where a program calls an operator.
struct Site {
  const char *File = "";
  int Line = 0;
  /// The caller's, as a default argument.
  static constexpr Site here(const char *File = __builtin_FILE(),
                             int Line = __builtin_LINE()) {
    return {File, Line};
  }
};

/// What an operator was asked for when it failed; empty in errors of other
/// functions.
struct FailedCall {
  std::string Operation, Axis, Src, Dst, DType, Shape;
  Site At;
  /// Why, in the words of whoever found it: the backend's own text.
  std::string Cause;
};

/// Thrown by every function of the library. Where exceptions are off, the
/// message is printed and the process aborts instead.
class Error : public std::runtime_error {
public:
  explicit Error(const std::string &Message, FailedCall Call = {})
      : std::runtime_error(Message), Failed(std::move(Call)) {}
  const FailedCall &call() const { return Failed; }

private:
  FailedCall Failed;
};

namespace detail {

[[noreturn]] inline void fail(const std::string &Message,
                              FailedCall Call = {}) {
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
  throw Error(Message, std::move(Call));
#else
  std::fprintf(stderr, "%s\n", Message.c_str());
  std::abort();
#endif
}

} // namespace detail
} // namespace spmd

#endif // SPMD_ERROR_H

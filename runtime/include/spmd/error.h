//===- error.h - The one error type of the runtime --------------*- C++ -*-===//

#ifndef SPMD_ERROR_H
#define SPMD_ERROR_H

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace spmd {

/// Thrown by every function of the library. Where exceptions are off, the
/// message is printed and the process aborts instead.
class Error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

namespace detail {

[[noreturn]] inline void fail(const std::string &Message) {
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
  throw Error(Message);
#else
  std::fprintf(stderr, "%s\n", Message.c_str());
  std::abort();
#endif
}

} // namespace detail
} // namespace spmd

#endif // SPMD_ERROR_H

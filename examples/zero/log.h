// The loss of each step, for the user and for a file.

#pragma once

#include <cstdio>
#include <string>

namespace zero {

class Log {
public:
  /// Writes a table to \p path, unless that is empty. Ends the program when it
  /// cannot be written.
  explicit Log(const std::string &path);
  ~Log();
  Log(const Log &) = delete;
  Log &operator=(const Log &) = delete;

  void add(int step, double loss, double norm);

private:
  std::FILE *table_ = nullptr;
};

} // namespace zero

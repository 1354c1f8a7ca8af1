// What training has printed so far, as numbers.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace megatron {

struct Entry {
  int64_t step;
  double loss;
  double gradient; ///< its length before clipping
};

using History = std::vector<Entry>;

/// "step,loss,gradient" and a line per step, in digits that give the same
/// numbers when read back.
std::string to_csv(const History &history);
/// Throws std::runtime_error when \p text is not what to_csv writes.
History from_csv(const std::string &text);
/// An array of objects.
std::string to_json(const History &history);

/// Writes JSON where \p path ends so, else CSV.
void write_history(const std::string &path, const History &history);

} // namespace megatron

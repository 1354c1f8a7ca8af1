//===- Diff.h - Where the ranks' records part -------------------*- C++ -*-===//

#ifndef SPMD_TOOLS_SPMD_FLIGHT_DIFF_H
#define SPMD_TOOLS_SPMD_FLIGHT_DIFF_H

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace spmd::flight {

/// A line of a record, see dump_flight_record.
struct Line {
  std::uint64_t Sequence;
  std::string Axis, Operator, Whole, Place;
  bool Finished;
};

/// A rank's record, under the name of its file.
struct Record {
  std::string Name;
  std::vector<Line> Lines;
};

/// Reads a record. What is no line of one is the \p Error, "line 3: …".
bool read(std::istream &From, Record &Into, std::string &Error);

/// Says of every axis that two or more of the records have: the first call on
/// which they disagree, or who has not come to the last one; else that they
/// agree. True if all do.
bool diff(const std::vector<Record> &Records, std::ostream &Out);

} // namespace spmd::flight

#endif // SPMD_TOOLS_SPMD_FLIGHT_DIFF_H

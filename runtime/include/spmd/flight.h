//===- flight.h - The last calls of a rank ----------------------*- C++ -*-===//
//
// Every operator that communicates leaves an entry in a ring of fixed size.
// When one fails and the variable SPMD_FLIGHT_DIR is set, the ring is written
// to <SPMD_FLIGHT_DIR>/rank<r>.flight; `spmd-flight diff` lines the ranks'
// files up and names the first call on which they disagree.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_FLIGHT_H
#define SPMD_FLIGHT_H

#include "spmd/axis.h"

namespace spmd {

/// One call as it began.
struct FlightEntry {
  /// Of the calls on the same axis, from 0.
  std::uint64_t Sequence = 0;
  /// The axis: its name, cut to fit, its size and the lowest rank on it, which
  /// together tell it from the others of the mesh.
  char Axis[24] = {};
  int Size = 0;
  int FirstRank = 0;
  rules::OperatorKind Op = rules::OperatorKind::AllReduce;
  /// It is the mean that is asked for.
  bool Mean = false;
  /// Of the operators that have one.
  int Root = 0;
  /// R, I, V or P, and the dim of S(i); no dim is -1.
  char Src = 0, Dst = 0;
  int SrcDim = -1, DstDim = -1;
  DType Type = DType::F32;
  Site At;
  Shape Whole;
  bool Finished = false;
};

/// The last calls of this rank, at most 1024, oldest first.
std::vector<FlightEntry> flight_record();

/// Writes flight_record() to \p Path, one call a line: sequence number, axis,
/// operator with its types, whole shape, place, "finished" or "waiting",
/// separated by tabs. An Error when the file cannot be written.
void dump_flight_record(const std::string &Path);

} // namespace spmd

#endif // SPMD_FLIGHT_H

//===- Report.h - The parts of the planner's report -------------*- C++ -*-===//

#ifndef SPMD_PLANNER_TOOL_REPORT_H
#define SPMD_PLANNER_TOOL_REPORT_H

#include "spmd/planner/Layout.h"

#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace spmd::planner {

struct ReportOptions {
  unsigned RandomPairs = 2000;
  bool Times = false;
  bool Cases = false; ///< each published plan on a line of its own
};

/// A geometric mean, and the worst.
struct Ratios {
  double LogSum = 0, Worst = 1;
  unsigned Count = 0;
  void add(double Is, double Of) {
    const double R = Is / Of;
    LogSum += std::log(R);
    Worst = std::max(Worst, R);
    ++Count;
  }
  double mean() const { return Count ? std::exp(LogSum / Count) : 1; }
};

/// All pairs of layouts in the order of the mesh, and random pairs in any
/// order, beside a greedy planner.
void reportGreedy(const ReportOptions &O, llvm::raw_ostream &OS);
/// Beside the plans that another planner publishes.
void reportPublished(const ReportOptions &O, llvm::raw_ostream &OS);

} // namespace spmd::planner

#endif // SPMD_PLANNER_TOOL_REPORT_H

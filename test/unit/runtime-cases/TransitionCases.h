//===- TransitionCases.h - Every row of the table on ranks ------*- C++ -*-===//
//
// Every row of the transition table, forward and backward, against what the
// types mean (docs/rules.md): the result is legal, denotes what it should, and
// the gradient pairs with the operand as the result's does with the result. For
// any communicator.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TEST_UNIT_RUNTIME_CASES_TRANSITIONCASES_H
#define SPMD_TEST_UNIT_RUNTIME_CASES_TRANSITIONCASES_H

#include <spmd/spmd.h>

#include <functional>

namespace spmd::test {

/// One tensor on all ranks, as numbers.
struct Ranks {
  std::vector<Shape> Shapes;
  std::vector<std::vector<double>> Values;
};

/// The ranks that a case runs on.
class Launcher {
public:
  virtual ~Launcher() = default;
  /// Runs \p Body on the ranks 0 … N - 1 of an axis, each with its own Axis,
  /// and waits for all.
  virtual void run(int N, const std::function<void(const Axis &)> &Body) = 0;
  /// Where ranks are processes: brings what each rank has in \p X to all.
  virtual void share(Ranks &) {}
  /// Whether calls take so long that each shape meets one element type alone,
  /// all in turn.
  virtual bool isSlow() const { return false; }
};

/// Runs \p Row forward and backward with every shape, element type, dim, even
/// and uneven cut on 1 … \p MaxRanks; GoogleTest expectations say what is
/// wrong.
void checkRow(const rules::Transition &Row, int MaxRanks, Launcher &On);

} // namespace spmd::test

#endif // SPMD_TEST_UNIT_RUNTIME_CASES_TRANSITIONCASES_H

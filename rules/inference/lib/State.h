//===- State.h - What is known at a program point ---------------*- C++ -*-===//
//
// A state maps slots to cells (abstract storage) and cells to their values. Two
// slots of one cell are aliases. AbstractValue contents are immutable and
// shared between states, so copying a state copies pointers.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_RULES_LIB_INFERENCE_STATE_H
#define SPMD_RULES_LIB_INFERENCE_STATE_H

#include "../domain/Value.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <deque>

namespace spmd::rules::inference {

class State {
public:
  std::vector<CellId> Slots; ///< by slot index
  llvm::DenseMap<CellId, const AbstractValue *> Cells;
  bool Reached = false;
};

/// Interns what the analysis of one function allocates.
class Arena {
public:
  const AbstractValue *cell(AbstractValue C) {
    Cells.push_back(std::move(C));
    return &Cells.back();
  }
  const Origin *origin(Origin O) {
    Origins.push_back(O);
    return &Origins.back();
  }

private:
  std::deque<AbstractValue> Cells;
  std::deque<Origin> Origins;
};

} // namespace spmd::rules::inference

#endif // SPMD_RULES_LIB_INFERENCE_STATE_H

//===- AxisHandle.h - How a function names a mesh axis ----------*- C++ -*-===//

#ifndef SPMD_LINT_AXISHANDLE_H
#define SPMD_LINT_AXISHANDLE_H

#include "spmd/ir/IR.h"

#include <string>
#include <vector>

namespace spmd::lint {

/// A communicator that an edit in a function can name.
struct AxisHandle {
  enum class Kind : std::uint8_t {
    Axis,
    ProcessGroup,
    NcclComm,
    MpiComm,
    Indirect, ///< leads to one of these, and is none that the library takes
    Mesh,     ///< of several; Axes is empty
  };
  Kind K = Kind::Axis;
  rules::SlotId Slot = rules::SlotId::None;
  std::string Text;              ///< as it would be written in the function
  std::vector<std::string> Axes; ///< outermost first
};

} // namespace spmd::lint

#endif // SPMD_LINT_AXISHANDLE_H

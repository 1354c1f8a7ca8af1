//===- Termination.h - In which call Gloo ended the process -----*- C++ -*-===//

#ifndef SPMD_C10D_TERMINATION_H
#define SPMD_C10D_TERMINATION_H

namespace spmd {

/// Where ranks give Gloo other shapes, it throws on a thread of its own, which
/// ends the process. From the first call of this on, such a process says in
/// which operator, and writes the flight record; \p Rank is its rank in a
/// group.
void explainTerminations(int Rank);

} // namespace spmd

#endif // SPMD_C10D_TERMINATION_H

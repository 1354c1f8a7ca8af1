//===- deadline.h - How long ranks wait for each other ----------*- C++ -*-===//

#ifndef SPMD_DEADLINE_H
#define SPMD_DEADLINE_H

#include <chrono>

namespace spmd {

/// How long one operator, or one meeting at a store, waits for the other ranks
/// before it is an Error. That of the variable SPMD_DEADLINE, "90", "90s",
/// "1500ms" or "5m", unless the program has set one; 5 minutes without either.
/// What cannot be understood is an Error that names the variable.
std::chrono::milliseconds deadline();

/// Sets it for the whole process; 0 brings back the variable's. Less than 0 is
/// an Error. Over c10d a shorter limit of the group counts, and over its NCCL
/// groups that alone.
void set_deadline(std::chrono::milliseconds Limit);

} // namespace spmd

#endif // SPMD_DEADLINE_H

//===- Variables.h - Environment variables, strictly read -------*- C++ -*-===//

#ifndef SPMD_LIB_BOOTSTRAP_VARIABLES_H
#define SPMD_LIB_BOOTSTRAP_VARIABLES_H

#include <climits>
#include <string>

namespace spmd::bootstrap {

/// "RANK is '5'".
std::string is(const char *Name);
/// Set, and not to nothing.
bool isSet(const char *Name);
/// The value, or nothing.
std::string text(const char *Name);

/// Error: "spmd::init: RANK is 'x', expected …", or "… is not set, …".
[[noreturn]] void failOn(const char *Name, const std::string &Expected);

/// A number from \p Least to \p Most, of digits alone; else an Error that says
/// what \p Is expected.
int number(const char *Name, int Least, int Most, const std::string &Is);

/// What Slurm writes of nodes, "node[03-07,9],gpu1", begins with "node03". An
/// Error that names the variable if it cannot be read.
std::string firstNode(const char *Name);

} // namespace spmd::bootstrap

#endif // SPMD_LIB_BOOTSTRAP_VARIABLES_H

//===- CheckCall.h - Do all ranks mean the same? ----------------*- C++ -*-===//
//
// With SPMD_CHECK=1 in the environment, ranks compare before every operator
// what they call, and the operand where its type says that it is the same on
// all; after one that communicates also the result.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LIB_CHECKCALL_H
#define SPMD_LIB_CHECKCALL_H

#include "spmd/transition.h"

namespace spmd::detail {

constexpr char NoMemory[] =
    "no memory is left for what the operator needs beside its buffers";

/// For a handler: what is being handled again, with \p C unless it is an Error
/// that names its call. What is no std::exception passes.
[[noreturn]] void failAsThrown(const Call &C);
/// Of an axis of two ranks or more.
Communicator &communicatorOf(const Call &C);

/// An Error on all ranks of \p C.On when their operators, types, dtypes or
/// whole shapes differ.
void checkSameCall(const Call &C);
/// An Error on all ranks when one sends other than what the other expects.
void checkCounts(const Call &C);

/// An Error on all ranks when \p P says that \p X is the same everywhere, R or
/// I, and it is not. \p What names it: "operand" or "result".
void checkSameValue(const Call &C, const Placement &P, const View &X,
                    const char *What);

} // namespace spmd::detail

#endif // SPMD_LIB_CHECKCALL_H

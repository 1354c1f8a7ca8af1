//===- Complete.h - What starts and waits share -----------------*- C++ -*-===//

#ifndef SPMD_LIB_COMPLETE_H
#define SPMD_LIB_COMPLETE_H

#include "spmd/work.h"

namespace spmd::detail {

/// For \p C; what its axis cannot be connected for is an Error of it.
Started &takeStarted(const Call &C);
/// \p In, or a dense copy of it that \p S keeps.
const View &denseOperand(Started &S, const View &In);
/// \p S will put its result into \p Out, of any strides.
void setResult(Started &S, const View &Out);
/// Puts it there, from where it is dense.
void deliver(Started &S);

/// Scales what \p S has received and puts it where it belongs.
void complete(Started &S);

/// The same for a step of a redistribution, and does those that follow.
void goOn(Started &S);
/// Gives up those that follow.
void abandonSteps(Started &S, const std::string &Why) noexcept;

/// Whether what has failed may still read and write the memory of \p S.
bool mayHold(const Started &S);

/// Of the operator that \p S is, or is a step of.
Error errorOf(const Started &S, const std::string &Cause);

} // namespace spmd::detail

#endif // SPMD_LIB_COMPLETE_H

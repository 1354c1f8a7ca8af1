//===- TypeText.h - A value's name and type as text -------------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_TYPETEXT_H
#define SPMD_LINT_LIB_TYPETEXT_H

#include "ProgramText.h"

#include "spmd/inference/Inference.h"

namespace spmd::lint {

/// Whether \p T says something: "not P" and the like decide nothing.
inline bool isKnown(const rules::AxisType &T) { return T.Set.size() <= 2; }

/// "tp: V, dp: R", "[B@dp, S]{tp: P}"; empty where nothing is known.
std::string typeText(const rules::TypedSlot &T);

/// What the user calls it, else its text on one line.
std::string nameText(const rules::TypedSlot &T, const ProgramText &Text);

std::string onOneLine(llvm::StringRef Text);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_TYPETEXT_H

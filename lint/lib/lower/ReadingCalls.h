//===- ReadingCalls.h - What unseen code is there for, by its name -*- C++
//-*-===//

#ifndef SPMD_LINT_LOWER_READINGCALLS_H
#define SPMD_LINT_LOWER_READINGCALLS_H

#include "cxx/CallSite.h"

namespace spmd::lint::lower {

/// Whether the name of what \p C calls says that it looks at what it is given,
/// as `evaluate(net)` and `print_weights(w, n)` do, and changes none of it.
/// That it is handed on without const says little: `forward` is not const
/// either.
bool readsByName(const CallSite &C);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_READINGCALLS_H

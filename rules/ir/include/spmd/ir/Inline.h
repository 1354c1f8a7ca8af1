//===- Inline.h - A function with the bodies of what it calls ---*- C++ -*-===//
//
// For what has to see through calls as if all stood in one function. Contracts
// stay as assertions; what is recursive, trusted, local or has no body stays a
// call.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_IR_INLINE_H
#define SPMD_IR_INLINE_H

#include "spmd/ir/Link.h"

namespace spmd::rules {

struct InlinedFunction {
  Function F;
  /// By place of F; a place of a body that is there twice is one.
  std::vector<OriginalPlace> Places;
  std::vector<const Function *> Callees; ///< each once, as first reached

  OriginalPlace original(PlaceId At) const {
    return index(At) < Places.size() ? Places[index(At)] : OriginalPlace();
  }
};

/// \p F with the bodies that \p M has of what it calls, and these call, until
/// there would be more than \p MaxFacts facts.
InlinedFunction inlineCalls(const Function &F, const Module &M,
                            std::size_t MaxFacts = 20000);

} // namespace spmd::rules

#endif // SPMD_IR_INLINE_H

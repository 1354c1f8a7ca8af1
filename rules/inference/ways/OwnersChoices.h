//===- OwnersChoices.h - Numbers that an object's owner gives it -*- C++
//-*-===//
//
// What a constructor or a setter stores of its parameter, as in
// `gather_output_(gather_output)`, is an option of each object. Code that is
// given one does not go every way that some object may go.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_WAYS_OWNERSCHOICES_H
#define SPMD_INFERENCE_WAYS_OWNERSCHOICES_H

#include "spmd/ir/IR.h"

#include "llvm/ADT/StringSet.h"

namespace spmd::rules::inference {

class OwnersChoices {
public:
  explicit OwnersChoices(const Module &M);

  /// Whether the member \p Name of the object that \p F is called on is one.
  bool contains(const Function &F, llvm::StringRef Name) const;

private:
  llvm::StringSet<> Members; ///< by class and name
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_WAYS_OWNERSCHOICES_H

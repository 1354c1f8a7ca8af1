//===- ObjectClasses.h - Slots that may name one object ---------*- C++ -*-===//
//
// A reference, a pointer and what they refer to are names of one object; so are
// the fields of its names. Which of them name it at a point of the program is
// for the inference to know: here is only what may be.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_RULES_LIB_OBJECTCLASSES_H
#define SPMD_RULES_LIB_OBJECTCLASSES_H

#include "spmd/ir/IR.h"

namespace spmd::rules {

class ObjectClasses {
public:
  /// Starts with what is stored in \p F already.
  explicit ObjectClasses(Function &F);

  SlotId find(SlotId S);
  /// True if the two were not known to be the same.
  bool join(SlotId A, SlotId B);
  /// Joins the fields of the names of one object; true if any were not.
  bool close();
  bool empty() const { return Empty; }
  /// Those of two slots or more.
  std::vector<std::vector<SlotId>> classes();
  /// Whether \p S is reached through an object of its own class, or through
  /// too many: a linked structure, which would never end.
  bool isWithinItself(SlotId S);
  void store();

private:
  void grow();

  Function &F;
  std::vector<SlotId> Parent;
  bool Empty;
};

} // namespace spmd::rules

#endif // SPMD_RULES_LIB_OBJECTCLASSES_H

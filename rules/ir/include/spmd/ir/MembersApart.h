//===- MembersApart.h - What objects of one kind lack -----------*- C++ -*-===//

#ifndef SPMD_IR_MEMBERSAPART_H
#define SPMD_IR_MEMBERSAPART_H

#include "spmd/ir/IR.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

namespace spmd::rules {

/// The member of \p Object that \p Field is, or is part of; empty if it is
/// none.
llvm::StringRef memberOf(const Function &F, SlotId Object, SlotId Field);

/// On the \p Way of a choice \p Field is nothing. What has other names, too,
/// keeps them.
void leaveOut(Function &F, std::size_t Way, SlotId Field);

/// In \p F, which makes one of several calls with \p Object, a parameter: on
/// the way of each, the members that the object lacks are nothing, as are those
/// of other classes (Dispatch.h).
void keepMembersApart(Function &F, SlotId Object,
                      llvm::ArrayRef<llvm::StringSet<>> Lacked);

} // namespace spmd::rules

#endif // SPMD_IR_MEMBERSAPART_H

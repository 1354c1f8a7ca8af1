//===- Dispatch.h - Virtual calls as a choice of methods --------*- C++ -*-===//
//
// Nobody knows which method a virtual call reaches, but whichever it is has an
// object of its own class: what objects of the other classes have, it neither
// has nor leaves as it was. Of many objects behind pointers to a base, those of
// each class are looked at together.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_IR_DISPATCH_H
#define SPMD_IR_DISPATCH_H

#include "spmd/ir/IR.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"

namespace spmd::rules {

/// Classes by the names that fields have of them: `struct Dense` of
/// `struct Dense::w`.
struct ClassFamilies {
  llvm::StringMap<std::string> ByMethod; ///< by the method's symbol
  /// By class: those that it derives from, directly or not.
  llvm::StringMap<std::vector<std::string>> Bases;
};

/// Makes \p F, of which only the signature and what is assumed is there, call
/// one of \p Methods.
void callOneOf(Function &F, llvm::ArrayRef<std::string> Methods);

/// In functions that make one of several calls: on the way of each, fields of
/// classes that its object is not of are nothing. After addCalleeFields.
void keepClassesApart(Module &M, const ClassFamilies &Classes);

} // namespace spmd::rules

#endif // SPMD_IR_DISPATCH_H

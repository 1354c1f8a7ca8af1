//===- HandedElements.h - Elements that other containers name ---*- C++ -*-===//
//
//   for (Layer &l : net.layers) bucket.push_back(&l);
//   for (Layer *l : bucket) sum(l->grad);
//
// What is done by way of `bucket` is done to some elements of `net.layers`;
// nobody says to which.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_HANDEDELEMENTS_H
#define SPMD_LINT_LOWER_HANDEDELEMENTS_H

#include "spmd/ir/IR.h"

#include "clang/AST/Decl.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace spmd::lint::lower {

class FactWriter;
class SlotTable;

class HandedElements {
public:
  /// A pointer to \p Object, a struct of the class \p Of, is handed to the
  /// container that \p Container names.
  void note(const rules::Function &F, const clang::Expr *Container,
            rules::SlotId Object, const clang::RecordDecl *Of);
  /// Where \p VD is named, what the elements of its lists have may become
  /// anything.
  void lose(FactWriter &L, SlotTable &Slots, const clang::VarDecl *VD,
            const clang::Expr *At) const;

private:
  using Lists =
      llvm::SmallMapVector<rules::SlotId, const clang::RecordDecl *, 2>;
  llvm::DenseMap<const clang::VarDecl *, Lists> ListsIn;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_HANDEDELEMENTS_H

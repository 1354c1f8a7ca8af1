//===- FilledLists.h - Lists made of all elements of another ----*- C++ -*-===//
//
// `for (auto &p : model->parameters()) grads.push_back(p.grad());` makes a list
// of the gradients of another: behind the loop, one is a name of the other, so
// that what is done to its tensors is done to those.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_FILLEDLISTS_H
#define SPMD_LINT_LOWER_FILLEDLISTS_H

#include "clang/AST/Decl.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace spmd::lint::lower {

class FilledLists {
public:
  /// \p IsOverAll says of a loop whether it is over all elements of a list.
  FilledLists(const clang::FunctionDecl *FD,
              llvm::function_ref<bool(const clang::Stmt *)> IsOverAll);

  struct Filled {
    const clang::VarDecl *List;
    bool WithGradients; ///< of the elements, in place of themselves
    bool HasOthers;     ///< something else is put into it as well
  };
  /// What a loop over a list fills with something of each element.
  llvm::ArrayRef<Filled> by(const clang::Stmt *Loop) const {
    const auto It = Of.find(Loop);
    return It == Of.end() ? llvm::ArrayRef<Filled>() : It->second;
  }
  /// Whether \p Call puts an element into such a list.
  bool isFilling(const clang::Expr *Call) const { return Calls.contains(Call); }

private:
  llvm::DenseMap<const clang::Stmt *, llvm::SmallVector<Filled, 1>> Of;
  llvm::DenseSet<const clang::Expr *> Calls;
};

/// All that the body of a function does to a list of tensors that is a member
/// of its object.
struct MemberFill {
  /// `model->parameters()`, where some loop puts all elements of that into it.
  const clang::Expr *From = nullptr;
  /// Something else may be put into it or taken out of it.
  bool IsChanged = false;
};
MemberFill fillOf(const clang::FunctionDecl *FD, const clang::FieldDecl *List);

/// Whether \p S asks if a tensor is there, or gets a gradient: `p.defined()`,
/// `p.requires_grad()`.
bool asksIfThere(const clang::Stmt *S);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_FILLEDLISTS_H

//===- SingleElements.h - Lists used element by element ---------*- C++ -*-===//
//
// `Tensor a[2] = {x, y}` of which code names `a[0]` and `a[1]` alone is two
// variables; any other list is one summary of what it holds.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_SINGLEELEMENTS_H
#define SPMD_LINT_LOWER_SINGLEELEMENTS_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace spmd::lint::lower {

class SingleElements {
public:
  explicit SingleElements(const clang::FunctionDecl *FD);

  /// Whether each mention of the local \p VD is one of an element whose number,
  /// or key, is known.
  bool contains(const clang::VarDecl *VD) const { return Lists.contains(VD); }
  /// The list or map that \p E is an element of, and the element: `[2]`,
  /// `["key"]`.
  struct Element {
    const clang::Expr *List = nullptr;
    std::string Name;
  };
  const Element *find(const clang::Expr *E) const;

private:
  llvm::DenseSet<const clang::VarDecl *> Lists;
  llvm::DenseMap<const clang::Expr *, Element> Elements;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_SINGLEELEMENTS_H

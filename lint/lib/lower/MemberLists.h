//===- MemberLists.h - Members that are lists of pointers -------*- C++ -*-===//
//
//   m->g[W] = m->grads;
//   m->g[B] = m->grads + n;
//
// All that such a list has lies in one allocation, which another member holds.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_MEMBERLISTS_H
#define SPMD_LINT_LOWER_MEMBERLISTS_H

#include "PointerOrigins.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace spmd::lint::lower {

/// Whether \p Field is an array of pointers to numbers.
bool isMemberList(const clang::FieldDecl *Field);
/// The member \p E, if it is one.
PointerMember memberList(const clang::Expr *E);
/// That of which \p E is an element: `m->g` of `m->g[i]`.
PointerMember memberListAt(const clang::Expr *E);
/// The parameter `float **p` of `p[i]`.
const clang::ParmVarDecl *parameterListAt(const clang::Expr *E);

/// Whether \p Value, which \p B puts into the list of which \p Element is one,
/// says nothing of where its other pointers lead: it is none, or lies behind
/// another one of them.
bool staysInList(const PointerOrigins &B, const clang::Expr *Element,
                 const clang::Expr *Value);
/// The member that holds what \p Value points into, maybe by way of a variable
/// that it got the pointer from, or gave it.
PointerMember memoryMember(const PointerOrigins &B, const clang::Expr *Value);

/// Who puts pointers into lists otherwise than by an assignment that names the
/// list, and memory.
class MemberListFillers {
public:
  explicit MemberListFillers(llvm::ArrayRef<PointerOrigins> Bodies);

  /// The lists of which some pointers may lead elsewhere behind \p B.
  llvm::SmallPtrSet<const clang::FieldDecl *, 4>
  listsIn(const PointerOrigins &B) const;

private:
  bool fills(const clang::CallExpr *Call, unsigned I, unsigned Depth = 0) const;

  llvm::DenseMap<const clang::FunctionDecl *, const PointerOrigins *> BodyOf;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_MEMBERLISTS_H

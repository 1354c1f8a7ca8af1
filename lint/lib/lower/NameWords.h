//===- NameWords.h - What names say -----------------------------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_NAMEWORDS_H
#define SPMD_LINT_LOWER_NAMEWORDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace clang {
class NamedDecl;
} // namespace clang

namespace spmd::lint::lower {

/// Whether \p Name, in any case, has one of \p Words in it.
bool isAny(llvm::StringRef Name, llvm::ArrayRef<llvm::StringRef> Words);

/// Whether \p Name is that of a count, of ranks or of elements.
bool saysHowMany(llvm::StringRef Name);
/// Whether \p D, a member or a method of an element, says how much it has.
bool countsWhatItHas(const clang::NamedDecl *D);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_NAMEWORDS_H

//===- NumberReader.h - Numbers that keep their value -----------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_NUMBERREADER_H
#define SPMD_LINT_LOWER_NUMBERREADER_H

#include "Constancy.h"
#include "CountedMembers.h"

#include "spmd/ir/IR.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace spmd::lint::lower {

/// Whether \p E is a member of one of a list's structs: `l->update`,
/// `layers[i].update`.
bool isMemberOfElement(const clang::Expr *E);

/// Reads whether an expression keeps its value in a function.
class NumberReader {
public:
  NumberReader(
      const Constancy &Constant, const CountedMembers &Counted, bool OfElements,
      llvm::function_ref<rules::BlockId(const clang::VarDecl *)> LoopOf)
      : Constant(Constant), Counted(Counted), OfElements(OfElements),
        LoopOf(LoopOf) {}

  bool IsOfRanks = false;
  rules::BlockId Loop =
      rules::BlockId::None; ///< whose iterations it tells apart
  bool Counts = false;      ///< another number in each iteration
  bool IsIfDefined = false; ///< whether there is something in each iteration
  bool IsAmount = false;    ///< how much there is

  bool keepsValue(const clang::Expr *E);

private:
  static bool mayTellRanksApart(const clang::Stmt *S);
  /// `atoi(argv[1])`: what the user says holds for the whole run.
  static bool readsOption(const clang::CallExpr *C);
  /// `is_training()` of a module whose mode nothing here changes.
  bool asksForMode(const clang::CallExpr *C) const;
  /// How much a container has that nobody here changes.
  bool sizesConstant(const clang::CXXMemberCallExpr *C) const;
  /// The object whose member it is: `this`, `cfg`, `state->cfg`, `packs[name]`.
  bool isPath(const clang::Expr *E) const;
  /// A member of an element of an array, another one in each.
  bool isOfArray(const clang::MemberExpr *M);
  /// What names the same element throughout.
  bool isKey(const clang::Expr *E) const;
  bool isKept(const clang::ValueDecl *D, clang::SourceLocation At);
  /// `numel(layer)` of `return l->rows * l->columns`, noted in a local: as much
  /// a number as if it were written there.
  bool asksForNumber(const clang::Expr *E);
  /// Whether all that \p C calls does is to return what members say.
  static bool returnsMembers(const clang::CallExpr *C);
  /// Whether \p E is computed of numbers that its function is given, as they
  /// are or in objects.
  static bool isOfMembers(const clang::Expr *E);
  bool countsCalls(const clang::Expr *E) const;
  /// Of several loops the innermost, whose block comes last.
  bool countsIterations(const clang::VarDecl *VD);

  const Constancy &Constant;
  const CountedMembers &Counted;
  const bool OfElements;
  llvm::function_ref<rules::BlockId(const clang::VarDecl *)> LoopOf;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_NUMBERREADER_H

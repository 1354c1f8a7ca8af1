//===- RecordLoops.h - Loops over the elements of a list of structs -------===//
//
// `for (l = 0; l < layers; ++l) reduce(blocks[l].grad)`: of an array of structs
// one cell stands for all elements, so that what is done to some would be done
// to all. Here is which conditions and which loops leave some of them out.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_RECORDLOOPS_H
#define SPMD_LINT_LOWER_RECORDLOOPS_H

#include "Constancy.h"
#include "ElementChoices.h"

#include "spmd/ir/IR.h"

#include <optional>
#include <string>

namespace spmd::lint::lower {

class RecordLoops {
public:
  RecordLoops(const clang::FunctionDecl *FD, const Constancy &Constant);

  /// Whether \p S decides by the number of an element, or by how large it is,
  /// if something is done to it.
  bool choosesElements(const clang::Stmt *S) const {
    return Choices.contains(S);
  }
  /// The same as \p Test, of such a statement, with the name that all loops
  /// over the list have for the number of an element.
  rules::BranchTest named(const clang::Stmt *S, rules::BranchTest Test) const;
  /// Which elements the loop \p S has an iteration for, where others of the
  /// function have one for each: `l >= 1`, `l < layers / 2`.
  std::optional<rules::BranchTest> comesTo(const clang::Stmt *S) const;
  /// Which element \p Call is given, `reduce(layers[0].grad)`, where loops come
  /// to all of them and no call to another one.
  std::optional<rules::BranchTest> givenTo(const clang::Stmt *Call) const;

private:
  struct Names {
    std::string Here, Everywhere; ///< empty: the element has no number
  };
  llvm::DenseMap<const clang::Stmt *, Names> Choices;
  llvm::DenseMap<const clang::Stmt *, rules::BranchTest> ComesTo, GivenTo;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_RECORDLOOPS_H

//===- EachLoops.h - Loops over all elements of a list ----------*- C++ -*-===//
//
// `for (auto &p : params)` does to each tensor of the list, once, what the body
// does to `p`. A list is one summary of its tensors, so an iteration that read
// the summary would see what earlier ones made of other tensors: gradients
// would be reduced twice. The lowering gives such a loop the list as it was
// before, a copy of an element for each iteration, and collects what the
// iterations leave of theirs.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_EACHLOOPS_H
#define SPMD_LINT_LOWER_EACHLOOPS_H

#include "ElementChoices.h"
#include "FilledLists.h"
#include "ShortenedLists.h"

#include "clang/AST/Decl.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace spmd::lint::lower {

/// A loop that has one iteration for each element of some lists, or a call of
/// `std::for_each` that is one.
struct EachLoop {
  const clang::Stmt *Loop = nullptr;
  /// The loop variable: an element, or the number of one; of a call, the
  /// parameter of what it calls.
  const clang::VarDecl *Variable = nullptr;
  /// A mention of each list.
  llvm::SmallVector<const clang::Expr *, 2> Lists;
  /// No variable of the function is the element: `for (i = 0; i < list.size();
  /// ++i)`, and a call.
  bool OfNumbers = false;
  bool Gradients = false; ///< the body asks for gradients
  /// What says which elements there is no iteration for: `i < list.size() / 2`;
  /// null if there is one for each.
  const clang::Expr *LeavesOut = nullptr;
  /// Nobody knows of how many elements it has an iteration.
  bool OfSome = false;
  /// What ends it before the last element.
  llvm::SmallVector<const clang::BreakStmt *, 1> Breaks;
  /// The lists that are made of all elements.
  llvm::SmallVector<FilledLists::Filled, 1> Fills;
};

struct CountedLoop;
struct IteratorLoop;

class EachLoops {
public:
  explicit EachLoops(const clang::FunctionDecl *FD);

  /// The loop whose list is taken, or counter starts, in the declaration of
  /// \p VD.
  const EachLoop *startedBy(const clang::VarDecl *VD) const {
    return Starts.lookup(VD);
  }
  /// The loop whose iterations begin with the declaration of \p VD.
  const EachLoop *elementOf(const clang::VarDecl *VD) const {
    return Elements.lookup(VD);
  }
  /// The loop that \p E is the condition, or the increment, of.
  const EachLoop *decidedBy(const clang::Expr *E) const {
    return Conditions.lookup(E);
  }
  const EachLoop *continuedBy(const clang::Expr *E) const {
    return Increments.lookup(E);
  }
  /// Whether \p S decides if something is done to the element of an iteration.
  /// Where some tensors are \p Frozen, one that also asks for the gradient may
  /// know which these are.
  bool choosesElements(const clang::Stmt *S, bool Frozen) const {
    const auto At = Choices.find(S);
    return At != Choices.end() && !(Frozen && At->second);
  }
  /// The lists that are made of all elements of those of the loop.
  const FilledLists &filled() const { return *Filled; }
  const ShortenedLists &shortened() const { return Shortened; }
  /// The loops that \p S ends before the last element, the innermost first.
  llvm::ArrayRef<const EachLoop *> leftBy(const clang::ReturnStmt *S) const {
    const auto At = Returns.find(S);
    return At == Returns.end() ? llvm::ArrayRef<const EachLoop *>()
                               : At->second;
  }
  /// The loop that is the statement \p S.
  const EachLoop *find(const clang::Stmt *S) const { return Loops.lookup(S); }
  /// `list[i]`: the number of the list among those of its loop.
  struct Element {
    const EachLoop *Of = nullptr;
    unsigned List = 0;
  };
  Element element(const clang::Expr *E) const { return Indexed.lookup(E); }

private:
  enum class Reach : std::uint8_t { Unknown, Part, All };

  void note(const clang::CXXForRangeStmt *S);
  void note(const CountedLoop &S);
  void note(const IteratorLoop &S);
  void note(const clang::CallExpr *S);

  void keep(std::unique_ptr<EachLoop> Loop, const clang::Expr *Condition,
            const clang::Expr *Step, llvm::ArrayRef<const clang::Stmt *> Body);
  void noteReturns(const EachLoop &Loop);
  void noteChoices(const EachLoop &Loop,
                   llvm::ArrayRef<const clang::Stmt *> Body);
  Reach reachOf(const CountedLoop &S, const clang::Expr *List) const;

  const clang::ASTContext &Ctx;
  /// How far the loops of the function go over each list.
  std::map<std::vector<const clang::ValueDecl *>, std::set<std::string>> Bounds;
  ElementChoices Choices;
  ShortenedLists Shortened;
  std::vector<std::unique_ptr<EachLoop>> All;
  llvm::DenseMap<const clang::VarDecl *, const EachLoop *> Starts, Elements;
  llvm::DenseMap<const clang::Expr *, const EachLoop *> Conditions, Increments;
  llvm::DenseMap<const clang::Stmt *, const EachLoop *> Loops;
  llvm::DenseMap<const clang::Expr *, Element> Indexed;
  llvm::DenseMap<const clang::ReturnStmt *,
                 llvm::SmallVector<const EachLoop *, 1>>
      Returns;
  std::optional<FilledLists> Filled;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_EACHLOOPS_H

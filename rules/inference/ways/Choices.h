//===- Choices.h - What numbers decide --------------------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_WAYS_CHOICES_H
#define SPMD_INFERENCE_WAYS_CHOICES_H

#include "spmd/ir/IR.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringSet.h"

namespace spmd::rules::inference {

/// Whether the way on which \p T is \p Is may matter: a number up to one may be
/// that of ranks or elements, and then there is nothing to reduce.
bool counts(const BranchTest &T, bool Is);

/// Whether \p T is of a member: `config->stage`.
bool isOfMember(const BranchTest &T);
/// The names of numbers in \p Text, without those of the objects that they are
/// members of: `flag` of `c->flag`.
llvm::StringSet<> numbersIn(llvm::StringRef Text);
/// Whether it tells elements of a list apart, those that are there included.
bool isOfElements(const BranchTest &T);
/// What \p T asks for the remainder of, of elements: `i % 2`.
struct RemainderOf {
  std::string Of;
  std::int64_t Divisor = 0;
};
std::optional<RemainderOf> remainderIn(const BranchTest &T);
/// What is asked of the elements of which \p On asks for the remainders of
/// their numbers, among the blocks by number in \p All: a loop over a part asks
/// for that where it begins, and not within.
std::vector<std::uint32_t>
testsOfSameElements(const Function &F,
                    llvm::ArrayRef<std::vector<std::uint32_t>> All,
                    const std::vector<std::uint32_t> &On);
/// Whether what is computed decides, as a loss or a norm.
inline bool isOnData(const BranchTest &T) {
  return T.K == BranchTest::Kind::Data;
}

/// "on the way where 'stage' is not 2", where \p Block of \p F is \p Is.
std::string say(const Function &F, std::uint32_t Block, bool Is);

/// Branches of a function, and how each is taken on one way.
using Choice = std::vector<std::pair<std::uint32_t, bool>>;

/// Whether \p Chosen has the branch at \p Block, of a switch, only as one of
/// the cases that it is not, beside that which it is.
bool isOtherCase(const Function &F, const Choice &Chosen, std::uint32_t Block);

/// Whether a number is none of several that \p Chosen branches compare it with:
/// whoever tells its values apart will have named all that there are.
bool isNoneNamed(const Function &F, const Choice &Chosen);

/// The numbers between which the functions of a module tell a member apart.
struct NamedNumbers {
  llvm::SmallSet<std::int64_t, 4> OnWay, Others;
};
/// Those of the member that \p Of tests: what it may be where the branches of
/// \p F decide as \p Chosen says, and what else it may be.
NamedNumbers namedNumbers(const Module &M, const Function &F,
                          const Choice &Chosen, const BranchTest &Of);

/// Whether a member is another number on the way than any that some function of
/// \p M tells apart.
bool isOutsideOfNamed(const Module &M, const Function &F, const Choice &Chosen);

/// All that the blocks \p On of \p F may decide together, on ways that count.
/// So does one on which a number is one of several that are told apart, if
/// \p Communicates says that it has a collective of its own: that number counts
/// neither ranks nor elements.
std::vector<Choice>
choicesOf(const Function &F, llvm::ArrayRef<std::uint32_t> On,
          llvm::function_ref<bool(std::uint32_t Block, bool Is)> Communicates);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_WAYS_CHOICES_H

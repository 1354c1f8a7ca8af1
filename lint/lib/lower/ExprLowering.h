//===- ExprLowering.h - The slots of a body's expressions -------*- C++ -*-===//
//
// Clang's CFG lists every subexpression in the order of evaluation. Each is
// lowered when it comes, without recursion; its value is a slot that later
// expressions look up. This is what recognisers and all that lowers one kind of
// expression are given: it writes facts, and knows the expressions in them.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_EXPRLOWERING_H
#define SPMD_LINT_LOWER_EXPRLOWERING_H

#include "BodySurvey.h"
#include "FactWriter.h"
#include "HandedElements.h"
#include "LowerEach.h"
#include "Slots.h"
#include "Strip.h"

#include "cxx/CallSite.h"
#include "cxx/TypeClass.h"

#include "spmd/ops/ScalarRules.h"

#include <map>

namespace spmd::lint::lower {

class ExprLowering : public FactWriter {
public:
  /// Lowers what has no value yet.
  using Lowering = SlotId (*)(ExprLowering &, const clang::Expr *);

  ExprLowering(ModuleLowering &M, const clang::FunctionDecl *FD,
               rules::Function &F, FunctionSource &Source, Lowering Lower)
      : FactWriter(M, FD, F, Source), Lower(Lower) {}

  SlotId value(const clang::Expr *E);
  Operand operand(const clang::Expr *E);
  /// Slot None when \p E is null or an absent optional.
  Operand operandOrNone(const clang::Expr *E);
  std::optional<std::int64_t> constant(const clang::Expr *E) const;
  void setValue(const clang::Expr *E, SlotId S) { Values[E] = S; }
  /// What follows runs where an axis has one rank, or need not.
  void setOneRank(bool Is) { OneRank = Is; }
  /// The slot that the branches of \p E, `c ? a : b`, are bound to; None before
  /// there is one.
  SlotId &merged(const clang::AbstractConditionalOperator *E) {
    return Merged.try_emplace(E, SlotId::None).first->second;
  }

  /// The tensor whose size is asked for: a name of its own, if \p Tensor will
  /// name others later.
  void noteSized(const clang::Expr *Tensor);
  /// The same where the size is used.
  SlotId sizedTensor(const clang::Expr *Tensor) const;

  /// \p Value was assigned to a field of a local struct.
  void noteField(const clang::MemberExpr *Field, const clang::Expr *Value);
  /// What was assigned to a field of a local options struct.
  const clang::Expr *lastFieldValue(const clang::Expr *Object,
                                    llvm::StringRef Field) const;
  /// The variable or member that \p E is, and the members that were set to it.
  llvm::SmallVector<SlotId, 2> namesOf(const clang::Expr *E);

  SlotTable Slots{*this};
  const BodySurvey Body{function(), module().pointerLists(),
                        module().globalArenas()};
  EachLists Lists{*this, Slots};
  HandedElements Handed;

private:
  SlotId ofOneRank(SlotId Named, const clang::Expr *E);

  const Lowering Lower;
  bool OneRank = false;
  llvm::DenseMap<const clang::Expr *, SlotId> Values, Sized;
  llvm::DenseMap<const clang::AbstractConditionalOperator *, SlotId> Merged;
  std::map<std::pair<SlotId, std::string>, const clang::Expr *> FieldValues;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_EXPRLOWERING_H

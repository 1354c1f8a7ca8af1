//===- SwitchTests.cpp - A switch as comparisons --------------------------===//

#include "SwitchTests.h"

#include "clang/AST/Stmt.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

namespace {
struct Case {
  std::int64_t Is = 0;
  BlockId Goes = BlockId::None;
};
} // namespace

/// Those of more cases are tables, and of ways there would be too many.
static constexpr unsigned MostCases = 8;

bool lowerSwitch(
    ExprLowering &L, const CFGBlock &B, const BranchTest &Of,
    llvm::function_ref<std::optional<BlockId>(const CFGBlock *)> NumberOf) {
  const auto *At = cast<SwitchStmt>(B.getTerminatorStmt());
  llvm::SmallVector<Case, MostCases> Cases;
  std::optional<BlockId> Rest; ///< none where there is a case for each value
  bool NamesRest = false;
  for (const CFGBlock::AdjacentBlock &Succ : B.succs()) {
    const CFGBlock *S = Succ.getReachableBlock();
    const std::optional<BlockId> To = S ? NumberOf(S) : std::nullopt;
    const auto *Label = S ? dyn_cast_or_null<CaseStmt>(S->getLabel()) : nullptr;
    if (!To)
      continue;
    // The last one is that of no case.
    if (&Succ == &*std::prev(B.succ_end())) {
      Rest = To;
      NamesRest = isa_and_nonnull<DefaultStmt>(S->getLabel()) && !S->empty();
      continue;
    }
    const std::optional<std::int64_t> Is =
        Label && !Label->getRHS() ? L.constant(Label->getLHS()) : std::nullopt;
    if (!Is || Cases.size() == MostCases)
      return false;
    Cases.push_back({*Is, *To});
  }
  if (Cases.empty() || (Cases.size() == 1 && !Rest))
    return false;
  const Operand Number = L.operand(At->getCond());
  if (Number.Slot == SlotId::None)
    return false;
  Function &F = L.ir();
  for (const Case &C : Cases) {
    const bool Last = &C == &Cases.back();
    if (Last && !Rest) {
      L.block().Successors = {C.Goes};
      break;
    }
    const SlotId To = L.define(DefineFact::Kind::Constant, At->getCond());
    L.block().Condition = {L.emitOp(ScalarRules::get().Equal,
                                    {Number, {To, Number.At, /*Scalar=*/true}},
                                    At->getCond()),
                           Number.At};
    // Who names several values, and does nothing of others, names all that
    // there are.
    if (!Last || NamesRest || Cases.size() == 1) {
      L.block().Test = Of;
      L.block().Test->To = C.Is;
    }
    const BlockId Next{Last ? *Rest : BlockId(F.Blocks.size())};
    L.block().Successors = {C.Goes, Next};
    if (!Last) {
      F.Blocks.emplace_back();
      L.enter(Next);
    }
  }
  return true;
}

} // namespace spmd::lint::lower

//===- OneRank.cpp - Code for an axis of one rank -------------------------===//

#include "OneRank.h"

#include "Comparison.h"
#include "Recognisers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace spmd::lint::lower {

/// What people call a number of ranks: `world_size`, `nranks`, `tp_size_`,
/// `get_tensor_model_parallel_world_size`.
static bool namesNumberOfRanks(llvm::StringRef Name) {
  const std::string Lower = Name.rtrim('_').lower();
  const llvm::StringRef N(Lower);
  if (N.ends_with("rank"))
    return false;
  if (N.contains("world") || N.contains("ranks") || N.contains("nproc") ||
      N.contains("num_proc"))
    return true;
  if (!N.contains("size") && !N.contains("degree"))
    return false;
  return llvm::any_of(
      llvm::ArrayRef<llvm::StringRef>{"tp", "dp", "pp", "cp", "ep", "sp", "mp",
                                      "comm", "group", "parallel", "mesh"},
      [&](llvm::StringRef Of) {
        return N == (Of + "size").str() || N == (Of + "_size").str() ||
               N.ends_with(("_" + Of + "_size").str()) ||
               N.contains((Of + "_degree").str()) ||
               (Of.size() > 2 && N.contains(Of));
      });
}

bool isNumberOfRanks(const Expr *E, const Constancy &Constant) {
  E = E->IgnoreParenImpCasts();
  if (!E->getType()->isIntegerType())
    return false;
  if (const auto *C = dyn_cast<CallExpr>(E)) {
    const CallSite Site(C);
    if (!Site.Callee || !Site.Callee->getIdentifier())
      return false;
    if (Site.Receiver &&
        classify(Site.Receiver->getType()->isPointerType()
                     ? Site.Receiver->getType()->getPointeeType()
                     : Site.Receiver->getType()) == TypeClass::Comm)
      return Site.Callee->getName().contains_insensitive("size");
    return namesNumberOfRanks(Site.Callee->getName());
  }
  const ValueDecl *Named = namedBy(E);
  if (Named && Constant.isNumberOfRanks(Named))
    return true;
  if (!Named || !Constant.isConstant(Named))
    return false;
  if (const auto *VD = dyn_cast<VarDecl>(Named);
      VD && VD->isLocalVarDecl() && VD->getInit() &&
      isNumberOfRanks(VD->getInit(), Constant))
    return true;
  return Named->getIdentifier() && namesNumberOfRanks(Named->getName());
}

/// Which value of the condition \p E means that there is one rank; none if it
/// does not say.
static std::optional<bool> oneRankIf(const Expr *E, const Constancy &Constant,
                                     const ASTContext &Ctx) {
  E = E->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(E);
      U && U->getOpcode() == UO_LNot) {
    const auto Of = oneRankIf(U->getSubExpr(), Constant, Ctx);
    return Of ? std::optional(!*Of) : std::nullopt;
  }
  const auto *B = dyn_cast<BinaryOperator>(E);
  const std::optional<Comparison> C =
      B ? comparedWithConstant(B, Ctx) : std::nullopt;
  if (!C || !isNumberOfRanks(C->Number, Constant))
    return std::nullopt;
  if (C->To == 1 && (C->Op == BO_EQ || C->Op == BO_LE))
    return true;
  if (C->To == 1 && (C->Op == BO_NE || C->Op == BO_GT))
    return false;
  if (C->To == 2 && (C->Op == BO_LT || C->Op == BO_GE))
    return C->Op == BO_LT;
  return std::nullopt;
}

std::vector<bool> findBlocksOfOneRank(llvm::ArrayRef<const CFGBlock *> Blocks,
                                      const Constancy &Constant,
                                      const ASTContext &Ctx) {
  std::vector<bool> Out(Blocks.size());
  const auto IsOut = [&](const CFGBlock *B) {
    const auto At = llvm::find(Blocks, B);
    return At != Blocks.end() && Out[At - Blocks.begin()];
  };
  const auto Taken = [&](const CFGBlock *From, const CFGBlock *To) {
    const auto *If = dyn_cast_or_null<Expr>(From->getTerminatorCondition());
    if (!If || From->succ_size() != 2)
      return false;
    const std::optional<bool> Value = oneRankIf(If, Constant, Ctx);
    const CFGBlock *Then = *From->succ_begin(), *Else = *From->succ_rbegin();
    return Value && Then != Else && To == (*Value ? Then : Else);
  };
  // Blocks come in order: what is left after one round are loops, of which no
  // condition is about the number of ranks.
  for (unsigned I = 0; I != Blocks.size(); ++I) {
    const CFGBlock *B = Blocks[I];
    bool Reached = false, Always = B->succ_size() != 0; // the exit is no code
    for (const CFGBlock::AdjacentBlock &Pred : B->preds())
      if (const CFGBlock *P = Pred.getReachableBlock()) {
        Reached = true;
        Always &= IsOut(P) || Taken(P, B);
      }
    Out[I] = Reached && Always;
  }
  return Out;
}

} // namespace spmd::lint::lower

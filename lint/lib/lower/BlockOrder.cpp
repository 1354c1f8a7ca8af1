//===- BlockOrder.cpp - Which block of Clang's is which -------------------===//

#include "BlockOrder.h"

#include "LoopCounters.h"

#include "clang/Analysis/Analyses/PostOrderCFGView.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

BlockOrder::BlockOrder(const CFG &Graph, const EachLoops &Loops) {
  PostOrderCFGView Order(&Graph);
  Blocks.assign(Order.begin(), Order.end());
  llvm::DenseMap<const CFGBlock *, llvm::SmallVector<const CFGBlock *, 1>>
      EndsBefore;
  const auto AddEnd = [&](const CFGBlock *B) {
    const EachLoop &Loop = *Loops.find(B->getTerminatorStmt());
    EndOf[B] = BlockId(Size++);
    if (Loop.LeavesOut)
      Size += 2;
    for (const BreakStmt *Break : Loop.Breaks)
      BehindBreak[Break] = EndOf[B];
  };
  llvm::SmallVector<const CFGBlock *, 1> Last;
  for (const CFGBlock *B : Blocks) {
    for (const CFGBlock *Loop : EndsBefore.lookup(B))
      AddEnd(Loop);
    NumberOf[B] = BlockId(Size++);
    const Stmt *End = B->getTerminatorStmt();
    for (const VarDecl *Counter : iterationCounters(End))
      LoopOf[Counter] = NumberOf[B];
    if (!Loops.find(End) || B->succ_size() != 2)
      continue;
    // What comes next is another loop's round, or behind this one.
    const CFGBlock *Next = *B->succ_rbegin();
    if (Next && !NumberOf.count(Next))
      EndsBefore[Next].push_back(B);
    else if (Loops.find(End)->Breaks.empty())
      AddEnd(B);
    else // behind what breaks
      Last.push_back(B);
  }
  for (const CFGBlock *B : Last)
    AddEnd(B);
}

} // namespace spmd::lint::lower

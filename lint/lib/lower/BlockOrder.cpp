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
    EndOf[B] = BlockId(Size++);
    if (Loops.find(B->getTerminatorStmt())->LeavesOut)
      Size += 2;
  };
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
    if (!Next || NumberOf.count(Next))
      AddEnd(B);
    else
      EndsBefore[Next].push_back(B);
  }
}

} // namespace spmd::lint::lower

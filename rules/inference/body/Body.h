//===- Body.h - A function's body in one context ----------------*- C++ -*-===//
//
// What the parts of an analysis know, in the order in which they build on each
// other. Transfers change it, a fact at a time; checks read it.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_BODY_BODY_H
#define SPMD_INFERENCE_BODY_BODY_H

#include "Gradients.h"
#include "Reporter.h"
#include "SingleRankSums.h"

namespace spmd::rules::inference {

class Listener;

struct Body {
  Body(Engine &E, const Function &F, const Context &C)
      : E(E), F(F), C(C), Decls(E, F, C), Facts(E.factsOf(F)),
        Numbers(F, static_cast<unsigned>(C.Cells.size())),
        Log(F, E.universe().size(), Point),
        Store(E, F, Decls, Facts, Numbers, Point, Alias, Log),
        Branches(E, F, Decls, Numbers, Log),
        Sums(E, Decls, Facts, Numbers, Point, Log, Store, Branches),
        Grads(E, F, Decls, Facts, Numbers, Point, Alias, Store),
        Report(E, F, Decls, Point), Start(Numbers.returnSlot() + 1, E.arena()) {
  }

  Engine &E;
  const Function &F;
  const Context &C;
  const Declarations Decls;
  const BodyFacts &Facts;
  CellNumbers Numbers;
  ProgramPoint Point;
  MayAlias Alias;
  WriteLog Log;
  Storage Store;
  DivergentBranches Branches;
  SingleRankSums Sums;
  Gradients Grads;
  Reporter Report;
  Listener *Listening = nullptr; ///< none before the states have settled
  State Start;                   ///< at the entry
  std::vector<State> Entries;    ///< by block, the exit last
  /// What comes to a loop that adds to elements of buffers from before it, by
  /// the block that begins it.
  std::map<std::uint32_t, State> BeforeSums;
  PlaceId LastReturn = PlaceId::None;
  /// The last call that changed what a cell holds.
  llvm::DenseMap<CellId, PlaceId> ChangedByCall;
  /// Replicas that only the iterations of a loop make something else.
  llvm::DenseSet<CellId> ChangedByLoops;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_BODY_BODY_H

//===- Transfers.h - What each kind of fact does ----------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_TRANSFER_TRANSFERS_H
#define SPMD_INFERENCE_TRANSFER_TRANSFERS_H

#include "CallTransfer.h"
#include "CollectiveTransfer.h"
#include "OpTransfer.h"
#include "check/AddedByCallee.h"

namespace spmd::rules::inference {

/// Changes the state of a body as its facts say, one `run` per kind.
class Transfers {
public:
  explicit Transfers(Body &In)
      : In(In), OfOps(In), OfCollectives(In), Unfit(In), OfCallees(In, OfOps),
        Contracts(In), Layouts(In, OfOps, OfCollectives),
        Ops(In, Layouts, OfOps, Unfit),
        Collectives(In, Layouts, Contracts, OfCollectives, Unfit),
        Calls(In, Contracts) {}

  void run(const Fact &X) {
    std::visit([this](const auto &Y) { run(Y); }, X);
  }

  Requirements &contracts() { return Contracts; }
  TransferFindings &collectives() { return OfCollectives; }

private:
  void run(const OpFact &X) { Ops.run(X); }
  void run(const TransferFact &X) { Collectives.run(X); }
  void run(const AssertFact &X) { Contracts.run(X); }
  void run(const CallFact &X);
  void run(const GradientFact &X) { In.Grads.ask(X); }
  void run(const DefineFact &X);
  void run(const BindFact &X);
  void run(const ViewFact &X);
  void run(const BackwardFact &X);
  void run(const HavocFact &X);
  void run(const ReturnFact &X);
  void run(const PointFact &) {} // who listens has been told what it is of

  Body &In;
  OpFindings OfOps;
  TransferFindings OfCollectives;
  UnfitReads Unfit;
  AddedByCallee OfCallees;
  Requirements Contracts;
  LayoutTransfer Layouts;
  OpTransfer Ops;
  CollectiveTransfer Collectives;
  CallTransfer Calls;
  const Function &F = In.F;
  const Declarations &Decls = In.Decls;
  Storage &Store = In.Store;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_TRANSFER_TRANSFERS_H

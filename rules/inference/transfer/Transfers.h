//===- Transfers.h - What each kind of fact does ----------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_TRANSFER_TRANSFERS_H
#define SPMD_INFERENCE_TRANSFER_TRANSFERS_H

#include "CallTransfer.h"
#include "CollectiveTransfer.h"
#include "OpTransfer.h"

namespace spmd::rules::inference {

/// Changes the state of a body as its facts say, one `run` per kind.
class Transfers {
public:
  explicit Transfers(Body &In)
      : In(In), Contracts(In), Layouts(In), Ops(In, Layouts),
        Collectives(In, Layouts, Contracts), Calls(In, Contracts) {}

  void run(const Fact &X) {
    std::visit([this](const auto &Y) { run(Y); }, X);
  }

  Requirements &contracts() { return Contracts; }

private:
  void believeMember(AbstractValue &Part, const Slot &Member) const;
  void view(const ViewFact &V);
  void run(const OpFact &X) { Ops.run(X); }
  void run(const TransferFact &X) { Collectives.run(X); }
  void run(const AssertFact &X) { Contracts.run(X); }
  void run(const CallFact &X);
  void run(const GradientFact &X) { In.Grads.run(X); }
  void run(const DefineFact &X);
  void noteStandIn(const BindFact &B, CellId Id);
  void notePutBack(const BindFact &B, CellId Id);
  void joinList(SlotId List, SlotId Member);
  void pairLists(const BindFact &B);
  void run(const BindFact &X);
  void run(const ViewFact &X);
  void run(const BackwardFact &X);
  void mayMeet(SlotId Slot);
  void run(const HavocFact &X);
  void receive(const HavocFact &X, AbstractValue &Declared) const;
  void run(const NullFact &X);
  void run(const ReturnFact &X);
  void run(const PointFact &) {} // who listens has been told what it is of

  Body &In;
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

//===- Sharded.cpp - Parameters of which ranks keep parts -----------------===//
//
// spmd::FullySharded stands for the whole parameters: its shards are their
// parts, and its wait gives these the parts of the gradients' means.
//
//===----------------------------------------------------------------------===//

#include "../Recognisers.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// The axis that `fully_sharded(parameters, axis)` was told where \p Object is
/// a variable made by it.
static const Expr *shardedOver(const Expr *Object) {
  const auto *Ref = dyn_cast<DeclRefExpr>(strip(Object));
  const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  const auto *Made =
      VD && VD->getInit() ? dyn_cast<CallExpr>(strip(VD->getInit())) : nullptr;
  return Made && Made->getNumArgs() > 1 ? Made->getArg(1) : nullptr;
}

/// From the gradients of the whole parameters, P, to those of the shards.
static void lowerScatter(ExprLowering &L, const CallSite &C, TransferFact T) {
  T.K = TransferKind::ReduceScatter;
  T.Reduction = ReductionKind::Average;
  T.From = Atom{LocalType::P, std::nullopt};
  T.Src.Slot = L.gradientOf(T.Src, C.Call);
  L.emit(T);
  // Those of the whole parameters are gone.
  L.emit(HavocFact{T.Src.Slot, /*Rebinds=*/false, T.At});
}

Recognised lowerSharded(ExprLowering &L, const CallSite &C) {
  if (C.Name == "spmd::fully_sharded" && C.argument(0))
    return L.value(C.argument(0));
  if (!C.Receiver ||
      !llvm::StringRef(C.Name).starts_with("spmd::FullySharded::"))
    return std::nullopt;
  const Expr *Over = shardedOver(C.Receiver);
  const bool AsksShards = C.base() == "shards";
  if (!Over)
    return AsksShards ? L.define(DefineFact::Kind::Unknown, C.Call)
                      : SlotId::None;
  TransferFact T{};
  T.Src = L.operand(C.Receiver);
  T.Axis = L.operand(Over);
  T.To = Atom{LocalType::V, 0};
  T.Dst = L.temporary();
  T.At = L.place(C.Call);
  if (C.base() == "wait")
    lowerScatter(L, C, T);
  if (!AsksShards)
    return SlotId::None;
  T.K = TransferKind::Convert;
  T.From = Atom{LocalType::R, std::nullopt};
  L.emit(T);
  return T.Dst;
}

} // namespace spmd::lint::lower

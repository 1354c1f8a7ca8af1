//===- Nccl.cpp - NCCL and RCCL -------------------------------------------===//

#include "../CallSite.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

SlotId emitCollective(FunctionLowering &L, const CallSite &C, TransferKind K,
                      Operand Src, Operand Out, Operand Axis,
                      ReductionKind Reduction) {
  if (Src.Slot == SlotId::None)
    Src = Out;
  if (Src.Slot == SlotId::None)
    return SlotId::None;
  TransferFact T{};
  T.K = K;
  T.Src = Src;
  T.Out = Out.Slot == SlotId::None ? Src : Out;
  T.Axis = Axis;
  T.Reduction = Reduction;
  T.At = L.place(C.Call);
  L.emit(T);
  // Status codes are the same story on all ranks, or the program ends.
  return C.Call->getType()->isVoidType()
             ? SlotId::None
             : L.define(DefineFact::Kind::Constant, C.Call);
}

static ReductionKind ncclReduction(const Expr *E) {
  const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  if (!Ref)
    return ReductionKind::Unknown;
  return llvm::StringSwitch<ReductionKind>(Ref->getDecl()->getName())
      .Case("ncclSum", ReductionKind::Sum)
      .Case("ncclAvg", ReductionKind::Average)
      .Cases({"ncclMax", "ncclMin"}, ReductionKind::Idempotent)
      .Case("ncclProd", ReductionKind::Other)
      .Default(ReductionKind::Unknown);
}

namespace {
/// Argument positions; -1 where there is none.
struct Signature {
  const char *Name;
  TransferKind K;
  int Send, Recv, Op, Comm;
};
} // namespace

static constexpr Signature Signatures[] = {
    {"ncclAllReduce", TransferKind::AllReduce, 0, 1, 4, 5},
    {"ncclReduceScatter", TransferKind::ReduceScatter, 0, 1, 4, 5},
    {"ncclAllGather", TransferKind::AllGather, 0, 1, -1, 4},
    {"ncclAlltoAll", TransferKind::AllToAll, 0, 1, -1, 4},
    {"ncclBroadcast", TransferKind::Broadcast, 0, 1, -1, 5},
    {"ncclBcast", TransferKind::Broadcast, 0, 0, -1, 4},
    {"ncclReduce", TransferKind::Reduce, 0, 1, 4, 6},
};

Recognised lowerNcclCall(FunctionLowering &L, const CallSite &C) {
  llvm::StringRef Name(C.Name);
  if (Name.starts_with("pnccl"))
    Name = Name.drop_front();
  if (!Name.starts_with("nccl"))
    return std::nullopt;
  auto Arg = [&](int I) {
    const Expr *E = I < 0 ? nullptr : C.argument(static_cast<unsigned>(I));
    return E ? L.operand(E) : Operand();
  };
  for (const Signature &S : Signatures) {
    if (Name != S.Name)
      continue;
    const Expr *Op = S.Op < 0 ? nullptr : C.argument(S.Op);
    return emitCollective(L, C, S.K, Arg(S.Send), Arg(S.Recv), Arg(S.Comm),
                          Op ? ncclReduction(Op) : ReductionKind::Sum);
  }
  if (Name == "ncclCommUserRank" && C.Arguments.size() == 2) {
    DefineFact D;
    D.Dst = L.value(C.Arguments[1]);
    D.K = DefineFact::Kind::RankOf;
    D.Axis = L.value(C.Arguments[0]);
    D.At = L.place(C.Call);
    if (D.Dst != SlotId::None)
      L.emit(std::move(D));
  } else if (Name == "ncclCommInitRank" && C.Arguments.size() == 4) {
    // Whatever it was computed from: it is the rank on the axis.
    const SlotId Rank = L.defineRank(C.Call, L.value(C.Arguments[0]));
    for (SlotId S : L.namesOf(C.Arguments[3]))
      L.emitOp(ScalarRules::get().Copy, {{Rank, L.place(C.Arguments[3])}},
               C.Call, S);
  } else if (Name == "ncclCommCount" && C.Arguments.size() == 2) {
    if (const SlotId S = L.value(C.Arguments[1]); S != SlotId::None)
      L.assign(S, C.Call, DefineFact::Kind::Constant);
  } else if (Name == "ncclRecv" && !C.Arguments.empty()) {
    L.havoc(C.Arguments[0], C.Call);
  }
  return C.Call->getType()->isVoidType()
             ? SlotId::None
             : L.define(DefineFact::Kind::Constant, C.Call);
}

} // namespace spmd::lint::lower

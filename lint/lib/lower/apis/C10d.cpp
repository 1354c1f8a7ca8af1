//===- C10d.cpp - torch's process groups ----------------------------------===//

#include "../CallSite.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

static ReductionKind reductionOf(const Expr *E, unsigned Depth = 0) {
  if (!E || Depth > 6)
    return ReductionKind::Unknown;
  E = strip(E->IgnoreParenImpCasts());
  if (const auto *C = dyn_cast<CXXConstructExpr>(E))
    return C->getNumArgs() ? reductionOf(C->getArg(0), Depth + 1)
                           : ReductionKind::Sum;
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  if (!Ref)
    return ReductionKind::Unknown;
  return llvm::StringSwitch<ReductionKind>(Ref->getDecl()->getName())
      .Case("SUM", ReductionKind::Sum)
      .Case("AVG", ReductionKind::Average)
      .Cases({"MIN", "MAX", "BAND", "BOR"}, ReductionKind::Idempotent)
      .Cases({"PRODUCT", "BXOR"}, ReductionKind::Other)
      .Default(ReductionKind::Unknown);
}

/// The op of an options argument: default, a braced list, or a local whose
/// field was assigned.
static ReductionKind optionsReduction(const FunctionLowering &L,
                                      const Expr *E) {
  if (!E)
    return ReductionKind::Sum;
  const Expr *S = strip(E);
  if (isa<CXXDefaultArgExpr>(S))
    return ReductionKind::Sum;
  if (const Expr *Assigned = L.lastFieldValue(E, "reduceOp"))
    return reductionOf(Assigned);
  if (const auto *I = dyn_cast<InitListExpr>(S))
    return I->getNumInits() == 0 ? ReductionKind::Sum
                                 : reductionOf(I->getInit(0));
  if (const auto *C = dyn_cast<CXXConstructExpr>(S)) {
    if (C->getNumArgs() == 0)
      return ReductionKind::Sum;
    return optionsReduction(L, C->getArg(0));
  }
  // A local whose field is never touched keeps the default.
  const auto *Ref = dyn_cast<DeclRefExpr>(S);
  const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return VD && VD->isLocalVarDecl() && VD->getInit()
             ? optionsReduction(L, VD->getInit())
             : ReductionKind::Unknown;
}

namespace {
struct Signature {
  const char *Name;
  TransferKind K;
  int Recv, Send; ///< c10d lists outputs first
  bool Reduces;
};
} // namespace

static constexpr Signature Signatures[] = {
    {"allreduce", TransferKind::AllReduce, 0, 0, true},
    {"allreduce_coalesced", TransferKind::AllReduce, 0, 0, true},
    {"allgather", TransferKind::AllGather, 0, 1, false},
    {"_allgather_base", TransferKind::AllGather, 0, 1, false},
    {"allgather_into_tensor", TransferKind::AllGather, 0, 1, false},
    {"allgather_coalesced", TransferKind::AllGather, 0, 1, false},
    {"reduce_scatter", TransferKind::ReduceScatter, 0, 1, true},
    {"_reduce_scatter_base", TransferKind::ReduceScatter, 0, 1, true},
    {"reduce_scatter_tensor", TransferKind::ReduceScatter, 0, 1, true},
    {"alltoall", TransferKind::AllToAll, 0, 1, false},
    {"alltoall_base", TransferKind::AllToAll, 0, 1, false},
    {"broadcast", TransferKind::Broadcast, 0, 0, false},
    {"reduce", TransferKind::Reduce, 0, 0, true},
};

Recognised lowerC10dCall(FunctionLowering &L, const CallSite &C) {
  const llvm::StringRef Name(C.Name);
  const llvm::StringRef Base = C.base();
  if (!Name.starts_with("c10d::") || !C.Receiver || Base == "operator=")
    return std::nullopt;
  const bool Group = Name.starts_with("c10d::ProcessGroup") ||
                     Name.starts_with("c10d::Backend");
  if (!Group)
    return L.value(C.Receiver),
           C.Call->getType()->isVoidType()
               ? Recognised(SlotId::None)
               : L.define(DefineFact::Kind::Unknown, C.Call);
  if (Base == "getRank")
    return L.defineRank(C.Call, L.value(C.Receiver));
  if (Base == "getSize")
    return L.define(DefineFact::Kind::Constant, C.Call);
  for (const Signature &S : Signatures) {
    if (Base != S.Name || C.Arguments.empty())
      continue;
    const Operand Out = L.operand(C.argument(S.Recv));
    const Expr *From = C.argument(S.Send);
    const Expr *Options = C.Arguments.back();
    return emitCollective(L, C, S.K, From ? L.operand(From) : Out, Out,
                          L.operand(C.Receiver),
                          S.Reduces && C.Arguments.size() > unsigned(S.Send) + 1
                              ? optionsReduction(L, Options)
                              : ReductionKind::Sum);
  }
  if ((Base == "recv" || Base == "scatter") && !C.Arguments.empty())
    L.havoc(C.Arguments[0], C.Call);
  return C.Call->getType()->isVoidType()
             ? SlotId::None
             : L.define(DefineFact::Kind::Unknown, C.Call);
}

} // namespace spmd::lint::lower

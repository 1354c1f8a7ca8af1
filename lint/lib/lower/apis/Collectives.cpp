//===- Collectives.cpp - Calls of communication libraries -----------------===//
//
// What a call is stands in the tables of rules/ops/apis and of the user; here
// is what each kind does to the buffers, numbers and communicators it is given.
// A call that no table has is unknown code like any other.
//
//===----------------------------------------------------------------------===//

#include "../Recognisers.h"
#include "../Stores.h"
#include "../UnknownCode.h"
#include "../WholeRecords.h"

#include "clang/AST/ASTContext.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

static std::optional<TransferKind> transferOf(CallKind K) {
  switch (K) {
  case CallKind::AllReduce:
    return TransferKind::AllReduce;
  case CallKind::AllGather:
    return TransferKind::AllGather;
  case CallKind::ReduceScatter:
    return TransferKind::ReduceScatter;
  case CallKind::AllToAll:
    return TransferKind::AllToAll;
  case CallKind::Broadcast:
    return TransferKind::Broadcast;
  case CallKind::Reduce:
    return TransferKind::Reduce;
  case CallKind::Gather:
    return TransferKind::Gather;
  case CallKind::Scatter:
    return TransferKind::Scatter;
  case CallKind::Scan:
  case CallKind::Exscan:
    return TransferKind::Scan;
  default:
    return std::nullopt;
  }
}

static ReductionKind reductionOf(CallConstant C) {
  switch (C) {
  case CallConstant::Sum:
    return ReductionKind::Sum;
  case CallConstant::Average:
    return ReductionKind::Average;
  case CallConstant::Min:
  case CallConstant::Max:
  case CallConstant::And:
  case CallConstant::Or:
  case CallConstant::BitAnd:
  case CallConstant::BitOr:
    return ReductionKind::Idempotent;
  case CallConstant::Product:
  case CallConstant::Xor:
  case CallConstant::BitXor:
  case CallConstant::MinLoc:
  case CallConstant::MaxLoc:
    return ReductionKind::Other;
  default:
    return ReductionKind::Unknown;
  }
}

bool pointsToCommunicator(QualType T) {
  return T->isPointerType() && !commKind(T) && commKind(T->getPointeeType());
}

namespace {

class ApiCall {
public:
  ApiCall(ExprLowering &L, const CallSite &C, const CollectiveCall &Call)
      : L(L), C(C), Call(Call) {}

  SlotId lower() {
    const SlotId Sent = communicate();
    for (unsigned I = 0; I != C.Arguments.size(); ++I)
      write(I < Call.Arguments.size() ? Call.Arguments[I] : CallRole::None,
            C.Arguments[I]);
    for (unsigned I = Call.Arguments.size(); I < C.Arguments.size(); ++I)
      if (C.Arguments[I]->getType()->isRealFloatingType())
        scale(C.Arguments[I]);
    return result(Sent);
  }

private:
  /// A number behind the arguments that the table knows is a factor of the sum:
  /// `allReduce(grad, 1.0 / world)`.
  void scale(const Expr *By) const {
    Operand Factor = L.operandOrNone(By), Sum = operand(CallRole::Buffer);
    if (Sum.Slot == SlotId::None)
      Sum = operand(CallRole::Recv);
    if (Factor.Slot == SlotId::None || Sum.Slot == SlotId::None ||
        !isReduction() || reduction() != ReductionKind::Sum)
      return;
    Factor.Scalar = true;
    L.emitOp(ScalarRules::get().Mul, {Sum, Factor}, C.Call, Sum.Slot);
  }

  const Expr *expression(CallRole R) const {
    if (const std::optional<unsigned> I = Call.argument(R))
      return R == CallRole::Send || R == CallRole::Recv
                 ? ofThoseThatHaveOne(C.argument(*I))
                 : C.argument(*I);
    return Call.Receiver == R ? C.Receiver : nullptr;
  }

  /// `rank == 0 ? MPI_IN_PLACE : x` is x, of whichever rank, and so is
  /// `rank == 0 ? x : nullptr`.
  const Expr *ofThoseThatHaveOne(const Expr *E) const {
    const auto *Choice =
        E ? dyn_cast<ConditionalOperator>(strip(E)->IgnoreParenCasts())
          : nullptr;
    if (!Choice)
      return E;
    const auto IsNone = [this](const Expr *X) {
      return isInPlace(X) || isAbsent(strip(X));
    };
    const Expr *Then = Choice->getTrueExpr(), *Else = Choice->getFalseExpr();
    // What is computed on one way alone is computed for the result on all.
    const auto At = Call.argument(CallRole::Recv);
    const Expr *Recv = At ? C.argument(*At) : nullptr;
    const bool IsThen = isInPlace(Then);
    if (Recv && (IsThen || isInPlace(Else)) &&
        printed(strip(IsThen ? Else : Then), L.context()) ==
            printed(strip(Recv), L.context()))
      return IsThen ? Then : Else;
    return IsNone(Then) ? Else : IsNone(Else) ? Then : E;
  }

  Operand operand(CallRole R) const {
    const Expr *E = expression(R);
    return E ? L.operandOrNone(E) : Operand();
  }

  Operand communicator() const {
    if (!Call.Axes.empty())
      return {L.defineAxes(C.Call, Call.Axes), L.place(C.Call)};
    return operand(CallRole::Comm);
  }

  /// Nothing is sent: the idiom of a barrier.
  bool isEmpty() const {
    bool Counted = false;
    for (CallRole R :
         {CallRole::Count, CallRole::SendCount, CallRole::RecvCount})
      if (const Expr *E = expression(R)) {
        if (L.constant(E) != 0)
          return false;
        Counted = true;
      }
    return Counted;
  }

  bool isOfFew() const {
    constexpr std::int64_t Most = 8;
    const Expr *E = expression(CallRole::Count);
    const auto Count = E ? L.constant(E) : std::nullopt;
    return Count && *Count <= Most;
  }

  /// `int n`, by its address.
  bool isOfWholeNumbers() const {
    for (CallRole R : {CallRole::Send, CallRole::Recv, CallRole::Buffer})
      if (const Expr *E = expression(R); E && !isInPlace(E)) {
        const QualType T = strip(E)->IgnoreParenCasts()->getType();
        return T->isPointerType() &&
               T->getPointeeType()->isIntegralOrEnumerationType();
      }
    return false;
  }

  /// The result as an expression, of a call that returns it.
  SlotId communicate() const {
    const std::optional<TransferKind> K = transferOf(Call.Kind);
    const Expr *Recv = expression(CallRole::Recv);
    if (!K || isEmpty()) {
      // What another rank had, or nobody, if there is none.
      if (!isEmpty())
        for (CallRole R : {CallRole::Recv, CallRole::Buffer})
          if (const Expr *E = expression(R); E && receives())
            havoc(L, E, C.Call, communicator().Slot);
      return SlotId::None;
    }
    const auto Of = callConstant(L, expression(CallRole::Comm));
    if (Of == CallConstant::Self && Call.Axes.empty())
      return copy();
    if (Of == CallConstant::NullComm || isInPlace(Recv))
      return SlotId::None;

    const Operand Both = operand(CallRole::Buffer);
    const bool InPlace = isInPlace(expression(CallRole::Send));
    TransferFact T{};
    T.K = *K;
    T.Src = InPlace ? Operand() : operand(CallRole::Send);
    T.Out = operand(CallRole::Recv);
    if (Both.Slot != SlotId::None)
      T.Src = T.Out = Both;
    if (T.Src.Slot == SlotId::None)
      T.Src = T.Out;
    if (T.Src.Slot == SlotId::None)
      return SlotId::None;
    T.Axis = communicator();
    T.Reduction = reduction();
    T.Few = isOfFew();
    T.Counts = T.Few && isOfWholeNumbers();
    T.At = L.place(C.Call);
    communicateMembers(T);
    // Ranks that get nothing pass no place for it.
    if (T.Out.Slot == SlotId::None)
      T.Dst = L.temporary();
    L.emit(T);
    return T.Dst;
  }

  /// Structs of numbers that are sent as a whole: each member is.
  void communicateMembers(TransferFact Whole) const {
    const auto MembersOf = [this](Operand Of) {
      for (CallRole R : {CallRole::Send, CallRole::Recv, CallRole::Buffer})
        if (const Expr *E = expression(R);
            E && Of.Slot != SlotId::None && operand(R).Slot == Of.Slot)
          return membersOfWhole(L, E);
      return llvm::SmallVector<SlotId, 8>();
    };
    const auto Read = MembersOf(Whole.Src), Written = MembersOf(Whole.Out);
    for (std::size_t I = 0; I != Written.size(); ++I) {
      Whole.Out.Slot = Written[I];
      if (Read.size() == Written.size())
        Whole.Src.Slot = Read[I];
      L.emit(Whole);
    }
  }

  /// The only rank has what it sends.
  SlotId copy() const {
    const Expr *Recv = expression(CallRole::Recv);
    const Operand Sent = operand(CallRole::Send);
    if (Sent.Slot == SlotId::None || isInPlace(expression(CallRole::Send)))
      return SlotId::None;
    if (Recv && !isInPlace(Recv))
      store(L, Recv, Sent, C.Call);
    return Sent.Slot;
  }

  bool receives() const {
    switch (Call.Kind) {
    case CallKind::NeighborAllGather:
    case CallKind::NeighborAllToAll:
    case CallKind::Recv:
    case CallKind::SendRecv:
    case CallKind::Get:
    case CallKind::Accumulate:
      return true;
    default:
      return false;
    }
  }

  bool isInPlace(const Expr *E) const {
    return E && callConstant(L, E) == CallConstant::InPlace;
  }

  //===--- Reductions -------------------------------------------------------//

  ReductionKind reduction() const {
    if (const Expr *E = expression(CallRole::Op))
      return named(E);
    if (Call.Op)
      return reductionOf(*Call.Op);
    const Expr *Options = expression(CallRole::Options);
    return Options && isReduction() ? ofOptions(Options) : ReductionKind::Sum;
  }

  bool isReduction() const {
    const std::optional<TransferKind> K = transferOf(Call.Kind);
    return K && reduces(*K);
  }

  ReductionKind named(const Expr *E) const {
    if (isAbsent(strip(E)))
      return ReductionKind::Sum;
    const std::optional<CallConstant> Op = callConstant(L, E);
    return Op ? reductionOf(*Op) : ReductionKind::Unknown;
  }

  /// The op of an options argument: default, a braced list, or a local whose
  /// field was assigned.
  ReductionKind ofOptions(const Expr *E, unsigned Depth = 0) const {
    const Expr *S = strip(E);
    if (Depth > 6)
      return ReductionKind::Unknown;
    if (isa<CXXDefaultArgExpr>(S))
      return ReductionKind::Sum;
    if (const Expr *Assigned = L.lastFieldValue(E, Call.Api->OpField))
      return named(Assigned);
    if (const auto *X = dyn_cast<CXXFunctionalCastExpr>(S))
      return ofOptions(X->getSubExpr(), Depth + 1);
    if (const auto *I = dyn_cast<InitListExpr>(S))
      return I->getNumInits() == 0 ? ReductionKind::Sum : named(I->getInit(0));
    if (const auto *X = dyn_cast<CXXConstructExpr>(S))
      return X->getNumArgs() == 0 ? ReductionKind::Sum
                                  : ofOptions(X->getArg(0), Depth + 1);
    // A local whose field is never touched keeps the default.
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    return VD && VD->isLocalVarDecl() && VD->getInit()
               ? ofOptions(VD->getInit(), Depth + 1)
               : ReductionKind::Unknown;
  }

  //===--- What else is written ---------------------------------------------//

  void write(CallRole R, const Expr *E) const {
    switch (R) {
    case CallRole::Output:
    case CallRole::NewType:
    case CallRole::NewOp:
    case CallRole::NewGroup:
    case CallRole::NewWindow:
    case CallRole::NewId:
    case CallRole::Base:
      return havoc(L, E, C.Call);
    case CallRole::Size:
      return Call.Kind == CallKind::Size
                 ? ofCommunicator(DefineFact::Kind::SizeOf, E)
                 : void();
    case CallRole::Result:
      if (const SlotId S = L.operandOrNone(E).Slot; S != SlotId::None)
        L.assign(S, C.Call, DefineFact::Kind::Constant);
      return;
    case CallRole::Rank:
      return Call.Kind == CallKind::Rank
                 ? ofCommunicator(DefineFact::Kind::RankOf, E)
                 : void();
    case CallRole::NewComm:
      return construct(E);
    default:
      // What it is computed from has effects of its own.
      L.value(E);
    }
  }

  /// \p Into takes the rank on the communicator, or its size.
  void ofCommunicator(DefineFact::Kind K, const Expr *Into) const {
    if (Call.has(CallRole::Group)) // its own number, of some ranks
      return havoc(L, Into, C.Call);
    if (const SlotId S = L.value(Into); S != SlotId::None)
      L.assign(S, C.Call, K, communicator().Slot);
  }

  void construct(const Expr *Into) const {
    const SlotId S = L.value(Into);
    const Operand Of = operand(CallRole::Comm);
    if (S == SlotId::None)
      return;
    // The annotation of a communicator is believed.
    if (L.slot(S).DeclaredAxes.empty()) {
      if (Call.Kind == CallKind::CommDup && Of.Slot != SlotId::None)
        L.emit(BindFact{S, Of, L.place(C.Call)});
      else
        L.emit(HavocFact{S, /*Rebinds=*/true, L.place(C.Call)});
    }
    // Whatever it was computed from: it is the rank on the axis.
    const Expr *Mine = expression(CallRole::Rank);
    if (!Mine || Call.Kind != CallKind::CommInit)
      return;
    const SlotId Rank = L.defineRank(C.Call, S);
    for (SlotId Name : L.namesOf(Mine))
      L.emitOp(ScalarRules::get().Copy, {{Rank, L.place(Mine)}}, C.Call, Name);
  }

  SlotId result(SlotId Sent) const {
    if (C.Call->getType()->isVoidType())
      return SlotId::None;
    switch (Call.Returns) {
    case CallRole::Status:
    case CallRole::Request:
    case CallRole::Result:
      // Status codes are the same story on all ranks, or the program ends.
      return L.define(DefineFact::Kind::Constant, C.Call);
    case CallRole::Rank:
      return L.defineRank(C.Call, communicator().Slot);
    case CallRole::Size:
      return L.define(DefineFact::Kind::SizeOf, C.Call, communicator().Slot);
    case CallRole::Buffer:
      return operand(CallRole::Buffer).Slot;
    case CallRole::Recv:
      if (Sent != SlotId::None)
        return Sent;
      if (const SlotId Out = operand(CallRole::Recv).Slot; Out != SlotId::None)
        return Out;
      break;
    case CallRole::NewComm:
      if (Call.Kind == CallKind::CommDup)
        return operand(CallRole::Comm).Slot;
      break;
    default:
      break;
    }
    return L.define(DefineFact::Kind::Unknown, C.Call);
  }

  ExprLowering &L;
  const CallSite &C;
  const CollectiveCall &Call;
};

} // namespace

Recognised lowerCollectiveCall(ExprLowering &L, const CallSite &C) {
  const CollectiveCall *Call = L.module().apis().find(C.Name);
  if (!Call)
    return std::nullopt;
  return ApiCall(L, C, *Call).lower();
}

} // namespace spmd::lint::lower

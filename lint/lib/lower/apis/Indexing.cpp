//===- Indexing.cpp - x.index({Slice(1, n), 0, Ellipsis}) -----------------===//
//
// Numbers, slices, `...` and new dims are what select, slice and unsqueeze do
// one after another. Indices that are tensors pick along dims of what is left.
//
//===----------------------------------------------------------------------===//

#include "../Elements.h"
#include "../OpArguments.h"
#include "../SizeReader.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

namespace {

struct Index {
  enum class Kind : std::uint8_t { Number, Slice, Ellipsis, NewDim, Tensor };
  Kind K;
  llvm::SmallVector<const Expr *, 3> Values; ///< the index, or the bounds

  bool isTensor() const { return K == Kind::Tensor; }
  bool takesDim() const {
    return K == Kind::Number || K == Kind::Slice || isTensor();
  }
  bool leavesDim() const {
    return K == Kind::Slice || K == Kind::NewDim || isTensor();
  }
};
using Indices = llvm::SmallVector<Index, 4>;

/// What select, slice and unsqueeze leave, and the dims of it along which
/// tensors pick.
struct Sliced {
  Operand X;
  llvm::SmallVector<Operand, 2> Tensors;
  SizeList Dims;
};

} // namespace

static std::optional<Index> indexOf(const Expr *E) {
  const auto *C = dyn_cast<CXXConstructExpr>(strip(E));
  while (C && C->getNumArgs() == 1 &&
         C->getConstructor()->isCopyOrMoveConstructor())
    C = dyn_cast<CXXConstructExpr>(strip(C->getArg(0)));
  if (!C || C->getNumArgs() == 0 ||
      className(C->getType()) != "at::indexing::TensorIndex")
    return std::nullopt;
  const Expr *Value = strip(C->getArg(0));
  const QualType T =
      C->getConstructor()->getParamDecl(0)->getType().getNonReferenceType();
  const std::string Name = className(T);
  if (Name == "c10::SymInt" ||
      (T->isIntegerType() && !T->isBooleanType() && !T->isEnumeralType()))
    return Index{Index::Kind::Number, {C->getArg(0)}};
  if (Name == "at::Tensor")
    return Index{Index::Kind::Tensor, {C->getArg(0)}};
  if (Name == "std::nullopt_t" || Name == "c10::nullopt_t")
    return Index{Index::Kind::NewDim, {}};
  if (Name == "at::indexing::EllipsisIndexType" ||
      isa<StringLiteral>(Value->IgnoreParenImpCasts()))
    return Index{Index::Kind::Ellipsis, {}};
  if (Name != "at::indexing::Slice")
    return std::nullopt;
  const auto *S = dyn_cast<CXXConstructExpr>(Value);
  while (S && S->getNumArgs() == 1 &&
         S->getConstructor()->isCopyOrMoveConstructor())
    S = dyn_cast<CXXConstructExpr>(strip(S->getArg(0)));
  if (const auto *F = dyn_cast<CXXFunctionalCastExpr>(Value))
    S = dyn_cast<CXXConstructExpr>(strip(F->getSubExpr()));
  if (!S)
    return std::nullopt;
  return Index{Index::Kind::Slice, {S->arg_begin(), S->arg_end()}};
}

static std::optional<Indices> indicesOf(const Expr *E) {
  E = strip(E);
  while (const auto *C = dyn_cast<CXXConstructExpr>(E)) {
    if (C->getNumArgs() == 0)
      return std::nullopt;
    E = strip(C->getArg(0));
  }
  const auto *List = dyn_cast<InitListExpr>(E);
  if (!List)
    return std::nullopt;
  Indices Out;
  for (const Expr *Element : List->inits()) {
    std::optional<Index> I = indexOf(Element);
    if (!I)
      return std::nullopt;
    Out.push_back(std::move(*I));
  }
  if (llvm::count_if(
          Out, [](const Index &I) { return I.K == Index::Kind::Ellipsis; }) > 1)
    return std::nullopt;
  return Out;
}

static SizeValue number(std::int64_t N) {
  SizeValue V;
  V.Number = N;
  return V;
}

static OpArgument bound(ExprLowering &L, const char *Name, const Expr *E) {
  const Expr *S = strip(E);
  if (const auto *D = dyn_cast<CXXDefaultArgExpr>(S))
    S = strip(D->getExpr());
  if (isAbsent(S))
    return {Name, OpArgument::None()};
  OpArgument Out{Name, std::nullopt};
  if (std::optional<SizeValue> V = SizeReader(L).size(E))
    Out.Value = std::move(*V);
  return Out;
}

namespace {

/// Lowers one list of indices.
class Slicing {
public:
  Slicing(ExprLowering &L, const CallSite &C, const Indices &All)
      : L(L), C(C), All(All) {}

  std::optional<Sliced> run() {
    Out.X = L.operand(C.Receiver);
    if (Out.X.Slot == SlotId::None || !Select || !Slice || !Unsqueeze)
      return std::nullopt;
    for (unsigned I = 0; I != All.size(); ++I)
      lower(I);
    return std::move(Out);
  }

private:
  void emit(const OpRule &Rule, llvm::ArrayRef<Operand> Operands,
            llvm::ArrayRef<OpArgument> Arguments) {
    // What stands between two of them has no text of its own.
    Out.X = {L.emitOp(Rule, Operands, C.Call, SlotId::None, /*Partial=*/false,
                      Arguments),
             PlaceId::None};
  }

  std::int64_t countAfter(unsigned I, bool (Index::*Is)() const) const {
    return llvm::count_if(llvm::ArrayRef(All).drop_front(I + 1),
                          [&](const Index &X) { return (X.*Is)(); });
  }

  /// Behind the dots, dims count from the last: that of an index has as many
  /// behind it as indices that are still to come. A mask is of several dims,
  /// so that nobody knows a dim on the other side of a tensor.
  OpArgument dimOf(unsigned I) const {
    const bool InDoubt =
        FromLast ? countAfter(I, &Index::isTensor) != 0 : !Out.Tensors.empty();
    // Where a new dim is matters to what the tensors pick alone.
    if (InDoubt && All[I].K != Index::Kind::NewDim)
      return {"dim", std::nullopt};
    return {"dim",
            number(FromLast ? -1 - countAfter(I, &Index::takesDim) : Front)};
  }

  void lower(unsigned I) {
    const Index &X = All[I];
    switch (X.K) {
    case Index::Kind::Ellipsis:
      FromLast = true;
      break;
    case Index::Kind::Number:
      emit(*Select, {Out.X, L.operandOrNone(X.Values[0])},
           {dimOf(I), bound(L, "index", X.Values[0])});
      break;
    case Index::Kind::NewDim:
      emit(*Unsqueeze, {Out.X}, {dimOf(I)});
      break;
    case Index::Kind::Slice:
      lowerSlice(I);
      break;
    case Index::Kind::Tensor:
      Out.Tensors.push_back(L.operand(X.Values[0]));
      Out.Dims.push_back(
          number(FromLast ? -1 - countAfter(I, &Index::leavesDim) : Front));
      break;
    }
    Front += X.leavesDim();
  }

  void lowerSlice(unsigned I) {
    llvm::SmallVector<Operand, 3> Operands{Out.X};
    OpArguments Arguments{dimOf(I)};
    const char *Names[] = {"start", "end", "step"};
    const auto &Bounds = All[I].Values;
    bool Whole = true;
    for (unsigned B = 0; B != Bounds.size() && B != 3; ++B) {
      Arguments.push_back(bound(L, Names[B], Bounds[B]));
      const auto &V = Arguments.back().Value;
      Whole &= V && std::holds_alternative<OpArgument::None>(*V);
      if (B != 2)
        Operands.push_back(L.operandOrNone(Bounds[B]));
    }
    if (!Whole)
      emit(*Slice, Operands, Arguments);
  }

  ExprLowering &L;
  const CallSite &C;
  const Indices &All;
  const OpRule *Select = L.module().ops().rule("select"),
               *Slice = L.module().ops().rule("slice"),
               *Unsqueeze = L.module().ops().rule("unsqueeze");
  Sliced Out;
  bool FromLast = false;
  std::int64_t Front = 0; ///< dims that are left before the next index
};

} // namespace

static OpFact indexOp(ExprLowering &L, const CallSite &C, const OpRule &Rule,
                      Sliced S) {
  OpFact O;
  O.Rule = &Rule;
  O.At = L.place(C.Call);
  O.Operands.push_back(S.X);
  O.FormalOf.push_back(0);
  for (const Operand &T : S.Tensors) {
    if (T.Slot == SlotId::None)
      continue; // and the rule sees that a tensor is missing
    O.Operands.push_back(T);
    O.FormalOf.push_back(1);
  }
  O.Arguments.push_back({"dims", std::move(S.Dims)});
  return O;
}

/// x.index_put_({...}, values): into what the numbers and slices leave of x.
static Recognised lowerPut(ExprLowering &L, const CallSite &C,
                           const OpRule &Rule, const Indices &All) {
  std::optional<Sliced> S = Slicing(L, C, All).run();
  if (!S)
    return std::nullopt;
  bool Partial = false;
  OpFact O = indexOp(L, C, Rule, std::move(*S));
  if (Operand V = L.operandOrNone(C.Arguments[1]); V.Slot != SlotId::None) {
    O.Operands.push_back(V);
    O.FormalOf.push_back(2);
  }
  O.WritesTo = L.value(viewedObject(L, C.Receiver, Partial));
  O.PartialWrite = Partial;
  const SlotId Written = O.WritesTo;
  L.emit(std::move(O));
  return Written;
}

Recognised lowerIndexing(ExprLowering &L, const CallSite &C) {
  const bool Puts = C.base() == "index_put_" && C.Arguments.size() == 2;
  if ((!Puts && (C.base() != "index" || C.Arguments.size() != 1)) ||
      !C.Receiver || !isTensor(C.Receiver->getType()))
    return std::nullopt;
  const std::optional<Indices> All = indicesOf(C.Arguments[0]);
  const OpRule *Rule = L.module().ops().rule(Puts ? "index_put" : "index");
  if (!All || !Rule)
    return std::nullopt;
  if (Puts)
    return lowerPut(L, C, *Rule, *All);
  std::optional<Sliced> S = Slicing(L, C, *All).run();
  if (!S)
    return std::nullopt;
  if (S->Tensors.empty())
    return S->X.Slot;
  OpFact O = indexOp(L, C, *Rule, std::move(*S));
  const SlotId Dst = O.Dst = L.temporary();
  L.emit(std::move(O));
  return Dst;
}

} // namespace spmd::lint::lower

//===- Indexing.cpp - x.index({Slice(1, n), 0, Ellipsis}) -----------------===//
//
// Numbers, slices, `...` and new dims are what select, slice and unsqueeze do
// one after another. Indices that are tensors are left to the catalogue.
//
//===----------------------------------------------------------------------===//

#include "../OpArguments.h"
#include "../SizeReader.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

namespace {

struct Index {
  enum class Kind : std::uint8_t { Number, Slice, Ellipsis, NewDim };
  Kind K;
  llvm::SmallVector<const Expr *, 3> Values; ///< the number, or the bounds

  bool takesDim() const { return K == Kind::Number || K == Kind::Slice; }
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

static std::optional<llvm::SmallVector<Index, 4>> indicesOf(const Expr *E) {
  E = strip(E);
  while (const auto *C = dyn_cast<CXXConstructExpr>(E)) {
    if (C->getNumArgs() == 0)
      return std::nullopt;
    E = strip(C->getArg(0));
  }
  const auto *List = dyn_cast<InitListExpr>(E);
  if (!List)
    return std::nullopt;
  llvm::SmallVector<Index, 4> Out;
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

static OpArgument integer(const char *Name, std::int64_t N) {
  SizeValue V;
  V.Number = N;
  return {Name, V};
}

static OpArgument bound(FunctionLowering &L, const char *Name, const Expr *E) {
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

Recognised lowerIndexing(FunctionLowering &L, const CallSite &C) {
  if (!C.Receiver || C.base() != "index" || C.Arguments.size() != 1 ||
      !isTensor(C.Receiver->getType()))
    return std::nullopt;
  const auto Indices = indicesOf(C.Arguments[0]);
  const OpRule *Select = L.module().ops().rule("select"),
               *Slice = L.module().ops().rule("slice"),
               *Unsqueeze = L.module().ops().rule("unsqueeze");
  if (!Indices || !Select || !Slice || !Unsqueeze)
    return std::nullopt;

  Operand X = L.operand(C.Receiver);
  if (X.Slot == SlotId::None)
    return std::nullopt;
  // Behind the dots, dims count from the last: that of an index has as many
  // behind it as indices that are still to come.
  std::int64_t Left =
      llvm::count_if(*Indices, [](const Index &I) { return I.takesDim(); });
  bool FromLast = false;
  std::int64_t Dim = 0;
  const auto Emit = [&](const OpRule &Rule, llvm::ArrayRef<Operand> Operands,
                        llvm::ArrayRef<OpArgument> Arguments) {
    X = {L.emitOp(Rule, Operands, C.Call, SlotId::None, /*Partial=*/false,
                  Arguments),
         L.place(C.Call)};
  };
  for (const Index &I : *Indices) {
    Left -= I.takesDim();
    const std::int64_t At = FromLast ? -1 - Left : Dim;
    switch (I.K) {
    case Index::Kind::Ellipsis:
      FromLast = true;
      break;
    case Index::Kind::Number:
      Emit(*Select, {X, L.operandOrNone(I.Values[0])},
           {integer("dim", At), bound(L, "index", I.Values[0])});
      break;
    case Index::Kind::NewDim:
      Emit(*Unsqueeze, {X}, {integer("dim", At)});
      ++Dim;
      break;
    case Index::Kind::Slice: {
      llvm::SmallVector<Operand, 3> Operands{X};
      OpArguments Arguments{integer("dim", At)};
      const char *Names[] = {"start", "end", "step"};
      bool Whole = true;
      for (unsigned B = 0; B != I.Values.size() && B != 3; ++B) {
        Arguments.push_back(bound(L, Names[B], I.Values[B]));
        const auto &V = Arguments.back().Value;
        Whole &= V && std::holds_alternative<OpArgument::None>(*V);
        if (B != 2)
          Operands.push_back(L.operandOrNone(I.Values[B]));
      }
      if (!Whole)
        Emit(*Slice, Operands, Arguments);
      ++Dim;
      break;
    }
    }
  }
  return X.Slot;
}

} // namespace spmd::lint::lower

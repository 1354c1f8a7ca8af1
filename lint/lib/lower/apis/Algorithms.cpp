//===- Algorithms.cpp - Algorithms that compute each number of a range ----===//
//
// `std::transform(a.begin(), a.end(), b.begin(), [&](float x) { ... })` leaves
// in each number of `b` what the function makes of one of `a`; `std::for_each`
// and `std::generate` change the range that they go over.
//
//===----------------------------------------------------------------------===//

#include "../Closures.h"
#include "../Recognisers.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

namespace {
/// An algorithm's ranges, each by where it begins, and its function.
struct OverNumbers {
  llvm::SmallVector<const Expr *, 2> In;
  const Expr *Out = nullptr; ///< null: the function writes what it is given
  const Expr *Function = nullptr;
};
} // namespace

static std::optional<OverNumbers> overNumbers(const CallSite &C) {
  llvm::StringRef Name(C.Name);
  if (!Name.consume_front("std::") && !Name.consume_front("thrust::"))
    return std::nullopt;
  const auto &A = C.Arguments;
  OverNumbers Of;
  // An execution policy may come first.
  const unsigned I = A.empty() || isNumberIterator(A[0]->getType()) ? 0 : 1;
  const std::size_t N = A.size() < I ? 0 : A.size() - I;
  if (Name == "transform" && (N == 4 || N == 5)) {
    Of.In = {A[I]};
    if (N == 5)
      Of.In.push_back(A[I + 2]);
    Of.Out = A[I + N - 2];
  } else if ((Name == "for_each" || Name == "for_each_n") && N == 3) {
    Of.In = {A[I]};
  } else if ((Name == "generate" || Name == "generate_n") && N == 3) {
    Of.Out = A[I];
  } else {
    return std::nullopt;
  }
  Of.Function = A[I + N - 1];
  const auto IsNone = [](const Expr *E) {
    return !isNumberIterator(E->getType());
  };
  if (llvm::any_of(Of.In, IsNone) || (Of.Out && IsNone(Of.Out)))
    return std::nullopt;
  return Of;
}

/// The body that \p Function runs with \p N arguments; null if none is seen.
static const FunctionDecl *bodyOf(ExprLowering &L, const Expr *Function,
                                  std::size_t N) {
  Function = strip(Function)->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(Function);
      U && U->getOpcode() == UO_AddrOf)
    Function = U->getSubExpr()->IgnoreParenImpCasts();
  const FunctionDecl *Out = nullptr;
  const CXXRecordDecl *Class =
      Function->getType().getNonReferenceType()->getAsCXXRecordDecl();
  if (Class && Class->isLambda())
    Out = Class->getLambdaCallOperator();
  else if (const auto *Ref = dyn_cast<DeclRefExpr>(Function))
    Out = dyn_cast<FunctionDecl>(Ref->getDecl());
  return Out && Out->getNumParams() == N && !Out->isDependentContext() &&
                 L.module().isKnown(Out)
             ? Out
             : nullptr;
}

/// What `std::plus<>()` and its like do to two numbers.
static const OpRule *arithmetic(const Expr *Function) {
  const ScalarRules &Rules = ScalarRules::get();
  return llvm::StringSwitch<const OpRule *>(
             className(strip(Function)->getType()))
      .Case("std::plus", &Rules.Add)
      .Case("std::minus", &Rules.Sub)
      .Case("std::multiplies", &Rules.Mul)
      .Case("std::divides", &Rules.Div)
      .Default(nullptr);
}

/// Runs \p Body once, as on each number of the ranges. Returns what it returns.
static SlotId runBody(ExprLowering &L, const FunctionDecl *Body,
                      const OverNumbers &Of, llvm::ArrayRef<Operand> Ranges,
                      const Expr *At) {
  CallFact Call;
  Call.At = L.place(At);
  if (isa<CXXMethodDecl>(Body))
    Call.Receiver = L.operand(Of.Function);
  for (std::size_t I = 0; I != Ranges.size(); ++I) {
    Operand X = Ranges[I];
    X.Scalar = true;
    if (!Body->getParamDecl(I)->getType()->isReferenceType())
      X.Slot = L.emitOp(ScalarRules::get().Copy, {X}, At);
    Call.Arguments.push_back({X.Slot, X.At});
  }
  Call.Callee = L.module().require(Body);
  if (Of.Out)
    Call.Dst = L.temporary();
  const SlotId Result = Call.Dst;
  L.emit(std::move(Call));
  return Result;
}

/// Whether \p Iterator is where a range begins, as far as one sees.
static bool isBegin(const Expr *Iterator) {
  Iterator = strip(Iterator)->IgnoreParenImpCasts();
  if (isa<DeclRefExpr, MemberExpr>(Iterator))
    return Iterator->getType()->isPointerType() ||
           Iterator->getType()->isArrayType();
  if (!isa<CallExpr>(Iterator))
    return false;
  const llvm::StringRef Base = CallSite(Iterator).base();
  return Base == "begin" || Base == "data";
}

Recognised lowerAlgorithm(ExprLowering &L, const CallSite &C) {
  const std::optional<OverNumbers> Of = overNumbers(C);
  if (!Of)
    return std::nullopt;
  llvm::SmallVector<Operand, 2> Ranges;
  for (const Expr *E : Of->In)
    Ranges.push_back(L.operand(E));
  const SlotId Into = Of->Out ? L.value(Of->Out) : SlotId::None;
  const auto IsNone = [](const Operand &O) { return O.Slot == SlotId::None; };
  const FunctionDecl *Body = bodyOf(L, Of->Function, Ranges.size());
  const OpRule *Op = Ranges.size() == 2 ? arithmetic(Of->Function) : nullptr;
  SlotId Result = SlotId::None;
  if (llvm::any_of(Ranges, IsNone)) {
    Result = L.define(DefineFact::Kind::Unknown, C.Call);
  } else if (Body) {
    Result = runBody(L, Body, *Of, Ranges, C.Call);
  } else if (Op) {
    for (Operand &X : Ranges)
      X.Scalar = true;
    Result = L.emitOp(*Op, Ranges, C.Call);
  } else {
    lendClosure(L, Of->Function, C.Call);
    for (const Operand &X : Of->Out ? llvm::ArrayRef<Operand>() : Ranges)
      L.emit(HavocFact{X.Slot, /*Rebinds=*/false, L.place(C.Call)});
    Result = L.define(DefineFact::Kind::Unknown, C.Call);
  }
  if (Into != SlotId::None && Result != SlotId::None)
    L.emitOp(ScalarRules::get().Copy,
             {{Result, L.place(C.Call), /*Scalar=*/true}}, C.Call, Into,
             /*Partial=*/!isBegin(Of->Out));
  if (C.Call->getType()->isVoidType())
    return SlotId::None;
  return Of->Out ? Into : Ranges.empty() ? SlotId::None : Ranges[0].Slot;
}

} // namespace spmd::lint::lower

//===- Catalogue.cpp - Calls that a rule of the catalogue describes -------===//

#include "../OpArguments.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

namespace {
struct Actual {
  std::string Name; ///< of the parameter
  unsigned Index;   ///< of the parameter; the receiver has none
  const Expr *E;
  bool Used = false;
};
} // namespace

static std::vector<Actual> actualsOf(const CallSite &C) {
  std::vector<Actual> Out;
  if (C.Receiver)
    Out.push_back({"self", ~0u, C.Receiver});
  for (unsigned I = 0; I != C.Arguments.size(); ++I)
    Out.push_back({I < C.Callee->getNumParams()
                       ? C.Callee->getParamDecl(I)->getNameAsString()
                       : std::string(),
                   I, C.Arguments[I]});
  return Out;
}

static bool holdsData(const Expr *E) {
  const TypeClass K = classify(E->getType());
  return K == TypeClass::Tensor || K == TypeClass::TensorList ||
         K == TypeClass::Buffer;
}

/// The tensors of a list argument written in place, else the list's summary.
static void listElements(FunctionLowering &L, const Expr *E,
                         llvm::SmallVectorImpl<Operand> &Out) {
  const Expr *S = strip(E);
  while (const auto *C = dyn_cast<CXXConstructExpr>(S)) {
    if (C->getNumArgs() == 0 || isTensor(S->getType()))
      break;
    S = strip(C->getArg(0));
  }
  if (const auto *I = dyn_cast<InitListExpr>(S)) {
    for (const Expr *X : I->inits())
      if (Operand O = L.operandOrNone(X); O.Slot != SlotId::None)
        Out.push_back(O);
    return;
  }
  if (Operand O = L.operandOrNone(E); O.Slot != SlotId::None)
    Out.push_back(O);
}

/// `0.0f`, or the address of a variable that was initialised with it, as BLAS
/// takes its factors.
static bool isLiteralZero(const Expr *E, const ASTContext &Ctx) {
  E = strip(E);
  if (const auto *C = dyn_cast<CXXConstructExpr>(E); C && C->getNumArgs() == 1)
    E = strip(C->getArg(0));
  if (const auto *U = dyn_cast<UnaryOperator>(E);
      U && U->getOpcode() == UO_AddrOf)
    E = strip(U->getSubExpr());
  if (const auto *D = dyn_cast<DeclRefExpr>(E))
    if (const auto *V = dyn_cast<VarDecl>(D->getDecl());
        V && V->hasInit() &&
        (V->isLocalVarDecl() || V->getType().isConstQualified()))
      E = V->getInit();
  if (E->isValueDependent())
    return false;
  Expr::EvalResult Int;
  if (E->getType()->isIntegralOrEnumerationType())
    return E->EvaluateAsInt(Int, Ctx) && Int.Val.getInt().isZero();
  llvm::APFloat Float(0.0);
  return E->getType()->isRealFloatingType() && E->EvaluateAsFloat(Float, Ctx) &&
         Float.isZero();
}

/// The operand counts only with its factor: the old contents of a product with
/// beta zero are not read.
static bool isZeroed(const OpRule &Rule, const RuleFormal &F,
                     llvm::ArrayRef<Actual> Actuals, const ASTContext &Ctx) {
  if (F.ZeroedBy.empty())
    return false;
  for (const RuleFormal &Factor : Rule.Formals)
    if (Factor.Name == F.ZeroedBy)
      for (const Actual &A : Actuals)
        if (readsParameter(Factor, A.Name, A.Index))
          return isLiteralZero(A.E, Ctx);
  return false;
}

static const char *operatorName(const CallSite &C) {
  const auto *Op = dyn_cast<CXXOperatorCallExpr>(C.Call);
  if (!Op)
    return nullptr;
  const bool Unary = Op->getNumArgs() == 1;
  switch (Op->getOperator()) {
  case OO_Plus:
    return "at::add";
  case OO_Minus:
    return Unary ? "at::neg" : "at::sub";
  case OO_Star:
    return "at::mul";
  case OO_Slash:
    return "at::div";
  case OO_Percent:
    return "at::remainder";
  case OO_PlusEqual:
    return "at::add_";
  case OO_MinusEqual:
    return "at::sub_";
  case OO_StarEqual:
    return "at::mul_";
  case OO_SlashEqual:
    return "at::div_";
  case OO_EqualEqual:
    return "at::eq";
  case OO_ExclaimEqual:
    return "at::ne";
  case OO_Less:
    return "at::lt";
  case OO_LessEqual:
    return "at::le";
  case OO_Greater:
    return "at::gt";
  case OO_GreaterEqual:
    return "at::ge";
  case OO_Subscript:
    return "at::select";
  case OO_Amp:
  case OO_Pipe:
  case OO_Caret:
    return "at::logical_and";
  case OO_Tilde:
    return "at::logical_not";
  default:
    return nullptr;
  }
}

static bool involvesTensor(const std::vector<Actual> &Actuals) {
  return llvm::any_of(Actuals, [](const Actual &A) {
    const TypeClass K = classify(A.E->getType());
    return K == TypeClass::Tensor || K == TypeClass::TensorList;
  });
}

/// Whether \p Formal is the generator that random numbers are of.
static bool isGenerator(const OpRule &Rule, unsigned Formal) {
  return Rule.is(OpRole::Draws) && Formal + 1 == Rule.Formals.size();
}

Recognised lowerCatalogueCall(FunctionLowering &L, const CallSite &C) {
  std::vector<Actual> Actuals = actualsOf(C);
  std::string Name = C.Name;
  if (const char *Op = operatorName(C); Op && involvesTensor(Actuals))
    Name = Op;
  const OpMatch Match = L.module().ops().find(Name);
  if (!Match)
    return std::nullopt;
  const OpRule &Rule = *Match.Rule;

  OpFact O;
  O.Rule = &Rule;
  O.At = L.place(C.Call);
  // Only ATen's have rules about dims.
  if (const llvm::StringRef In = llvm::StringRef(Name);
      In.starts_with("at::") || In.starts_with("torch::"))
    O.Arguments = argumentsOf(L, C);
  auto Bind = [&](unsigned Formal, Actual &A) {
    A.Used = true;
    llvm::SmallVector<Operand, 4> Found;
    if (Rule.Formals[Formal].Variadic)
      listElements(L, A.E, Found);
    else
      Found.push_back(L.operandOrNone(A.E));
    // `shifts`, say, are the host's numbers, in a list.
    const bool Numbers = className(A.E->getType()) == "c10::ArrayRef" &&
                         classify(A.E->getType()) == TypeClass::Buffer;
    for (Operand &X : Found)
      X.Scalar |= Numbers;
    // No expression names the gradients.
    if (Rule.is(OpRole::TakesGradients) && Formal == 0)
      for (Operand &X : Found)
        if (X.Slot != SlotId::None)
          X = {L.gradientOf(X, A.E), PlaceId::None};
    for (const Operand &X : Found)
      if (X.Slot != SlotId::None) {
        O.Operands.push_back(X);
        O.FormalOf.push_back(Formal);
      }
  };
  std::vector<bool> Bound(Rule.Formals.size(), false);
  const llvm::StringRef OutParam =
      !Rule.Writes.empty() ? llvm::StringRef(Rule.Writes) : "out";
  Actual *Out = nullptr;
  if (Match.OutVariant || !Rule.Writes.empty())
    for (Actual &A : Actuals)
      if (A.Name == OutParam || std::to_string(A.Index) == OutParam) {
        Out = &A;
        A.Used = true;
      }
  for (unsigned I = 0; I != Rule.Formals.size(); ++I) {
    const RuleFormal &F = Rule.Formals[I];
    if (isZeroed(Rule, F, Actuals, L.module().context())) {
      Bound[I] = true;
      continue;
    }
    for (Actual &A : Actuals)
      if (readsParameter(F, A.Name, A.Index) && (!A.Used || &A == Out)) {
        Bind(I, A);
        Bound[I] = true;
        break;
      }
  }
  // Names differ between releases; the order of the tensors does not.
  for (unsigned I = 0; I != Rule.Formals.size(); ++I) {
    if (Bound[I])
      continue;
    if (isGenerator(Rule, I)) {
      O.Operands.push_back({L.generatorSlot(), PlaceId::None});
      O.FormalOf.push_back(I);
      continue;
    }
    for (Actual &A : Actuals) {
      const bool IsFactor = classify(A.E->getType()) == TypeClass::Scalar &&
                            I < 2 && Actuals.size() <= 2;
      if (A.Used || (!holdsData(A.E) && !IsFactor))
        continue;
      Bind(I, A);
      Bound[I] = true;
      break;
    }
    if (!Bound[I] && !Rule.Formals[I].Optional && !Rule.Formals[I].Variadic) {
      // A required operand is missing: another overload, of unknown meaning.
      const SlotId S = L.define(DefineFact::Kind::Unknown, C.Call);
      O.Operands.push_back({S, O.At});
      O.FormalOf.push_back(I);
    }
  }
  // What is left has effects of its own all the same.
  for (Actual &A : Actuals)
    if (!A.Used && !Out)
      L.value(A.E);

  if (Rule.is(OpRole::Seeds))
    O.WritesTo = L.generatorSlot();
  const Expr *Written = Out ? Out->E : nullptr;
  if (Match.InPlace && !Actuals.empty())
    Written = Actuals.front().E;
  if (Written) {
    bool Partial = false;
    const Expr *Object = L.viewedObject(Written, Partial);
    O.WritesTo = L.value(Object);
    O.PartialWrite = Partial;
    if (O.WritesTo != SlotId::None) {
      const SlotId Result = O.WritesTo;
      L.emit(std::move(O));
      const QualType Returned = C.Call->getType();
      // A status beside an output says nothing of it.
      if (Out && Returned->isIntegralOrEnumerationType())
        return L.define(DefineFact::Kind::Constant, C.Call);
      return Returned->isVoidType() ? SlotId::None : Result;
    }
  }
  const bool Void = C.Call->getType()->isVoidType();
  O.Dst = Void ? SlotId::None : L.temporary();
  const SlotId Dst = O.Dst;
  if (Void && O.WritesTo == SlotId::None)
    return SlotId::None;
  L.emit(std::move(O));
  return Dst;
}

} // namespace spmd::lint::lower

//===- Catalogue.cpp - Calls that a rule of the catalogue describes -------===//

#include "../Elements.h"
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

void listElements(ExprLowering &L, const Expr *E,
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

/// `&one`: one number of the host's.
static bool isAddressOfNumber(const Expr *E) {
  const auto *U = dyn_cast<UnaryOperator>(strip(E)->IgnoreParenCasts());
  const auto *D = U && U->getOpcode() == UO_AddrOf
                      ? dyn_cast<DeclRefExpr>(strip(U->getSubExpr()))
                      : nullptr;
  return D && D->getType()->isArithmeticType();
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

namespace {

/// Binds what a call is given to the operands of its rule: by the names of its
/// parameters, and where these differ between releases by their order.
class CatalogueCall {
public:
  CatalogueCall(ExprLowering &L, const CallSite &C, const OpMatch &Match,
                std::vector<Actual> Given)
      : L(L), C(C), Match(Match), Rule(*Match.Rule), Given(std::move(Given)),
        Bound(Rule.Formals.size(), false) {
    O.Rule = &Rule;
    O.At = L.place(C.Call);
  }

  Recognised lower(llvm::StringRef Name);

private:
  void findOutput();
  void bind(unsigned Formal, Actual &A);
  void bindByName();
  void bindByOrder(unsigned Formal);
  void add(unsigned Formal, Operand X) {
    O.Operands.push_back(X);
    O.FormalOf.push_back(Formal);
  }
  std::optional<SlotId> write();

  ExprLowering &L;
  const CallSite &C;
  const OpMatch &Match;
  const OpRule &Rule;
  std::vector<Actual> Given;
  std::vector<bool> Bound; ///< by formal
  Actual *Out = nullptr;   ///< what gets the result
  OpFact O;
};

} // namespace

void CatalogueCall::findOutput() {
  const llvm::StringRef Name =
      Rule.Writes.empty() ? "out" : llvm::StringRef(Rule.Writes);
  if (!Match.OutVariant && Rule.Writes.empty())
    return;
  for (Actual &A : Given)
    if (A.Name == Name || std::to_string(A.Index) == Name) {
      Out = &A;
      A.Used = true;
    }
}

void CatalogueCall::bind(unsigned Formal, Actual &A) {
  A.Used = Bound[Formal] = true;
  llvm::SmallVector<Operand, 4> Found;
  if (Rule.Formals[Formal].Variadic)
    listElements(L, A.E, Found);
  else
    Found.push_back(L.operandOrNone(A.E));
  // `shifts`, say, are the host's numbers, in a list.
  const bool Numbers = (className(A.E->getType()) == "c10::ArrayRef" &&
                        classify(A.E->getType()) == TypeClass::Buffer) ||
                       isAddressOfNumber(A.E);
  for (Operand &X : Found) {
    X.Scalar |= Numbers;
    if (X.Slot == SlotId::None)
      continue;
    // No expression names the gradients.
    if (Rule.is(OpRole::TakesGradients) && Formal == 0)
      X = {L.gradientOf(X, A.E), PlaceId::None};
    if (X.Slot != SlotId::None)
      add(Formal, X);
  }
}

void CatalogueCall::bindByName() {
  for (unsigned I = 0; I != Rule.Formals.size(); ++I) {
    const RuleFormal &F = Rule.Formals[I];
    if (isZeroed(Rule, F, Given, L.module().context())) {
      Bound[I] = true;
      continue;
    }
    const auto A = llvm::find_if(Given, [&](const Actual &A) {
      return readsParameter(F, A.Name, A.Index) && (!A.Used || &A == Out);
    });
    if (A != Given.end())
      bind(I, *A);
  }
}

/// The first tensor that no other operand is, or factor of two.
void CatalogueCall::bindByOrder(unsigned Formal) {
  if (isGenerator(Rule, Formal))
    return add(Formal, {L.Slots.generator(), PlaceId::None});
  const auto A = llvm::find_if(Given, [&](const Actual &A) {
    const bool IsFactor = classify(A.E->getType()) == TypeClass::Scalar &&
                          Formal < 2 && Given.size() <= 2;
    return !A.Used && (holdsData(A.E) || IsFactor);
  });
  if (A != Given.end())
    return bind(Formal, *A);
  // A required operand is missing: another overload, of unknown meaning.
  if (!Rule.Formals[Formal].Optional && !Rule.Formals[Formal].Variadic)
    add(Formal, {L.define(DefineFact::Kind::Unknown, C.Call), O.At});
}

/// What the call gives, if it writes to something that it is given.
std::optional<SlotId> CatalogueCall::write() {
  const Expr *Written = Out ? Out->E : nullptr;
  if (Match.InPlace && !Given.empty())
    Written = Given.front().E;
  if (!Written)
    return std::nullopt;
  const Viewed Of = viewedObject(L, Written);
  const SlotId Result = L.value(Of.Object);
  if (Result == SlotId::None)
    return std::nullopt;
  O.WritesTo = writtenPart(L, Of, Result, C.Call);
  O.PartialWrite = Of.Partial;
  L.emit(std::move(O));
  const QualType Returned = C.Call->getType();
  // A status beside an output says nothing of it.
  if (Out && Returned->isIntegralOrEnumerationType())
    return L.define(DefineFact::Kind::Constant, C.Call);
  return Returned->isVoidType() ? SlotId::None : Result;
}

Recognised CatalogueCall::lower(llvm::StringRef Name) {
  // Only ATen's have rules about dims.
  if (Name.starts_with("at::") || Name.starts_with("torch::"))
    O.Arguments = argumentsOf(L, C);
  findOutput();
  bindByName();
  for (unsigned I = 0; I != Rule.Formals.size(); ++I)
    if (!Bound[I])
      bindByOrder(I);
  // What is left has effects of its own all the same.
  for (const Actual &A : Given)
    if (!A.Used && !Out)
      L.value(A.E);
  if (Rule.is(OpRole::Seeds))
    O.WritesTo = L.Slots.generator();
  if (const std::optional<SlotId> Result = write())
    return *Result;
  const bool Void = C.Call->getType()->isVoidType();
  const bool TakesGradients = Rule.is(OpRole::TakesGradients);
  if (Void && O.WritesTo == SlotId::None && !TakesGradients)
    return SlotId::None;
  O.Dst = Void && !TakesGradients ? SlotId::None : L.temporary();
  const SlotId Dst = O.Dst;
  L.emit(std::move(O));
  return Dst;
}

Recognised lowerCatalogueCall(ExprLowering &L, const CallSite &C) {
  std::vector<Actual> Given = actualsOf(C);
  std::string Name = C.Name;
  if (const char *Op = operatorName(C); Op && involvesTensor(Given))
    Name = Op;
  const OpMatch Match = L.module().ops().find(Name);
  if (!Match)
    return std::nullopt;
  return CatalogueCall(L, C, Match, std::move(Given)).lower(Name);
}

} // namespace spmd::lint::lower

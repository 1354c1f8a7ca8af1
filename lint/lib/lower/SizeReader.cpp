//===- SizeReader.cpp - Sizes, numbers and lists in source code -----------===//

#include "SizeReader.h"

#include "Recognisers.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// Of initialisers that name variables that name others.
static constexpr unsigned MaxDepth = 16;

static bool isInteger(QualType T) {
  return T->isIntegralOrEnumerationType() && !T->isBooleanType();
}

/// A class that holds one integer, or none.
static bool isIntegerClass(QualType T) {
  const std::string Name = className(T);
  if (Name == "std::optional" || Name == "c10::optional") {
    const QualType E = elementType(T);
    return !E.isNull() && (isInteger(E) || isIntegerClass(E));
  }
  return Name == "c10::SymInt" || Name == "at::indexing::TensorIndex" ||
         Name == "c10::Scalar";
}

/// Without casts between integers, and without what wraps one.
static const Expr *plain(const Expr *E) {
  while (true) {
    E = strip(E);
    const Expr *Next = nullptr;
    if (const auto *X = dyn_cast<CastExpr>(E)) {
      const QualType From = X->getSubExpr()->getType();
      if (isInteger(From) || isIntegerClass(From))
        Next = X->getSubExpr();
    } else if (const auto *X = dyn_cast<CXXDefaultArgExpr>(E)) {
      Next = X->getExpr();
    } else if (const auto *X = dyn_cast<CXXConstructExpr>(E)) {
      if (X->getNumArgs() == 1 && isIntegerClass(X->getType()))
        Next = X->getArg(0);
    } else if (const auto *X = dyn_cast<InitListExpr>(E)) {
      if (X->getNumInits() == 1 && isInteger(X->getType()))
        Next = X->getInit(0);
    }
    if (!Next)
      return E;
    E = Next;
  }
}

static SizeValue number(std::int64_t N) {
  SizeValue Out;
  Out.Number = N;
  return Out;
}

static SizeValue named(std::string Name) {
  SizeTerm T;
  T.Variable = std::move(Name);
  SizeValue Out;
  Out.Terms.push_back(std::move(T));
  return Out;
}

std::optional<SizeValue> SizeReader::size(const Expr *E) {
  if (!E || Depth == MaxDepth)
    return std::nullopt;
  llvm::SaveAndRestore Deeper(Depth, Depth + 1);
  if (const std::optional<std::int64_t> N = L.constant(E))
    return number(*N);
  E = plain(E);
  if (!isInteger(E->getType()))
    return std::nullopt;
  if (const std::optional<std::int64_t> N = L.constant(E))
    return number(*N);
  if (const auto *X = dyn_cast<BinaryOperator>(E))
    return arithmetic(X);
  if (const auto *X = dyn_cast<UnaryOperator>(E)) {
    const std::optional<SizeValue> V =
        X->getOpcode() == UO_Minus || X->getOpcode() == UO_Plus
            ? size(X->getSubExpr())
            : std::nullopt;
    return V && X->getOpcode() == UO_Minus ? multiply(*V, number(-1)) : V;
  }
  if (const auto *X = dyn_cast<DeclRefExpr>(E))
    return variable(X);
  if (isa<MemberExpr>(E)) {
    const std::optional<std::string> Path = path(E);
    return Path ? std::optional(named(*Path)) : std::nullopt;
  }
  if (isa<CallExpr>(E))
    return call(E);
  return std::nullopt;
}

std::optional<SizeValue> SizeReader::arithmetic(const BinaryOperator *E) {
  const BinaryOperatorKind K = E->getOpcode();
  if (K != BO_Mul && K != BO_Div && K != BO_Add && K != BO_Sub)
    return std::nullopt;
  const std::optional<SizeValue> A = size(E->getLHS()), B = size(E->getRHS());
  if (!A || !B)
    return std::nullopt;
  const bool Numbers = A->isNumber() && B->isNumber();
  if (K == BO_Mul)
    return multiply(*A, *B);
  if (K == BO_Div && !Numbers)
    return divide(*A, *B);
  if (!Numbers)
    return std::nullopt;
  if (K == BO_Div)
    return B->Number == 0 || B->Number == -1
               ? std::nullopt
               : std::optional(number(A->Number / B->Number));
  std::int64_t N = 0;
  if (K == BO_Add ? llvm::AddOverflow(A->Number, B->Number, N)
                  : llvm::SubOverflow(A->Number, B->Number, N))
    return std::nullopt;
  return number(N);
}

const Expr *SizeReader::initialiser(const Expr *E) {
  const auto *Ref = dyn_cast<DeclRefExpr>(strip(E)->IgnoreParenImpCasts());
  const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!VD || isa<ParmVarDecl>(VD) || !VD->hasInit() ||
      !L.Body.constancy().isConstant(VD))
    return nullptr;
  // A static local has the value of the first call.
  return VD->isStaticLocal() ? nullptr : VD->getInit();
}

std::optional<SizeValue> SizeReader::variable(const DeclRefExpr *E) {
  if (const Expr *Init = initialiser(E))
    if (std::optional<SizeValue> V = size(Init))
      return V;
  const std::optional<std::string> Path = path(E);
  return Path ? std::optional(named(*Path)) : std::nullopt;
}

std::optional<std::string> SizeReader::path(const Expr *E) {
  E = strip(E)->IgnoreParenImpCasts();
  const Constancy &Constant = L.Body.constancy();
  if (isa<CXXThisExpr>(E))
    return std::string();
  if (const auto *X = dyn_cast<DeclRefExpr>(E)) {
    const auto *VD = dyn_cast<VarDecl>(X->getDecl());
    if (!VD || !VD->getIdentifier() || !Constant.isConstant(VD) ||
        Constant.isPerTurn(VD) ||
        (VD->hasGlobalStorage() && Constant.isTaken(VD->getName())))
      return std::nullopt;
    return Constant.nameOf(VD);
  }
  if (const auto *X = dyn_cast<MemberExpr>(E)) {
    const ValueDecl *D = X->getMemberDecl();
    if (!isa<FieldDecl>(D) || !D->getIdentifier() || !Constant.isConstant(D))
      return std::nullopt;
    std::optional<std::string> Base = path(X->getBase());
    if (!Base)
      return std::nullopt;
    if (Base->empty() && Constant.isTaken(D->getName()))
      Base = "this";
    return (Base->empty() ? "" : *Base + ".") + D->getName().str();
  }
  if (const auto *X = dyn_cast<UnaryOperator>(E))
    return X->getOpcode() == UO_Deref ? path(X->getSubExpr()) : std::nullopt;
  if (const auto *X = dyn_cast<CXXOperatorCallExpr>(E))
    return X->getOperator() == OO_Arrow ||
                   (X->getOperator() == OO_Star && X->getNumArgs() == 1)
               ? path(X->getArg(0))
               : std::nullopt;
  return std::nullopt;
}

std::optional<SizeValue> SizeReader::dimOf(const Expr *Tensor,
                                           std::optional<SizeValue> Dim) {
  if (!Dim || !Dim->isNumber() || Dim->Number < -64 || Dim->Number >= 64)
    return std::nullopt;
  SizeTerm T;
  T.Tensor = L.sizedTensor(Tensor);
  T.Dim = static_cast<int>(Dim->Number);
  if (T.Tensor == SlotId::None)
    return std::nullopt;
  SizeValue Out;
  Out.Terms.push_back(std::move(T));
  return Out;
}

static bool isSizes(const CallSite &C) {
  return C.Receiver && isTensor(C.Receiver->getType()) &&
         (C.base() == "sizes" || C.base() == "sym_sizes");
}

std::optional<SizeValue> SizeReader::call(const Expr *E) {
  const CallSite C(E);
  if (!C.Callee || !C.Receiver)
    return std::nullopt;
  if (isTensor(C.Receiver->getType()))
    return C.base() == "size" || C.base() == "sym_size"
               ? dimOf(C.Receiver, size(C.argument(0)))
               : std::nullopt;
  if (C.Name == "spmd::Axis::size") {
    const SlotId S = L.sizedTensor(C.Receiver);
    if (S == SlotId::None || L.slot(S).DeclaredAxes.empty())
      return std::nullopt;
    SizeValue Out;
    for (const std::string &Axis : L.slot(S).DeclaredAxes)
      if (const auto More = multiply(Out, named(Axis)))
        Out = *More;
    return Out;
  }
  // x.sizes()[1], or of a variable that holds the sizes.
  const Expr *List = strip(C.Receiver)->IgnoreParenImpCasts();
  if (const Expr *Init = initialiser(List))
    List = strip(Init)->IgnoreParenImpCasts();
  if (!isa<CallExpr>(List))
    return std::nullopt;
  const CallSite Sizes(List);
  if (!isSizes(Sizes))
    return std::nullopt;
  if (C.base() == "front" || C.base() == "back")
    return dimOf(Sizes.Receiver, number(C.base() == "front" ? 0 : -1));
  return C.base() == "operator[]" || C.base() == "at"
             ? dimOf(Sizes.Receiver, size(C.argument(0)))
             : std::nullopt;
}

std::optional<SizeList> SizeReader::list(const Expr *E) {
  if (!E || Depth == MaxDepth)
    return std::nullopt;
  llvm::SaveAndRestore Deeper(Depth, Depth + 1);
  E = strip(E);
  if (const auto *X = dyn_cast<InitListExpr>(E)) {
    SizeList Out;
    for (const Expr *Element : X->inits())
      Out.push_back(size(Element));
    // `std::array` has its elements in a list of its own.
    if (X->getType()->isRecordType() && X->getNumInits() == 1 &&
        isa<InitListExpr>(strip(X->getInit(0))))
      return list(X->getInit(0));
    return Out;
  }
  if (isInteger(E->getType()) || isIntegerClass(E->getType()))
    return SizeList{size(E)};
  if (const auto *X = dyn_cast<CastExpr>(E))
    return list(X->getSubExpr());
  if (const auto *X = dyn_cast<CXXDefaultArgExpr>(E))
    return list(X->getExpr());
  if (const auto *X = dyn_cast<CXXConstructExpr>(E)) {
    if (X->getNumArgs() == 0 || isa<CXXDefaultArgExpr>(X->getArg(0)))
      return SizeList();
    // `vector(2, 5)` and `ArrayRef(p, n)` are not the list of these.
    const Expr *First = X->getArg(0);
    if ((X->getNumArgs() > 1 && !isa<CXXDefaultArgExpr>(X->getArg(1))) ||
        (isInteger(First->getType()) &&
         className(X->getType()) == "std::vector"))
      return std::nullopt;
    return list(First);
  }
  if (const Expr *Init = initialiser(E))
    return list(Init);
  return std::nullopt;
}

std::optional<bool> SizeReader::boolean(const Expr *E) const {
  E = strip(E);
  while (const auto *X = dyn_cast<CXXConstructExpr>(E)) {
    if (X->getNumArgs() != 1)
      return std::nullopt;
    E = strip(X->getArg(0));
  }
  if (const auto *X = dyn_cast<CXXDefaultArgExpr>(E))
    E = X->getExpr();
  bool Value = false;
  if (E->isValueDependent() || !E->getType()->isScalarType() ||
      !E->EvaluateAsBooleanCondition(Value, L.context()))
    return std::nullopt;
  return Value;
}

std::optional<std::string> SizeReader::string(const Expr *E) {
  if (!E || Depth == MaxDepth)
    return std::nullopt;
  llvm::SaveAndRestore Deeper(Depth, Depth + 1);
  E = strip(E)->IgnoreParenImpCasts();
  if (const auto *X = dyn_cast<CXXDefaultArgExpr>(E))
    return string(X->getExpr());
  if (const auto *X = dyn_cast<StringLiteral>(E))
    return X->isOrdinary() || X->isUTF8() ? std::optional(X->getString().str())
                                          : std::nullopt;
  if (const auto *X = dyn_cast<CXXConstructExpr>(E)) {
    const bool One =
        X->getNumArgs() == 1 ||
        (X->getNumArgs() == 2 && isa<CXXDefaultArgExpr>(X->getArg(1)));
    return One ? string(X->getArg(0)) : std::nullopt;
  }
  // `std::string_view(text)`, and the conversion to one.
  if (const auto *X = dyn_cast<CastExpr>(E))
    return string(X->getSubExpr());
  if (const auto *X = dyn_cast<CXXMemberCallExpr>(E))
    return isa_and_nonnull<CXXConversionDecl>(X->getMethodDecl())
               ? string(X->getImplicitObjectArgument())
               : std::nullopt;
  const Expr *Init = initialiser(E);
  return Init ? string(Init) : std::nullopt;
}

} // namespace spmd::lint::lower

//===- Expressions.cpp - From the AST to an effect program: expressions ---===//

#include "Expressions.h"

#include "lower/Recognisers.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

//===--- Constants ----------------------------------------------------------//

/// What a constant of the user's is made of: a library's name, perhaps.
static const clang::Expr *initialiserOf(const DeclRefExpr *Ref) {
  if (!Ref)
    return nullptr;
  if (const auto *D = dyn_cast<EnumConstantDecl>(Ref->getDecl()))
    return D->getInitExpr();
  const auto *D = dyn_cast<VarDecl>(Ref->getDecl());
  return D && (D->getType().isConstQualified() || D->isConstexpr())
             ? D->getAnyInitializer()
             : nullptr;
}

const Expr *Expressions::constant(const clang::Expr *E) {
  const clang::Expr *Inner = E->IgnoreParenImpCasts();
  const auto *Ref = dyn_cast<DeclRefExpr>(Inner);
  const auto *Var = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  const bool MayBeNamed =
      E->getBeginLoc().isMacroID() || (Var && Var->hasGlobalStorage()) ||
      (Ref && isa<EnumConstantDecl>(Ref->getDecl())) ||
      (isa<MemberExpr>(Inner) && !E->getType()->isRecordType());
  if (MayBeNamed &&
      !isa<CallExpr, ArraySubscriptExpr, clang::StringLiteral>(Inner)) {
    const std::string Name = lower::constantName(Apis, Ctx, E);
    const auto Meaning = Apis.constant(Name);
    const bool IsType =
        llvm::any_of(Apis.all(), [&](const rules::CollectiveApi &Api) {
          return Api.Datatypes.contains(Name);
        });
    if (!Name.empty() && (Meaning || IsType))
      return P.name(Name, Meaning);
  }
  if (const clang::Expr *Init = initialiserOf(Ref);
      Init && !Init->isValueDependent()) {
    const std::string Name = lower::constantName(Apis, Ctx, Init);
    if (const auto Meaning = Apis.constant(Name))
      return P.name(Name, Meaning);
  }
  clang::Expr::EvalResult R;
  if (E->isValueDependent() || !E->getType()->isIntegralOrEnumerationType() ||
      !E->EvaluateAsInt(R, Ctx) || R.HasSideEffects)
    return nullptr;
  const std::optional<std::int64_t> Value = R.Val.getInt().tryExtValue();
  return Value ? P.integer(*Value) : nullptr;
}

//===--- Values -------------------------------------------------------------//

const Expr *Expressions::visited(const clang::Expr *E) {
  for (const clang::Stmt *Child : E->children())
    if (const auto *X = dyn_cast_or_null<clang::Expr>(Child))
      value(X);
  return P.unknown(Trust::Unknown);
}

const Expr *Expressions::unreadable(const RecoveryExpr *E) {
  std::vector<const Expr *> Given;
  for (const clang::Expr *Part : E->subExpressions())
    // A list of initialisers without something to initialise has no type.
    if (!Part->getType().isNull() && !Part->isTypeDependent() &&
        !Part->getType()->isFunctionType())
      Given.push_back(value(Part));
  Out.emit(Kind::Hand, E->getBeginLoc()).Arguments = std::move(Given);
  Out.emit(Kind::Opaque, E->getBeginLoc()).Name = "what has errors";
  return P.unknown(Trust::Unknown);
}

const Expr *Expressions::value(const clang::Expr *E) {
  const Expr *Computed = valueAsIs(E);
  const std::optional<unsigned> Typed = Declared.typed(E);
  return Typed ? P.typed(*Typed, Computed) : Computed;
}

/// What \p E only wraps; null: nothing.
static const clang::Expr *wrappedBy(const clang::Expr *E) {
  if (const auto *X = dyn_cast<FullExpr>(E))
    return X->getSubExpr();
  if (const auto *X = dyn_cast<MaterializeTemporaryExpr>(E))
    return X->getSubExpr();
  if (const auto *X = dyn_cast<CXXBindTemporaryExpr>(E))
    return X->getSubExpr();
  if (const auto *X = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
    return X->getReplacement();
  if (const auto *X = dyn_cast<CXXDefaultArgExpr>(E))
    return X->getExpr();
  if (const auto *X = dyn_cast<CXXDefaultInitExpr>(E))
    return X->getExpr();
  if (const auto *X = dyn_cast<ChooseExpr>(E))
    return X->getChosenSubExpr();
  if (const auto *X = dyn_cast<OpaqueValueExpr>(E))
    return X->getSourceExpr();
  if (const auto *X = dyn_cast<InitListExpr>(E);
      X && X->getNumInits() == 1 && !E->getType()->isRecordType())
    return X->getInit(0);
  return nullptr;
}

const Expr *Expressions::valueAsIs(const clang::Expr *E) {
  E = E->IgnoreParens();
  if (const Expr *Known = constant(E))
    return Known;
  if (const clang::Expr *Inner = wrappedBy(E))
    return value(Inner);
  if (const auto *X = dyn_cast<DeclRefExpr>(E))
    if (const auto *FD = dyn_cast<FunctionDecl>(X->getDecl())) {
      const auto Number = Named.functionOf(FD);
      return Number ? P.function(*Number) : P.unknown(Trust::Unknown);
    }
  if (const auto *X = dyn_cast<CastExpr>(E))
    return cast(X);
  if (const auto *X = dyn_cast<UnaryOperator>(E))
    return Operate.unary(X);
  if (const auto *X = dyn_cast<BinaryOperator>(E)) {
    const Expr *Result =
        X->isLogicalOp() ? Operate.logical(X) : Operate.binary(X);
    return Result ? Result : visited(E);
  }
  if (const auto *X = dyn_cast<AbstractConditionalOperator>(E))
    return Operate.conditional(X);
  if (isa<CXXThisExpr>(E))
    return P.load(Named.self());
  if (const Expr *Known = literal(E))
    return Known;
  if (const Expr *Result = ofStatement(E))
    return Result;
  if (const auto *X = dyn_cast<CallExpr>(E)) {
    const Expr *Result = Called.value(X);
    const bool IsPointer = E->getType()->isRecordType() || E->isGLValue();
    return IsPointer ? P.load(P.target(Result)) : Result;
  }
  if (isa<LambdaExpr, UnaryExprOrTypeTraitExpr, OpaqueValueExpr>(E))
    return P.unknown(Trust::Unknown);
  if (!isa<InitListExpr>(E) && (E->isGLValue() || E->getType()->isRecordType()))
    return P.load(place(E));
  return visited(E);
}

const Expr *Expressions::literal(const clang::Expr *E) {
  if (const auto *X = dyn_cast<FloatingLiteral>(E))
    return P.real(X->getValueAsApproximateDouble());
  if (const auto *X = dyn_cast<clang::StringLiteral>(E))
    return P.name("\"" + X->getBytes().str(), std::nullopt);
  return isa<CXXNullPtrLiteralExpr, GNUNullExpr, ImplicitValueInitExpr>(E)
             ? P.integer(0)
             : nullptr;
}

const Expr *Expressions::ofStatement(const clang::Expr *E) {
  if (const auto *X = dyn_cast<CXXThrowExpr>(E)) {
    Out.emit(Kind::Throw, X->getBeginLoc());
    return P.unknown(Trust::Unknown);
  }
  if (const auto *X = dyn_cast<StmtExpr>(E)) {
    const Expr *Last = P.unknown(Trust::Unknown);
    for (const clang::Stmt *S : X->getSubStmt()->body())
      if (const auto *V = dyn_cast<clang::Expr>(S))
        Last = value(V);
      else
        Stmts.lower(S);
    return Last;
  }
  if (const auto *X = dyn_cast<CXXNewExpr>(E)) {
    const Expr *New = Out.allocation(X->getBeginLoc());
    const Expr *At = P.temporary();
    Out.assign(At, New, X->getBeginLoc());
    if (const CXXConstructExpr *C = X->getConstructExpr(); C && !X->isArray())
      Begin.construct(P.target(P.load(At)), C);
    return P.load(At);
  }
  if (const auto *X = dyn_cast<CXXDeleteExpr>(E)) {
    Out.end(value(X->getArgument()), "delete", X->getBeginLoc());
    return P.integer(0);
  }
  const auto *X = dyn_cast<RecoveryExpr>(E);
  return X ? unreadable(X) : nullptr;
}

const Expr *Expressions::cast(const CastExpr *E) {
  const clang::Expr *Of = E->getSubExpr();
  switch (E->getCastKind()) {
  case CK_LValueToRValue:
    // Who polls it means to be too early, and finds another value each time.
    if (Of->getType().isVolatileQualified())
      return visited(E);
    if (isa<ConditionalOperator>(Of->IgnoreParens()))
      return value(Of); // names, too, that an arm gives
    return P.load(place(Of), Declared.number(Of));
  case CK_ArrayToPointerDecay:
    if (isa<clang::StringLiteral>(Of->IgnoreParens()))
      return value(Of);
    return P.address(P.element(place(Of), P.integer(0), false));
  case CK_FunctionToPointerDecay:
  case CK_BuiltinFnToFnPtr:
    return value(Of);
  case CK_NullToPointer:
  case CK_NullToMemberPointer:
    return P.integer(0);
  case CK_IntegralToFloating:
    return P.unary(Operator::ToReal, value(Of));
  case CK_FloatingToIntegral:
    return P.unary(Operator::ToInteger, value(Of));
  case CK_IntegralToBoolean:
  case CK_FloatingToBoolean:
  case CK_PointerToBoolean:
    return P.unary(Operator::ToBool, value(Of));
  default:
    return value(Of);
  }
}

//===--- Places -------------------------------------------------------------//

/// What is at the same place as \p E; null: nothing that is inside it.
static const clang::Expr *sameAs(const clang::Expr *E) {
  if (const auto *X = dyn_cast<FullExpr>(E))
    return X->getSubExpr();
  if (const auto *X = dyn_cast<CXXBindTemporaryExpr>(E))
    return X->getSubExpr();
  if (const auto *X = dyn_cast<MaterializeTemporaryExpr>(E))
    return X->getSubExpr();
  if (const auto *X = dyn_cast<CXXDefaultArgExpr>(E))
    return X->getExpr();
  if (const auto *X = dyn_cast<CallExpr>(E); X && X->isCallToStdMove())
    return X->getArg(0);
  const auto *X = dyn_cast<CastExpr>(E);
  return X && (E->isGLValue() || E->getType()->isRecordType()) &&
                 X->getSubExpr()->getType()->isRecordType()
             ? X->getSubExpr()
             : nullptr;
}

/// The place \p At of \p D, with the axes that it is declared to be over.
const Expr *Expressions::over(const ValueDecl *D, const Expr *At) {
  std::string Axes = Declared.axesOf(D);
  return Axes.empty()
             ? At
             : P.over(At, std::move(Axes),
                      commKind(D->getType()) == AxisHandle::Kind::Axis);
}

/// What holds the group that \p E, `*group`, names: it stands for itself,
/// whether it is held by a pointer or named by a reference. Null: no group.
static const clang::Expr *holderOf(const clang::Expr *E) {
  const auto *Operator = dyn_cast<CXXOperatorCallExpr>(E);
  const auto *Unary = dyn_cast<UnaryOperator>(E);
  const clang::Expr *Of =
      Operator && Operator->getOperator() == OO_Star && Operator->getNumArgs()
          ? Operator->getArg(0)
      : Unary && Unary->getOpcode() == UO_Deref ? Unary->getSubExpr()
                                                : nullptr;
  Of = Of ? Of->IgnoreParenImpCasts() : nullptr;
  return Of && Of->isGLValue() && isGroupClass(E->getType()) ? Of : nullptr;
}

const Expr *Expressions::place(const clang::Expr *E) {
  E = E->IgnoreParens();
  if (const clang::Expr *Holder = holderOf(E))
    return place(Holder);
  if (const auto *X = dyn_cast<DeclRefExpr>(E))
    if (const auto *D = dyn_cast<VarDecl>(X->getDecl())) {
      const Expr *Variable = Named.variable(D);
      return over(D, isByReference(D) ? P.target(P.load(Variable)) : Variable);
    }
  if (const auto *X = dyn_cast<MemberExpr>(E)) {
    const ValueDecl *Member = X->getMemberDecl();
    if (const auto *D = dyn_cast<VarDecl>(Member))
      return over(D, Named.variable(D));
    if (isa<FieldDecl>(Member)) {
      const Expr *Base =
          X->isArrow() ? P.target(value(X->getBase())) : place(X->getBase());
      const llvm::StringRef Name = Member->getName();
      return Name.empty() ? Base : over(Member, P.field(Base, Name));
    }
  }
  if (const auto *X = dyn_cast<ArraySubscriptExpr>(E))
    return element(X);
  if (const auto *X = dyn_cast<UnaryOperator>(E)) {
    if (X->getOpcode() == UO_Deref)
      return P.target(value(X->getSubExpr()));
    if (X->isIncrementDecrementOp() && X->isPrefix()) {
      Operate.unary(X);
      return place(X->getSubExpr());
    }
  }
  if (const auto *X = dyn_cast<BinaryOperator>(E); X && X->isAssignmentOp()) {
    Operate.binary(X);
    return place(X->getLHS());
  }
  if (const clang::Expr *Inner = sameAs(E))
    return place(Inner);
  if (const auto *X = dyn_cast<ConditionalOperator>(E);
      X && (E->isGLValue() || E->getType()->isRecordType()))
    return P.target(Operate.conditional(X, /*OfPlaces=*/true));
  if (const auto *X = dyn_cast<CallExpr>(E);
      X && (E->isGLValue() || E->getType()->isRecordType()))
    return P.target(Called.value(X));
  return placed(E);
}

const Expr *Expressions::element(const ArraySubscriptExpr *E) {
  const clang::Expr *Base = E->getBase()->IgnoreParens();
  const auto *Decay = dyn_cast<ImplicitCastExpr>(Base);
  const bool OfArray = Decay && Decay->getCastKind() == CK_ArrayToPointerDecay;
  const Expr *Of = OfArray ? place(Decay->getSubExpr()) : value(Base);
  return P.element(Of, value(E->getIdx()), !OfArray);
}

const Expr *Expressions::placed(const clang::Expr *E) {
  const Expr *At = P.temporary();
  if (const auto *X = dyn_cast<CXXConstructExpr>(E))
    Begin.construct(At, X);
  else if (isa<InitListExpr>(E))
    Begin.initialise(At, E);
  else if (E->isPRValue() && !E->getType()->isRecordType())
    Out.assign(At, value(E), E->getBeginLoc());
  else {
    visited(E);
    Out.forget(At, E->getBeginLoc());
  }
  return At;
}

/// Whether an iterator goes to a smart pointer: `*it` is that, and no object.
static bool goesToHandle(const CXXOperatorCallExpr *Star) {
  return isSmartPointer(Star->getType()) &&
         !isSmartPointer(Star->getArg(0)->getType());
}

const Expr *Expressions::handle(const clang::Expr *Receiver) {
  Receiver = Receiver->IgnoreParenImpCasts();
  if (const auto *X = dyn_cast<CXXOperatorCallExpr>(Receiver);
      X && (X->getOperator() == OO_Arrow ||
            (X->getOperator() == OO_Star && !goesToHandle(X))))
    return handle(X->getArg(0));
  if (Receiver->getType()->isPointerType())
    return value(Receiver);
  return P.load(place(Receiver));
}

} // namespace spmd::lint::effects

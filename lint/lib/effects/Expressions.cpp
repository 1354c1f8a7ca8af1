//===- Expressions.cpp - From the AST to an effect program: expressions ---===//

#include "EffectLowering.h"

#include "lower/Recognisers.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

//===--- Nodes --------------------------------------------------------------//

const EffectLowering::Expr *EffectLowering::field(const Expr *Of,
                                                  llvm::StringRef Name) {
  Expr E;
  E.Kind = ExprKind::Field;
  E.Name = Name.str();
  E.Operands = {Of};
  return P.add(std::move(E));
}

const EffectLowering::Expr *
EffectLowering::element(const Expr *Of, const Expr *Index, bool OfPointer) {
  Expr E;
  E.Kind = ExprKind::Element;
  E.IsOfPointer = OfPointer;
  E.Operands = {Of, Index};
  return P.add(std::move(E));
}

const EffectLowering::Expr *EffectLowering::target(const Expr *Pointer) {
  if (Pointer->Kind == ExprKind::Address)
    return Pointer->Operands[0];
  Expr E;
  E.Kind = ExprKind::Target;
  E.Operands = {Pointer};
  return P.add(std::move(E));
}

const EffectLowering::Expr *EffectLowering::temporary() {
  return P.variable(P.addVariable({}));
}

const EffectLowering::Expr *EffectLowering::function(unsigned Number) {
  Expr E;
  E.Kind = ExprKind::Function;
  E.Number = Number;
  return P.add(std::move(E));
}

const EffectLowering::Expr *
EffectLowering::conditionalOf(const Expr *If, const Expr *A, const Expr *B) {
  Expr E;
  E.Kind = ExprKind::Conditional;
  E.Operands = {If, A, B};
  return P.add(std::move(E));
}

void EffectLowering::assign(const Expr *Into, const Expr *Value,
                            SourceLocation At) {
  Stmt &S = emit(Kind::Assign, At);
  S.Target = Into;
  S.Value = Value;
}

/// What stands nowhere in the source.
const EffectLowering::Stmt *EffectLowering::assignment(const Expr *Into,
                                                       const Expr *Value) {
  Stmt S;
  S.Kind = Kind::Assign;
  S.Target = Into;
  S.Value = Value;
  return P.add(std::move(S));
}

void EffectLowering::forget(const Expr *What, SourceLocation At) {
  emit(Kind::Forget, At).Target = What;
}

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

/// Names that a library gives, and numbers; null for all else.
const EffectLowering::Expr *EffectLowering::constant(const clang::Expr *E) {
  const clang::Expr *Inner = E->IgnoreParenImpCasts();
  const auto *Ref = dyn_cast<DeclRefExpr>(Inner);
  const auto *Var = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  const bool MayBeNamed =
      E->getBeginLoc().isMacroID() || (Var && Var->hasGlobalStorage()) ||
      (Ref && isa<EnumConstantDecl>(Ref->getDecl())) ||
      (isa<MemberExpr>(Inner) && !E->getType()->isRecordType());
  if (MayBeNamed &&
      !isa<CallExpr, ArraySubscriptExpr, clang::StringLiteral>(Inner)) {
    const std::string Name = lower::constantName(*Cfg.Apis, Ctx, E);
    const auto Meaning = Cfg.Apis->constant(Name);
    const bool IsType =
        llvm::any_of(Cfg.Apis->all(), [&](const rules::CollectiveApi &Api) {
          return Api.Datatypes.contains(Name);
        });
    if (!Name.empty() && (Meaning || IsType))
      return P.name(Name, Meaning);
  }
  if (const clang::Expr *Init = initialiserOf(Ref);
      Init && !Init->isValueDependent()) {
    const std::string Name = lower::constantName(*Cfg.Apis, Ctx, Init);
    if (const auto Meaning = Cfg.Apis->constant(Name))
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

/// For what it does; its value is unknown.
const EffectLowering::Expr *EffectLowering::visited(const clang::Expr *E) {
  for (const clang::Stmt *Child : E->children())
    if (const auto *X = dyn_cast_or_null<clang::Expr>(Child))
      value(X);
  return P.unknown(Trust::Unknown);
}

/// What has errors may do anything.
const EffectLowering::Expr *EffectLowering::unreadable(const RecoveryExpr *E) {
  std::vector<const Expr *> Given;
  for (const clang::Expr *Part : E->subExpressions())
    // A list of initialisers without something to initialise has no type.
    if (!Part->getType().isNull() && !Part->isTypeDependent() &&
        !Part->getType()->isFunctionType())
      Given.push_back(value(Part));
  emit(Kind::Hand, E->getBeginLoc()).Arguments = std::move(Given);
  emit(Kind::Opaque, E->getBeginLoc()).Name = "what has errors";
  return P.unknown(Trust::Unknown);
}

const EffectLowering::Expr *EffectLowering::value(const clang::Expr *E) {
  const Expr *Computed = valueAsIs(E);
  return differs(E) ? P.unknown(Trust::Varying) : Computed;
}

const EffectLowering::Expr *EffectLowering::valueAsIs(const clang::Expr *E) {
  E = E->IgnoreParens();
  if (const Expr *Known = constant(E))
    return Known;
  if (const auto *X = dyn_cast<FullExpr>(E))
    return value(X->getSubExpr());
  if (const auto *X = dyn_cast<DeclRefExpr>(E))
    if (const auto *FD = dyn_cast<FunctionDecl>(X->getDecl())) {
      const auto Number = functionOf(FD);
      return Number ? function(*Number) : P.unknown(Trust::Unknown);
    }
  if (const auto *X = dyn_cast<MaterializeTemporaryExpr>(E))
    return value(X->getSubExpr());
  if (const auto *X = dyn_cast<CXXBindTemporaryExpr>(E))
    return value(X->getSubExpr());
  if (const auto *X = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
    return value(X->getReplacement());
  if (const auto *X = dyn_cast<CXXDefaultArgExpr>(E))
    return value(X->getExpr());
  if (const auto *X = dyn_cast<CXXDefaultInitExpr>(E))
    return value(X->getExpr());
  if (const auto *X = dyn_cast<ChooseExpr>(E))
    return value(X->getChosenSubExpr());
  if (const auto *X = dyn_cast<OpaqueValueExpr>(E))
    return X->getSourceExpr() ? value(X->getSourceExpr())
                              : P.unknown(Trust::Unknown);
  if (const auto *X = dyn_cast<CastExpr>(E))
    return cast(X);
  if (const auto *X = dyn_cast<UnaryOperator>(E))
    return unary(X);
  if (const auto *X = dyn_cast<BinaryOperator>(E))
    return X->isLogicalOp() ? logical(X) : binary(X);
  if (const auto *X = dyn_cast<AbstractConditionalOperator>(E))
    return conditional(X);
  if (const auto *X = dyn_cast<FloatingLiteral>(E)) {
    Expr Out;
    Out.Kind = ExprKind::Real;
    Out.Real = X->getValueAsApproximateDouble();
    return P.add(std::move(Out));
  }
  if (const auto *X = dyn_cast<clang::StringLiteral>(E))
    return P.name("\"" + X->getBytes().str(), std::nullopt);
  if (isa<CXXThisExpr>(E))
    return P.load(P.variable(thisOf(Current)));
  if (isa<CXXNullPtrLiteralExpr, GNUNullExpr, ImplicitValueInitExpr>(E))
    return P.integer(0);
  if (const auto *X = dyn_cast<CXXThrowExpr>(E)) {
    emit(Kind::Throw, X->getBeginLoc());
    return P.unknown(Trust::Unknown);
  }
  if (const auto *X = dyn_cast<StmtExpr>(E)) {
    const Expr *Last = P.unknown(Trust::Unknown);
    for (const clang::Stmt *S : X->getSubStmt()->body())
      if (const auto *V = dyn_cast<clang::Expr>(S))
        Last = value(V);
      else
        lower(S);
    return Last;
  }
  if (const auto *X = dyn_cast<InitListExpr>(E))
    return X->getNumInits() == 1 && !E->getType()->isRecordType()
               ? value(X->getInit(0))
               : visited(E);
  if (isa<LambdaExpr, UnaryExprOrTypeTraitExpr>(E))
    return P.unknown(Trust::Unknown);
  if (const auto *X = dyn_cast<CXXNewExpr>(E)) {
    Expr New;
    New.Kind = ExprKind::Allocate;
    New.Number = site(X->getBeginLoc()).Id;
    const Expr *At = temporary();
    assign(At, P.add(std::move(New)), X->getBeginLoc());
    if (const CXXConstructExpr *C = X->getConstructExpr(); C && !X->isArray())
      construct(target(P.load(At)), C);
    return P.load(At);
  }
  if (const auto *X = dyn_cast<RecoveryExpr>(E))
    return unreadable(X);
  if (const auto *X = dyn_cast<CXXDeleteExpr>(E)) {
    end(value(X->getArgument()), "delete", X->getBeginLoc());
    return P.integer(0);
  }
  if (isa<CallExpr>(E)) {
    const Expr *Result = call(E);
    const bool IsPointer = E->getType()->isRecordType() || E->isGLValue();
    return IsPointer ? P.load(target(Result)) : Result;
  }
  if (E->isGLValue() || E->getType()->isRecordType())
    return P.load(place(E));
  return visited(E);
}

const EffectLowering::Expr *EffectLowering::cast(const CastExpr *E) {
  const clang::Expr *Of = E->getSubExpr();
  switch (E->getCastKind()) {
  case CK_LValueToRValue:
    return P.load(place(Of), declaredNumber(Of));
  case CK_ArrayToPointerDecay:
    if (isa<clang::StringLiteral>(Of->IgnoreParens()))
      return value(Of);
    return P.address(element(place(Of), P.integer(0), false));
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

const EffectLowering::Expr *EffectLowering::place(const clang::Expr *E) {
  E = E->IgnoreParens();
  if (const auto *X = dyn_cast<DeclRefExpr>(E))
    if (const auto *D = dyn_cast<VarDecl>(X->getDecl())) {
      const Expr *Variable = P.variable(variableOf(D));
      return isByReference(D) ? target(P.load(Variable)) : Variable;
    }
  if (const auto *X = dyn_cast<MemberExpr>(E)) {
    if (const auto *D = dyn_cast<VarDecl>(X->getMemberDecl()))
      return P.variable(variableOf(D));
    if (isa<FieldDecl>(X->getMemberDecl())) {
      const Expr *Base =
          X->isArrow() ? target(value(X->getBase())) : place(X->getBase());
      const llvm::StringRef Name = X->getMemberDecl()->getName();
      return Name.empty() ? Base : field(Base, Name);
    }
  }
  if (const auto *X = dyn_cast<ArraySubscriptExpr>(E)) {
    const clang::Expr *Base = X->getBase()->IgnoreParens();
    const auto *Decay = dyn_cast<ImplicitCastExpr>(Base);
    if (Decay && Decay->getCastKind() == CK_ArrayToPointerDecay) {
      const Expr *Array = place(Decay->getSubExpr());
      return element(Array, value(X->getIdx()), false);
    }
    const Expr *Pointer = value(Base);
    return element(Pointer, value(X->getIdx()), true);
  }
  if (const auto *X = dyn_cast<UnaryOperator>(E)) {
    if (X->getOpcode() == UO_Deref)
      return target(value(X->getSubExpr()));
    if (X->isIncrementDecrementOp() && X->isPrefix()) {
      unary(X);
      return place(X->getSubExpr());
    }
  }
  if (const auto *X = dyn_cast<BinaryOperator>(E); X && X->isAssignmentOp()) {
    binary(X);
    return place(X->getLHS());
  }
  if (const auto *X = dyn_cast<FullExpr>(E))
    return place(X->getSubExpr());
  if (const auto *X = dyn_cast<CXXBindTemporaryExpr>(E))
    return place(X->getSubExpr());
  if (const auto *X = dyn_cast<MaterializeTemporaryExpr>(E))
    return place(X->getSubExpr());
  if (const auto *X = dyn_cast<CastExpr>(E);
      X && (E->isGLValue() || E->getType()->isRecordType()) &&
      X->getSubExpr()->getType()->isRecordType())
    return place(X->getSubExpr());
  if (const auto *X = dyn_cast<CXXDefaultArgExpr>(E))
    return place(X->getExpr());
  if (isa<CallExpr>(E) && (E->isGLValue() || E->getType()->isRecordType()))
    return target(call(E));
  const Expr *At = temporary();
  if (const auto *X = dyn_cast<CXXConstructExpr>(E))
    construct(At, X);
  else if (isa<InitListExpr>(E))
    initialise(At, E);
  else if (E->isPRValue() && !E->getType()->isRecordType())
    assign(At, value(E), E->getBeginLoc());
  else {
    visited(E);
    forget(At, E->getBeginLoc());
  }
  return At;
}

} // namespace spmd::lint::effects

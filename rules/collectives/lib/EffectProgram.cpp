//===- EffectProgram.cpp - What a program does with communicators ---------===//

#include "spmd/collectives/EffectProgram.h"

namespace spmd::collectives {

const Expr *EffectProgram::integer(std::int64_t Value) {
  Expr E;
  E.Integer = Value;
  return add(std::move(E));
}

const Expr *EffectProgram::real(double Value) {
  Expr E;
  E.Kind = ExprKind::Real;
  E.Real = Value;
  return add(std::move(E));
}

const Expr *EffectProgram::unknown(Trust T) {
  Expr E;
  E.Kind = ExprKind::Unknown;
  E.Trust = T;
  E.Number = ++NumUnknown;
  return add(std::move(E));
}

const Expr *EffectProgram::typed(unsigned Number, const Expr *Computed) {
  Expr E;
  E.Kind = ExprKind::Typed;
  E.Number = Number;
  E.Operands = {Computed, unknown(Trust::Varying)};
  return add(std::move(E));
}

const Expr *EffectProgram::variable(unsigned Number) {
  Expr E;
  E.Kind = ExprKind::Variable;
  E.Number = Number;
  return add(std::move(E));
}

const Expr *EffectProgram::function(unsigned Number) {
  Expr E;
  E.Kind = ExprKind::Function;
  E.Number = Number;
  return add(std::move(E));
}

static Expr of(ExprKind K, Operator Op,
               std::initializer_list<const Expr *> Operands) {
  Expr E;
  E.Kind = K;
  E.Op = Op;
  E.Operands = Operands;
  return E;
}

const Expr *EffectProgram::field(const Expr *Of, llvm::StringRef Name) {
  Expr Out = of(ExprKind::Field, Operator::Not, {Of});
  Out.Name = Name.str();
  if (Name == StorageField) {
    Out.Axes = Of->Axes;
    Out.IsAxis = Of->IsAxis;
  }
  return add(std::move(Out));
}

const Expr *EffectProgram::over(const Expr *Of, std::string Axes, bool IsAxis) {
  Expr Out = *Of;
  Out.Axes = std::move(Axes);
  Out.IsAxis = IsAxis;
  return add(std::move(Out));
}

const Expr *EffectProgram::element(const Expr *Of, const Expr *Index,
                                   bool OfPointer) {
  Expr Out = of(ExprKind::Element, Operator::Not, {Of, Index});
  Out.IsOfPointer = OfPointer;
  return add(std::move(Out));
}

const Expr *EffectProgram::target(const Expr *Pointer) {
  if (Pointer->Kind == ExprKind::Address)
    return Pointer->Operands[0];
  return add(of(ExprKind::Target, Operator::Not, {Pointer}));
}

const Expr *EffectProgram::load(const Expr *Place, Declared Says) {
  Expr Out = of(ExprKind::Load, Operator::Not, {Place});
  Out.Says = Says;
  return add(std::move(Out));
}

const Expr *EffectProgram::address(const Expr *Place) {
  return add(of(ExprKind::Address, Operator::Not, {Place}));
}

const Expr *EffectProgram::unary(Operator Op, const Expr *Of) {
  return add(of(ExprKind::Unary, Op, {Of}));
}

const Expr *EffectProgram::binary(Operator Op, const Expr *L, const Expr *R) {
  return add(of(ExprKind::Binary, Op, {L, R}));
}

const Expr *EffectProgram::conditional(const Expr *If, const Expr *A,
                                       const Expr *B) {
  return add(of(ExprKind::Conditional, Operator::Not, {If, A, B}));
}

const Expr *EffectProgram::apply(llvm::StringRef Name, Trust T,
                                 llvm::ArrayRef<const Expr *> Operands) {
  Expr E;
  E.Kind = ExprKind::Apply;
  E.Trust = T;
  E.Name = Name.str();
  E.Operands.append(Operands.begin(), Operands.end());
  return add(std::move(E));
}

const Expr *EffectProgram::name(llvm::StringRef Name,
                                std::optional<rules::CallConstant> Meaning) {
  Expr E;
  E.Kind = ExprKind::Name;
  E.Name = Name.str();
  E.Meaning = Meaning;
  return add(std::move(E));
}

static void addCollectives(const Stmt *S, std::vector<const Stmt *> &Out) {
  if (S->Kind == StmtKind::Event && rules::isCollective(S->What.Call->Kind))
    Out.push_back(S);
  for (const Stmt *B : S->Body)
    if (B)
      addCollectives(B, Out);
}

std::vector<const Stmt *> collectivesOf(const Function &F) {
  std::vector<const Stmt *> Out;
  if (F.Body)
    addCollectives(F.Body, Out);
  return Out;
}

} // namespace spmd::collectives

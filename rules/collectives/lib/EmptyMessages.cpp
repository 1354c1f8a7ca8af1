//===- EmptyMessages.cpp - Messages that are left out ---------------------===//
//
// `if (n > 0) ncclSend(x, n, ...)`: a message without elements is left out on
// both ends, so that on each way of all such conditions something would be
// missing that nobody waits for.
//
//===----------------------------------------------------------------------===//

#include "Lane.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::collectives {

using rules::CallKind;
using rules::CallRole;

static bool isSame(const Expr *A, const Expr *B) {
  return A == B || (A && B && A->Kind == B->Kind && A->Op == B->Op &&
                    A->Integer == B->Integer && A->Real == B->Real &&
                    A->Name == B->Name && A->Number == B->Number &&
                    A->Operands.size() == B->Operands.size() &&
                    std::equal(A->Operands.begin(), A->Operands.end(),
                               B->Operands.begin(), isSame));
}

static bool contains(const Expr *E, const Expr *Part) {
  return isSame(E, Part) || llvm::any_of(E->Operands, [&](const Expr *Of) {
           return Of && contains(Of, Part);
         });
}

static const Expr *withoutCasts(const Expr *E) {
  while (E->Kind == ExprKind::Unary &&
         (E->Op == Operator::ToInteger || E->Op == Operator::ToBool))
    E = E->Operands[0];
  return E;
}

/// What \p E asks to be more than nothing; null: it asks something else.
static const Expr *askedToBeMore(const Expr *E) {
  const auto IsZero = [](const Expr *X) {
    X = withoutCasts(X);
    return X->Kind == ExprKind::Integer && X->Integer == 0;
  };
  E = withoutCasts(E);
  if (E->Kind == ExprKind::Load)
    return E;
  if (E->Kind != ExprKind::Binary ||
      (E->Op != Operator::Greater && E->Op != Operator::Unequal) ||
      !IsZero(E->Operands[1]))
    return nullptr;
  return withoutCasts(E->Operands[0]);
}

static void addConjuncts(const Expr *E,
                         llvm::SmallVectorImpl<const Expr *> &Out) {
  if (E->Kind != ExprKind::Binary || E->Op != Operator::And)
    return Out.push_back(E);
  addConjuncts(E->Operands[0], Out);
  addConjuncts(E->Operands[1], Out);
}

/// The messages in \p S; false: it does something else that others wait for.
bool Shape::messagesIn(const Stmt *S, std::vector<const Stmt *> &Out) const {
  if (isError(S)) // on an error
    return true;
  switch (S->Kind) {
  case StmtKind::Event:
    if (S->What.Call->Kind == CallKind::Send ||
        S->What.Call->Kind == CallKind::Recv)
      Out.push_back(S);
    return rules::isMessage(S->What.Call->Kind) ||
           S->What.Call->Kind == CallKind::Local;
  case StmtKind::Call:
    return isQuiet(S);
  case StmtKind::Opaque:
  case StmtKind::GiveUp:
    return false;
  default:
    return llvm::all_of(
        S->Body, [&](const Stmt *B) { return !B || messagesIn(B, Out); });
  }
}

llvm::ArrayRef<const Expr *> Shape::ownCounts(const Stmt *If) const {
  const auto [At, IsNew] = OwnCounts.try_emplace(If);
  llvm::SmallVector<const Expr *, 2> &Out = At->second;
  if (!IsNew)
    return Out;
  std::vector<const Stmt *> Sent;
  const auto IsEmpty = [](const Stmt *S) {
    return !S || (S->Kind == StmtKind::Sequence && S->Body.empty());
  };
  if (!If->Body[0] || !IsEmpty(If->Body[1]) || !messagesIn(If->Body[0], Sent) ||
      Sent.empty())
    return Out;
  llvm::SmallVector<const Expr *, 4> Parts;
  addConjuncts(If->Value, Parts);
  for (const Expr *Part : Parts) {
    const Expr *Of = askedToBeMore(Part);
    if (Of && llvm::all_of(Sent, [&](const Stmt *S) {
          return llvm::any_of(S->What.Arguments, [&](const auto &A) {
            return A.second &&
                   (A.first == CallRole::Count ||
                    A.first == CallRole::SendCount ||
                    A.first == CallRole::RecvCount) &&
                   contains(A.second, Of);
          });
        }))
      Out.push_back(Part);
  }
  return Out;
}

/// Both ends of a message without elements leave it out.
std::optional<bool> Lane::sendsSomething(const Stmt &If) {
  for (const Expr *Part : W.Of.ownCounts(&If)) {
    if (!decideQuietly(Part))
      assume(Part, true);
    if (const std::optional<bool> Holds = decideQuietly(If.Value))
      return Holds;
  }
  return std::nullopt;
}

} // namespace spmd::collectives

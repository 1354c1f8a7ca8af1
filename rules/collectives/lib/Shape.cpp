//===- Shape.cpp - What statements do, seen from outside ------------------===//

#include "Shape.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::collectives {

using rules::CallRole;

/// Calls of functions that are inside others to be followed for what they
/// write.
static constexpr unsigned MaxDepth = 4;

Shape::Shape(const EffectProgram &P)
    : P(P), Communicates(P.Functions.size(), false),
      HasEvents(P.Functions.size(), false) {
  // Another file's may do anything.
  for (unsigned I = 0; I != P.Functions.size(); ++I)
    Communicates[I] = !P.Functions[I].Body;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (unsigned I = 0; I != P.Functions.size(); ++I)
      if (!Communicates[I] && P.Functions[I].Body &&
          !isQuiet(P.Functions[I].Body))
        Changed = Communicates[I] = true;
    for (unsigned I = 0; I != P.Functions.size(); ++I)
      if (!HasEvents[I] && P.Functions[I].Body &&
          hasEvents(P.Functions[I].Body))
        Changed = HasEvents[I] = true;
  }
}

bool Shape::hasEvents(const Stmt *S) const {
  if (S->Kind == StmtKind::Event)
    return S->What.Call->Kind != rules::CallKind::Local;
  if (S->Kind == StmtKind::Call)
    return S->Value->Kind == ExprKind::Function && HasEvents[S->Value->Number];
  return llvm::any_of(S->Body,
                      [this](const Stmt *B) { return B && hasEvents(B); });
}

bool Shape::isQuiet(const Stmt *S) const {
  switch (S->Kind) {
  case StmtKind::Event:
    return S->What.Call->Kind == rules::CallKind::Local;
  case StmtKind::Opaque:
  case StmtKind::GiveUp:
  case StmtKind::Stop:
  case StmtKind::Throw:
    return false;
  case StmtKind::Call:
    return S->Value->Kind == ExprKind::Function &&
           !Communicates[S->Value->Number];
  default:
    return llvm::all_of(S->Body,
                        [this](const Stmt *B) { return !B || isQuiet(B); });
  }
}

bool Shape::calls(const Stmt *S, rules::CallKind K, unsigned Depth) const {
  if (S->Kind == StmtKind::Event)
    return S->What.Call->Kind == K ||
           S->What.Call->Kind == rules::CallKind::SendRecv;
  if (S->Kind == StmtKind::Call && S->Value->Kind == ExprKind::Function) {
    const Stmt *Body = P.Functions[S->Value->Number].Body;
    return Body && Depth < MaxDepth && calls(Body, K, Depth + 1);
  }
  return llvm::any_of(S->Body,
                      [&](const Stmt *B) { return B && calls(B, K, Depth); });
}

bool Shape::exchanges(const Function &F) const {
  return F.IsMain || (calls(F.Body, rules::CallKind::Send, 0) &&
                      calls(F.Body, rules::CallKind::Recv, 0));
}

bool Shape::hasMessages(const Function &F) const {
  return calls(F.Body, rules::CallKind::Send, 0) ||
         calls(F.Body, rules::CallKind::Recv, 0);
}

void Shape::addCallees(const Stmt *S, std::set<unsigned> &Out) const {
  if (S->Kind == StmtKind::Call && S->Value->Kind == ExprKind::Function &&
      HasEvents[S->Value->Number])
    Out.insert(S->Value->Number);
  for (const Stmt *B : S->Body)
    if (B)
      addCallees(B, Out);
}

std::set<unsigned> Shape::callees(const Function &F) const {
  std::set<unsigned> Out;
  addCallees(F.Body, Out);
  return Out;
}

static bool leaves(const Stmt *S, bool InLoop) {
  switch (S->Kind) {
  case StmtKind::Return:
  case StmtKind::Leave:
    return true;
  case StmtKind::Break:
  case StmtKind::Continue:
    return !InLoop;
  default:
    InLoop |= S->Kind == StmtKind::Loop || S->Kind == StmtKind::Switch;
    return llvm::any_of(S->Body,
                        [&](const Stmt *B) { return B && leaves(B, InLoop); });
  }
}

bool Shape::isInert(const Stmt *S) const {
  const auto [At, IsNew] = Inert.try_emplace(S, false);
  return IsNew ? At->second = isQuiet(S) && !leaves(S, false) : At->second;
}

const Expr *written(const Expr *Place) {
  return Place->Kind == ExprKind::Element ? Place->Operands[0] : Place;
}

void Shape::writes(const Stmt *S, std::vector<const Expr *> &Out,
                   unsigned Depth) const {
  switch (S->Kind) {
  case StmtKind::Assign:
  case StmtKind::Copy:
  case StmtKind::Forget:
    Out.push_back(written(S->Target));
    break;
  case StmtKind::Event:
    for (const auto &[Role, E] : S->What.Arguments)
      if (Role == CallRole::Output || Role == CallRole::Result ||
          Role == CallRole::NewType)
        Out.push_back(E);
    break;
  case StmtKind::Call: {
    if (S->Target)
      Out.push_back(written(S->Target));
    llvm::append_range(Out, S->Arguments);
    if (S->Value->Kind != ExprKind::Function || Depth == MaxDepth)
      break;
    std::vector<const Expr *> Inner;
    if (const Stmt *Body = P.Functions[S->Value->Number].Body)
      writes(Body, Inner, Depth + 1);
    for (const Expr *E : Inner) // its own variables end with it
      if (E->Kind == ExprKind::Variable && P.Variables[E->Number].IsGlobal)
        Out.push_back(E);
    break;
  }
  default:
    break;
  }
  for (const Stmt *B : S->Body)
    if (B)
      writes(B, Out, Depth);
}

} // namespace spmd::collectives

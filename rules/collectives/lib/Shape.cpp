//===- Shape.cpp - What statements do, seen from outside ------------------===//

#include "Shape.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace spmd::collectives {

using rules::CallKind;
using rules::CallRole;

static bool isRemainder(const Expr *E) {
  return E->Kind == ExprKind::Binary && E->Op == Operator::Remainder &&
         E->Operands[1]->Kind == ExprKind::Integer;
}

std::optional<RemainderTest> remainderTest(const Expr *E) {
  if (E->Kind != ExprKind::Binary ||
      (E->Op != Operator::Equal && E->Op != Operator::Unequal) ||
      !isRemainder(E->Operands[0]) || E->Operands[1]->Kind != ExprKind::Integer)
    return std::nullopt;
  const Expr &Of = *E->Operands[0];
  return RemainderTest{Of.Operands[0], Of.Operands[1]->Integer,
                       E->Operands[1]->Integer, E->Op == Operator::Equal};
}

Shape::Shape(const EffectProgram &P)
    : P(P), Communicates(P.Functions.size(), false),
      HasEvents(P.Functions.size(), false), IsLoud(P.Functions.size(), false),
      GoesOn(P.Functions.size(), false), Talks(P.Functions.size(), false) {
  llvm::DenseSet<const Expr *> Compared;
  for (const Expr &E : P.expressions())
    if (const auto Test = remainderTest(&E)) {
      Compared.insert(E.Operands[0]);
      Remainders[Test->Divisor].insert(Test->To);
    }
  for (const Expr &E : P.expressions())
    if (isRemainder(&E) && !Compared.contains(&E))
      UsedRemainders.insert(E.Operands[1]->Integer);
  // Another file's may do anything.
  for (unsigned I = 0; I != P.Functions.size(); ++I)
    Communicates[I] = Talks[I] = !P.Functions[I].Body;
  for (bool Changed = true; Changed;) { // the others ask for it
    Changed = false;
    for (unsigned I = 0; I != P.Functions.size(); ++I)
      if (!Talks[I] && talks(P.Functions[I].Body))
        Changed = Talks[I] = true;
  }
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
    for (unsigned I = 0; I != P.Functions.size(); ++I)
      if (!IsLoud[I] && P.Functions[I].Body &&
          !staysSilent(P.Functions[I].Body))
        Changed = IsLoud[I] = true;
    for (unsigned I = 0; I != P.Functions.size(); ++I)
      if (!GoesOn[I] && P.Functions[I].Body && goesOn(P.Functions[I].Body))
        Changed = GoesOn[I] = true;
  }
}

static bool anyNamed(const Expr *E, llvm::function_ref<bool(unsigned)> Is) {
  if (!E)
    return false;
  return (E->Kind == ExprKind::Function && Is(E->Number)) ||
         llvm::any_of(E->Operands,
                      [&](const Expr *Of) { return anyNamed(Of, Is); });
}

bool anyNamed(const Stmt *S, llvm::function_ref<bool(unsigned)> Is) {
  const auto Named = [&](const Expr *E) { return anyNamed(E, Is); };
  return Named(S->Value) || llvm::any_of(S->Arguments, Named) ||
         llvm::any_of(S->MayBe, Named);
}

bool Shape::hasEvents(const Stmt *S) const {
  if (S->Kind == StmtKind::Event)
    return S->What.Call->Kind != CallKind::Local;
  if (anyNamed(S, [&](unsigned F) { return HasEvents[F]; }))
    return true;
  return llvm::any_of(S->Body,
                      [this](const Stmt *B) { return B && hasEvents(B); });
}

/// A call that is not over when it returns, or makes what is to be freed.
static bool leavesSomething(const rules::CollectiveCall &C) {
  const CallKind K = C.Kind;
  if (C.Form != rules::CallForm::Blocking)
    return true;
  if (K == CallKind::Local)
    return C.has(CallRole::NewType) || C.has(CallRole::NewOp) ||
           C.has(CallRole::NewGroup);
  return K >= CallKind::CommDup && K != CallKind::Finalize &&
         K != CallKind::Abort;
}

bool Shape::goesOn(const Stmt *S) const {
  switch (S->Kind) {
  case StmtKind::Event:
    if (leavesSomething(*S->What.Call))
      return true;
    break;
  case StmtKind::Stream:
    return true;
  case StmtKind::Access:
    if (S->On)
      return true;
    break;
  default:
    break;
  }
  return anyNamed(S, [&](unsigned F) { return GoesOn[F]; }) ||
         llvm::any_of(S->Body,
                      [this](const Stmt *B) { return B && goesOn(B); });
}

/// Whether the function that \p S calls is so, whichever it is.
static bool isOneOf(const Stmt *S, llvm::function_ref<bool(unsigned)> So) {
  if (S->Value->Kind == ExprKind::Function)
    return So(S->Value->Number);
  return !S->MayBe.empty() &&
         llvm::all_of(S->MayBe, [&](const Expr *E) { return So(E->Number); });
}

bool Shape::sendsNothing(const Stmt &Call) const {
  return Call.SendsNothing ||
         isOneOf(&Call, [&](unsigned F) { return !Talks[F]; });
}

bool Shape::talks(const Stmt *S) const {
  switch (S->Kind) {
  case StmtKind::Event:
    return S->What.Call->Kind != CallKind::Local;
  case StmtKind::Opaque:
  case StmtKind::GiveUp:
    return true;
  case StmtKind::Call:
    return !isOneOf(S, [&](unsigned F) { return !Talks[F]; });
  default:
    return llvm::any_of(S->Body,
                        [this](const Stmt *B) { return B && talks(B); });
  }
}

/// The arm of the condition \p If that is so, where the other is not.
static std::optional<unsigned>
onlyArm(const Stmt *If, llvm::function_ref<bool(const Stmt *)> Is) {
  const bool First = Is(If->Body[0]);
  if (First == Is(If->Body[1]))
    return std::nullopt;
  return First ? 0 : 1;
}

bool Shape::isQuiet(const Stmt *S) const {
  switch (S->Kind) {
  case StmtKind::Event:
    return S->What.Call->Kind == CallKind::Local;
  case StmtKind::Opaque:
  case StmtKind::GiveUp:
  case StmtKind::Stop:
  case StmtKind::Throw:
    return false;
  case StmtKind::Call:
    return isOneOf(S, [&](unsigned F) { return !Communicates[F]; });
  case StmtKind::If:
    // Nobody asks whether the program ends: ranks that do not know go on.
    if (const auto Arm =
            onlyArm(S, [this](const Stmt *B) { return isError(B); })) {
      const Stmt *Other = S->Body[1 - *Arm];
      return !Other || isQuiet(Other);
    }
    [[fallthrough]];
  default:
    return llvm::all_of(S->Body,
                        [this](const Stmt *B) { return !B || isQuiet(B); });
  }
}

/// As isQuiet, but that what is not seen is taken for what returns.
bool Shape::staysSilent(const Stmt *S) const {
  switch (S->Kind) {
  case StmtKind::Event:
    return S->What.Call->Kind == CallKind::Local ||
           S->What.Call->Kind == CallKind::Rank ||
           S->What.Call->Kind == CallKind::Size;
  case StmtKind::GiveUp:
  case StmtKind::Stop:
  case StmtKind::Throw:
    return false;
  case StmtKind::Call:
    return (S->Value->Kind == ExprKind::Function || !S->MayBe.empty()) &&
           !anyNamed(S, [&](unsigned F) { return IsLoud[F]; });
  default:
    return llvm::all_of(S->Body,
                        [this](const Stmt *B) { return !B || staysSilent(B); });
  }
}

bool Shape::calls(const Stmt *S, CallKind K, unsigned Depth) const {
  if (S->Kind == StmtKind::Event)
    return S->What.Call->Kind == K || S->What.Call->Kind == CallKind::SendRecv;
  if (S->Kind == StmtKind::Call && S->Value->Kind == ExprKind::Function) {
    const Stmt *Body = P.Functions[S->Value->Number].Body;
    return Body && Depth < MaxCallsInside && calls(Body, K, Depth + 1);
  }
  return llvm::any_of(S->Body,
                      [&](const Stmt *B) { return B && calls(B, K, Depth); });
}

bool Shape::exchanges(const Function &F) const {
  return F.IsMain ||
         (calls(F.Body, CallKind::Send, 0) && calls(F.Body, CallKind::Recv, 0));
}

bool Shape::takesWhatItSends(const Stmt *S) const {
  return calls(S, CallKind::Send, 0) == calls(S, CallKind::Recv, 0);
}

bool Shape::hasMessages(const Function &F) const {
  return calls(F.Body, CallKind::Send, 0) || calls(F.Body, CallKind::Recv, 0);
}

void Shape::addCallees(const Stmt *S, std::set<unsigned> &Out) const {
  anyNamed(S, [&](unsigned F) {
    if (HasEvents[F] && Out.insert(F).second && !P.Functions[F].MayBeRoot)
      addCallees(P.Functions[F].Body, Out);
    return false; // on to the next
  });
  for (const Stmt *B : S->Body)
    if (B)
      addCallees(B, Out);
}

std::set<unsigned> Shape::callees(const Function &F) const {
  std::set<unsigned> Out;
  addCallees(F.Body, Out);
  // A closure is nothing by itself, but what it calls is.
  std::erase_if(Out, [this](unsigned I) { return !P.Functions[I].MayBePart; });
  return Out;
}

unsigned Shape::length(const Stmt *S, unsigned Depth) const {
  if (const auto At = Lengths.find(S); At != Lengths.end())
    return At->second;
  unsigned Out = 1;
  for (const Stmt *B : S->Body)
    if (B)
      Out += length(B, Depth);
  if (S->Kind == StmtKind::Call && S->Value->Kind == ExprKind::Function &&
      Depth != MaxCallsInside)
    if (const Stmt *Body = P.Functions[S->Value->Number].Body)
      Out += length(Body, Depth + 1);
  // Deeper inside, less of what it calls was counted.
  if (Depth == 0)
    Lengths[S] = Out;
  return Out;
}

bool Shape::makesObject(const Stmt *S, unsigned Depth) const {
  if (S->Kind == StmtKind::Assign)
    return S->Value && S->Value->Kind == ExprKind::Function &&
           S->Target->Kind == ExprKind::Field &&
           llvm::StringRef(S->Target->Name).starts_with(VirtualField);
  if (const auto At = Objects.find(S); At != Objects.end())
    return At->second;
  const Stmt *Body = S->Kind == StmtKind::Call &&
                             S->Value->Kind == ExprKind::Function &&
                             Depth != MaxCallsInside
                         ? P.Functions[S->Value->Number].Body
                         : nullptr;
  const bool Out = (Body && makesObject(Body, Depth + 1)) ||
                   llvm::any_of(S->Body, [&](const Stmt *B) {
                     return B && makesObject(B, Depth);
                   });
  // Deeper inside, less of what it calls was looked at.
  if (Depth == 0)
    Objects[S] = Out;
  return Out;
}

static bool returns(const Stmt *S) {
  return S->Kind == StmtKind::Return || S->Kind == StmtKind::Leave ||
         llvm::any_of(S->Body, [](const Stmt *B) { return B && returns(B); });
}

static bool breaks(const Stmt *S, bool InLoop) {
  if (S->Kind == StmtKind::Break || S->Kind == StmtKind::Continue)
    return !InLoop;
  InLoop |= S->Kind == StmtKind::Loop || S->Kind == StmtKind::Switch;
  return llvm::any_of(S->Body,
                      [&](const Stmt *B) { return B && breaks(B, InLoop); });
}

bool Shape::endsProgram(const Stmt *S, unsigned Depth) const {
  switch (S->Kind) {
  case StmtKind::Stop:
    return true;
  case StmtKind::Event:
    return S->What.Call->Kind == CallKind::Abort;
  case StmtKind::Call: {
    const Stmt *Body =
        S->Value->Kind == ExprKind::Function && Depth != MaxCallsInside
            ? P.Functions[S->Value->Number].Body
            : nullptr;
    return Body && endsProgram(Body, Depth + 1);
  }
  case StmtKind::If:
    return llvm::all_of(
        S->Body, [&](const Stmt *B) { return B && endsProgram(B, Depth); });
  case StmtKind::Sequence:
    for (const Stmt *B : S->Body) {
      if (B && endsProgram(B, Depth))
        return true;
      if (B && (!isQuiet(B) || returns(B) || breaks(B, false)))
        return false;
    }
    return false;
  default:
    return false;
  }
}

bool Shape::isPlain(const Stmt *S) const {
  switch (S->Kind) {
  case StmtKind::Event:
  case StmtKind::Opaque:
  case StmtKind::GiveUp:
  case StmtKind::Call:
    return !talks(S);
  case StmtKind::Return:
  case StmtKind::Leave:
  case StmtKind::Break:
  case StmtKind::Continue:
  case StmtKind::Throw:
    return false;
  default:
    return llvm::all_of(S->Body,
                        [this](const Stmt *B) { return !B || isPlain(B); });
  }
}

bool Shape::isError(const Stmt *S) const {
  if (!S)
    return false;
  if (S->Kind == StmtKind::Stop)
    return true;
  if (S->Kind == StmtKind::Event)
    return S->What.Call->Kind == CallKind::Abort;
  if (S->Kind != StmtKind::Sequence)
    return false;
  const auto [At, IsNew] = Errors.try_emplace(S, false);
  if (!IsNew)
    return At->second;
  bool Is = false;
  for (const Stmt *B : S->Body) {
    Is = isError(B);
    if (Is || (B && !isPlain(B)))
      break;
  }
  return Errors[S] = Is;
}

std::optional<unsigned> Shape::endingArm(const Stmt *S) const {
  return onlyArm(S, [this](const Stmt *B) { return B && endsProgram(B); });
}

bool Shape::isInert(const Stmt *S) const {
  const auto [At, IsNew] = Inert.try_emplace(S, false);
  return IsNew ? At->second = isQuiet(S) && !returns(S) && !breaks(S, false)
               : At->second;
}

/// \p Rest: of what the function does after it; \p Around: of the loop that it
/// is in. True: nothing in \p S is heard.
bool Shape::markSilent(const Stmt *S, bool Rest, bool Around) const {
  const bool Inside = staysSilent(S);
  Silent[S] = Inside && (Rest || !returns(S)) && (Around || !breaks(S, false));
  if (S->Kind == StmtKind::Loop || S->Kind == StmtKind::Switch) {
    Around = Inside && (Around || S->Kind == StmtKind::Loop);
    Rest &= Inside;
  }
  const bool IsInOrder = S->Kind != StmtKind::If;
  for (const Stmt *B : llvm::reverse(S->Body)) {
    if (!B)
      continue;
    const bool IsHeard = !markSilent(B, Rest, Around);
    Rest &= !IsInOrder || !IsHeard;
  }
  return Inside;
}

bool Shape::isSilent(const Stmt *S) const {
  if (Silent.empty())
    for (const Function &F : P.Functions)
      if (F.Body)
        markSilent(F.Body, true, true);
  return Silent.lookup(S);
}

} // namespace spmd::collectives

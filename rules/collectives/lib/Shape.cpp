//===- Shape.cpp - What statements do, seen from outside ------------------===//

#include "Shape.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace spmd::collectives {

using rules::CallKind;
using rules::CallRole;

/// Calls of functions that are inside others to be followed for what they
/// write.
static constexpr unsigned MaxDepth = 4;

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
      GoesOn(P.Functions.size(), false) {
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

/// Whether any function is so that \p S calls, or leaves to others to call.
static bool anyNamed(const Stmt *S, llvm::function_ref<bool(unsigned)> Is) {
  return anyNamed(S->Value, Is) ||
         llvm::any_of(S->Arguments,
                      [&](const Expr *E) { return anyNamed(E, Is); });
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
    return S->Value->Kind == ExprKind::Function &&
           !Communicates[S->Value->Number];
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
    return S->Value->Kind == ExprKind::Function &&
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
    return Body && Depth < MaxDepth && calls(Body, K, Depth + 1);
  }
  return llvm::any_of(S->Body,
                      [&](const Stmt *B) { return B && calls(B, K, Depth); });
}

bool Shape::exchanges(const Function &F) const {
  return F.IsMain ||
         (calls(F.Body, CallKind::Send, 0) && calls(F.Body, CallKind::Recv, 0));
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
      Depth != MaxDepth)
    if (const Stmt *Body = P.Functions[S->Value->Number].Body)
      Out += length(Body, Depth + 1);
  // Deeper inside, less of what it calls was counted.
  if (Depth == 0)
    Lengths[S] = Out;
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

const Expr *written(const Expr *Place) {
  return Place->Kind == ExprKind::Element ? Place->Operands[0] : Place;
}

/// Of a place of the callee's, the same as its caller names it; null where that
/// goes by a variable of the callee's own.
const Expr *Shape::seenByCaller(const Expr *E, const Function &Callee,
                                const Stmt &Call) const {
  if (E->Kind == ExprKind::Variable)
    return P.Variables[E->Number].IsGlobal ? E : nullptr;
  if (E->Kind == ExprKind::Load && E->Operands[0]->Kind == ExprKind::Variable) {
    const auto At = llvm::find(Callee.Parameters, E->Operands[0]->Number);
    if (At != Callee.Parameters.end()) {
      const std::size_t I = At - Callee.Parameters.begin();
      return I < Call.Arguments.size() ? Call.Arguments[I] : nullptr;
    }
  }
  if (E->Operands.empty())
    return E;
  Expr Out = *E;
  for (const Expr *&Of : Out.Operands)
    if (!(Of = seenByCaller(Of, Callee, Call)))
      return nullptr;
  InCallersWords.push_back(std::move(Out));
  return &InCallersWords.back();
}

/// The variable that a place is a part of, without any pointer between.
static const Expr *variableOf(const Expr *Place) {
  while (Place->Kind == ExprKind::Field ||
         (Place->Kind == ExprKind::Element && !Place->IsOfPointer))
    Place = Place->Operands[0];
  return Place->Kind == ExprKind::Variable ? Place : nullptr;
}

/// Whether \p E goes by a pointer that may be another one by then, as one of
/// \p Written may be where it is.
static bool goesByWritten(const Expr *E, llvm::ArrayRef<const Expr *> Written) {
  const auto MayBeIt = [&](const Expr *W) {
    const Expr *Of = E->Operands[0];
    if (W->Kind == ExprKind::Field && Of->Kind == ExprKind::Field)
      return W->Name == Of->Name;
    if (W->Kind == ExprKind::Variable && Of->Kind == ExprKind::Variable)
      return W->Number == Of->Number;
    return W->Kind == Of->Kind;
  };
  if (E->Kind == ExprKind::Load && llvm::any_of(Written, MayBeIt))
    return true;
  return llvm::any_of(
      E->Operands, [&](const Expr *Of) { return goesByWritten(Of, Written); });
}

/// False: it may be anything that the arguments lead to.
bool Shape::writesOfCallee(const Stmt &Call, std::vector<const Expr *> &Out,
                           unsigned Depth) const {
  if (Call.Value->Kind != ExprKind::Function || Depth == MaxDepth)
    return false;
  const Function &Callee = P.Functions[Call.Value->Number];
  std::vector<const Expr *> Inner;
  if (Callee.Body)
    writes(Callee.Body, Inner, Depth + 1);
  bool AllSeen = Callee.Body != nullptr;
  for (const Expr *E : Inner) {
    const Expr *In = variableOf(E);
    // Its own variables end with it; a parameter that changes leads elsewhere.
    if (In && !P.Variables[In->Number].IsGlobal) {
      AllSeen &= !llvm::is_contained(Callee.Parameters, In->Number);
      continue;
    }
    const Expr *Seen = seenByCaller(E, Callee, Call);
    AllSeen &= Seen && !goesByWritten(E, Inner);
    if (Seen)
      Out.push_back(Seen);
  }
  return AllSeen;
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
    if (S->Target)
      Out.push_back(written(S->Target));
    for (const auto &[Role, E] : S->What.Arguments)
      if (Role == CallRole::Output || Role == CallRole::Result ||
          Role == CallRole::NewType ||
          (Role == CallRole::Rank && S->What.Call->Kind == CallKind::Rank) ||
          (Role == CallRole::Size && S->What.Call->Kind == CallKind::Size))
        Out.push_back(E);
    break;
  case StmtKind::Call: {
    if (S->Target)
      Out.push_back(written(S->Target));
    auto Known = CallWrites.find(S);
    if (Known == CallWrites.end()) {
      std::vector<const Expr *> OfCall;
      if (!writesOfCallee(*S, OfCall, Depth))
        llvm::append_range(OfCall, S->Arguments);
      Known = CallWrites.emplace(S, std::move(OfCall)).first;
    }
    llvm::append_range(Out, Known->second);
    break;
  }
  default:
    break;
  }
  for (const Stmt *B : S->Body)
    if (B)
      writes(B, Out, Depth);
}

bool Shape::given(const Stmt *S, unsigned Variable,
                  std::vector<const Expr *> &Out) const {
  if (S->Target && S->Target->Kind == ExprKind::Variable &&
      S->Target->Number == Variable) {
    const bool IsNotSeen = S->Kind == StmtKind::Call &&
                           S->Value->Kind == ExprKind::Function &&
                           !P.Functions[S->Value->Number].Body;
    if (S->Kind != StmtKind::Assign && !IsNotSeen)
      return false;
    Out.push_back(S->Value);
  }
  return llvm::all_of(
      S->Body, [&](const Stmt *B) { return !B || given(B, Variable, Out); });
}

namespace {

/// The variables to which a statement gives what is made of what differs
/// between ranks.
class VaryingVariables {
public:
  VaryingVariables(const Stmt *S, const std::vector<bool> &Differs)
      : Differs(Differs) {
    std::size_t Before = 0;
    do {
      Before = Of.size();
      visit(S, false, false);
    } while (Of.size() != Before);
    Of.insert(AtEnd.begin(), AtEnd.end());
  }
  std::set<unsigned> Of;

private:
  bool isVarying(const Expr *E) const {
    return E && ((E->Kind == ExprKind::Typed && Differs[E->Number]) ||
                 (E->Kind == ExprKind::Variable && Of.count(E->Number)) ||
                 llvm::any_of(E->Operands, [&](const Expr *Part) {
                   return isVarying(Part);
                 }));
  }
  /// Whether a \p Kind in \p S, of the loop around it, is reached on some
  /// ranks and not on others.
  bool leavesOnVarying(const Stmt *S, StmtKind Kind, bool Decided) const {
    if (S->Kind == Kind || S->Kind == StmtKind::Leave)
      return Decided;
    if (S->Kind == StmtKind::Loop ||
        (S->Kind == StmtKind::Switch && Kind == StmtKind::Break))
      return false;
    Decided |= S->Kind == StmtKind::If && isVarying(S->Value);
    return llvm::any_of(S->Body, [&](const Stmt *Part) {
      return Part && leavesOnVarying(Part, Kind, Decided);
    });
  }
  static bool reads(const Expr *E) {
    return E &&
           (E->Kind == ExprKind::Variable || llvm::any_of(E->Operands, reads));
  }
  /// \p Decided: some ranks alone come to \p S. \p Cut: not all make as many
  /// rounds of a loop around it.
  void visit(const Stmt *S, bool Decided, bool Cut) {
    if (S->Kind == StmtKind::Assign && S->Target->Kind == ExprKind::Variable) {
      if (Decided || isVarying(S->Value))
        Of.insert(S->Target->Number);
      else if (Cut && reads(S->Value))
        AtEnd.insert(S->Target->Number);
    }
    if (S->Kind == StmtKind::If || S->Kind == StmtKind::Loop)
      Decided |= isVarying(S->Value);
    if (S->Kind == StmtKind::Loop)
      for (const Stmt *Part : S->Body)
        Cut |= Part && leavesOnVarying(Part, StmtKind::Break, false);
    const bool InOrder = S->Kind == StmtKind::Sequence;
    for (const Stmt *Part : S->Body) {
      if (!Part)
        continue;
      visit(Part, Decided, Cut);
      Decided |= InOrder && leavesOnVarying(Part, StmtKind::Continue, false);
    }
  }

  const std::vector<bool> &Differs;
  /// What differs once the rounds are over: how many there were.
  std::set<unsigned> AtEnd;
};

} // namespace

bool Shape::givesVarying(const Stmt *S, unsigned Variable) const {
  if (llvm::none_of(P.Differs, [](bool Is) { return Is; }))
    return false;
  const auto [Known, New] = Varying.try_emplace(S);
  if (New)
    Known->second = VaryingVariables(S, P.Differs).Of;
  return Known->second.count(Variable);
}

} // namespace spmd::collectives

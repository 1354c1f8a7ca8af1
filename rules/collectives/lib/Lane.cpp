//===- Lane.cpp - One rank's run of a program: statements -----------------===//

#include "Lane.h"

namespace spmd::collectives {

/// What share of a rank's steps such a loop, with those inside, may take each
/// time that it is met together, and what all of them may.
static constexpr unsigned ShareOfInertLoop = 8, ShareOfInertLoops = 2;
/// Branches that only compute of which both ways are tried.
static constexpr unsigned MaxInertForks = 3;
/// The same of one branch in a function that only computes, and may return from
/// there.
static constexpr unsigned MaxQuietForks = 3;

/// Others may wait for it. What a rank asks, or does by itself, or completes of
/// what it has begun, is no matter of theirs.
static bool meetsOthers(rules::CallKind K) {
  using Kind = rules::CallKind;
  return K != Kind::Local && K != Kind::Rank && K != Kind::Size &&
         K != Kind::Test && K != Kind::Wait;
}

Lane::Lane(World &W, unsigned Number, const Function &Root)
    : Evaluator(W, Number, Root.IsMain) {
  push(Root.Body);
  for (const Stmt *S : llvm::reverse(W.P.Initial))
    if (IsMain || W.P.Variables[S->Target->Number].IsConstant)
      push(S);
}

void Lane::push(const Stmt *S) {
  if (!S)
    return;
  Work New;
  New.S = S;
  if (S->Number >= Occurrences.size())
    Occurrences.resize(S->Number + 1);
  New.Occurrence = Occurrences[S->Number]++;
  if (!Stack.empty())
    New.Within = Stack.back().Within | Stack.back().Decides;
  Stack.push_back(New);
}

/// What is left before its end.
void Lane::pop() {
  W.Matters |= Stack.back().Decides;
  Stack.pop_back();
}

/// A call that is not begun has no frame yet.
void Lane::drop() {
  if (Stack.back().S->Kind == StmtKind::Call && Stack.back().Next != 0)
    endFrame();
  pop();
}

Lane::State Lane::run() {
  while (!Stack.empty()) {
    if (W.StepsLeft == 0)
      return giveUp(GiveUpReason::Steps);
    --W.StepsLeft;
    if (InertFrom && Stack.size() <= *InertFrom)
      InertFrom.reset();
    if (InertFrom && takesTooLong(Stack[*InertFrom].S))
      leaveInertLoop();
    Data.Asked = {};
    Data.Within = Stack.back().Within;
    if (const std::optional<State> S = step())
      return *S;
  }
  return State::Ended;
}

Lane::State Lane::giveUp(GiveUpReason R) {
  Why.Why = R;
  Why.At = Doing && R != GiveUpReason::Steps ? Doing->At : Site();
  Why.What = Doing ? Doing->Name : "";
  return State::GaveUp;
}

std::string Lane::keyOf(const Stmt &S, llvm::StringRef What) const {
  return (What + std::to_string(S.Number) + "#" +
          std::to_string(S.Number < Occurrences.size() ? Occurrences[S.Number]
                                                       : 0))
      .str();
}

Context Lane::context() const {
  Context Out;
  // It is kept: of each jump, too.
  Out.reserve(llvm::count_if(Stack, [](const Work &K) { return K.Decided; }));
  for (const Work &K : Stack)
    if (K.Decided)
      Out.push_back({K.S, *K.Decided, K.Arm});
  return Out;
}

void Lane::decided(Work &K, unsigned Arm, bool Chosen) {
  K.Arm = Arm;
  K.Decided = K.Occurrence * 1000 + K.Trips;
  if (W.Watch)
    W.Watch->decides(*K.S, *K.Decided, Chosen);
  Taken[{K.S, *K.Decided}] = Arm;
}

std::optional<Lane::State> Lane::step() {
  Work &K = Stack.back();
  const Stmt &S = *K.S;
  if (S.At.Id)
    Doing = &S;
  switch (S.Kind) {
  case StmtKind::Sequence:
  case StmtKind::Block:
    if (K.Next < S.Body.size())
      push(S.Body[K.Next++]);
    else
      Stack.pop_back();
    return std::nullopt;
  case StmtKind::If:
    doIf(K);
    return std::nullopt;
  case StmtKind::Loop:
    return doLoop(K);
  case StmtKind::Switch:
    doSwitch(K);
    return std::nullopt;
  case StmtKind::Call:
    if (K.Next++ == 0)
      return call(S);
    endFrame();
    endDecided();
    return std::nullopt;
  case StmtKind::Try:
    if (K.Next++ == 0)
      push(S.Body[0]);
    else
      Stack.pop_back();
    return std::nullopt;
  default:
    Stack.pop_back();
    return doAtOnce(S);
  }
}

std::optional<Lane::State> Lane::doAtOnce(const Stmt &S) {
  switch (S.Kind) {
  case StmtKind::Assign:
    assign(S.Target, eval(S.Value));
    return std::nullopt;
  case StmtKind::Copy:
    copy(S);
    return std::nullopt;
  case StmtKind::Forget:
    if (const std::optional<Location> At = place(S.Target)) {
      if (W.Watch)
        W.Watch->forgets(*At);
      Data.forget(*At, {keyOf(S, "any"), Trust::Unknown});
    }
    return std::nullopt;
  case StmtKind::Access:
  case StmtKind::End:
  case StmtKind::Hand:
  case StmtKind::Stream:
    if (W.Watch)
      W.Watch->meets(S);
    return std::nullopt;
  case StmtKind::Event:
    Current = &S;
    NumCalls += meetsOthers(S.What.Call->Kind);
    return State::AtCall;
  case StmtKind::Opaque:
    Current = &S;
    return State::AtOpaque;
  case StmtKind::Return:
  case StmtKind::Break:
  case StmtKind::Continue:
  case StmtKind::Leave:
  case StmtKind::Throw:
    return jump(S);
  case StmtKind::Stop:
    return State::Exited;
  default:
    return giveUp(GiveUpReason::Statement);
  }
}

void Lane::copy(const Stmt &S) {
  const std::optional<Location> To = place(S.Target), From = place(S.Value);
  if (W.Watch && From && !S.Moves)
    W.Watch->reads(*From, Doing);
  if (W.Watch && To)
    W.Watch->writes(*To, Doing);
  if (To && From)
    Data.copy(*From, *To);
  else if (To)
    Data.forget(*To, {keyOf(S, "copy"), Trust::Unknown});
}

std::optional<Lane::State> Lane::jump(const Stmt &S) {
  if (S.Kind == StmtKind::Return) {
    leave(S);
    return std::nullopt;
  }
  Jumps.push_back({&S, context()});
  // Nobody catches it: the program ends.
  if (S.Kind == StmtKind::Throw)
    return unwind() ? std::nullopt : std::optional(State::Exited);
  const bool Lands = S.Kind == StmtKind::Leave
                         ? leaveBlock(S.Label)
                         : breakOut(S.Kind == StmtKind::Continue);
  return Lands ? std::nullopt : std::optional(giveUp(GiveUpReason::Jump));
}

/// Whether what was asked last may follow from something else.
bool Lane::isGuess() const {
  const auto &Made = W.Choose.made();
  return Made.empty() ||
         W.Known[Made.back().About.Symbol].Trust == Trust::Unknown;
}

void Lane::doIf(Work &K) {
  const Stmt &S = *K.S;
  if (K.Next++) {
    endDecided();
    return;
  }
  HasFewRounds =
      llvm::any_of(Stack, [](const Work &Around) { return Around.Guessed; });
  Choosing = {};
  std::optional<bool> Holds = decideQuietly(S.Value);
  if (!Holds)
    Holds = sendsSomething(S);
  // What ends the program is no way on which anything else goes wrong.
  if (const auto Ends = W.Of.endingArm(&S); Ends && !Holds)
    Holds = assume(S.Value, *Ends == 1);
  if (!Holds && isInert(S) && InertForks++ >= MaxInertForks) {
    forgetWrites(S);
    Stack.pop_back();
    return;
  }
  const bool Asks = !Holds;
  if (Asks && leavesQuietCall(S))
    return;
  if (Asks)
    Holds = decide(S.Value);
  K.Chosen = Choosing;
  decided(K, *Holds ? 0 : 1, Asks && isGuess());
  hangs(K);
  HasFewRounds = false;
  push(S.Body[*Holds ? 0 : 1]);
}

/// A search through data asks the same of each element, and each answer is a
/// way of its own: after some, what the function that searches gives is
/// unknown.
bool Lane::leavesQuietCall(const Stmt &Asking) {
  const auto Outermost = llvm::find_if(Stack, [this](const Work &K) {
    return W.Of.isQuietCall(K.S) && !makesObject(*K.S);
  });
  if (Outermost == Stack.end() || QuietForks[&Asking]++ < MaxQuietForks)
    return false;
  const Stmt &Call = *Outermost->S;
  const std::size_t At = Outermost - Stack.begin();
  while (Stack.size() > At)
    drop();
  forgetWrites(Call);
  if (Call.Target)
    assign(Call.Target, W.Known.get(keyOf(Call, "left"), Trust::Unknown));
  return true;
}

/// Counts a step of a loop that only computes.
bool Lane::takesTooLong(const Stmt *Loop) {
  const unsigned Steps = MaxSteps / W.NumLanes;
  return ++InertSteps[Loop] > Steps / ShareOfInertLoop ||
         ++AllInertSteps > Steps / ShareOfInertLoops;
}

/// The next time neither the loop is run nor those in which it is just now.
void Lane::leaveInertLoop() {
  const std::size_t Outermost = *InertFrom;
  while (Stack.size() > Outermost + 1) {
    const StmtKind Kind = Stack.back().S->Kind;
    if (Kind == StmtKind::Loop)
      TooLong.insert(Stack.back().S);
    drop();
  }
  TooLong.insert(Stack.back().S);
  skipLoop();
  InertFrom.reset();
}

/// What the loop on top of the stack writes is unknown from now on.
void Lane::skipLoop() {
  const Stmt &S = *Stack.back().S;
  forgetWrites(S);
  endDecided();
}

void Lane::doSwitch(Work &K) {
  const Stmt &S = *K.S;
  if (K.Next == 0) {
    K.Next = S.Body.size();
    const Value Of = eval(S.Value);
    std::optional<unsigned> At, Default;
    for (unsigned I = 0; I != S.Cases.size() && !At; ++I)
      if (!S.Cases[I])
        Default = S.CaseAt[I];
      else if (isTrue(
                   compare(Operator::Equal, Of, Value::integer(*S.Cases[I]))))
        At = S.CaseAt[I];
    K.Next = At ? *At : Default.value_or(S.Body.size());
    decided(K, K.Next);
    hangs(K);
  }
  if (K.Next < S.Body.size()) {
    const unsigned I = K.Next++;
    push(S.Body[I]);
  } else {
    endDecided();
  }
}

std::optional<Lane::State> Lane::call(const Stmt &S) {
  const Value Callee = eval(S.Value);
  W.Matters |= std::exchange(Data.Asked, Reasons());
  const Function *F =
      Callee.Kind == ValueKind::Function ? &W.P.Functions[Callee.Id] : nullptr;
  if (depth() > MaxDepth)
    return giveUp(GiveUpReason::Depth);
  llvm::SmallVector<Value, 4> Arguments;
  for (const Expr *A : S.Arguments)
    Arguments.push_back(eval(A));
  if (!F || !F->Body)
    return callUnknown(S, Arguments);
  if (W.Seen)
    W.Seen->Functions.insert(Callee.Id);
  enterFrame(*F, Arguments, S.Target);
  push(F->Body);
  return std::nullopt;
}

/// It may write what it is given, and communicate.
std::optional<Lane::State> Lane::callUnknown(const Stmt &S,
                                             llvm::ArrayRef<Value> Arguments) {
  Current = &S;
  Stack.pop_back();
  if (W.Of.onlyAsks(S)) {
    if (S.Target)
      assign(S.Target, opaque(S.Name, Arguments));
    return std::nullopt;
  }
  const std::string Key = keyOf(S, "call");
  if (W.Watch)
    for (const Value &V : Arguments)
      W.Watch->gives(V);
  for (unsigned I = 0; I != Arguments.size(); ++I)
    if (Arguments[I].Kind == ValueKind::Pointer)
      Data.forget(Data.whole(Arguments[I].To),
                  {Key + "." + std::to_string(I), Trust::Unknown});
  if (S.Target)
    assign(S.Target, W.Known.get(Key, Trust::Unknown));
  if (W.Of.sendsNothing(S))
    return std::nullopt;
  W.MattersToUnseen = Reasons::all(); // whatever it is given may decide
  return State::AtOpaque;
}

void Lane::leave(const Stmt &S) {
  std::optional<Value> Given;
  if (S.Value)
    Given = eval(S.Value);
  Jumps.push_back({&S, context()});
  Reasons Left, Chosen;
  while (!Stack.empty() && Stack.back().S->Kind != StmtKind::Call) {
    Left |= Stack.back().Decides;
    Chosen |= Stack.back().Chosen;
    if (Stack.back().S->Kind == StmtKind::Loop && Chosen.any())
      LeftLoops.push_back({Stack.back().S, Chosen});
    Stack.pop_back();
  }
  if (!Stack.empty())
    Stack.back().Decides |= Left;
  if (Stack.empty() && Given && W.Watch)
    W.Watch->gives(*Given);
  if (Stack.empty())
    Result = Given;
  else if (Given)
    assignResult(*Given);
}

bool Lane::breakOut(bool Continues) {
  for (Reasons Left, Chosen; !Stack.empty(); Stack.pop_back()) {
    const StmtKind K = Stack.back().S->Kind;
    if (K == StmtKind::Call)
      return false;
    Left |= Stack.back().Decides;
    Chosen |= Stack.back().Chosen;
    if (K != StmtKind::Loop && (K != StmtKind::Switch || Continues))
      continue;
    Stack.back().Decides = Left;
    if (!Continues && K == StmtKind::Loop && Chosen.any())
      LeftLoops.push_back({Stack.back().S, Chosen});
    if (!Continues)
      endDecided();
    return true;
  }
  return false;
}

bool Lane::leaveBlock(unsigned Label) {
  while (!Stack.empty() && Stack.back().S->Kind != StmtKind::Call) {
    const Stmt &S = *Stack.back().S;
    pop();
    if (S.Kind == StmtKind::Block && S.Label == Label)
      return true;
  }
  return false;
}

bool Lane::unwind() {
  while (!Stack.empty()) {
    Work &K = Stack.back();
    if (K.S->Kind == StmtKind::Try && K.Next == 1) {
      ++K.Next;
      push(K.S->Body[1]);
      return true;
    }
    drop();
  }
  return false;
}

} // namespace spmd::collectives

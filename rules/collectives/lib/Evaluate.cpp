//===- Evaluate.cpp - What expressions are on one rank --------------------===//

#include "Evaluate.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>

namespace spmd::collectives {

using rules::CallConstant;

//===--- Storage ------------------------------------------------------------//

unsigned Evaluator::addObject(const Variable &V, unsigned Variable) {
  Source From{"v" + std::to_string(Variable), Trust::Unknown};
  if (V.IsInput)
    From.Trust = Trust::Input;
  From.IsZero = V.IsGlobal && IsMain && !V.IsElsewhere;
  return Data.create(std::move(From));
}

unsigned Evaluator::objectOf(unsigned Number) {
  assert(Number < W.P.Variables.size() && "a variable of the program");
  const Variable &V = W.P.Variables[Number];
  assert((V.IsGlobal || !Frames.empty()) && "a local is of some function");
  if (!V.IsGlobal)
    // A closure's body names variables of the code around it.
    for (auto It = Frames.rbegin(); It != Frames.rend(); ++It)
      if (const auto At = It->Objects.find(Number); At != It->Objects.end())
        return At->second;
  auto &In = V.IsGlobal ? Globals : Frames.back().Objects;
  const auto [At, New] = In.try_emplace(Number, 0);
  if (New)
    At->second = addObject(V, Number);
  if (New && !V.IsGlobal)
    Locals[At->second] = Number;
  return At->second;
}

bool Evaluator::isInGlobal(const Value &V) const {
  return llvm::any_of(Data.holders(V), [this](Location At) {
    return llvm::any_of(Globals, [&](const auto &G) {
      return G.second == At.Object && !W.P.Variables[G.first].IsConstant;
    });
  });
}

bool Evaluator::isArgument(unsigned Object) const {
  const auto Of = Locals.find(Object);
  return Of != Locals.end() &&
         llvm::any_of(W.P.Functions, [&](const Function &F) {
           return llvm::is_contained(F.Parameters, Of->second);
         });
}

void Evaluator::enterFrame(const Function &F, llvm::ArrayRef<Value> Arguments,
                           const Expr *ResultIn) {
  Frames.emplace_back();
  Frames.back().ResultIn = ResultIn;
  for (unsigned I = 0; I != F.Parameters.size(); ++I)
    Frames.back().Objects[F.Parameters[I]] =
        addObject(W.P.Variables[F.Parameters[I]], F.Parameters[I]);
  for (const auto &[Variable, Object] : Frames.back().Objects)
    Locals[Object] = Variable;
  for (unsigned I = 0; I < F.Parameters.size() && I < Arguments.size(); ++I)
    Data.write({Frames.back().Objects[F.Parameters[I]], WholeObject},
               Arguments[I]);
}

void Evaluator::assignResult(const Value &Result) {
  const Expr *Into = Frames.back().ResultIn;
  if (!Into)
    return;
  Frame Inner = std::move(Frames.back());
  Frames.pop_back();
  assign(Into, Result);
  Frames.push_back(std::move(Inner));
}

void Evaluator::endFrame() {
  assert(Frames.size() > 1 && "a frame that a call has begun");
  if (W.Watch)
    W.Watch->ends(Frames.back().Objects, Doing);
  Frames.pop_back();
}

std::optional<Location> Evaluator::target(const Value &V) {
  if (V.Kind == ValueKind::Pointer)
    return V.To;
  if (W.Watch && V.Kind == ValueKind::Request) { // a handle by value
    const auto [At, New] =
        BehindSymbols.try_emplace("r" + std::to_string(V.Id), 0);
    if (New) {
      At->second = Data.create({"handle", Trust::Unknown});
      Data.write({At->second, WholeObject}, V);
    }
    return Location{At->second, WholeObject};
  }
  if (!V.isSymbol() && V.Kind != ValueKind::Name)
    return std::nullopt;
  if (V.isSymbol() && V.Scale == 1 && V.Integer) { // into the same array
    Value First = V;
    First.Integer = 0;
    return Data.advance(*target(First), V.Integer);
  }
  const std::string Key = W.Known.textOf(V);
  const auto [At, New] = BehindSymbols.try_emplace(Key, 0);
  if (New)
    At->second = Data.create(
        {"*" + Key, V.isSymbol() ? W.Known[V.Id].Trust : Trust::Unknown});
  return Location{At->second, WholeObject};
}

std::optional<Location> Evaluator::place(const Expr *E) {
  const std::optional<Location> At = located(E);
  if (!At || E->Axes.empty())
    return At;
  const Value V = Data.read(*At);
  if (!V.isSymbol() && V.Kind != ValueKind::Comm)
    return At;
  W.AxesOf.try_emplace({V.Kind, V.Id}, DeclaredAxes{E->Axes, E->IsAxis});
  return At;
}

std::optional<Location> Evaluator::located(const Expr *E) {
  switch (E->Kind) {
  case ExprKind::Variable:
    return Location{objectOf(E->Number), WholeObject};
  case ExprKind::Field: {
    const std::optional<Location> Of = place(E->Operands[0]);
    return Of ? std::optional(
                    Location{Of->Object, W.Known.field(Of->Path, E->Name)})
              : std::nullopt;
  }
  case ExprKind::Element: {
    const Value Index = eval(E->Operands[1]);
    std::optional<Location> Of =
        E->IsOfPointer ? target(eval(E->Operands[0])) : place(E->Operands[0]);
    if (!Of)
      return std::nullopt;
    if (!Index.isInteger()) {
      // Some element, the same for the same index.
      const Location In = E->IsOfPointer ? Data.whole(*Of) : *Of;
      Value From = Index;
      if (E->IsOfPointer && W.Known.isElement(Of->Path))
        From = binary(Operator::Add, Index,
                      Value::integer(W.Known.indexOf(Of->Path)));
      return Location{In.Object,
                      W.Known.field(In.Path, "[" + W.Known.textOf(From) + "]")};
    }
    if (E->IsOfPointer)
      return Data.advance(*Of, Index.Integer);
    return Location{Of->Object, W.Known.element(Of->Path, Index.Integer)};
  }
  case ExprKind::Target:
    return target(eval(E->Operands[0]));
  default:
    return std::nullopt;
  }
}

void Evaluator::assign(const Expr *Place, Value V) {
  const Reasons OfValue = std::exchange(Data.Asked, Reasons());
  const std::optional<Location> At = place(Place);
  // It may be another place that is written.
  W.Matters |= Data.Asked.without(Data.Within);
  Data.Asked |= OfValue;
  if (!At)
    return;
  if (W.Watch)
    W.Watch->writes(*At, Doing);
  if (Place->Kind == ExprKind::Element && !W.Known.isElement(At->Path) &&
      At->Path != WholeObject) {
    // Any of them may be the one.
    Data.forget({At->Object, W.Known.parent(At->Path)},
                {"e" + std::to_string(At->Path) + "." +
                     std::to_string(Data.numVersions(At->Object)),
                 Trust::Unknown});
    return;
  }
  Data.write(*At, V);
}

//===--- Decisions ----------------------------------------------------------//

bool Evaluator::ask(const Relation &R) {
  Asked = true;
  if (Assumed && !W.Choose.implied(R))
    W.Choose.assume(R, *Assumed);
  if (!Quiet || W.Choose.isKnownTo(Number, R)) {
    const bool Holds = W.Choose.answer(R, Number, true);
    Data.Asked |= W.Choose.reasonsFor(R);
    Choosing |= W.Choose.reasonsFor(R);
    return Holds;
  }
  Undecided = true;
  return false;
}

bool Evaluator::isTrue(const Value &V) {
  switch (V.Kind) {
  case ValueKind::Integer:
    return V.Integer != 0;
  case ValueKind::Real:
    return V.Real != 0;
  case ValueKind::Comm:
    return V.Id != NullComm;
  case ValueKind::Name:
    return !W.Known.means(V, CallConstant::NullComm);
  case ValueKind::Undefined:
  case ValueKind::Symbol: {
    const Value Of =
        V.isSymbol() ? V : W.Known.get("undefined", Trust::Unknown);
    const Value Is = compareSymbol(Operator::Unequal, Of, Value::integer(0));
    return Is.isInteger() ? Is.Integer != 0
                          : ask({Is.Id, Relation::Kind::Equal, 0, true});
  }
  default:
    return true;
  }
}

std::optional<bool> Evaluator::decidePeriod(const Expr *E) {
  const std::optional<RemainderTest> Test =
      HasFewRounds ? remainderTest(E) : std::nullopt;
  if (!Test || Test->Divisor <= 2 || !W.Of.isPeriod(Test->Divisor))
    return std::nullopt;
  const Value Of = eval(Test->Of);
  if (!Of.isInteger() || Of.OfRanks || Of.Integer < 0)
    return std::nullopt;
  const bool Comes = Of.Integer % 2 == Test->To % 2;
  if (Comes && Of.Integer % Test->Divisor != Test->To)
    W.RoundsLeftOut = std::max(W.RoundsLeftOut, Test->Divisor);
  return Comes == Test->IsEqual;
}

bool Evaluator::decide(const Expr *E) {
  if (E->Kind == ExprKind::Binary && E->Op == Operator::And)
    return decide(E->Operands[0]) && decide(E->Operands[1]);
  if (E->Kind == ExprKind::Binary && E->Op == Operator::Or)
    return decide(E->Operands[0]) || decide(E->Operands[1]);
  if (E->Kind == ExprKind::Unary && E->Op == Operator::Not)
    return !decide(E->Operands[0]);
  if (const std::optional<bool> Holds = decidePeriod(E))
    return *Holds;
  return isTrue(eval(E));
}

bool Evaluator::assume(const Expr *E, bool Answer) {
  if (E->Kind == ExprKind::Binary &&
      (E->Op == Operator::And || E->Op == Operator::Or)) {
    const bool Left = assume(E->Operands[0], Answer);
    return Left == (E->Op == Operator::Or) ? Left
                                           : assume(E->Operands[1], Answer);
  }
  if (E->Kind == ExprKind::Unary && E->Op == Operator::Not)
    return !assume(E->Operands[0], !Answer);
  const Value Is = eval(E);
  Assumed = Answer;
  const bool Holds = isTrue(Is);
  Assumed.reset();
  return Holds;
}

std::optional<bool> Evaluator::decideQuietly(const Expr *Condition) {
  Quiet = true;
  Undecided = false;
  const bool Holds = decide(Condition);
  Quiet = false;
  return Undecided ? std::nullopt : std::optional(Holds);
}

void Evaluator::quietly(llvm::function_ref<void()> Do) {
  Quiet = true;
  Do();
  Quiet = false;
}

//===--- Values -------------------------------------------------------------//

Value Evaluator::opaque(llvm::StringRef What, llvm::ArrayRef<Value> Of) {
  std::string Key = What.str() + "(";
  Trust T = Trust::Input;
  bool PerRank = false;
  for (const Value &V : Of) {
    Value Text = V;
    if (V.Kind == ValueKind::Pointer)
      Text = Data.read(V.To);
    Key += W.Known.textOf(Text) + ",";
    if (Text.isSymbol() && T != Trust::Varying)
      T = W.Known[Text.Id].Trust == Trust::Input ? T : W.Known[Text.Id].Trust;
    else if (!Text.isNumber() && Text.Kind != ValueKind::Name)
      T = std::max(T, Trust::Unknown);
    PerRank |= Text.Kind == ValueKind::Pointer || V.Kind == ValueKind::Request;
  }
  if (PerRank)
    Key += "@" + std::to_string(Number);
  return W.Known.get(Key, T);
}

Value Evaluator::apply(const Expr *E) {
  llvm::SmallVector<Value, 3> Of;
  bool OfRanks = false, AllNumbers = true;
  for (const Expr *A : E->Operands) {
    Of.push_back(eval(A));
    OfRanks |= Of.back().OfRanks;
    AllNumbers &= Of.back().isNumber();
  }
  const auto Number = [&](unsigned I) {
    return Of[I].isInteger() ? static_cast<double>(Of[I].Integer) : Of[I].Real;
  };
  if (AllNumbers && Of.size() == 1) {
    using Of1 = double (*)(double);
    const Of1 F = llvm::StringSwitch<Of1>(E->Name)
                      .Cases({"sqrt", "sqrtf"}, std::sqrt)
                      .Cases({"floor", "floorf"}, std::floor)
                      .Cases({"ceil", "ceilf"}, std::ceil)
                      .Cases({"fabs", "fabsf"}, std::fabs)
                      .Default(nullptr);
    if (F)
      return Value::real(F(Number(0)), OfRanks);
    if (E->Name == "abs" && Of[0].isInteger())
      return Value::integer(std::abs(Of[0].Integer), OfRanks);
    if (E->Name == "isnan" || E->Name == "isinf")
      return Value::integer(0, OfRanks);
  }
  if (Of.size() == 2 && (E->Name == "min" || E->Name == "max")) {
    const Value Less = compare(Operator::Less, Of[0], Of[1]);
    if (Less.isInteger())
      return Of[(Less.Integer != 0) == (E->Name == "min") ? 0 : 1];
  }
  Value Out = opaque(E->Name, Of);
  if (E->Trust == Trust::Unknown && W.Known[Out.Id].Trust == Trust::Input)
    Out = W.Known.get(W.Known[Out.Id].Key + "?", Trust::Unknown);
  return Out;
}

Value Evaluator::named(const Expr *E) {
  if (E->Meaning == CallConstant::World)
    return Value::of(ValueKind::Comm, WorldComm);
  if (E->Meaning == CallConstant::Self)
    return Value::of(ValueKind::Comm, SelfComm);
  if (E->Meaning == CallConstant::NullComm)
    return Value::of(ValueKind::Comm, NullComm);
  return Value::of(ValueKind::Name, W.Known.name(E->Name, E->Meaning));
}

Value Evaluator::fresh(const Expr *Unknown) {
  std::string Key = "u" + std::to_string(Unknown->Number) + "#" +
                    std::to_string(Evaluations[Unknown->Number]++);
  if (Unknown->Trust == Trust::Varying)
    Key += "@" + std::to_string(Number);
  return W.Known.get(Key, Unknown->Trust);
}

/// Whether the number in \p At was found to be summed over the ranks.
bool Evaluator::isReduced(Location At, unsigned Symbol) const {
  return !W.Reduced.empty() && (W.Reduced.count(W.Known[Symbol].Key) ||
                                W.Reduced.count(Data.keyOf(At, Symbol)));
}

Value Evaluator::load(const Expr *E) {
  const std::optional<Location> At = place(E->Operands[0]);
  if (W.Watch && At)
    W.Watch->reads(*At, Doing);
  Value V = At ? Data.read(*At) : Value();
  if (V.isSymbol() && E->Operands[0]->Name == SizeField)
    W.Known.isSize(V.Id);
  const auto IsDeclared = [&](Declared D) {
    return E->Says == D || (D == Declared::Rank && W.BelievesDeclared &&
                            E->Says == Declared::Varying);
  };
  if (V.isSymbol() &&
      (W.RankSymbols.count(W.Known[V.Id].Key) || IsDeclared(Declared::Rank))) {
    V = Value::integer(Number, true);
    V.OfRank = true;
  }
  if (V.OfRank)
    Data.Asked |= Reasons::rank();
  if (V.isSymbol() && isReduced(*At, V.Id)) {
    const Value Own = W.Known.get(
        W.Known[V.Id].Key + "@" + std::to_string(Number), Trust::Varying);
    V.Id = Own.Id;
  }
  if (V.isSymbol() && (W.SizeSymbols.count(W.Known[V.Id].Key) ||
                       IsDeclared(Declared::NumberOfRanks)))
    V = Value::integer(W.NumLanes, true);
  if (V.OfRanks)
    Data.Asked |= Reasons::numberOfRanks();
  return V;
}

Value Evaluator::logical(const Expr *E) {
  const Value L = eval(E->Operands[0]);
  const bool Left = isTrue(L);
  if (Left == (E->Op == Operator::Or))
    return Value::integer(Left, L.OfRanks);
  const Value R = eval(E->Operands[1]);
  return Value::integer(isTrue(R), L.OfRanks || R.OfRanks);
}

Value Evaluator::eval(const Expr *E) {
  switch (E->Kind) {
  case ExprKind::Integer:
    return Value::integer(E->Integer);
  case ExprKind::Real:
    return Value::real(E->Real, false);
  case ExprKind::Function:
    return Value::of(ValueKind::Function, E->Number);
  case ExprKind::Name:
    return named(E);
  case ExprKind::Unknown:
    return fresh(E);
  case ExprKind::Apply:
    return apply(E);
  case ExprKind::Allocate:
    return Value::pointer(
        {Data.create({"a" + std::to_string(E->Number) + "#" +
                          std::to_string(Evaluations[E->Number]++),
                      Trust::Unknown, /*IsZero=*/false,
                      /*IsShared=*/!E->Name.empty(), E->IsPinned}),
         W.Known.element(WholeObject, 0)});
  case ExprKind::Load:
    return load(E);
  case ExprKind::Address: {
    const std::optional<Location> At = place(E->Operands[0]);
    return At ? Value::pointer(*At) : Value();
  }
  case ExprKind::Unary: {
    const Value V = eval(E->Operands[0]);
    return E->Op == Operator::Not ? Value::integer(!isTrue(V), V.OfRanks)
                                  : unary(E->Op, V);
  }
  case ExprKind::Binary:
    if (E->Op == Operator::And || E->Op == Operator::Or)
      return logical(E);
    return binary(E->Op, eval(E->Operands[0]), eval(E->Operands[1]));
  case ExprKind::Typed:
    return eval(E->Operands[W.P.Differs[E->Number] ? 1 : 0]);
  case ExprKind::Conditional: {
    const Value If = eval(E->Operands[0]);
    Value Out = eval(E->Operands[isTrue(If) ? 1 : 2]);
    Out.OfRanks |= If.OfRanks;
    return Out;
  }
  default:
    return {};
  }
}

Value Evaluator::unary(Operator Op, const Value &V) {
  switch (Op) {
  case Operator::Negate:
    if (V.Kind == ValueKind::Real)
      return Value::real(-V.Real, V.OfRanks);
    return arithmetic(Operator::Multiply, V, Value::integer(-1));
  case Operator::Complement:
    return V.isInteger() ? Value::integer(~V.Integer, V.OfRanks)
                         : opaque("~", V);
  case Operator::ToInteger:
    return V.Kind == ValueKind::Real
               ? Value::integer(static_cast<std::int64_t>(V.Real), V.OfRanks)
               : V;
  case Operator::ToReal:
    return V.isInteger()
               ? Value::real(static_cast<double>(V.Integer), V.OfRanks)
               : V;
  case Operator::ToBool:
    if (V.isNumber())
      return Value::integer(isTrue(V), V.OfRanks);
    return compare(Operator::Unequal, V, Value::integer(0));
  default:
    return V;
  }
}

} // namespace spmd::collectives

//===- Evaluate.cpp - One rank's run of a program: expressions ------------===//

#include "Lane.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>

namespace spmd::collectives {

using rules::CallConstant;

/// Numbers of ranks beyond which nothing is tried.
static constexpr std::int64_t MaxCompared = 62;

//===--- Storage ------------------------------------------------------------//

unsigned Lane::addObject(const Variable &V, unsigned Variable) {
  Source From{"v" + std::to_string(Variable), Trust::Unknown};
  if (V.IsInput)
    From.Trust = Trust::Input;
  From.IsZero = V.IsGlobal && IsMain;
  return Data.create(std::move(From));
}

unsigned Lane::objectOf(unsigned Number) {
  const Variable &V = W.P.Variables[Number];
  if (!V.IsGlobal)
    // A closure's body names variables of the code around it.
    for (auto It = Frames.rbegin(); It != Frames.rend(); ++It)
      if (const auto At = It->Objects.find(Number); At != It->Objects.end())
        return At->second;
  auto &In = V.IsGlobal ? Globals : Frames.back().Objects;
  const auto [At, New] = In.try_emplace(Number, 0);
  if (New)
    At->second = addObject(V, Number);
  return At->second;
}

std::optional<Location> Lane::target(const Value &V) {
  if (V.Kind == ValueKind::Pointer)
    return V.To;
  if (!V.isSymbol() && V.Kind != ValueKind::Name)
    return std::nullopt;
  const std::string Key = W.Known.textOf(V);
  const auto [At, New] = BehindSymbols.try_emplace(Key, 0);
  if (New)
    At->second = Data.create(
        {"*" + Key, V.isSymbol() ? W.Known[V.Id].Trust : Trust::Unknown});
  return Location{At->second, WholeObject};
}

std::optional<Location> Lane::place(const Expr *E) {
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
    std::optional<Location> Of = E->IsOfPointer ? target(eval(E->Operands[0]))
                                                : place(E->Operands[0]);
    if (!Of)
      return std::nullopt;
    if (!Index.isInteger()) {
      // Some element, the same for the same index.
      const Location In = E->IsOfPointer ? Data.whole(*Of) : *Of;
      return Location{In.Object, W.Known.field(In.Path, W.Known.textOf(Index))};
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

void Lane::assign(const Expr *Place, Value V) {
  const std::optional<Location> At = place(Place);
  if (!At)
    return;
  if (Place->Kind == ExprKind::Element &&
      !W.Known.isElement(At->Path) && At->Path != WholeObject) {
    // Any of them may be the one.
    Data.forget({At->Object, W.Known.parent(At->Path)},
                {"e" + std::to_string(At->Path) + "." +
                     std::to_string(Data.numVersions(At->Object)),
                 Trust::Unknown});
    return;
  }
  Data.write(*At, std::move(V));
}

//===--- Decisions ----------------------------------------------------------//

bool Lane::ask(const Relation &R) {
  if (!Quiet) {
    ++Asked;
    return W.Choose.answer(R, Number, true);
  }
  if (const std::optional<bool> Known = W.Choose.implied(R))
    return *Known;
  Undecided = true;
  return false;
}

bool Lane::isTrue(const Value &V) {
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

bool Lane::decide(const Expr *E) {
  if (E->Kind == ExprKind::Binary && E->Op == Operator::And)
    return decide(E->Operands[0]) && decide(E->Operands[1]);
  if (E->Kind == ExprKind::Binary && E->Op == Operator::Or)
    return decide(E->Operands[0]) || decide(E->Operands[1]);
  if (E->Kind == ExprKind::Unary && E->Op == Operator::Not)
    return !decide(E->Operands[0]);
  return isTrue(eval(E));
}

//===--- Values -------------------------------------------------------------//

Value Lane::opaque(llvm::StringRef What, llvm::ArrayRef<Value> Of) {
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

Value Lane::apply(const Expr *E) {
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

Value Lane::eval(const Expr *E) {
  switch (E->Kind) {
  case ExprKind::Integer:
    return Value::integer(E->Integer);
  case ExprKind::Real:
    return Value::real(E->Real, false);
  case ExprKind::Function:
    return Value::of(ValueKind::Function, E->Number);
  case ExprKind::Name:
    if (E->Meaning == CallConstant::World)
      return Value::of(ValueKind::Comm, WorldComm);
    if (E->Meaning == CallConstant::Self)
      return Value::of(ValueKind::Comm, SelfComm);
    if (E->Meaning == CallConstant::NullComm)
      return Value::of(ValueKind::Comm, NullComm);
    return Value::of(ValueKind::Name, W.Known.name(E->Name, E->Meaning));
  case ExprKind::Unknown: {
    std::string Key = "u" + std::to_string(E->Number) + "#" +
                      std::to_string(Evaluations[E->Number]++);
    if (E->Trust == Trust::Varying)
      Key += "@" + std::to_string(Number);
    return W.Known.get(Key, E->Trust);
  }
  case ExprKind::Apply:
    return apply(E);
  case ExprKind::Allocate:
    return Value::pointer(
        {Data.create({"a" + std::to_string(E->Number) + "#" +
                          std::to_string(Evaluations[E->Number]++),
                      Trust::Unknown}),
         W.Known.element(WholeObject, 0)});
  case ExprKind::Load: {
    const std::optional<Location> At = place(E->Operands[0]);
    Value V = At ? Data.read(*At) : Value();
    if (V.isSymbol() && W.RankSymbols.count(W.Known[V.Id].Key)) {
      V = Value::integer(Number, true);
      V.OfRank = true;
    }
    if (V.isSymbol() && W.SizeSymbols.count(W.Known[V.Id].Key))
      return Value::integer(W.NumLanes, true);
    return V;
  }
  case ExprKind::Address: {
    const std::optional<Location> At = place(E->Operands[0]);
    return At ? Value::pointer(*At) : Value();
  }
  case ExprKind::Unary:
    return E->Op == Operator::Not ? [&] {
      const Value V = eval(E->Operands[0]);
      return Value::integer(!isTrue(V), V.OfRanks);
    }()
                                  : unary(E->Op, eval(E->Operands[0]));
  case ExprKind::Binary:
    if (E->Op == Operator::And || E->Op == Operator::Or) {
      const Value L = eval(E->Operands[0]);
      const bool Left = isTrue(L);
      if (Left == (E->Op == Operator::Or))
        return Value::integer(Left, L.OfRanks);
      const Value R = eval(E->Operands[1]);
      return Value::integer(isTrue(R), L.OfRanks || R.OfRanks);
    }
    return binary(E->Op, eval(E->Operands[0]), eval(E->Operands[1]));
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

Value Lane::unary(Operator Op, const Value &V) {
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

static bool isComparison(Operator Op) {
  return Op >= Operator::Equal && Op <= Operator::GreaterEqual;
}

Value Lane::binary(Operator Op, const Value &L, const Value &R) {
  if (!isComparison(Op)) {
    Value Out = arithmetic(Op, L, R);
    Out.OfRanks |= L.OfRanks || R.OfRanks;
    Out.OfRank |= L.OfRank || R.OfRank;
    return Out;
  }
  for (const auto &[A, B] : {std::pair(&L, &R), std::pair(&R, &L)})
    if (A->OfRanks && B->isInteger() && !B->OfRanks && B->Integer > 0 &&
        B->Integer <= MaxCompared)
      (A->OfRank ? W.Compared : W.Limits).insert(B->Integer);
  Value Out = compare(Op, L, R);
  Out.OfRanks |= L.OfRanks || R.OfRanks;
  Out.OfRank |= L.OfRank || R.OfRank;
  return Out;
}

static std::optional<std::int64_t> ofIntegers(Operator Op, std::int64_t A,
                                              std::int64_t B) {
  const auto Wrap = [](std::uint64_t V) {
    return static_cast<std::int64_t>(V);
  };
  const auto UA = static_cast<std::uint64_t>(A);
  const auto UB = static_cast<std::uint64_t>(B);
  switch (Op) {
  case Operator::Add:
    return Wrap(UA + UB);
  case Operator::Subtract:
    return Wrap(UA - UB);
  case Operator::Multiply:
    return Wrap(UA * UB);
  case Operator::Divide:
    return B == 0 || B == -1 ? std::nullopt : std::optional(A / B);
  case Operator::Remainder:
    return B == 0 || B == -1 ? std::nullopt : std::optional(A % B);
  case Operator::BitAnd:
    return A & B;
  case Operator::BitOr:
    return A | B;
  case Operator::BitXor:
    return A ^ B;
  case Operator::ShiftLeft:
    return B < 0 || B > 62 ? std::nullopt : std::optional(Wrap(UA << B));
  case Operator::ShiftRight:
    return B < 0 || B > 63 ? std::nullopt : std::optional(A >> B);
  default:
    return std::nullopt;
  }
}

static double toReal(const Value &V) {
  return V.isInteger() ? static_cast<double>(V.Integer) : V.Real;
}

Value Lane::arithmetic(Operator Op, const Value &L, const Value &R) {
  if (L.isInteger() && R.isInteger())
    if (const auto Out = ofIntegers(Op, L.Integer, R.Integer))
      return Value::integer(*Out);
  if (L.isNumber() && R.isNumber() && !(L.isInteger() && R.isInteger())) {
    const double A = toReal(L), B = toReal(R);
    switch (Op) {
    case Operator::Add:
      return Value::real(A + B, false);
    case Operator::Subtract:
      return Value::real(A - B, false);
    case Operator::Multiply:
      return Value::real(A * B, false);
    case Operator::Divide:
      return Value::real(A / B, false);
    default:
      break;
    }
  }
  if (L.Kind == ValueKind::Pointer && R.isInteger() &&
      (Op == Operator::Add || Op == Operator::Subtract))
    return Value::pointer(Data.advance(
        L.To, Op == Operator::Add ? R.Integer : -R.Integer));
  if (R.Kind == ValueKind::Pointer && L.isInteger() && Op == Operator::Add)
    return Value::pointer(Data.advance(R.To, L.Integer));
  // Sums and multiples of one symbol.
  const bool Additive = Op == Operator::Add || Op == Operator::Subtract;
  if (L.isSymbol() && R.isInteger() && Additive) {
    Value Out = L;
    Out.Integer += Op == Operator::Add ? R.Integer : -R.Integer;
    return Out;
  }
  if (L.isInteger() && R.isSymbol() && Additive) {
    Value Out = R;
    if (Op == Operator::Subtract) {
      Out.Scale = -Out.Scale;
      Out.Integer = -Out.Integer;
    }
    Out.Integer += L.Integer;
    return Out;
  }
  if (Op == Operator::Multiply && (L.isSymbol() || R.isSymbol()) &&
      (L.isInteger() || R.isInteger())) {
    const std::int64_t By = L.isInteger() ? L.Integer : R.Integer;
    Value Out = L.isSymbol() ? L : R;
    if (By == 0)
      return Value::integer(0);
    if (std::abs(By) < 1'000'000 && std::abs(Out.Scale) < 1'000'000) {
      Out.Scale *= By;
      Out.Integer *= By;
      return Out;
    }
  }
  if (Op == Operator::Subtract && L.isSymbol() && R.isSymbol() &&
      L.Id == R.Id && L.Scale == R.Scale)
    return Value::integer(L.Integer - R.Integer);
  return opaque("op" + std::to_string(static_cast<int>(Op)), {L, R});
}

static bool holds(Operator Op, int Sign) {
  switch (Op) {
  case Operator::Equal:
    return Sign == 0;
  case Operator::Unequal:
    return Sign != 0;
  case Operator::Less:
    return Sign < 0;
  case Operator::LessEqual:
    return Sign <= 0;
  case Operator::Greater:
    return Sign > 0;
  default:
    return Sign >= 0;
  }
}

static Operator mirrored(Operator Op) {
  switch (Op) {
  case Operator::Less:
    return Operator::Greater;
  case Operator::LessEqual:
    return Operator::GreaterEqual;
  case Operator::Greater:
    return Operator::Less;
  case Operator::GreaterEqual:
    return Operator::LessEqual;
  default:
    return Op;
  }
}

/// What ranks and peers that are none compare as.
static std::optional<Value> asNegative(const Symbols &S, const Value &V) {
  if (S.means(V, CallConstant::NullPeer))
    return Value::integer(-2);
  if (S.means(V, CallConstant::AnySource) || S.means(V, CallConstant::AnyTag))
    return Value::integer(-1);
  if (S.means(V, CallConstant::Undefined))
    return Value::integer(-32766);
  return std::nullopt;
}

Value Lane::compare(Operator Op, const Value &L, const Value &R) {
  if (L.isInteger() && R.isInteger())
    return Value::integer(holds(Op, L.Integer < R.Integer   ? -1
                                    : L.Integer > R.Integer ? 1
                                                            : 0));
  if (L.isNumber() && R.isNumber()) {
    const double A = toReal(L), B = toReal(R);
    return Value::integer(holds(Op, A < B ? -1 : A > B ? 1 : 0));
  }
  const bool IsEquality = Op == Operator::Equal || Op == Operator::Unequal;
  if (L.Kind == ValueKind::Name && R.Kind == ValueKind::Name && L.Id == R.Id)
    return Value::integer(holds(Op, 0));
  if (const auto N = asNegative(W.Known, L); N && R.isInteger())
    return compare(Op, *N, R);
  if (const auto N = asNegative(W.Known, R); N && L.isInteger())
    return compare(Op, L, *N);
  if (L.isSymbol())
    return compareSymbol(Op, L, R);
  if (R.isSymbol())
    return compareSymbol(mirrored(Op), R, L);
  if (IsEquality) {
    const auto IsNull = [&](const Value &V) {
      return (V.isInteger() && V.Integer == 0) ||
             (V.Kind == ValueKind::Comm && V.Id == NullComm);
    };
    for (const auto &[A, B] : {std::pair(&L, &R), std::pair(&R, &L)}) {
      if (A->Kind == ValueKind::Comm && IsNull(*B))
        return Value::integer(holds(Op, A->Id == NullComm ? 0 : 1));
      if ((A->Kind == ValueKind::Pointer || A->Kind == ValueKind::Function ||
           A->Kind == ValueKind::Request) &&
          (IsNull(*B) || W.Known.means(*B, CallConstant::NullRequest)))
        return Value::integer(holds(Op, 1));
    }
    if (L.Kind == R.Kind && (L.Kind == ValueKind::Pointer ||
                             L.Kind == ValueKind::Comm ||
                             L.Kind == ValueKind::Function))
      return Value::integer(holds(Op, L == R ? 0 : 1));
  }
  // The order of operands says nothing new.
  return opaque("cmp" + std::to_string(static_cast<int>(Op)), {L, R});
}

static std::int64_t floorDiv(std::int64_t A, std::int64_t B) {
  return A / B - ((A % B != 0) && ((A < 0) != (B < 0)) ? 1 : 0);
}

Value Lane::compareSymbol(Operator Op, Value L, Value R) {
  if (const auto N = asNegative(W.Known, R))
    R = *N;
  if (R.isSymbol() && L.Id == R.Id && L.Scale == R.Scale)
    return compare(Op, Value::integer(L.Integer), Value::integer(R.Integer));
  if (R.isSymbol()) {
    // Of their difference, whichever way round it is written.
    const bool Swap = R.Id < L.Id;
    if (Swap) {
      std::swap(L, R);
      Op = mirrored(Op);
    }
    L = opaque("difference", {L, R});
    R = Value::integer(0);
  }
  if (R.Kind == ValueKind::Real) {
    if (R.Real != std::floor(R.Real) || std::fabs(R.Real) > 1e15)
      return opaque("cmp" + std::to_string(static_cast<int>(Op)), {L, R});
    R = Value::integer(static_cast<std::int64_t>(R.Real), R.OfRanks);
  }
  if (!R.isInteger())
    return opaque("cmp" + std::to_string(static_cast<int>(Op)), {L, R});
  // Scale * s + Integer op R.
  std::int64_t To = R.Integer - L.Integer, Scale = L.Scale;
  if (Scale < 0) {
    Scale = -Scale;
    To = -To;
    Op = mirrored(Op);
  }
  switch (Op) {
  case Operator::Equal:
  case Operator::Unequal:
    if (To % Scale != 0)
      return Value::integer(Op == Operator::Unequal);
    return W.Known.relation({L.Id, Relation::Kind::Equal, To / Scale,
                             Op == Operator::Unequal});
  case Operator::Less: // s < ceil(To / Scale)
    return W.Known.relation(
        {L.Id, Relation::Kind::Less, -floorDiv(-To, Scale), false});
  case Operator::GreaterEqual:
    return W.Known.relation(
        {L.Id, Relation::Kind::Less, -floorDiv(-To, Scale), true});
  case Operator::LessEqual: // s < floor(To / Scale) + 1
    return W.Known.relation(
        {L.Id, Relation::Kind::Less, floorDiv(To, Scale) + 1, false});
  default:
    return W.Known.relation(
        {L.Id, Relation::Kind::Less, floorDiv(To, Scale) + 1, true});
  }
}

} // namespace spmd::collectives

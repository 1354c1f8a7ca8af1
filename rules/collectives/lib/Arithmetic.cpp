//===- Arithmetic.cpp - Numbers, known or not -----------------------------===//

#include "Evaluate.h"

#include <cmath>

namespace spmd::collectives {

using rules::CallConstant;

/// Numbers of ranks beyond which nothing is tried.
static constexpr std::int64_t MaxCompared = 62;

static double toReal(const Value &V) {
  return V.isInteger() ? static_cast<double>(V.Integer) : V.Real;
}

static bool isComparison(Operator Op) {
  return Op >= Operator::Equal && Op <= Operator::GreaterEqual;
}

Value Evaluator::binary(Operator Op, const Value &L, const Value &R) {
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

Value Evaluator::arithmetic(Operator Op, const Value &L, const Value &R) {
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
    return Value::pointer(
        Data.advance(L.To, Op == Operator::Add ? R.Integer : -R.Integer));
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
  if (Op == Operator::Subtract && L.isSymbol() && R.isSymbol() &&
      R.Scale == 1 && R.Integer == 0)
    // n - n % k: k times what n / k is.
    if (const std::int64_t By = W.Known[R.Id].Modulus;
        By && ofUnknown(Operator::Remainder, L, Value::integer(By)).Id == R.Id)
      return arithmetic(Operator::Multiply,
                        arithmetic(Operator::Divide, L, Value::integer(By)),
                        Value::integer(By));
  return ofUnknown(Op, L, R);
}

Value Evaluator::ofUnknown(Operator Op, const Value &L, const Value &R) {
  const Value Out = opaque("op" + std::to_string(static_cast<int>(Op)), {L, R});
  if (Op == Operator::Remainder && R.isInteger() && R.Integer > 0)
    W.Known.isRemainder(Out.Id, R.Integer);
  return Out;
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

Value Evaluator::compare(Operator Op, const Value &L, const Value &R) {
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
    if (L.Kind == R.Kind &&
        (L.Kind == ValueKind::Pointer || L.Kind == ValueKind::Comm ||
         L.Kind == ValueKind::Function))
      return Value::integer(holds(Op, L == R ? 0 : 1));
  }
  // The order of operands says nothing new.
  return opaque("cmp" + std::to_string(static_cast<int>(Op)), {L, R});
}

static std::int64_t floorDiv(std::int64_t A, std::int64_t B) {
  return A / B - ((A % B != 0) && ((A < 0) != (B < 0)) ? 1 : 0);
}

Value Evaluator::compareSymbol(Operator Op, Value L, Value R) {
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
    return W.Known.relation(
        {L.Id, Relation::Kind::Equal, To / Scale, Op == Operator::Unequal});
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

//===- Writes.cpp - What a rank may have written, and why -----------------===//
//
// A branch decides about all that either arm may write, whichever is taken.
//
//===----------------------------------------------------------------------===//

#include "Lane.h"

#include <utility>

namespace spmd::collectives {

/// What was asked decides whether calls are made, or only about data.
void Lane::hangs(Work &K) {
  if (!W.Of.isInert(K.S))
    W.MattersToUnseen |= Data.Asked;
  if (W.Of.isSilent(K.S))
    K.Decides |= Data.Asked;
  else
    W.Matters |= Data.Asked;
}

/// What is decided so far in the statement on top of the stack, which ends,
/// decides about all that it writes on whichever way.
void Lane::endDecided() {
  const Stmt &S = *Stack.back().S;
  const Reasons By = Stack.back().Decides;
  Stack.pop_back();
  if (!By.any())
    return;
  eachWritten(
      S, [&](Location At, const Expr *, Reasons) { Data.addReasons(At, By); });
  // Where that is may hang on it, too.
  eachWritten(S, [&](Location, const Expr *Place, Reasons OfPlace) {
    W.Matters |= OfPlace.any() && hangOnGiven(S, *Place, By)
                     ? OfPlace.without(By)
                     : OfPlace;
  });
}

/// Of what a pointer leads to that \p S itself gives to a variable, on another
/// way than this one; false if that is not known.
bool Lane::hangOnGiven(const Stmt &S, const Expr &Place, Reasons By) {
  if (Place.Kind != ExprKind::Target ||
      Place.Operands[0]->Kind != ExprKind::Load ||
      Place.Operands[0]->Operands[0]->Kind != ExprKind::Variable)
    return false;
  std::vector<const Expr *> Values;
  if (!W.Of.given(&S, Place.Operands[0]->Operands[0]->Number, Values) ||
      Values.empty())
    return false;
  return llvm::all_of(Values, [&](const Expr *E) {
    switch (E->Kind) {
    case ExprKind::Address:
    case ExprKind::Load:
      break;
    case ExprKind::Conditional:
    case ExprKind::Binary:
    case ExprKind::Typed:
      return false;
    default: // storage that nothing else leads to
      return true;
    }
    Data.Asked = {};
    const std::optional<Location> At = target(eval(E));
    if (At)
      Data.addReasons(*At, By);
    return !Data.Asked.any();
  });
}

void Lane::forgetWrites(const Stmt &S) {
  if (W.Watch)
    W.Watch->skips(S);
  unsigned I = 0;
  eachWritten(S, [&](Location At, const Expr *Place, Reasons) {
    std::string Key = keyOf(S, "loop") + "." + std::to_string(I++);
    const bool Varies = Place->Kind == ExprKind::Variable &&
                        W.Of.givesVarying(&S, Place->Number);
    if (Varies)
      Key += "@" + std::to_string(Number);
    Data.forget(At, {std::move(Key), Varies ? Trust::Varying : Trust::Unknown});
  });
}

/// The places that \p S may write, as they are now, and on what hangs which
/// these are; of what is only given to code that may write it, that is left.
void Lane::eachWritten(
    const Stmt &S,
    llvm::function_ref<void(Location, const Expr *, Reasons)> Do) {
  std::vector<const Expr *> Places;
  W.Of.writes(&S, Places);
  quietly([&] {
    for (const Expr *E : Places) {
      const Reasons Before = std::exchange(Data.Asked, Reasons());
      const bool IsPlace =
          E->Kind == ExprKind::Variable || E->Kind == ExprKind::Field ||
          E->Kind == ExprKind::Element || E->Kind == ExprKind::Target;
      std::optional<Location> At;
      if (IsPlace)
        At = place(E);
      else if (const Value V = eval(E); V.Kind == ValueKind::Pointer)
        At = Data.whole(V.To);
      const Reasons OfPlace = IsPlace ? Data.Asked : Reasons();
      Data.Asked |= Before;
      if (At)
        Do(*At, E, OfPlace);
    }
  });
}

} // namespace spmd::collectives

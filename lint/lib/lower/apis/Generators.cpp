//===- Generators.cpp - <random>, rand_r, cuRAND --------------------------===//
//
// An engine is as different between ranks as the number that seeds it, and so
// is what a distribution draws from it. What std::random_device gives is each
// rank's own.
//
//===----------------------------------------------------------------------===//

#include "Generators.h"

#include "../Recognisers.h"

#include "cxx/KnownTypes.h"

#include "spmd/ops/ScalarRules.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

static bool isEngine(QualType T) {
  const std::string Name = className(T.getNonReferenceType());
  return llvm::StringRef(Name).starts_with("std::") &&
         llvm::StringRef(Name).ends_with("_engine");
}

static bool isDistribution(QualType T) {
  const std::string Name = className(T.getNonReferenceType());
  return llvm::StringRef(Name).starts_with("std::") &&
         llvm::StringRef(Name).ends_with("_distribution");
}

std::optional<unsigned> engineParameter(const FunctionDecl *FD) {
  for (const ParmVarDecl *P : FD->parameters())
    if (const QualType T = P->getType();
        T->isLValueReferenceType() && !T->getPointeeType().isConstQualified() &&
        isEngine(T))
      return P->getFunctionScopeIndex();
  return std::nullopt;
}

/// What an engine is behind a seed, or a draw: the numbers to come.
static const OpRule &stateRule() {
  static const OpRule Rule =
      makeRule("seed", OpClass::Linear, 2, {OpRole::Draws});
  return Rule;
}

void advanceEngine(ExprLowering &L, const Expr *Engine, const Expr *At,
                   const Expr *By) {
  const Operand Of = L.operand(Engine);
  const Operand Number = By ? L.operand(By) : Of;
  L.emitOp(stateRule(), {Number, By ? Of : Operand()}, At, Of.Slot);
}

/// What \p Engine draws.
static SlotId draw(ExprLowering &L, const Expr *Engine, const Expr *At) {
  const SlotId Out = L.emitOp(*L.module().ops().find("std::rand").Rule,
                              {L.operand(Engine)}, At);
  if (isEngine(Engine->getType()))
    advanceEngine(L, Engine, At);
  return Out;
}

Recognised lowerEngine(ExprLowering &L, const CXXConstructExpr *E) {
  if (!isEngine(E->getType()))
    return std::nullopt;
  const Expr *Seed = E->getNumArgs() != 0 ? E->getArg(0) : nullptr;
  if (Seed && E->isElidable())
    return L.value(Seed);
  // Without one it begins as it does everywhere.
  if (!Seed || isa<CXXDefaultArgExpr>(Seed))
    return L.emitOp(stateRule(),
                    {{L.define(DefineFact::Kind::Constant, E), L.place(E)}}, E);
  return L.emitOp(stateRule(), {L.operand(Seed)}, E);
}

/// The functions of C that draw from what the caller keeps.
static bool drawsFromArgument(const CallSite &C) {
  return C.Arguments.size() == 1 &&
         llvm::is_contained({"rand_r", "erand48", "nrand48", "jrand48"},
                            C.base());
}

/// cuRAND's generators of the host, which fill buffers, and the states that
/// threads draw from.
static Recognised lowerCurand(ExprLowering &L, const CallSite &C) {
  llvm::StringRef Name = C.base();
  const auto Seed = [&](unsigned From, unsigned To) -> Recognised {
    if (C.Arguments.size() <= std::max(From, To))
      return std::nullopt;
    L.emitOp(ScalarRules::get().Copy, {L.operand(C.Arguments[From])}, C.Call,
             L.value(C.Arguments[To]));
    return L.define(DefineFact::Kind::Constant, C.Call);
  };
  if (Name == "curandSetPseudoRandomGeneratorSeed")
    return Seed(1, 0);
  if (Name == "curand_init")
    return Seed(0, 3);
  if (Name.starts_with("curandGenerate") && C.Arguments.size() > 2) {
    L.emitOp(*L.module().ops().find("std::rand").Rule,
             {L.operand(C.Arguments[0])}, C.Call, L.value(C.Arguments[1]));
    return L.define(DefineFact::Kind::Constant, C.Call);
  }
  const bool Draws = Name == "curand" || Name.starts_with("curand_uniform") ||
                     Name.starts_with("curand_normal") ||
                     Name.starts_with("curand_log_normal");
  return Draws && !C.Arguments.empty()
             ? Recognised(draw(L, C.Arguments[0], C.Call))
             : std::nullopt;
}

/// `std::shuffle(first, last, engine)`: in which order the numbers are then,
/// the engine says.
static Recognised lowerShuffle(ExprLowering &L, const CallSite &C) {
  if (C.Name != "std::shuffle" || C.Arguments.size() != 3 ||
      !isNumberIterator(C.Arguments[0]->getType()) ||
      !isEngine(C.Arguments[2]->getType()))
    return std::nullopt;
  const SlotId Into = L.value(C.Arguments[0]);
  const SlotId Order = draw(L, C.Arguments[2], C.Call);
  if (Into != SlotId::None)
    L.emitOp(ScalarRules::get().Copy,
             {{Order, L.place(C.Call), /*Scalar=*/true}}, C.Call, Into);
  return SlotId::None;
}

Recognised lowerGenerator(ExprLowering &L, const CallSite &C) {
  if (Recognised Done = lowerShuffle(L, C))
    return Done;
  if (!C.Receiver && llvm::StringRef(C.base()).starts_with("curand"))
    return lowerCurand(L, C);
  if (!C.Receiver)
    return drawsFromArgument(C) ? Recognised(draw(L, C.Arguments[0], C.Call))
                                : std::nullopt;
  const QualType Of = C.Receiver->getType();
  if (className(Of.getNonReferenceType()) == "std::random_device" &&
      C.base() == "operator()")
    return L.define(DefineFact::Kind::Own, C.Call);
  if (isDistribution(Of) && C.base() == "operator()" && !C.Arguments.empty() &&
      isEngine(C.Arguments[0]->getType()))
    return draw(L, C.Arguments[0], C.Call);
  if (!isEngine(Of))
    return std::nullopt;
  if (C.base() == "operator()")
    return draw(L, C.Receiver, C.Call);
  if (C.base() == "discard" && C.Arguments.size() == 1) {
    advanceEngine(L, C.Receiver, C.Call, C.Arguments[0]);
    return L.value(C.Receiver);
  }
  if ((C.base() == "seed" || C.base() == "operator=") && !C.Arguments.empty()) {
    L.emitOp(stateRule(), {L.operand(C.Arguments[0])}, C.Call,
             L.value(C.Receiver));
    return L.value(C.Receiver);
  }
  return std::nullopt;
}

} // namespace spmd::lint::lower

//===- Clocks.cpp - What each rank's own clock says -----------------------===//
//
// No two ranks read the same time: what is computed of it differs, until a
// collective makes it the same.
//
//===----------------------------------------------------------------------===//

#include "Clocks.h"

#include "cxx/KnownTypes.h"

#include "spmd/ops/ScalarRules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

namespace {

enum class ClockCall : std::uint8_t {
  None,
  Returns,    ///< the time
  ReturnsToo, ///< and writes it to its first argument, if that is no null
  Writes,     ///< it to its first argument
  WritesNext, ///< to its second
};

} // namespace

static ClockCall clockCall(const CallSite &C) {
  using K = ClockCall;
  const llvm::StringRef Name(C.Name);
  if (Name.starts_with("std::chrono::"))
    return C.base() == "now" && !C.Receiver ? K::Returns : K::None;
  if (C.Receiver || (Name.contains("::") && !Name.starts_with("std::")))
    return K::None;
  return llvm::StringSwitch<K>(C.base())
      .Cases({"MPI_Wtime", "PMPI_Wtime", "omp_get_wtime", "clock"}, K::Returns)
      .Case("time", K::ReturnsToo)
      .Cases({"gettimeofday", "timespec_get", "cudaEventElapsedTime"},
             K::Writes)
      .Case("clock_gettime", K::WritesNext)
      .Default(K::None);
}

/// Writes \p Time to \p To, or to all members of that if it is a struct.
static void store(ExprLowering &L, SlotId Time, const Expr *To,
                  const Expr *At) {
  const SlotId Into = L.value(To);
  if (Into == SlotId::None)
    return;
  const auto Write = [&](SlotId S) {
    L.emitOp(ScalarRules::get().Copy, {{Time, L.place(At)}}, At, S);
  };
  const RecordDecl *Of = To->getType()->getPointeeType()->getAsRecordDecl();
  if (!Of)
    return Write(Into);
  for (const FieldDecl *Member : Of->fields())
    if (Member->getIdentifier())
      Write(L.Slots.field(Into, Member->getName(), Member));
}

static bool isTime(QualType T) {
  const std::string Name = className(T.getNonReferenceType());
  return Name == "std::chrono::duration" || Name == "std::chrono::time_point";
}

bool comparesTimes(const CXXOperatorCallExpr *E) {
  return llvm::all_of(E->arguments(),
                      [](const Expr *A) { return isTime(A->getType()); });
}

/// What std::chrono computes: `b - a`, `d.count()`, `d > 10s`.
static Recognised lowerArithmetic(ExprLowering &L, const CallSite &C) {
  const ScalarRules &Rules = ScalarRules::get();
  llvm::SmallVector<Operand, 2> Of;
  if (C.Receiver)
    Of.push_back(L.operand(C.Receiver));
  for (const Expr *A : C.Arguments)
    Of.push_back(L.operand(A));
  if (Of.empty() || Of.size() > 2)
    return std::nullopt;
  if (Of.size() == 1)
    return L.emitOp(Rules.Copy, Of, C.Call);
  const bool Compares = C.Call->getType()->isBooleanType();
  const bool InPlace = C.base() == "operator+=" || C.base() == "operator-=";
  return L.emitOp(Compares ? Rules.Compare : Rules.Add, Of, C.Call,
                  InPlace ? Of[0].Slot : SlotId::None);
}

Recognised lowerClock(ExprLowering &L, const CallSite &C) {
  const llvm::StringRef Name(C.Name);
  const ClockCall Reads = clockCall(C);
  if (Reads == ClockCall::None) {
    if (C.Callee->getLiteralIdentifier() && isTime(C.Call->getType()))
      return L.define(DefineFact::Kind::Constant, C.Call); // 60s
    return Name.starts_with("std::chrono::") ? lowerArithmetic(L, C)
                                             : std::nullopt;
  }
  const SlotId Time = L.define(DefineFact::Kind::Own, C.Call);
  const bool Next = Reads == ClockCall::WritesNext;
  if (const Expr *To = C.argument(Next ? 1 : 0);
      To && Reads != ClockCall::Returns &&
      !isa<CXXNullPtrLiteralExpr, GNUNullExpr, IntegerLiteral>(
          To->IgnoreParenCasts()))
    store(L, Time, To, C.Call);
  return Reads == ClockCall::Returns || Reads == ClockCall::ReturnsToo
             ? Time
             : L.define(DefineFact::Kind::Constant, C.Call);
}

Recognised lowerTime(ExprLowering &L, const CXXConstructExpr *E) {
  if (!isTime(E->getType()))
    return std::nullopt;
  if (E->getNumArgs() == 0 || isa<CXXDefaultArgExpr>(E->getArg(0)))
    return L.define(DefineFact::Kind::Constant, E);
  return L.emitOp(ScalarRules::get().Copy, {L.operand(E->getArg(0))}, E);
}

} // namespace spmd::lint::lower

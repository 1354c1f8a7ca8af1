//===- ShapeWrites.cpp - What statements may write ------------------------===//

#include "Shape.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::collectives {

using rules::CallKind;
using rules::CallRole;

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

/// What the pointer \p E leads into, where that is a local variable of
/// \p Callee's that is given nothing else; false if it is not known.
bool Shape::leadsInto(const Expr *E, const Function &Callee,
                      std::vector<const Expr *> &Out, unsigned Depth) const {
  switch (E->Kind) {
  case ExprKind::Integer: // null
    return E->Integer == 0;
  case ExprKind::Address: {
    const Expr *Place = E->Operands[0];
    while (Place->Kind == ExprKind::Element)
      Place = Place->Operands[0];
    Out.push_back(Place);
    return true;
  }
  case ExprKind::Binary: // steps from a place
    return (E->Op == Operator::Add || E->Op == Operator::Subtract) &&
           leadsInto(E->Operands[0], Callee, Out, Depth);
  case ExprKind::Load: {
    const Expr *From = E->Operands[0];
    if (From->Kind != ExprKind::Variable ||
        P.Variables[From->Number].IsGlobal ||
        llvm::is_contained(Callee.Parameters, From->Number)) {
      Out.push_back(E);
      return true;
    }
    std::vector<const Expr *> Values;
    return Depth != MaxCallsInside &&
           given(Callee.Body, From->Number, Values) && !Values.empty() &&
           llvm::all_of(Values, [&](const Expr *Value) {
             return leadsInto(Value, Callee, Out, Depth + 1);
           });
  }
  default:
    return false;
  }
}

/// False: it may be anything that the arguments lead to.
bool Shape::writesOfCallee(const Stmt &Call, std::vector<const Expr *> &Out,
                           unsigned Depth) const {
  if (Call.Value->Kind != ExprKind::Function || Depth == MaxCallsInside)
    return false;
  const Function &Callee = P.Functions[Call.Value->Number];
  std::vector<const Expr *> ByName, Inner;
  if (Callee.Body)
    writes(Callee.Body, ByName, Depth + 1);
  for (const Expr *E : ByName) {
    std::vector<const Expr *> Into;
    if (E->Kind == ExprKind::Load && leadsInto(E, Callee, Into, 0))
      llvm::append_range(Inner, Into);
    else
      Inner.push_back(E);
  }
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

bool Shape::onlyAsks(const Stmt &Call) const {
  const auto [At, IsNew] = Asks.try_emplace(&Call, false);
  if (!IsNew || Call.MayBe.empty() || !sendsNothing(Call))
    return At->second;
  const auto WritesNothing = [&](const Expr *One) {
    const Function &Callee = P.Functions[One->Number];
    std::vector<const Expr *> Written;
    writes(Callee.Body, Written);
    return llvm::all_of(Written, [&](const Expr *Place) {
      const Expr *Of = variableOf(Place);
      return Of && !P.Variables[Of->Number].IsGlobal &&
             !llvm::is_contained(Callee.Parameters, Of->Number);
    });
  };
  return Asks[&Call] = llvm::all_of(Call.MayBe, WritesNothing);
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

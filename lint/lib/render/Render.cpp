//===- Render.cpp - From a violation to a diagnostic ----------------------===//

#include "spmd/lint/Render.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace spmd::rules;

namespace spmd::lint {

namespace {

std::vector<ViolationText> &texts() {
  static std::vector<ViolationText> All;
  return All;
}

Place placeAt(Site S, const fixits::SourceEnvironment &Source) {
  Place Out;
  if (!S)
    return Out;
  if (const auto Text = Source.text(S.In, S.At)) {
    Out.File = Text->File;
    Out.Offset = Text->Offset;
    Out.Length = Text->Length;
    Out.Line = Text->Line;
    Out.Column = Text->Column;
  }
  return Out;
}

/// What the user calls the op at \p At, `sqrtf(x)` say, of which the catalogue
/// knows only a kind. Empty unless a call of a function stands there.
std::string calledAt(const Function *F, PlaceId At,
                     const fixits::SourceEnvironment &Source) {
  const auto Found = F ? Source.text(F, At) : std::nullopt;
  if (!Found)
    return "";
  const llvm::StringRef Text = Found->Text;
  const llvm::StringRef Name = Text.take_while(
      [](char C) { return llvm::isAlnum(C) || C == '_' || C == ':'; });
  if (Name.empty() || !Text.drop_front(Name.size()).starts_with("(") ||
      llvm::isDigit(Name.front()))
    return "";
  unsigned Depth = 0;
  for (std::size_t I = Name.size(); I != Text.size(); ++I) {
    Depth += Text[I] == '(';
    Depth -= Text[I] == ')';
    if (Depth == 0) // the call must be all of it
      return I + 1 == Text.size() ? Name.substr(Name.rfind(':') + 1).str() : "";
  }
  return "";
}

void addNote(Diagnostic &D, Place Where, std::string Message) {
  Note N{std::move(Where), std::move(Message)};
  if (N.Where.Line && !llvm::is_contained(D.Notes, N))
    D.Notes.push_back(std::move(N));
}

} // namespace

std::string reasonOf(const rules::Origin &From, TypeSet Is) {
  using K = rules::Origin::Kind;
  const std::string Text = From.Text.str();
  switch (From.K) {
  case K::Declared:
    return "declared here";
  case K::Op:
    return Text.find(' ') == std::string::npos ? "result of this '" + Text + "'"
                                               : Text;
  case K::Transfer:
    return "result of this " + Text;
  case K::Constant:
    return Text == "rank" ? "the rank" : "a constant";
  case K::Narrowed:
    return "only that fits this '" + Text + "'";
  case K::Gradient:
    return "gradient of " +
           (Text.empty() ? std::string("a tensor") : "'" + Text + "'") +
           (Is == TypeSet(LocalType::P)
                ? ", of which each rank has computed its part"
                : "");
  case K::Backward:
    return "as '" + Text + "' treats its gradient";
  case K::Branch:
    return "on one way it is " + Text +
           ", and the ranks go different ways here";
  case K::Merge:
  case K::None:
    return "";
  }
  return "";
}

/// The same behind "'x' is R on 'tp'".
static std::string because(const rules::Origin &From, TypeSet Is) {
  const std::string Reason = reasonOf(From, Is);
  return Reason.empty() ? "" : ": " + Reason;
}

ViolationTextRegistration::ViolationTextRegistration(
    const ViolationText &Text) {
  texts().push_back(Text);
}

std::string nameAndType(const ViolationOperand &O, const Violation &V,
                        const fixits::SourceEnvironment &Source) {
  return fixits::nameOf(O, V.In, Source) + " is " + fixits::inWords(O.Type);
}

std::string chainLink(const TransferFact &T) {
  const Transition *Row =
      findTransition(*operatorOf(T.K), T.From->Type, T.To->Type);
  return fixits::nameOf(*Row, *T.From, *T.To);
}

const ViolationOperand *operandOfType(const Violation &V, LocalType T) {
  for (const ViolationOperand &O : V.Operands)
    if (O.Type.Set == TypeSet(T))
      return &O;
  return nullptr;
}

const ViolationOperand *operandBeside(const Violation &V,
                                      const ViolationOperand *O) {
  for (const ViolationOperand &Other : V.Operands)
    if (&Other != O && (!O || Other.Type.Set != O->Type.Set))
      return &Other;
  for (const ViolationOperand &Other : V.Operands)
    if (&Other != O)
      return &Other;
  return nullptr;
}

std::string usedAfterDivergence(const Violation &V, LocalType Was,
                                const fixits::SourceEnvironment &Source) {
  return fixits::nameOf(V.Operands[0], V.In, Source) + " was " +
         std::string(1, letter(Was)) + " on '" + V.Axis +
         "' until some ranks went another way, and '" + V.Op + "' uses it";
}

/// What is wrong with specs: the rule, and what the operands are.
static void addSpecNotes(Diagnostic &D, const Violation &V,
                         const fixits::SourceEnvironment &Source) {
  const auto *Propagation = V.as<ShardPropagation>();
  if (const SpecViolation *Op = Propagation ? Propagation->ofOp() : nullptr)
    addNote(D, D.Where,
            "the rule of '" + V.Op + "' is " +
                printFactorRule(Op->Rule, Op->Factor));
  for (const ViolationOperand &O : V.Operands)
    if (!O.Spec.empty())
      addNote(D, placeAt({O.From.In, O.From.At}, Source),
              fixits::nameOf(O, V.In, Source) + " is " + O.Spec +
                  because(O.From, O.Type.Set));
  if (const auto *Clash = V.as<ContractClash>())
    addNote(D, placeAt(Clash->Declared, Source),
            "declared to be " + Clash->Spec->Required + " here");
}

/// Whether out_partial at \p Sum says that the ranks' terms will be added up.
static bool isAnnounced(const Site &Sum) {
  return Sum.In &&
         llvm::any_of(factsOf<TransferFact>(*Sum.In), [&](const auto &T) {
           return T.At == Sum.At && T.K == TransferKind::OutPartial;
         });
}

static void addTypeNotes(Diagnostic &D, const Violation &V,
                         const fixits::SourceEnvironment &Source) {
  for (const ViolationOperand &O : V.Operands)
    if (!O.Type.Set.empty()) // else nobody has written it
      addNote(D, placeAt({O.From.In, O.From.At}, Source),
              nameAndType(O, V, Source) + " on '" + V.Axis + "'" +
                  because(O.From, O.Type.Set));
  const auto Declared = [&](const AxisType &T, Site At) {
    addNote(D, placeAt(At, Source),
            "declared to be " + fixits::inWords(T) + " on '" + V.Axis +
                "' here");
  };
  if (const auto *Add = V.as<PartialAdd>())
    addNote(D, placeAt(Add->Summed, Source),
            (isAnnounced(Add->Summed) ? "said to be a pending sum over '"
                                      : "added up over '") +
                V.Axis + "' here");
  else if (const auto *Source = V.as<SrcType>())
    Declared(Source->Legal, Source->Says.At);
  else if (const auto *Wrong = V.as<WrongTransition>())
    Declared(Wrong->Legal, Wrong->Says.At);
  else if (const auto *Clash = V.as<ContractClash>())
    Declared(Clash->Required, Clash->Declared);
}

/// What another mesh says has no equal form on this one.
static std::string noForm(const Violation &V, llvm::StringRef Why,
                          const fixits::SourceEnvironment &Source) {
  const std::string &There = V.as<ContractClash>()->There;
  const ViolationOperand &O = V.Operands.front();
  return "whether " + fixits::nameOf(O, V.In, Source) +
         (O.Spec.empty() ? "" : ", which is " + O.Spec + ",") + " is what '" +
         V.Op + "' is declared to be" +
         (There.empty() ? "" : ", " + There + ",") +
         " on another mesh is not known: " + Why.str();
}

/// --strict: nothing is known to be wrong.
static std::string possible(const Violation &V,
                            const fixits::SourceEnvironment &Source) {
  if (const auto *No = V.unsureOf<NoCommonForm>())
    return noForm(V, No->Why, Source);
  if (const auto *Shards = V.unsureOf<UndecidedShards>())
    return "the shards of the result of '" + V.Op + "' depend on '" +
           Shards->On +
           "', which is not known here: make it a constant, or annotate the "
           "result";
  const ViolationOperand &O = V.Operands.front();
  const std::string Name = fixits::nameOf(O, V.In, Source);
  const std::string Legal = "only " +
                            fixits::inWords(V.unsureOf<OnlyLegal>()->Types) +
                            " is legal in '" + V.Op + "' on '" + V.Axis + "'";
  const bool Known = O.Type.Set.size() <= 2 || // "not P" and the like
                     (O.Type.Set.contains(LocalType::P) && !O.Type.Set.isAll());
  return !Known
             ? Name + " has no known type, and " + Legal + ": annotate it"
             : Name + " may be " + fixits::inWords(O.Type) + ", but " + Legal +
                   ": some path is wrong, or cannot be told from a wrong one";
}

Diagnostic renderViolation(const Violation &Found,
                           llvm::ArrayRef<fixits::Repair> Repairs,
                           const fixits::SourceEnvironment &Source) {
  Violation V = Found;
  if (V.Cause && std::holds_alternative<OpFact>(*V.Cause))
    if (std::string Called = calledAt(V.In, V.At, Source); !Called.empty())
      V.Op = std::move(Called);
  Diagnostic D;
  for (const ViolationText &T : texts())
    if (T.Kind == V.kind()) {
      D.Check = T.Check.str();
      D.Message = V.isPossible() ? possible(V, Source) : T.Message(V, Source);
    }
  if (const CheckInfo *Info = findCheck(D.Check))
    D.Level = V.isPossible() ? Severity::Warning : Info->Default;
  D.Where = placeAt({V.In, V.At}, Source);
  D.Global = V.isOfSpecs() || (V.In && V.In->Mode.isGlobal(V.Axis));
  V.isOfSpecs() ? addSpecNotes(D, V, Source) : addTypeNotes(D, V, Source);
  if (const auto *Redundant = V.as<RedundantChain>())
    for (const TransferFact *T : llvm::drop_begin(Redundant->Chain))
      addNote(D, placeAt({V.In, T->At}, Source),
              "then " + chainLink(*T) + " on '" + V.Axis + "'");
  for (const WayStep &S : V.Way)
    addNote(D, placeAt(S.Where, Source), S.Says);
  for (const Site &C : V.CalledFrom)
    addNote(D, placeAt(C, Source),
            "with the types of this call in '" + C.In->DisplayName + "'");
  constexpr std::size_t MostCalls = 4;
  for (const Site &C : llvm::ArrayRef(V.AlsoFrom).take_front(MostCalls))
    addNote(D, placeAt(C, Source),
            "and with those of this call in '" + C.In->DisplayName + "'");
  bool PassedOn = false;
  for (const fixits::Repair &R : Repairs) {
    Fix F;
    F.Description = fixits::describe(R, V, Source);
    // One for both factors of x * x.
    if (llvm::any_of(D.Fixes, [&](const Fix &Known) {
          return Known.Description == F.Description;
        }))
      continue;
    F.Cost = fixits::costOf(R, V.Axis);
    F.Safe = R.Safe;
    for (fixits::TextEdit &E : fixits::renderEdits(R, V, Source))
      F.Edits.push_back({E.File, E.Offset, E.Length, std::move(E.Text)});
    // What cannot be written cannot be preferred either; then the next one that
    // leaves nothing to find is.
    F.Preferred =
        (R.Preferred || (PassedOn && R.Checks && R.Safe)) && !F.Edits.empty();
    PassedOn = (PassedOn || R.Preferred) && !F.Preferred;
    D.Fixes.push_back(std::move(F));
  }
  // What cannot be written is worth knowing, after what can.
  if (fixits::isAboutShards(V)) {
    std::vector<Fix> Unwritten;
    for (const Fix &F : D.Fixes)
      if (F.Edits.empty())
        Unwritten.push_back(F);
    llvm::erase_if(D.Fixes, [](const Fix &F) { return F.Edits.empty(); });
    llvm::append_range(D.Fixes, Unwritten);
  }
  return D;
}

} // namespace spmd::lint

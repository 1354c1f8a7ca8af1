//===- IRParser.cpp - Reading the text form -------------------------------===//

#include "IRFactParser.h"
#include "IRNames.h"
#include "spmd/ir/IRText.h"
#include "spmd/ir/Verifier.h"
#include "spmd/ir/Walk.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <set>

namespace spmd::rules {
namespace {

class Parser : private IRFactParser {
public:
  Parser(llvm::StringRef Text, const OpCatalogue &Ops)
      : IRFactParser(Text, Ops) {}

  llvm::Expected<Module> parse() {
    while (accept("rule"))
      rule();
    while (skipSpace(), !failed() && Pos < Text.size())
      M.Functions.push_back(function());
    if (!failed())
      verify();
    if (failed())
      return llvm::createStringError(llvm::inconvertibleErrorCode(), Error);
    return std::move(M);
  }

private:
  /// Where in the text the parts of a function begin.
  struct Positions {
    std::size_t Head = 0;
    llvm::DenseMap<SlotId, std::size_t> Slots;   ///< those declared
    std::vector<std::size_t> Ends;               ///< by block: its `->`
    std::vector<std::vector<std::size_t>> Facts; ///< by block
  };
  /// What is well formed may mean nothing; the first such part is an error.
  void verify() {
    llvm::handleAllErrors(verifyModule(M), [this](const VerifierError &E) {
      const IRPart &Of = E.part();
      const Positions &At = WhereOf[Of.In];
      std::size_t Where = At.Head;
      if (Of.Fact)
        Where = At.Facts[*Of.Block][*Of.Fact];
      else if (Of.Block)
        Where = At.Ends[*Of.Block];
      else if (const auto It = At.Slots.find(Of.Slot.value_or(SlotId::None));
               It != At.Slots.end())
        Where = It->second;
      failAt(Where, E.reason());
    });
  }

  /// `%x kind ref: "type" axis "tp" !1:2` after the slot is made.
  void declaration(bool Parameter) {
    skipSpace();
    const std::size_t Start = Pos;
    const SlotId Id = slot(/*Declares=*/true);
    if (failed())
      return;
    SlotKind Kind = SlotKind::Parameter;
    SlotId Base = SlotId::None;
    std::string Member;
    if (!Parameter) {
      const auto K = keyword<SlotKind>(SlotKindNames);
      if (!K)
        return fail("expected a kind of slot");
      Kind = *K;
      if (Kind == SlotKind::Field) {
        Base = slot();
        Member = name();
      }
      if (Kind == SlotKind::Global && accept("as"))
        Member = string();
      if (Kind == SlotKind::This && F->ThisSlot == SlotId::None)
        F->ThisSlot = Id;
    }
    const bool Ref = accept("ref");
    const bool Escapes = accept("escapes");
    const bool Owned = accept("owned");
    const bool Outermost = accept("outermost");
    const bool InPlace = accept("inplace");
    const bool IsTensor = accept("tensor");
    const bool Integer = accept("integer");
    const bool Apart = accept("apart");
    std::shared_ptr<const TypeAnnotation> Declared;
    std::vector<std::string> Axes;
    bool Inherited = false;
    if (accept(":")) {
      Inherited = accept("inherited");
      Declared = annotation();
    }
    if (accept("axis"))
      Axes = payload(parseAxes(string()));
    std::shared_ptr<const MeshSpec> Mesh = mesh();
    const PlaceId At = place();
    WhereOf[F].Slots[Id] = Start;
    Slot &S = F->Slots[index(Id)];
    S.Kind = Kind;
    if (Kind == SlotKind::Temporary) // called so in the text only
      S.Name.clear();
    S.Base = Base;
    S.Member = std::move(Member);
    S.ByReference = Ref;
    S.Escapes = Escapes;
    S.Owned = Owned;
    S.Outermost = Outermost;
    S.InPlace = InPlace;
    S.IsTensor = IsTensor;
    S.Integer = Integer;
    S.Apart = Apart;
    S.Declared = std::move(Declared);
    S.Inherited = Inherited;
    S.DeclaredAxes = std::move(Axes);
    S.Mesh = std::move(Mesh);
    S.DeclaredAt = At;
  }
  /// Names of one object; the lowest stands for all.
  void object() {
    SlotList Names;
    do {
      Names.push_back(slot());
      if (!failed() && !InObject.insert({F, Names.back()}).second)
        fail("a slot is a name of one object only");
    } while (!failed() && at("%"));
    if (failed())
      return;
    while (F->ObjectOf.size() < F->Slots.size())
      F->ObjectOf.push_back(
          SlotId(static_cast<std::uint32_t>(F->ObjectOf.size())));
    for (SlotId S : Names)
      F->ObjectOf[index(S)] = *llvm::min_element(Names);
  }

  void rule() {
    auto R = std::make_unique<OpRule>();
    const std::string Label = R->Name = name();
    if (OwnRules.count(Label))
      fail("the rule '" + Label + "' is defined twice");
    formals(*R);
    expect("=");
    R->TermText = string();
    if (failed())
      return;
    R->Term = payload(parseRuleTerm(R->TermText, R->Formals));
    if (accept("named"))
      R->Name = name();
    if (accept("shape"))
      R->Shape = payload(parseShapeRule(string()));
    const std::size_t Roles = Pos;
    if (accept("roles"))
      do
        R->Roles.insert(role());
      while (accept(","));
    if (accept("views"))
      views(*R);
    R->Replaces = accept("replaces");
    if (accept("kernel"))
      R->Kernel = string();
    if (const std::string Wrong = roleMisfit(*R); !failed() && !Wrong.empty())
      failAt(Roles, Wrong);
    OwnRules[Label] = R.get();
    M.OwnRules.push_back(std::move(R));
  }
  void formals(OpRule &R) {
    expect("(");
    while (!failed() && !accept(")")) {
      RuleFormal Formal;
      Formal.Name = word().str();
      if (accept("[")) {
        Formal.ZeroedBy = word().str();
        expect("]");
      }
      Formal.Optional = accept("?");
      Formal.Variadic = accept("*");
      R.Formals.push_back(std::move(Formal));
      accept(",");
    }
  }
  OpRole role() {
    skipSpace();
    const std::size_t Start = Pos;
    llvm::Expected<OpRole> Role = parseOpRole(word());
    if (Role)
      return *Role;
    failAt(Start, llvm::toString(Role.takeError()));
    return OpRole::Copies;
  }
  void views(OpRule &R) {
    skipSpace();
    const std::size_t Start = Pos;
    const std::string Text = string();
    llvm::StringRef Of = Text;
    R.HowMuch = consumeViewKind(Of);
    R.Views = Of.str();
    if (llvm::none_of(R.Formals,
                      [&](const RuleFormal &X) { return X.Name == Of; }))
      failAt(Start, "no operand '" + Of + "'");
  }

  std::unique_ptr<Function> function() {
    auto Owned = std::make_unique<Function>();
    F = Owned.get();
    Slots.clear();
    expect("func");
    WhereOf[F].Head = Pos;
    expect("@");
    F->Symbol = F->DisplayName = name();
    if (accept("as"))
      F->DisplayName = string();
    expect("(");
    while (!failed() && !accept(")")) {
      declaration(/*Parameter=*/true);
      ++F->NumParameters;
      accept(",");
    }
    if (accept("->")) {
      F->Result = annotation();
      F->ResultAt = place();
    }
    if (accept("axis"))
      F->ResultAxes = payload(parseAxes(string()));
    F->Trusted = accept("trusted");
    F->IsConstructor = accept("constructor");
    F->IsKernel = accept("kernel");
    F->IsChoice = accept("choice");
    mode(F->Mode);
    F->Mesh = mesh();
    expect("{");
    while (accept("slot"))
      declaration(/*Parameter=*/false);
    while (accept("object"))
      object();
    while (!failed() && !accept("}"))
      block();
    return Owned;
  }
  void mode(CheckingMode &Mode) {
    const auto Where = [&](bool &All, std::vector<std::string> &Some) {
      skipSpace();
      All = !at("\"");
      if (!All)
        Some = payload(parseAxes(string()));
    };
    if (accept("global"))
      Where(Mode.AllGlobal, Mode.GlobalAxes);
    if (accept("local"))
      Where(Mode.AllLocal, Mode.LocalAxes);
    Mode.LocalMap = accept("local_map");
  }
  void block() {
    skipSpace();
    const std::string Want = "b" + std::to_string(F->Blocks.size());
    expect(Want);
    expect(":");
    Block B;
    std::vector<std::size_t> Starts;
    while (!failed() && !at("->") && !at("}") && !atBlock()) {
      Starts.push_back(Pos);
      B.Facts.push_back(fact());
    }
    WhereOf[F].Facts.push_back(std::move(Starts));
    WhereOf[F].Ends.push_back(Pos);
    if (accept("->")) {
      while (at("b") || (Pos < Text.size() && Text[Pos] == 'b' && !atBlock())) {
        ++Pos;
        B.Successors.push_back(BlockId(number()));
        skipSpace();
      }
      if (accept("if"))
        B.Condition = operand();
      B.OnData = accept("on");
      if (B.OnData)
        expect("data");
      if (accept("when"))
        B.Test = test();
    }
    F->Blocks.push_back(std::move(B));
  }
  BranchTest test() {
    BranchTest Out;
    const auto Named = llvm::find_if(
        TestNames, [&](llvm::StringRef Name) { return accept(Name); });
    if (Named == std::end(TestNames))
      fail("expected 'flag', 'number', 'elements', 'iterations', 'defined' or "
           "'data'");
    else
      Out.K = static_cast<BranchTest::Kind>(Named - std::begin(TestNames));
    if (at("%"))
      Out.Parameter = slot();
    Out.Of = string();
    for (std::size_t I = 0; I != std::size(RelationNames); ++I)
      if (accept(RelationNames[I])) {
        Out.R = static_cast<BranchTest::Relation>(I);
        Out.To = integer();
        if (Out.K == BranchTest::Kind::Iterations)
          Out.Loop = loop();
        return Out;
      }
    fail("expected '==', '!=', '<' or '>'");
    return Out;
  }
  BlockId loop() {
    if (accept("of")) {
      skipSpace();
      if (Pos < Text.size() && Text[Pos] == 'b') {
        ++Pos;
        return BlockId(number());
      }
    }
    fail("expected 'of' and the block that begins the loop");
    return BlockId::None;
  }
  bool atBlock() {
    skipSpace();
    std::size_t P = Pos;
    if (P >= Text.size() || Text[P] != 'b')
      return false;
    while (++P < Text.size() && llvm::isDigit(Text[P]))
      ;
    return P < Text.size() && Text[P] == ':';
  }

  Module M;
  std::set<std::pair<const Function *, SlotId>> InObject;
  llvm::DenseMap<const Function *, Positions> WhereOf;
};

} // namespace

llvm::Expected<Module> parseModule(llvm::StringRef Text,
                                   const OpCatalogue &Ops) {
  return Parser(Text, Ops).parse();
}

} // namespace spmd::rules

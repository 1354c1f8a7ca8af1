//===- IRParser.cpp - Reading the text form -------------------------------===//
//
// Length: one recursive-descent parser, a method for each kind of fact.
//
//===----------------------------------------------------------------------===//

#include "IRNames.h"
#include "IRScanner.h"
#include "spmd/ir/IRText.h"
#include "spmd/ir/Verifier.h"
#include "spmd/ir/Walk.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <set>

namespace spmd::rules {
namespace {

class Parser : private IRScanner {
public:
  Parser(llvm::StringRef Text, const OpCatalogue &Ops)
      : IRScanner(Text), Ops(Ops) {}

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

  //===--- Parts ----------------------------------------------------------===//
  PlaceId place(llvm::StringRef Mark = "!") {
    if (!accept(Mark))
      return PlaceId::None;
    Place P;
    P.Line = number();
    expect(":");
    P.Column = number();
    return F->addPlace(P);
  }
  /// A number names a temporary; other names are declared before their use.
  SlotId slot(bool Declares = false) {
    expect("%");
    const std::string Name = name();
    if (failed())
      return SlotId::None;
    auto [It, New] = Slots.try_emplace(Name, SlotId::None);
    if (!New && Declares)
      fail("'%" + Name + "' is declared twice");
    if (New) {
      Slot S;
      const auto [Stem, Number] = llvm::StringRef(Name).rsplit('.');
      unsigned Ignored;
      const bool Named = !Number.empty() && !Number.getAsInteger(10, Ignored);
      const bool Temporary = !llvm::StringRef(Name).getAsInteger(10, Ignored);
      if (!Temporary && !Declares)
        fail("no slot '%" + Name + "'");
      S.Name = Temporary ? "" : Named ? Stem.str() : Name;
      S.Kind = Temporary ? SlotKind::Temporary : SlotKind::Local;
      It->second = F->addSlot(std::move(S));
    }
    return It->second;
  }
  Operand operand(bool OfOp = false) {
    Operand O;
    if (!accept("_")) {
      O.Slot = slot();
      O.Scalar = OfOp && accept("scalar");
    }
    O.At = place();
    return O;
  }
  template <typename T> T payload(llvm::Expected<T> Parsed) {
    if (Parsed)
      return std::move(*Parsed);
    llvm::handleAllErrors(
        Parsed.takeError(),
        [this](const PayloadError &E) {
          failAt(StringAt + E.Offset, E.Message);
        },
        [this](const llvm::ErrorInfoBase &E) { fail(E.message()); });
    return T();
  }
  std::shared_ptr<const TypeAnnotation> annotation() {
    const std::string Payload = string();
    return std::make_shared<TypeAnnotation>(
        Payload.empty() ? TypeAnnotation()
                        : payload(parseTypeAnnotation(Payload)));
  }
  std::shared_ptr<const TypeSpec> spec() {
    const std::string Payload = string();
    if (Payload.empty())
      return nullptr;
    return std::make_shared<TypeSpec>(payload(parseTypeSpec(Payload)));
  }
  Atom atom() {
    skipSpace();
    const std::size_t Start = Pos;
    word();
    if (accept("("))
      while (Pos < Text.size() && Text[Pos++] != ')')
        ;
    const llvm::StringRef Axis = "a: ";
    StringAt = Start - Axis.size();
    const TypeSpec T =
        payload(parseTypeSpec((Axis + Text.slice(Start, Pos)).str()));
    return T.Axes.empty() ? Atom() : T.Axes.front().Value;
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
  std::shared_ptr<const MeshSpec> mesh() {
    if (!accept("mesh"))
      return nullptr;
    const std::string Payload = string();
    std::shared_ptr<const MeshSpec> &Known = Meshes[Payload];
    if (!Known)
      Known = std::make_shared<const MeshSpec>(payload(parseMesh(Payload)));
    return Known;
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

  //===--- Facts ----------------------------------------------------------===//
  Fact fact() {
    SlotId Dst = SlotId::None;
    if (at("%")) {
      Dst = slot();
      expect("=");
      for (llvm::StringRef Kind :
           {"require", "backward", "havoc", "null", "return", "point"})
        if (at(Kind))
          fail("'" + Kind + "' has no result");
    } else if (at("bind") || at("refer") || at("join") || at("view") ||
               at("element") || at("handle") || at("region") ||
               at("gradient") || atDefinition()) {
      fail("expected '%name =' before '" + word() + "'");
    }
    if (accept("op"))
      return op(Dst);
    if (const bool Refers = at("refer"), Joins = at("join");
        accept("bind") || accept("refer") || accept("join"))
      return BindFact{Dst, operand(), place("@"), Refers, Joins};
    if (at("view") || at("element") || at("handle") || at("region"))
      return view(Dst);
    if (accept("require"))
      return assertion();
    if (accept("call"))
      return call(Dst);
    if (const bool Clears = at("clear"); accept("clear") || accept("gradient"))
      return GradientFact{Dst, operand(), place("@"), Clears};
    if (accept("backward"))
      return BackwardFact{operand(), place("@")};
    if (accept("havoc")) {
      HavocFact H;
      H.Slot = slot();
      H.Rebinds = accept("rebinds");
      H.Gradients = accept("gradients");
      H.Alone = H.Gradients && accept("alone");
      if (accept("over"))
        H.Comm = slot();
      H.At = place("@");
      return H;
    }
    if (accept("null"))
      return NullFact{slot(), place("@")};
    if (accept("return")) {
      ReturnFact R;
      if (at("_") || at("%"))
        R.Value = operand();
      R.At = place("@");
      return R;
    }
    if (accept("point")) {
      PointFact P;
      P.Name = name();
      expect("(");
      while (!failed() && !accept(")")) {
        P.Of.push_back(operand());
        accept(",");
      }
      P.At = place("@");
      return P;
    }
    if (const auto K = keyword<DefineFact::Kind>(DefineNames))
      return definition(Dst, *K);
    if (const auto K = keyword<TransferKind>(TransferNames))
      return transfer(Dst, *K);
    fail("expected a fact");
    return ReturnFact();
  }
  bool atDefinition() {
    return llvm::any_of(DefineNames, [&](llvm::StringRef K) { return at(K); });
  }
  Fact definition(SlotId Dst, DefineFact::Kind K) {
    DefineFact D;
    D.Dst = Dst;
    D.K = K;
    if (K == DefineFact::Kind::Declared)
      D.Type = spec();
    else if (D.isOfAxis())
      D.Axis = slot();
    else if (K == DefineFact::Kind::Axes)
      D.AxisNames = payload(parseAxes(string()));
    D.At = place("@");
    return D;
  }
  Fact view(SlotId Dst) {
    ViewFact V;
    V.Dst = Dst;
    if (accept("handle"))
      V.K = ViewFact::Kind::Handle;
    else if (accept("element"))
      V.K = ViewFact::Kind::Element;
    else if (accept("region"))
      V.K = ViewFact::Kind::Region;
    else
      expect("view");
    V.Src = operand();
    expect("at");
    V.Offset = operand();
    V.At = place("@");
    return V;
  }
  Fact op(SlotId Dst) {
    OpFact O;
    O.Dst = Dst;
    const std::string Name = name();
    O.Rule = findRule(Name);
    if (!O.Rule) {
      fail("unknown op '" + Name + "'");
      return O;
    }
    expect("(");
    while (!failed() && !accept(")")) {
      if (O.Rule->Formals.empty()) {
        fail("'" + Name + "' has no operands");
        break;
      }
      unsigned Formal = std::min<unsigned>(
          O.Operands.size(), static_cast<unsigned>(O.Rule->Formals.size()) - 1);
      if (!at("%") && !at("_")) {
        const std::string Wanted = word().str();
        expect("=");
        const auto It =
            llvm::find_if(O.Rule->Formals, [&](const RuleFormal &X) {
              return X.Name == Wanted;
            });
        Formal = static_cast<unsigned>(It - O.Rule->Formals.begin());
        if (Formal == O.Rule->Formals.size())
          fail("'" + Name + "' has no operand '" + Wanted + "'");
      }
      O.Operands.push_back(operand(/*OfOp=*/true));
      O.FormalOf.push_back(Formal);
      accept(",");
    }
    if (accept("["))
      while (!failed() && !accept("]")) {
        O.Arguments.push_back(argument());
        accept(",");
      }
    if (accept("into")) {
      O.PartialWrite = accept("part");
      O.WritesTo = slot();
    }
    O.At = place("@");
    return O;
  }
  OpArgument argument() {
    OpArgument A;
    A.Name = name();
    expect("=");
    skipSpace();
    if (accept("?"))
      return A;
    if (accept("none"))
      A.Value = OpArgument::None();
    else if (at("true") || at("false"))
      A.Value = word() == "true";
    else if (at("\""))
      A.Value = string();
    else if (accept("{"))
      A.Value = sizes();
    else
      A.Value = size();
    return A;
  }
  SizeList sizes() {
    SizeList Out;
    while (!failed() && !accept("}")) {
      if (accept("?"))
        Out.push_back(std::nullopt);
      else
        Out.push_back(size());
      accept(",");
    }
    return Out;
  }
  SizeValue size() {
    SizeValue Out = factor();
    while (!failed() && (at("*") || at("/"))) {
      const bool Times = accept("*");
      if (!Times)
        expect("/");
      const SizeValue By = factor();
      const auto Result = Times ? multiply(Out, By) : divide(Out, By);
      if (!Result)
        fail(By.Number == 0 ? "a size divided by zero" : "a size too large");
      else
        Out = *Result;
    }
    return Out;
  }
  SizeValue factor() {
    SizeValue Out;
    skipSpace();
    if (Pos < Text.size() && (llvm::isDigit(Text[Pos]) || Text[Pos] == '-')) {
      Out.Number = integer();
      return Out;
    }
    SizeTerm T;
    if (at("%")) {
      T.Tensor = slot();
      expect("[");
      const std::int64_t Dim = integer();
      if (Dim < -64 || Dim >= 64)
        fail("no tensor has so many dims");
      T.Dim = static_cast<int>(Dim);
      expect("]");
    } else {
      T.Variable = name();
    }
    Out.Terms.push_back(std::move(T));
    return Out;
  }
  Fact transfer(SlotId Dst, TransferKind K) {
    TransferFact T;
    T.K = K;
    T.Dst = Dst;
    T.Src = operand();
    expect("on");
    T.Axis = operand();
    if (accept("from")) {
      if (at("\""))
        T.FromType = spec();
      else
        T.From = atom();
      T.FromAt = place();
    }
    if (accept("to")) {
      if (at("\""))
        T.ToType = spec();
      else
        T.To = atom();
      T.ToAt = place();
    }
    if (accept("with")) {
      const auto R = keyword<ReductionKind>(ReductionNames);
      if (!R)
        fail("expected a reduction");
      T.Reduction = R.value_or(ReductionKind::Sum);
    }
    T.Expert = accept("expert");
    T.Few = accept("few");
    if (accept("into"))
      T.Out = operand();
    T.At = place("@");
    return T;
  }
  Fact assertion() {
    AssertFact A;
    const auto K = keyword<AssertFact::Kind>(AssertNames);
    if (!K)
      fail("expected what requires the type");
    else
      A.K = *K;
    A.IsElement = accept("element");
    if (A.IsElement && accept("in"))
      A.Buffer = slot();
    A.Value = operand();
    A.Type = spec();
    if (accept("of")) {
      A.Subject = string();
      A.DeclaredAt = place();
    }
    A.Mesh = mesh();
    A.At = place("@");
    return A;
  }
  Fact call(SlotId Dst) {
    CallFact C;
    C.Dst = Dst;
    expect("@");
    C.Callee = name();
    expect("(");
    while (!failed() && !accept(")")) {
      C.Arguments.push_back(operand());
      if (accept("is"))
        C.Numbers.push_back(givenNumber(C.Arguments.size() - 1));
      accept(",");
    }
    if (accept("on"))
      C.Receiver = operand();
    C.NoGrad = accept("no_grad");
    if (accept("pullback")) {
      GivenBackward &B = C.Backward.emplace();
      B.Output = operand();
      expect("from");
      expect("(");
      while (!failed() && !accept(")")) {
        B.Inputs.push_back(operand());
        accept(",");
      }
    }
    C.At = place("@");
    return C;
  }

  GivenNumber givenNumber(std::size_t Argument) {
    GivenNumber Out{static_cast<std::uint32_t>(Argument)};
    if (at("%"))
      Out.Same = slot();
    else
      Out.Value = integer();
    return Out;
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
  const OpRule *findRule(llvm::StringRef Name) const {
    const OpRule *Own = OwnRules.lookup(Name);
    return Own ? Own : Ops.rule(Name);
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

  const OpCatalogue &Ops;
  Module M;
  Function *F = nullptr;
  llvm::StringMap<SlotId> Slots;
  llvm::StringMap<const OpRule *> OwnRules; ///< by what the text calls them
  llvm::StringMap<std::shared_ptr<const MeshSpec>> Meshes;
  std::set<std::pair<const Function *, SlotId>> InObject;
  llvm::DenseMap<const Function *, Positions> WhereOf;
};

} // namespace

llvm::Expected<Module> parseModule(llvm::StringRef Text,
                                   const OpCatalogue &Ops) {
  return Parser(Text, Ops).parse();
}

} // namespace spmd::rules

//===- RandomProgram.cpp - Programs that the inference accepts ------------===//

#include "spmd/oracle/RandomProgram.h"

#include "NumberBlocks.h"
#include "OrdinaryOps.h"

#include "spmd/ops/DimsOnly.h"

#include "spmd/ops/OpCatalogue.h"
#include "spmd/ops/ScalarRules.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

class Generator {
public:
  Generator(std::mt19937 &Random, const ProgramLimits &Limits,
            Rejections *Rejected)
      : Random(Random), Limits(Limits), Rejected(Rejected) {}

  TypedProgram generate() {
    P.Branches = Limits.Depth != 0 && pick(2);
    WritesInPlace = pick(2) == 0;
    Rebinds = !WritesInPlace || pick(2) == 0;
    start();
    region(Limits.Facts, P.Branches ? Limits.Depth : 0);
    finish();
    return std::move(P);
  }

private:
  struct Value {
    SlotId Slot;
    std::vector<TypeSet> Types; ///< by axis
  };

  unsigned pick(std::size_t Size) {
    return static_cast<unsigned>(
        std::uniform_int_distribution<std::size_t>(0, Size - 1)(Random));
  }
  const Value &pickValue() { return Values[pick(Values.size())]; }
  Function &function() { return P.function(); }
  std::vector<Fact> &facts() { return function().Blocks[Tail].Facts; }

  //===--- Parameters -----------------------------------------------------===//

  void start() {
    auto F = std::make_unique<Function>();
    F->Symbol = F->DisplayName = "f";
    P.M.Functions.push_back(std::move(F));
    const char *const Names[] = {"dp", "tp"};
    const unsigned Axes = 1 + pick(Limits.Axes);
    for (unsigned A = 0; A != Axes; ++A)
      P.On.Axes.push_back({Names[A], 2 + static_cast<int>(pick(2))});
    const unsigned Count = 1 + pick(3);
    for (unsigned I = 0; I != Count; ++I)
      parameter(I);
    for (unsigned A = 0; A != Axes; ++A) {
      Slot S;
      S.Name = Names[A];
      S.Kind = SlotKind::Parameter;
      S.DeclaredAxes = {Names[A]};
      Communicators.push_back(function().addSlot(std::move(S)));
    }
    function().NumParameters = Count + Axes;
    function().Blocks.emplace_back();
    for (const auto K : {DefineFact::Kind::Constant, DefineFact::Kind::Zero})
      if (!Limits.Plain && pick(2)) {
        DefineFact D;
        D.K = K;
        D.Dst = function().addTemporary();
        facts().push_back(D);
        Values.push_back({D.Dst, anyTypes()});
      }
    for (unsigned A = 0; P.Branches && A != Axes; ++A) {
      DefineFact D;
      D.K = DefineFact::Kind::RankOf;
      D.Dst = function().addTemporary();
      D.Axis = Communicators[A];
      facts().push_back(D);
      Ranks.push_back(D.Dst);
    }
    // Variables that branches and loops assign.
    for (unsigned I = 0; P.Branches && I != 2; ++I) {
      Slot S;
      S.Name = "v" + std::to_string(I);
      S.Kind = SlotKind::Local;
      const SlotId Variable = function().addSlot(std::move(S));
      facts().push_back(BindFact{Variable, {pickValue().Slot, {}}, {}});
      Variables.push_back(Variable);
      Values.push_back({Variable, anyTypes()});
    }
  }

  void parameter(unsigned I) {
    TypeAnnotation A;
    Value V;
    for (const Mesh::Axis &Axis : P.On.Axes) {
      const LocalType T = AllLocalTypes[pick(NumLocalTypes)];
      A.Entry.Axes.push_back({Axis.Name, {T, std::nullopt}, 0});
      V.Types.push_back(T);
    }
    Slot S;
    S.Name = "p" + std::to_string(I);
    S.Kind = SlotKind::Parameter;
    S.Declared = std::make_shared<TypeAnnotation>(std::move(A));
    V.Slot = function().addSlot(std::move(S));
    Values.push_back(std::move(V));
  }

  std::vector<TypeSet> anyTypes() const {
    return std::vector<TypeSet>(P.On.Axes.size(), TypeSet::all());
  }

  //===--- Control flow ---------------------------------------------------===//

  /// What the block \p B decides by: nothing known, the rank on an axis, or
  /// some value; nothing known where ops write in place, as a name that may be
  /// another's is not followed there. Returns the axes on which ranks part, as
  /// a mask.
  unsigned decide(std::uint32_t B) {
    if (WritesInPlace || pick(3) == 0)
      return 0;
    const unsigned Axis = pick(P.On.Axes.size());
    Operand &If = function().Blocks[B].Condition;
    if (pick(2)) {
      If.Slot = Ranks[Axis];
      return 1u << Axis;
    }
    const Value &X = pickValue();
    unsigned Out = 0;
    for (unsigned A = 0; A != X.Types.size(); ++A) {
      if (!X.Types[A].isSingle() || X.Types[A].contains(LocalType::P))
        return 0;
      Out |= X.Types[A].contains(LocalType::V) ? 1u << A : 0;
    }
    If.Slot = X.Slot;
    return Out;
  }

  /// About \p Count facts, some of them in branches and loops.
  void region(unsigned Count, unsigned Depth) {
    for (unsigned Tries = 0; Count != 0 && Tries != 4 * Limits.Facts; ++Tries) {
      if (Depth != 0 && Count > 4 && pick(8) == 0) {
        const unsigned Inside = 2 + pick(Count / 2);
        pick(2) ? branch(Inside, Depth - 1) : loop(Inside, Depth - 1);
        Count -= Inside;
      } else if (propose()) {
        --Count;
      }
    }
  }

  std::uint32_t addBlock(std::initializer_list<std::uint32_t> Next) {
    Block B;
    for (std::uint32_t N : Next)
      B.Successors.push_back(BlockId(N));
    function().Blocks.push_back(std::move(B));
    return static_cast<std::uint32_t>(function().Blocks.size() - 1);
  }
  /// A new block that goes on where the current one did.
  std::uint32_t splitTail() {
    const std::uint32_t Rest = addBlock({});
    std::swap(function().Blocks[Rest].Successors,
              function().Blocks[Tail].Successors);
    return Rest;
  }
  /// The axis on which one rank takes one of two ways, if it is so.
  struct OneRank {
    std::optional<unsigned> Axis;
    unsigned Way = 0;
  };

  /// `rank == 0` and the like decide where the block \p B goes on.
  OneRank decideByOneRank(std::uint32_t B) {
    if ((WritesInPlace && Rebinds) || pick(3) != 0)
      return {};
    const unsigned Axis = pick(P.On.Axes.size());
    DefineFact Zero;
    Zero.K = DefineFact::Kind::Zero;
    Zero.Dst = function().addTemporary();
    OpFact Is;
    const ScalarRules &Of = ScalarRules::get();
    const OpRule *const Rules[] = {&Of.Equal, &Of.Unequal, &Of.Not};
    Is.Rule = Rules[pick(3)];
    Is.Dst = function().addTemporary();
    for (unsigned I = 0; I != Is.Rule->Formals.size(); ++I) {
      Is.Operands.push_back({I == 0 ? Ranks[Axis] : Zero.Dst, {}, true});
      Is.FormalOf.push_back(I);
    }
    Block &At = function().Blocks[B];
    At.Facts.push_back(Zero);
    At.Facts.push_back(Is);
    At.Condition.Slot = Is.Dst;
    return {Axis, Is.Rule == &Of.Unequal ? 1u : 0u};
  }

  void inside(std::uint32_t Block, unsigned Count, unsigned Depth,
              unsigned Parted, bool OnOneRank = false) {
    const bool OnOneAround = std::exchange(AddsOnce, AddsOnce || OnOneRank);
    // What is defined inside is not known to be outside.
    const std::size_t Known = Values.size();
    const unsigned Around = std::exchange(Apart, Apart | Parted);
    Tail = Block;
    region(Count, Depth);
    Values.resize(Known);
    Apart = Around;
    AddsOnce = OnOneAround;
  }

  void branch(unsigned Count, unsigned Depth) {
    const std::uint32_t Join = splitTail();
    const std::uint32_t Then = addBlock({Join}), Else = addBlock({Join});
    function().Blocks[Tail].Successors = {BlockId(Then), BlockId(Else)};
    const OneRank One = decideByOneRank(Tail);
    const unsigned Parted = One.Axis ? 1u << *One.Axis : decide(Tail);
    inside(Then, Count / 2, Depth, Parted, One.Axis && One.Way == 0);
    inside(Else, Count - Count / 2, Depth, Parted, One.Axis && One.Way == 1);
    Tail = Join;
  }

  void loop(unsigned Count, unsigned Depth) {
    const std::uint32_t Exit = splitTail();
    const std::uint32_t Header = addBlock({});
    const std::uint32_t Body = addBlock({Header});
    function().Blocks[Tail].Successors = {BlockId(Header)};
    function().Blocks[Header].Successors = {BlockId(Body), BlockId(Exit)};
    inside(Body, Count, Depth, decide(Header));
    Tail = Exit;
  }

  //===--- Facts ----------------------------------------------------------===//

  /// Appends one step, or takes it back when the inference rejects it.
  bool propose() {
    const unsigned Kind = pick(20);
    if (AddsOnce && Kind < 8)
      return addToVariable();
    if (Kind == 0 && P.Branches && Rebinds)
      return assign();
    Value New{function().addTemporary(), {}};
    const bool Added = Kind < 12 ? addOp(New) : addTransfer(New);
    if (!Added)
      return false;
    std::size_t Steps = 1;
    if (Kind == 1 && !Limits.Plain) {
      Values.push_back({New.Slot, anyTypes()});
      New = {lookAt(New.Slot), {}};
      Steps = 2;
    }
    const std::optional<ViolationKind> Rejection = infer(New);
    if (!Rejection) {
      Values.push_back(std::move(New));
      return true;
    }
    // What buffers hold at the end is not a question about the step.
    if (Rejected && !P.Branches && *Rejection != ViolationKind::Contract)
      judge(*Rejection, New.Slot);
    facts().resize(facts().size() - Steps);
    if (Steps == 2)
      Values.pop_back();
    return false;
  }

  /// A selector of \p Of: what is only looked at may be what is else illegal.
  SlotId lookAt(SlotId Of) {
    OpFact O;
    O.Rule = OpCatalogue::builtin().rule("eq");
    O.Dst = function().addTemporary();
    O.Operands = {{Of, {}}};
    O.FormalOf = {0};
    facts().push_back(O);
    return O.Dst;
  }

  bool addToVariable() {
    const SlotId Variable = Variables[pick(Variables.size())];
    const std::size_t Before = facts().size();
    OpFact O;
    O.Rule = OpCatalogue::builtin().rule("add");
    O.Dst = function().addTemporary();
    O.Operands = {{Variable, {}}, {pickValue().Slot, {}}};
    O.FormalOf = {0, 1};
    if (pick(4) == 0)
      std::swap(O.Operands[0], O.Operands[1]);
    if (WritesInPlace)
      O.WritesTo = Variable;
    facts().push_back(O);
    if (!WritesInPlace)
      facts().push_back(BindFact{Variable, {O.Dst, {}}, {}});
    if (inferred(optionsFor(true)).Violations.empty())
      return true;
    facts().resize(Before);
    return false;
  }

  bool assign() {
    const SlotId Variable = Variables[pick(Variables.size())];
    facts().push_back(BindFact{Variable, {pickValue().Slot, {}}, {}});
    if (inferred(optionsFor(true)).Violations.empty())
      return true;
    facts().pop_back();
    return false;
  }

  /// Of the program so far, with its blocks in order.
  InferenceResult
  inferred(const InferenceOptions &Options,
           llvm::function_ref<void(const TypedSlot &)> OnType = nullptr) {
    Module Ordered;
    Ordered.Functions.push_back(std::make_unique<Function>(function()));
    numberBlocks(*Ordered.Functions.front());
    return inferModule(Ordered, Options, OnType);
  }

  /// The types of \p New, or why the program is not accepted.
  std::optional<ViolationKind> infer(Value &New) {
    New.Types = anyTypes();
    const InferenceResult R =
        inferred(optionsFor(P.Branches), [&](const TypedSlot &T) {
          if (T.Slot == New.Slot)
            for (const auto &[Name, Type] : T.Types)
              if (const std::optional<unsigned> A = P.On.find(Name))
                New.Types[*A] = Type.Set;
        });
    if (!R.Violations.empty())
      return R.Violations.front().kind();
    return std::nullopt;
  }

  /// Runs a program that ends in a rejected step.
  void judge(ViolationKind Kind, SlotId Last) {
    TypedProgram Tried;
    Tried.M.Functions.push_back(std::make_unique<Function>(function()));
    Tried.On = P.On;
    Tried.Result = anyTypes();
    end(Tried.function(), Last);
    ++Rejected->Tried[Kind];
    Rejected->RightAfterAll[Kind] += isRightForSomeType(Tried);
  }

  bool addOp(const Value &New) {
    const OpRule *Rule =
        pick(2)
            ? OpCatalogue::builtin().rule(CommonOps[pick(std::size(CommonOps))])
            : ordinaryOps()[pick(ordinaryOps().size())];
    OpFact O;
    O.Rule = Rule;
    O.Dst = New.Slot;
    for (unsigned I = 0; I != Rule->Formals.size(); ++I) {
      if (!readsValue(Rule->Term, I))
        continue;
      if (Rule->Formals[I].Optional && pick(2))
        continue;
      for (unsigned More = Rule->Formals[I].Variadic ? 2 : 1; More--;) {
        O.Operands.push_back({pickValue().Slot, {}});
        O.FormalOf.push_back(I);
      }
    }
    if (O.Operands.empty() || (Limits.Plain && !isPlain(Rule->Term)) ||
        scattersPending(O) || (WritesInPlace && !Rule->Views.empty()))
      return false;
    // Sometimes in place.
    if (WritesInPlace && pick(6) == 0)
      O.WritesTo = O.Operands.front().Slot;
    facts().push_back(std::move(O));
    return true;
  }

  /// A part of a pending sum at a place that differs between ranks is called
  /// pending, so that a reduce_scatter may write to it, and means no sum at
  /// all: a known gap, which these programs leave out.
  bool scattersPending(const OpFact &O) const {
    if (O.Rule->HowMuch != ViewKind::Part)
      return false;
    bool OfPending = false, MayDiffer = false;
    for (std::size_t I = 0; I != O.Operands.size(); ++I) {
      const bool Viewed = O.Rule->Formals[O.FormalOf[I]].Name == O.Rule->Views;
      for (const Value &X : Values)
        if (X.Slot == O.Operands[I].Slot)
          for (const TypeSet Set : X.Types) {
            OfPending |= Viewed && Set.contains(LocalType::P);
            MayDiffer |= !Viewed && Set.contains(LocalType::V);
          }
    }
    return OfPending && MayDiffer;
  }

  bool addTransfer(const Value &New) {
    const Transition &Row = Transitions[pick(NumTransitions)];
    const unsigned Axis = pick(P.On.Axes.size());
    const Value &X = pickValue();
    // Ranks that went another way would wait for ever.
    if (Apart & 1u << Axis)
      return false;
    // What is told a root or another rank is drawn nowhere.
    if (!Row.KeepsMeaning && Row.Op != OperatorKind::Reinterpret)
      return false;
    const bool OnOneRank =
        Row.Op == OperatorKind::Convert && Row.Dst == LocalType::P;
    // A value under another type is a view of it.
    const bool Views = Row.Op == OperatorKind::Reinterpret;
    if (!X.Types[Axis].contains(Row.Src) || (Limits.Plain && OnOneRank) ||
        (WritesInPlace && Views))
      return false;
    TransferFact T;
    T.K = transferOf(Row.Op);
    T.Dst = New.Slot;
    T.Src = {X.Slot, {}};
    T.Axis = {Communicators[Axis], {}};
    T.From = Atom{Row.Src, std::nullopt};
    T.To = Atom{Row.Dst, std::nullopt};
    T.Expert = Row.ExpertOnly;
    facts().push_back(T);
    return true;
  }

  //===--- The result -----------------------------------------------------===//

  void end(Function &F, SlotId Result) const {
    F.Blocks[Tail].Facts.push_back(ReturnFact{{Result, {}}, {}});
    F.Result = std::make_shared<TypeAnnotation>();
    numberBlocks(F);
  }

  /// Returns one of the last values, so that most of the program matters.
  void finish() {
    for (const Value &V : llvm::reverse(Values)) {
      OpFact O;
      O.Rule = OpCatalogue::builtin().rule("neg");
      Value New{function().addTemporary(), {}};
      O.Dst = New.Slot;
      O.Operands = {{V.Slot, {}}};
      O.FormalOf = {0};
      facts().push_back(std::move(O));
      if (!infer(New)) {
        P.Result = New.Types;
        return end(function(), New.Slot);
      }
      facts().pop_back();
    }
  }

  /// Views share their storage for the inference, and are values of their own
  /// on the simulated ranks: a program has ops in place, or views.
  bool WritesInPlace = false;
  /// Variables may name one storage on some paths, and another on others.
  bool Rebinds = true;
  bool AddsOnce = false; ///< one rank runs the current block
  std::mt19937 &Random;
  const ProgramLimits &Limits;
  Rejections *Rejected;
  TypedProgram P;
  std::vector<Value> Values;
  std::vector<SlotId> Communicators, Variables, Ranks;
  unsigned Apart =
      0; ///< the axes on which only some ranks run the current block
  std::uint32_t Tail = 0;
};

} // namespace

TypedProgram randomProgram(std::mt19937 &Random, const ProgramLimits &Limits,
                           Rejections *Rejected) {
  return Generator(Random, Limits, Rejected).generate();
}

} // namespace spmd::oracle

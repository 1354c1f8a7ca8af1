//===- Trace.cpp - One run of a function of the IR ------------------------===//
//
// Length: one interpreter of facts; where ranks part it needs all that they
// name.
//
//===----------------------------------------------------------------------===//

#include "spmd/oracle/Trace.h"

#include "spmd/ir/ControlFlow.h"

#include "ExactRules.h"
#include "PathThrough.h"
#include "TraceStorage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <deque>
#include <map>

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

constexpr unsigned MaxBlocks = 200, MaxDepth = 6;

class Tracer {
public:
  Tracer(const Module &M, const Mesh &On, unsigned Path)
      : M(M), On(On), Path(Path) {}

  Trace run(const Function &F) {
    Frame Top(F, 0, Path);
    for (unsigned I = 0; I != F.Slots.size(); ++I)
      if (F.Slots[I].Base == SlotId::None)
        bind(Top, SlotId(I), fresh(F.Slots[I].Name, F.Slots[I].Declared));
    walk(Top);
    if (Top.Returned && F.Result && Out.Unsupported.empty())
      observe("the result", content(Top.Returned), F.Result->Entry);
    leave(Top);
    return std::move(Out);
  }

private:
  struct Frame {
    Frame(const Function &F, unsigned Depth, unsigned Path)
        : F(F), Flow(F), Way(F, Path), Depth(Depth) {}
    const Function &F;
    const ControlFlow Flow;
    PathThrough Way;
    std::map<std::uint32_t, unsigned> Rounds; ///< by block where ranks part
    unsigned Depth;                           ///< of the call
    std::map<std::uint32_t, Storage *> Slots;
    Storage *Returned = nullptr;
  };

  void stop(std::string Why) {
    if (Out.Unsupported.empty())
      Out.Unsupported = std::move(Why);
  }

  /// Buffers hold what is declared of them when the function returns.
  void leave(Frame &Top) {
    if (!Out.Unsupported.empty())
      return;
    for (unsigned I = 0; I != Top.F.NumParameters; ++I) {
      const TypeAnnotation *A = Top.F.Slots[I].Declared.get();
      Storage *S = storage(Top, SlotId(I));
      if (!A || !S->Node)
        continue;
      const bool Written = Out.Nodes[*S->Node].K != TraceNode::Kind::Input;
      if (A->Exit || Written)
        observe("'" + Top.F.Slots[I].Name + "' at the end", *S->Node,
                A->Exit ? *A->Exit : A->Entry);
    }
  }

  //===--- Storage --------------------------------------------------------===//

  Storage *fresh(std::string Name,
                 std::shared_ptr<const TypeAnnotation> Declared = nullptr) {
    Storages.emplace_back();
    Storages.back().Name = std::move(Name);
    Storages.back().Declared = std::move(Declared);
    return &Storages.back();
  }
  Storage *holding(unsigned Node) {
    Storage *S = fresh("");
    S->Node = Node;
    return S;
  }

  Storage *storage(Frame &At, SlotId Slot) {
    const rules::Slot &S = At.F.slot(Slot);
    Storage *Place = nullptr;
    if (S.Base != SlotId::None) {
      Storage *Base = storage(At, S.Base);
      Storage *&Field = Base->Fields[S.Member];
      if (!Field)
        Field = fresh(Base->Name + "." + S.Member, S.Declared);
      Place = Field;
    } else {
      Storage *&Known = At.Slots[index(Slot)];
      if (!Known)
        Known = fresh(S.Name, S.Declared);
      Place = Known;
    }
    if (Place->Axes.empty())
      Place->Axes = S.DeclaredAxes;
    // A communicator that annotations name an axis after.
    if (Place->Axes.empty() && S.Kind == SlotKind::Parameter && On.find(S.Name))
      Place->Axes = {S.Name};
    return Place;
  }

  void bind(Frame &At, SlotId Slot, Storage *To) {
    if (Slot == SlotId::None)
      return;
    const rules::Slot &S = At.F.slot(Slot);
    if (S.Base != SlotId::None)
      storage(At, S.Base)->Fields[S.Member] = To;
    else
      At.Slots[index(Slot)] = To;
  }

  //===--- Values ---------------------------------------------------------===//

  static bool dropsGradient(const OpRule &R) {
    return R.Term.K != RuleTerm::Kind::Operand &&
           (R.Term.K == RuleTerm::Kind::Source ||
            R.Term.Class == OpClass::Selector ||
            R.Term.Class == OpClass::StopGradient ||
            R.Term.Class == OpClass::ShapeOnly ||
            R.Term.Class == OpClass::OwnPart);
  }
  unsigned add(TraceNode N) {
    N.HasGradient = N.K == TraceNode::Kind::Input;
    if (!N.Rule || !dropsGradient(*N.Rule))
      for (unsigned X : N.Operands)
        N.HasGradient |= Out.Nodes[X].HasGradient;
    MayDiffer.push_back(mayDiffer(N));
    Out.Nodes.push_back(std::move(N));
    return static_cast<unsigned>(Out.Nodes.size() - 1);
  }
  bool mayDiffer(const TraceNode &N) const {
    using T = LocalType;
    const auto Replicated = [](std::optional<T> X) {
      return !X || *X == T::R || *X == T::I;
    };
    if (N.K == TraceNode::Kind::Rank || !llvm::all_of(N.Types, Replicated))
      return true;
    if (N.K == TraceNode::Kind::Transfer &&
        !(N.Fact->To && Replicated(N.Fact->To->Type)))
      return true;
    return llvm::any_of(N.Operands, [&](unsigned X) { return MayDiffer[X]; });
  }
  unsigned input(std::string Key, const TypeSpec &Type) {
    TraceNode N;
    N.K = TraceNode::Kind::Input;
    N.Key = numbered(std::move(Key));
    N.Types = typesOn(On, Type);
    return add(std::move(N));
  }
  unsigned constant(std::string Key) {
    TraceNode N;
    N.Key = std::move(Key);
    return add(std::move(N));
  }

  /// What a storage holds; if nothing was written yet, what it held at entry.
  unsigned content(Storage *S) {
    if (S->Of)
      return choice(S->Of->By, content(S->Of->First), content(S->Of->Second));
    if (!S->Node)
      S->Node =
          S->Declared ? input(S->Name, S->Declared->Entry) : constant(S->Name);
    return *S->Node;
  }
  unsigned content(Frame &At, const Operand &X) {
    return content(storage(At, X.Slot));
  }

  void write(Storage *S, unsigned Node, bool Part) {
    if (S->Of) {
      const auto [By, First, Second] = *S->Of;
      write(First, choice(By, Node, content(First)), Part);
      return write(Second, choice(By, content(Second), Node), Part);
    }
    if (Part && S->Node) {
      TraceNode N;
      N.K = TraceNode::Kind::Overlay;
      N.Operands = {*S->Node, Node};
      Node = add(std::move(N));
    }
    S->Node = Node;
    if (S->Whole)
      write(S->Whole, Node, true);
  }

  /// A result in storage of its own, or in what it is written to.
  void define(Frame &At, SlotId Dst, unsigned Node, SlotId WritesTo,
              bool Part) {
    if (WritesTo == SlotId::None)
      return bind(At, Dst, holding(Node));
    Storage *S = storage(At, WritesTo);
    write(S, Node, Part);
    bind(At, Dst, S);
  }

  std::string numbered(std::string Key) {
    const unsigned Times = Occurrences[Key]++;
    return Times ? Key + "#" + std::to_string(Times) : Key;
  }

  void observe(std::string Key, unsigned Node, const TypeSpec &Type) {
    if (Apart)
      return stop("a type is required where only some ranks are");
    Out.Observed.push_back({Node, typesOn(On, Type), numbered(std::move(Key))});
  }

  //===--- Paths ----------------------------------------------------------===//

  void walk(Frame &At) { walk(At, 0, At.Flow.exit()); }

  void walk(Frame &At, std::uint32_t B, std::uint32_t Until) {
    while (B != Until && Out.Unsupported.empty()) {
      if (++Blocks > MaxBlocks)
        return stop("the run is too long");
      for (const Fact &F : At.F.Blocks[B].Facts)
        std::visit([&](const auto &X) { step(At, X); }, F);
      if (mayPart(At, B)) {
        part(At, B);
        B = At.Flow.reconvergenceOf(B);
        continue;
      }
      const std::optional<std::uint32_t> Next = At.Way.after(B);
      if (!Next)
        return At.Way.returns(B) ? void() : stop("the function never returns");
      B = *Next;
    }
  }

  bool mayPart(Frame &At, std::uint32_t B) {
    const Operand &If = At.F.Blocks[B].Condition;
    constexpr unsigned MaxRounds = 3;
    return If.Slot != SlotId::None && At.Flow.next(B).size() == 2 &&
           At.Rounds[B] < MaxRounds && MayDiffer[content(At, If)];
  }

  /// `rank == 0` and the like, which are what they say and no stand-in.
  void tellOneRank(TraceNode &Way) const {
    const TraceNode &If = Out.Nodes[Way.Operands[0]];
    if (If.K != TraceNode::Kind::Op || !isExact(*If.Rule))
      return;
    const TraceNode &Rank = Out.Nodes[If.Operands[0]];
    if (Rank.K != TraceNode::Kind::Rank || Rank.Axes.size() != 1)
      return;
    Way.Axes = Rank.Axes;
    Way.OnOne = If.Rule->is(OpRole::ComparesUnequal) ? TraceNode::One::Second
                                                     : TraceNode::One::First;
  }

  /// All ranks run both ways; what each has afterwards is that of its own.
  void part(Frame &At, std::uint32_t B) {
    TraceNode N;
    N.K = TraceNode::Kind::Way;
    N.Visit = At.Rounds[B]++;
    N.Operands = {content(At, At.F.Blocks[B].Condition)};
    tellOneRank(N);
    const unsigned By = add(std::move(N));
    for (Storage &S : Storages) // what both read is one value
      if (S.Declared && !S.Of)
        content(&S);
    ++Apart;
    const Snapshot Before = snapshot(At);
    walk(At, At.Flow.next(B)[0], At.Flow.reconvergenceOf(B));
    const Snapshot First = snapshot(At);
    restore(At, Before);
    walk(At, At.Flow.next(B)[1], At.Flow.reconvergenceOf(B));
    --Apart;
    --At.Rounds[B];
    if (choseAlike(At, B, First))
      return stop("what ranks may choose apart happens to be the same");
    if (Out.Unsupported.empty())
      choose(At, By, First);
  }

  /// Whether both ways have left one storage in a variable that some path binds
  /// where ranks are apart at \p B.
  static bool choseAlike(const Frame &At, std::uint32_t B,
                         const Snapshot &First) {
    const DivergentRegion Region = At.Flow.divergenceAt(B);
    for (unsigned Between : Region.Between)
      for (const Fact &F : At.F.Blocks[Between].Facts)
        if (const auto *Bind = std::get_if<BindFact>(&F)) {
          const auto Then = First.Slots.find(index(Bind->Dst));
          const auto Now = At.Slots.find(index(Bind->Dst));
          if (Then != First.Slots.end() && Now != At.Slots.end() &&
              Then->second == Now->second)
            return true;
        }
    return false;
  }

  Snapshot snapshot(const Frame &At) const {
    return {{Storages.begin(), Storages.end()}, At.Slots, At.Returned};
  }
  void restore(Frame &At, const Snapshot &To) {
    llvm::copy(To.Storages, Storages.begin());
    At.Slots = To.Slots;
    At.Returned = To.Returned;
  }

  /// Between what the first way left and what there is now.
  void choose(Frame &At, unsigned By, const Snapshot &First) {
    for (std::size_t I = 0; I != First.Storages.size(); ++I) {
      const Storage &Then = First.Storages[I];
      Storage &Now = Storages[I];
      for (const auto &Field : Then.Fields)
        if (Storage *&Other = Now.Fields[Field.first()])
          Other = either(By, Field.second, Other);
        else
          Other = Field.second;
      if (Then.Node == Now.Node)
        continue;
      const unsigned A = Then.Node ? *Then.Node : constant(Now.Name);
      Now.Node = choice(By, A, content(&Now));
    }
    for (const auto &[Slot, Then] : First.Slots)
      if (Storage *&Now = At.Slots[Slot])
        Now = either(By, Then, Now);
      else
        Now = Then;
    At.Returned = either(By, First.Returned, At.Returned);
  }
  unsigned choice(unsigned By, unsigned First, unsigned Second) {
    TraceNode N;
    N.K = TraceNode::Kind::Choice;
    N.Operands = {By, First, Second};
    return First == Second ? First : add(std::move(N));
  }
  Storage *either(unsigned By, Storage *First, Storage *Second) {
    if (First == Second || !First || !Second)
      return First ? First : Second;
    Storage *S = fresh(Second->Name);
    S->Of = Storage::Either{By, First, Second};
    return S;
  }

  //===--- Facts ----------------------------------------------------------===//

  void step(Frame &At, const DefineFact &F) {
    TraceNode N;
    // Which constant it is must not depend on what else the function does.
    N.Key = At.F.Symbol + "%" + std::to_string(index(F.Dst));
    switch (F.K) {
    case DefineFact::Kind::Zero:
      N.K = TraceNode::Kind::Zero;
      break;
    case DefineFact::Kind::Declared:
      return bind(At, F.Dst, holding(input(N.Key, *F.Type)));
    case DefineFact::Kind::Undefined:
      return bind(At, F.Dst, fresh(N.Key));
    case DefineFact::Kind::RankOf:
      N.K = TraceNode::Kind::Rank;
      N.Axes = axes(At, F.Axis);
      break;
    case DefineFact::Kind::Axes: {
      Storage *S = fresh(N.Key);
      S->Axes = F.AxisNames;
      return bind(At, F.Dst, S);
    }
    case DefineFact::Kind::Own: // as its place in the whole mesh
      N.K = TraceNode::Kind::Rank;
      for (AxisId A = 0; A != On.Axes.size(); ++A)
        N.Axes.push_back(A);
      break;
    case DefineFact::Kind::OneRank: // over no axis
      return bind(At, F.Dst, fresh(N.Key));
    case DefineFact::Kind::SizeOf: // a number: a share is an R here
    case DefineFact::Kind::Constant:
    case DefineFact::Kind::Unknown:
      break;
    }
    bind(At, F.Dst, holding(add(std::move(N))));
  }

  void step(Frame &At, const BindFact &F) {
    if (F.Src.Slot != SlotId::None)
      bind(At, F.Dst, storage(At, F.Src.Slot));
  }

  void step(Frame &At, const ViewFact &F) {
    TraceNode N;
    N.K = TraceNode::Kind::Part;
    Storage *Whole = storage(At, F.Src.Slot);
    N.Operands = {content(Whole)};
    if (F.Offset.Slot != SlotId::None)
      N.Operands.push_back(content(At, F.Offset));
    Storage *S = holding(add(std::move(N)));
    S->Whole = Whole;
    bind(At, F.Dst, S);
  }

  void step(Frame &At, const OpFact &F) {
    TraceNode N;
    N.K = TraceNode::Kind::Op;
    N.Rule = F.Rule;
    N.FormalOf.assign(F.FormalOf.begin(), F.FormalOf.end());
    for (const Operand &X : F.Operands)
      N.Operands.push_back(content(At, X));
    define(At, F.Dst, add(std::move(N)), F.WritesTo, F.PartialWrite);
  }

  llvm::SmallVector<unsigned, 2> axes(Frame &At, SlotId Slot) {
    llvm::SmallVector<unsigned, 2> Found;
    if (Slot != SlotId::None)
      for (const std::string &Name : storage(At, Slot)->Axes)
        if (const std::optional<unsigned> A = On.find(Name))
          Found.push_back(*A);
    if (Found.empty())
      stop("a communicator's axes are not known");
    return Found;
  }

  void step(Frame &At, const TransferFact &F) {
    if (F.K == TransferKind::Gather || F.K == TransferKind::Scatter ||
        F.K == TransferKind::Scan)
      stop("what the ranks have of a gather, scatter or scan is not simulated");
    TraceNode N;
    N.K = TraceNode::Kind::Transfer;
    N.Fact = &F;
    N.Axes = axes(At, F.Axis.Slot);
    N.Operands = {content(At, F.Src)};
    const bool Raw = !F.From && F.K != TransferKind::OutPartial;
    Out.Forward |= Raw && Out.Nodes[N.Operands[0]].HasGradient;
    if (F.Out.Slot != SlotId::None && F.K == TransferKind::Reduce)
      N.Operands.push_back(content(At, F.Out));
    define(At, F.Dst, add(std::move(N)), F.Out.Slot, false);
  }

  void step(Frame &At, const AssertFact &F) {
    if (F.Value.Slot != SlotId::None)
      observe("the " + F.Subject + " required by " + At.F.DisplayName,
              content(At, F.Value), *F.Type);
  }

  void step(Frame &At, const CallFact &F) {
    const Function *Callee = M.find(F.Callee);
    if (!Callee || (Callee->Blocks.empty() && !Callee->hasContract()))
      return bind(At, F.Dst, holding(constant("a result of " + F.Callee)));
    if (Callee->hasContract() || Callee->Trusted)
      return contract(At, F, *Callee);
    if (At.Depth == MaxDepth)
      return stop("calls are too deep");
    Frame Inner(*Callee, At.Depth + 1, Path);
    for (unsigned I = 0; I != F.Arguments.size(); ++I)
      if (F.Arguments[I].Slot != SlotId::None && I < Callee->NumParameters)
        bind(Inner, SlotId(I), storage(At, F.Arguments[I].Slot));
    if (F.Receiver.Slot != SlotId::None)
      bind(Inner, Callee->ThisSlot, storage(At, F.Receiver.Slot));
    walk(Inner);
    if (Inner.Returned)
      bind(At, F.Dst, Inner.Returned);
  }

  /// What a callee's annotations say on the caller's axes: an axis named after
  /// a communicator parameter is the argument's.
  TypeSpec atCall(Frame &At, const CallFact &F, const Function &Callee,
                  const TypeSpec &T) {
    TypeSpec Result;
    for (const AxisAtom &A : T.Axes) {
      std::vector<std::string> Names{A.Axis};
      for (unsigned I = 0; I != F.Arguments.size(); ++I)
        if (I < Callee.NumParameters && Callee.slot(SlotId(I)).Name == A.Axis &&
            F.Arguments[I].Slot != SlotId::None)
          Names = storage(At, F.Arguments[I].Slot)->Axes;
      for (const std::string &Name : Names)
        Result.Axes.push_back({Name, A.Value, A.Offset});
    }
    return Result;
  }

  void contract(Frame &At, const CallFact &F, const Function &Callee) {
    const auto Types = [&](const TypeSpec &T) {
      return atCall(At, F, Callee, T);
    };
    for (unsigned I = 0; I != F.Arguments.size(); ++I) {
      if (F.Arguments[I].Slot == SlotId::None || I >= Callee.NumParameters)
        continue;
      const Slot &Parameter = Callee.slot(SlotId(I));
      if (!Parameter.Declared)
        continue;
      Storage *Argument = storage(At, F.Arguments[I].Slot);
      observe("'" + Parameter.Name + "' of " + Callee.DisplayName,
              content(Argument), Types(Parameter.Declared->Entry));
      if (Parameter.Declared->Exit)
        write(Argument,
              input("'" + Parameter.Name + "' after " + Callee.DisplayName,
                    Types(*Parameter.Declared->Exit)),
              false);
    }
    if (F.Dst == SlotId::None)
      return;
    const std::string Key = "the result of " + Callee.DisplayName;
    Storage *S = holding(Callee.Result ? input(Key, Types(Callee.Result->Entry))
                                       : constant(Key));
    S->Axes = Callee.ResultAxes;
    bind(At, F.Dst, S);
  }

  void step(Frame &, const GradientFact &) { stop("gradients are data"); }
  void step(Frame &, const BackwardFact &) { stop("gradients are data"); }
  void step(Frame &, const PointFact &) {}

  void step(Frame &At, const HavocFact &F) {
    if (F.Gradients)
      return;
    Storage *S = storage(At, F.Slot);
    if (F.Rebinds)
      bind(At, F.Slot, fresh(S->Name + "'", S->Declared));
    else
      S->Node.reset();
  }

  void step(Frame &, const NullFact &) { stop("pointers are data"); }

  void step(Frame &At, const ReturnFact &F) {
    if (F.Value.Slot == SlotId::None)
      return;
    At.Returned = storage(At, F.Value.Slot);
  }

  const Module &M;
  const Mesh &On;
  unsigned Path;
  std::deque<Storage> Storages;
  llvm::StringMap<unsigned> Occurrences;
  unsigned Blocks = 0;
  unsigned Apart = 0;          ///< branches around that ranks take differently
  std::vector<bool> MayDiffer; ///< by node: between ranks
  Trace Out;
};

} // namespace

Trace traceFunction(const Module &M, const Function &F, const Mesh &On,
                    unsigned Path) {
  return Tracer(M, On, Path).run(F);
}

} // namespace spmd::oracle

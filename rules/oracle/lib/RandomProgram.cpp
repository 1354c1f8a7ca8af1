//===- RandomProgram.cpp - Programs that the inference accepts ------------===//

#include "spmd/oracle/RandomProgram.h"

#include "spmd/rules/IRText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

class Generator {
public:
  Generator(std::mt19937 &Random, int N, Rejections *Rejected)
      : Random(Random), N(N), Rejected(Rejected) {}

  TypedProgram generate(unsigned MaxFacts) {
    start();
    for (unsigned Tries = 0; Facts < MaxFacts && Tries != 4 * MaxFacts; ++Tries)
      propose();
    // The last value, so that most of the program matters.
    block().Facts.push_back(ReturnFact{{Values.back().Slot, {}}, {}});
    TypedProgram Out{std::move(P), Values.back().Types};
    Out.P.F = std::move(M.Functions[0]);
    return Out;
  }

private:
  struct Value {
    SlotId Slot;
    Shape Dims;
    TypeSet Types;
  };

  unsigned pick(std::size_t Size) {
    return static_cast<unsigned>(
        std::uniform_int_distribution<std::size_t>(0, Size - 1)(Random));
  }
  Block &block() { return M.Functions[0]->Blocks[0]; }

  void start() {
    auto F = std::make_unique<Function>();
    F->Symbol = F->DisplayName = "f";
    const unsigned Count = 1 + pick(3);
    for (unsigned I = 0; I != Count; ++I) {
      const LocalType T = AllLocalTypes[pick(NumLocalTypes)];
      P.Types.push_back(T);
      P.Shapes.push_back(pick(2) ? Shape{} : Shape{N});
      TypeSpec Spec;
      Spec.Axes.push_back({"tp", {T, std::nullopt}});
      TypeAnnotation A;
      A.Entry = Spec;
      Slot S;
      S.Name = "p" + std::to_string(I);
      S.Kind = SlotKind::Parameter;
      S.Declared = std::make_shared<TypeAnnotation>(A);
      Values.push_back({F->addSlot(std::move(S)), P.Shapes.back(), T});
    }
    Slot Axis;
    Axis.Name = "tp";
    Axis.Kind = SlotKind::Parameter;
    Axis.DeclaredAxes = {"tp"};
    Tp = F->addSlot(std::move(Axis));
    F->NumParameters = Count + 1;
    F->Blocks.emplace_back();
    M.Functions.push_back(std::move(F));
  }

  /// Appends one fact, or takes it back when the inference rejects it.
  void propose() {
    Function &F = *M.Functions[0];
    Value New;
    New.Slot = F.addTemporary();
    const bool Added = pick(5) < 3 ? addOp(New) : addTransfer(New);
    if (!Added)
      return;
    TypeSet Types = TypeSet::all();
    const InferenceResult R = inferModule(M, {}, [&](const TypedSlot &T) {
      if (T.Slot == New.Slot && !T.Types.empty())
        Types = T.Types.front().second.Set;
    });
    if (!R.Violations.empty() || Types.isAll()) {
      if (Rejected && !R.Violations.empty())
        judge(R.Violations.front().Kind, New.Slot);
      block().Facts.pop_back();
      return;
    }
    New.Types = Types;
    Values.push_back(std::move(New));
    ++Facts;
  }

  /// Runs a program that ends in a rejected step.
  void judge(ViolationKind Kind, SlotId Last) {
    Program Tried;
    Tried.Types = P.Types;
    Tried.Shapes = P.Shapes;
    block().Facts.push_back(ReturnFact{{Last, {}}, {}});
    Tried.F = std::make_unique<Function>(*M.Functions[0]);
    block().Facts.pop_back();
    constexpr unsigned Tries = 8;
    const bool Right = llvm::any_of(AllLocalTypes, [&](LocalType Result) {
      for (unsigned Seed = 1; Seed <= Tries; ++Seed)
        if (!checkProgram(Tried, Result, N, Seed).empty())
          return false;
      return true;
    });
    ++Rejected->Tried[Kind];
    Rejected->RightAfterAll[Kind] += Right;
  }

  bool addOp(Value &New) {
    const ElementOp &K = elementOps()[pick(elementOps().size())];
    OpFact O;
    O.Rule = OpCatalogue::builtin().rule(K.Name);
    O.Dst = New.Slot;
    for (unsigned I = 0; I != K.Arity; ++I) {
      const Value &X = Values[pick(Values.size())];
      if (I && X.Dims != New.Dims)
        return false;
      New.Dims = X.Dims;
      O.Operands.push_back({X.Slot, {}});
      O.FormalOf.push_back(I);
    }
    block().Facts.push_back(std::move(O));
    return true;
  }

  bool addTransfer(Value &New) {
    const Transition &Row = Transitions[pick(NumTransitions)];
    const Value &X = Values[pick(Values.size())];
    if (Row.Op == OperatorKind::AllToAll || !X.Types.contains(Row.Src))
      return false;
    const bool Splits =
        Row.Op == OperatorKind::ReduceScatter ||
        (Row.Op == OperatorKind::Convert && Row.Dst == LocalType::V);
    const bool Joins =
        Row.Op == OperatorKind::AllGather ||
        (Row.Op == OperatorKind::Convert && Row.Src == LocalType::V);
    if (X.Dims.empty() ? Splits : Joins)
      return false;
    New.Dims = Splits ? Shape{} : Joins ? Shape{N} : X.Dims;
    constexpr TransferKind Kinds[] = {
        TransferKind::AllReduce,     TransferKind::AllGather,
        TransferKind::ReduceScatter, TransferKind::AllToAll,
        TransferKind::Reinterpret,   TransferKind::Convert};
    TransferFact T;
    T.K = Kinds[static_cast<int>(Row.Op)];
    T.Dst = New.Slot;
    T.Src = {X.Slot, {}};
    T.Axis = {Tp, {}};
    T.From = Atom{Row.Src, std::nullopt};
    T.To = Atom{Row.Dst, std::nullopt};
    T.Expert = Row.ExpertOnly;
    block().Facts.push_back(T);
    return true;
  }

  std::mt19937 &Random;
  int N;
  Rejections *Rejected;
  Module M;
  Program P;
  std::vector<Value> Values;
  SlotId Tp = SlotId::None;
  unsigned Facts = 0;
};

} // namespace

std::string TypedProgram::str() const {
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  printFunction(*P.F, OS);
  return Out;
}

TypedProgram randomProgram(std::mt19937 &Random, unsigned MaxFacts, int N,
                           Rejections *Rejected) {
  return Generator(Random, N, Rejected).generate(MaxFacts);
}

} // namespace spmd::oracle

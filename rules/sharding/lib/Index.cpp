//===- Index.cpp - Types by numbers, and fewer of them --------------------===//
//
// A search asks for prices between types millions of times. So each type gets
// a number among those of its value, and a stack of layers has the same values
// again and again: what is redistributed alike shares its numbers and prices.
//
//===----------------------------------------------------------------------===//

#include "spmd/sharding/Problem.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace spmd::planner;

namespace spmd::sharding {

namespace {

/// Finds the number of a type among those of a value.
class Numbers {
public:
  unsigned of(const ValueType &T, std::vector<ValueType> &All) {
    std::vector<unsigned> Key;
    const auto Add = [&](const Axes &X) {
      Key.insert(Key.end(), X.begin(), X.end());
      Key.push_back(~0u);
    };
    llvm::for_each(T.Where.Dims, Add);
    Add(T.Where.Partial);
    Add(T.Invariant);
    const auto [It, New] =
        Known.try_emplace(std::move(Key), static_cast<unsigned>(All.size()));
    if (New)
      All.push_back(T);
    return It->second;
  }

private:
  std::map<std::vector<unsigned>, unsigned> Known;
};

} // namespace

void Problem::index() {
  TypesOf = std::make_shared<std::vector<Types>>();
  std::map<std::vector<std::int64_t>, unsigned> Classes;
  for (const Value &V : G.Values) {
    std::vector<std::int64_t> Key(V.Sizes.begin(), V.Sizes.end());
    Key.insert(Key.end(), {V.ElementBytes, V.HasDims, V.Differentiable,
                           V.From == Value::Source::Weight});
    const unsigned Next = static_cast<unsigned>(TypesOf->size());
    const auto [It, New] = Classes.try_emplace(std::move(Key), Next);
    if (New)
      TypesOf->emplace_back();
    ClassOf.push_back(It->second);
  }
  std::vector<Numbers> Known(TypesOf->size());
  const auto NumberOf = [&](ValueId V, const ValueType &T) {
    return Known[ClassOf[V]].of(T, (*TypesOf)[ClassOf[V]].All);
  };
  MadeAs.assign(Choices.size(), {});
  WantedAs.assign(Choices.size(), {});
  Was.assign(Choices.size(), {});
  Operands.assign(Choices.size(), {});
  for (unsigned C = 0; C != Choices.size(); ++C)
    for (unsigned O = 0; O != Choices[C].Options.size(); ++O)
      Was[C].push_back(O);
  for (ValueId V = 0; V != G.Values.size(); ++V)
    if (Producer[V])
      for (const Strategy &S : Choices[*Producer[V]].Options)
        MadeAs[*Producer[V]].push_back(NumberOf(V, S.Made));
  for (unsigned C = 0; C != Choices.size(); ++C)
    for (const Strategy &S : Choices[C].Options)
      WantedAs[C].emplace_back(S.Wanted.size(), 0u);
  for (ValueId V = 0; V != G.Values.size(); ++V)
    for (const Want &W : Wants[V]) {
      Operands[W.Variable].emplace_back(V, W);
      for (unsigned O = 0; O != Choices[W.Variable].Options.size(); ++O)
        WantedAs[W.Variable][O][W.Operand] =
            NumberOf(V, Choices[W.Variable].Options[O].Wanted[W.Operand]);
    }
  if (Next)
    for (const Strategy &S : Choices[*Producer[*Next]].Options)
      NextAs.push_back(NumberOf(*G.Returned, S.Made));
  for (Types &T : *TypesOf) {
    T.Seconds.resize(T.All.size());
    T.Reductions.assign(T.All.size(), -1);
  }
}

void Problem::keepOnlyOf(unsigned C, llvm::function_ref<bool(unsigned)> Keep) {
  std::size_t Left = 0;
  for (unsigned O = 0; O != Choices[C].Options.size(); ++O) {
    if (!Keep(O))
      continue;
    if (Left != O) {
      Choices[C].Options[Left] = std::move(Choices[C].Options[O]);
      WantedAs[C][Left] = std::move(WantedAs[C][O]);
      Was[C][Left] = Was[C][O];
      if (!MadeAs[C].empty())
        MadeAs[C][Left] = MadeAs[C][O];
    }
    ++Left;
  }
  Choices[C].Options.resize(Left);
  WantedAs[C].resize(Left);
  Was[C].resize(Left);
  if (!MadeAs[C].empty())
    MadeAs[C].resize(Left);
}

void Problem::keepOnly(llvm::function_ref<bool(unsigned, unsigned)> Keep) {
  for (unsigned C = 0; C != Choices.size(); ++C)
    keepOnlyOf(C, [&](unsigned O) { return Keep(C, O); });
}

Problem
Problem::narrowed(llvm::function_ref<bool(unsigned, unsigned)> Keep) const {
  Problem Out(G, Costs, P);
  Out.Result = Result;
  Out.Next = Next;
  Out.Wants = Wants;
  Out.Operands = Operands;
  Out.Producer = Producer;
  Out.TypesOf = TypesOf;
  Out.ClassOf = ClassOf;
  Out.NextAs = NextAs;
  Out.MadeAs.resize(Choices.size());
  Out.WantedAs.resize(Choices.size());
  Out.Was.resize(Choices.size());
  for (unsigned C = 0; C != Choices.size(); ++C) {
    Out.Choices.push_back({Choices[C].Stored, Choices[C].NodeId, {}});
    for (unsigned O = 0; O != Choices[C].Options.size(); ++O) {
      if (!Keep(C, O))
        continue;
      Out.Choices[C].Options.push_back(Choices[C].Options[O]);
      Out.WantedAs[C].push_back(WantedAs[C][O]);
      Out.Was[C].push_back(Was[C][O]);
      if (!MadeAs[C].empty())
        Out.MadeAs[C].push_back(MadeAs[C][O]);
    }
  }
  return Out;
}

} // namespace spmd::sharding

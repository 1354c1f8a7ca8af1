//===- CallersOnWay.cpp - What follows for callers of one way -------------===//

#include "CallersOnWay.h"

#include "OtherFlags.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

namespace spmd::rules::inference {

static std::string nameOf(const Slot &S) {
  const llvm::StringRef Name = S.Name;
  return (S.Kind == SlotKind::Field ? Name.rsplit('.').second : Name).str();
}

/// The numbers that locals of \p F among \p Numbers are made of: of
/// `last = k == steps - 1`, a caller may give another `k` each time.
static llvm::StringSet<> madeOf(const Function &F,
                                const llvm::StringSet<> &Numbers) {
  llvm::DenseSet<SlotId> Made;
  llvm::StringSet<> Out;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (F.Slots[I].Kind == SlotKind::Local && Numbers.contains(F.Slots[I].Name))
      Made.insert(SlotId(I));
  const auto Makes = [&](SlotId S) {
    return S != SlotId::None && Made.contains(S);
  };
  const auto Add = [&](SlotId Number) {
    if (Number == SlotId::None)
      return false;
    const Slot &Of = F.slot(Number);
    if (Of.Kind != SlotKind::Local && Of.Kind != SlotKind::Temporary)
      Out.insert(nameOf(Of));
    return Made.insert(Number).second;
  };
  for (bool Again = !Made.empty(); Again;) {
    Again = false;
    for (const OpFact &X : factsOf<OpFact>(F))
      if (Makes(X.Dst) || Makes(X.WritesTo))
        for (const Operand &O : X.Operands)
          Again |= O.Scalar && Add(O.Slot);
    for (const BindFact &X : factsOf<BindFact>(F))
      Again |= Makes(X.Dst) && Add(X.Src.Slot);
  }
  return Out;
}

/// Whether \p Chosen is of iterations that \p F counts by itself: all \p
/// Numbers are its locals.
static bool isOfCounters(const Function &F, const Choice &Chosen,
                         const llvm::StringSet<> &Numbers) {
  const auto IsLocal = [&](llvm::StringRef Name) {
    return llvm::any_of(F.Slots, [&](const Slot &S) {
      return S.Kind == SlotKind::Local && S.Name == Name;
    });
  };
  return llvm::all_of(Chosen,
                      [&](const auto &C) {
                        return F.Blocks[C.first].Test->K ==
                               BranchTest::Kind::Iterations;
                      }) &&
         llvm::all_of(Numbers,
                      [&](const auto &Name) { return IsLocal(Name.getKey()); });
}

bool CallersOnWay::mayDifferBetweenCalls() const {
  for (std::uint32_t I = 0; I != F.NumParameters; ++I)
    if (Numbers.contains(F.Slots[I].Name))
      for (const auto &G : M.Functions)
        for (const CallFact &Call : factsOf<CallFact>(*G))
          if (Call.Callee == F.Symbol && !givenFor(Call, I))
            return true;
  return false;
}

CallersOnWay::CallersOnWay(const Module &M, const Function &F,
                           const Choice &Chosen)
    : M(M), F(F), IsRest(isNoneNamed(F, Chosen)) {
  for (const auto &[Block, Is] : Chosen)
    for (const auto &Name : numbersIn(F.Blocks[Block].Test->Of))
      Tested.insert(Name.getKey());
  Numbers = Tested;
  for (const auto &Name : madeOf(F, Numbers))
    Numbers.insert(Name.getKey());
  OfData = llvm::all_of(
      Chosen, [&](const auto &C) { return isOnData(*F.Blocks[C.first].Test); });
  OfCounters = isOfCounters(F, Chosen, Numbers);
}

const Deciders &CallersOnWay::decidersOf(const Function &G) {
  auto &Known = Of[&G];
  if (!Known)
    Known = std::make_unique<Deciders>(G);
  return *Known;
}

/// Whether nothing decides about \p Block of \p G that has to do with the way,
/// as far as one can tell.
bool CallersOnWay::isCalledAnyway(const Function &G, std::uint32_t Block) {
  if (OfCounters)
    return true;
  const Deciders &D = decidersOf(G);
  return llvm::all_of(deciding(D, Block).set_bits(), [&](std::uint32_t By) {
    if (D.repeats(By, Block) && !D.isOnData(By))
      return true;
    return G.Blocks[By].Test && !isOnNumber(*G.Blocks[By].Test);
  });
}

/// Whether \p Test, of a caller, has to do with the way.
bool CallersOnWay::isOnNumber(const BranchTest &Test) const {
  return llvm::any_of(numbersIn(Test.Of), [&](const auto &Name) {
    return Numbers.contains(Name.getKey()) || Counters.contains(Name.getKey());
  });
}

bool CallersOnWay::isReachedAnyway(const Function &G, std::uint32_t Block) {
  return decidersOf(G).reachesAnyway(Block);
}

/// Whether \p G neither tests nor writes \p Number, its parameter or a field.
static bool isOnlyHandedOn(const Function &G, SlotId Number) {
  const SlotKind Kind = G.slot(Number).Kind;
  const std::string Name = nameOf(G.slot(Number));
  return llvm::none_of(G.Blocks, [&](const Block &B) {
    return (B.Test && numbersIn(B.Test->Of).contains(Name)) ||
           llvm::any_of(B.Facts, [&](const Fact &X) {
             bool Writes = false;
             forEachSlot(X, [&](SlotId Slot, SlotAccess As) {
               Writes |= (As.Defines || As.Writes) && Slot != SlotId::None &&
                         G.slot(Slot).Kind == Kind &&
                         nameOf(G.slot(Slot)) == Name;
             });
             return Writes;
           });
  });
}

/// Whether \p G computes \p Number, as a loss is, and is not told what it is.
static bool isComputed(const Function &G, SlotId Number) {
  llvm::SmallSet<SlotId, 4> Results;
  for (const CallFact &X : factsOf<CallFact>(G))
    Results.insert(X.Dst);
  const auto Binds = factsOf<BindFact>(G);
  const auto Transfers = factsOf<TransferFact>(G);
  return llvm::any_of(Binds,
                      [&](const BindFact &X) {
                        return X.Dst == Number && Results.contains(X.Src.Slot);
                      }) ||
         llvm::any_of(Transfers, [&](const TransferFact &X) {
           return X.Out.Slot == Number;
         });
}

/// Whether \p Number counts the ranks of an axis: more than one, and nobody
/// knows how many.
static bool isRanks(const Function &G, SlotId Number) {
  return llvm::any_of(factsOf<DefineFact>(G), [&](const DefineFact &X) {
    return X.Dst == Number && X.K == DefineFact::Kind::SizeOf;
  });
}

/// Whether \p Number counts the iterations of a loop of \p G.
static bool isCounter(const Function &G, SlotId Number) {
  return G.slot(Number).Kind == SlotKind::Local &&
         llvm::any_of(factsOf<OpFact>(G), [&](const OpFact &X) {
           return X.WritesTo == Number && X.Rule->is(OpRole::Adds) &&
                  !X.Operands.empty() && X.Operands[0].Slot == Number;
         });
}

/// Whether \p F communicates otherwise than by collectives: the sum may be made
/// by messages on the way.
static bool sendsMessages(const Module &M, const Function &F) {
  const auto Sends = [](const Function &X) {
    return llvm::any_of(factsOf<HavocFact>(X), [](const HavocFact &H) {
      return H.Comm != SlotId::None;
    });
  };
  return Sends(F) || llvm::any_of(factsOf<CallFact>(F), [&](const CallFact &X) {
           const Function *Callee = M.find(X.Callee);
           return Callee && Sends(*Callee);
         });
}

/// Whether \p Given, which F itself tests as \p Name, is a field or the number
/// of ranks, of which \p G knows no more, or counts its iterations. Who gets a
/// status of \p Call may end the program where nothing was done.
bool CallersOnWay::isGivenUnknown(const Function &G, const CallFact &Call,
                                  SlotId Given, llvm::StringRef Name) const {
  if (!Tested.contains(Name) || Call.Dst != SlotId::None || sendsMessages(M, F))
    return false;
  return isRanks(G, Given) || isCounter(G, Given) ||
         (G.slot(Given).Kind == SlotKind::Field &&
          (nameOf(G.slot(Given)) == Name || isOnlyHandedOn(G, Given)));
}

/// Whether \p Call says itself what is tested: `reduce(x, /*enabled=*/true)`.
bool CallersOnWay::isDecidedByArgument(const Function &G,
                                       const CallFact &Call) {
  for (unsigned I = 0; I != F.NumParameters; ++I) {
    const std::string &Name = F.Slots[I].Name;
    if (!Numbers.contains(Name))
      continue;
    SlotId Given =
        I < Call.Arguments.size() ? Call.Arguments[I].Slot : SlotId::None;
    if (Given != SlotId::None && G.slot(Given).Kind == SlotKind::Temporary)
      for (const Block &B : G.Blocks)
        for (const Fact &X : B.Facts)
          if (const auto *Op = std::get_if<OpFact>(&X);
              Op && Op->Dst == Given && Op->Operands.size() == 1)
            Given = Op->Operands[0].Slot;
    if (Given == SlotId::None)
      return true;
    if (OfData && isComputed(G, Given))
      continue;
    // A variable that the caller was given, too; if it calls it otherwise, and
    // hands it on as it is.
    const bool IsHandedOn =
        G.slot(Given).Kind == SlotKind::Parameter &&
        (G.slot(Given).Name == Name || isOnlyHandedOn(G, Given));
    if (!IsHandedOn && !isGivenUnknown(G, Call, Given, Name))
      return true;
    if (isCounter(G, Given))
      Counters.insert(nameOf(G.slot(Given)));
  }
  return false;
}

/// Whether something else than a loop that begins decides about \p Block.
bool CallersOnWay::isInBranch(const Function &G, std::uint32_t Block) {
  const auto Begins = [&](std::uint32_t Loop) {
    for (std::uint32_t B = Loop; B != G.Blocks.size(); ++B)
      if (llvm::is_contained(G.Blocks[B].Successors, BlockId(Loop)))
        return true;
    return false;
  };
  return llvm::any_of(decidersOf(G).of(Block).set_bits(),
                      [&](std::uint32_t By) { return !Begins(By); });
}

/// Whether \p G itself writes what is tested, and nothing decides about that:
/// what it writes in a branch, as where an option is given, may be either.
/// \p OfOthers: not what is in the object that it is called on.
bool CallersOnWay::setsNumber(const Function &G, bool OfOthers) {
  bool Sets = false;
  const auto IsNumber = [&](SlotId S) {
    if (S == SlotId::None)
      return false;
    const Slot &Named = G.slot(S);
    return Named.Kind == SlotKind::Global
               ? Numbers.contains(Named.Name)
               : Named.Kind == SlotKind::Field &&
                     (!OfOthers || G.slot(Named.Base).Kind != SlotKind::This) &&
                     Numbers.contains(nameOf(Named));
  };
  for (std::uint32_t B = 0; B != G.Blocks.size(); ++B)
    for (const Fact &X : G.Blocks[B].Facts) {
      const auto *Op = std::get_if<OpFact>(&X);
      const auto *Bind = std::get_if<BindFact>(&X);
      const auto *Define = std::get_if<DefineFact>(&X);
      if (!(Op && IsNumber(Op->WritesTo)) && !(Bind && IsNumber(Bind->Dst)) &&
          !(Define && IsNumber(Define->Dst)))
        continue;
      if (isInBranch(G, B))
        return false;
      Sets = true;
    }
  return Sets;
}

/// Whether something that \p G calls sets what is tested for the calls that
/// follow, as a guard does that switches an object of its caller off and on: it
/// is then no option of the whole run.
bool CallersOnWay::isSwitchedIn(const Function &G) {
  return llvm::any_of(factsOf<CallFact>(G), [&](const CallFact &Call) {
    const Function *Callee = M.find(Call.Callee);
    return Callee && Callee != &F && Callee != &G &&
           setsNumber(*Callee, /*OfOthers=*/true);
  });
}

/// A block of \p G that calls F, itself or through others, on any way.
std::optional<std::uint32_t> CallersOnWay::callBlock(const Function &G,
                                                     unsigned Depth) {
  if (IsRest || setsNumber(G, /*OfOthers=*/false) || isSwitchedIn(G))
    return std::nullopt;
  for (std::uint32_t B = 0; B != G.Blocks.size(); ++B)
    for (const Fact &X : G.Blocks[B].Facts) {
      const auto *Call = std::get_if<CallFact>(&X);
      if (!Call)
        continue;
      const bool Direct = Call->Callee == F.Symbol;
      const Function *Between =
          Direct || !Depth ? nullptr : M.find(Call->Callee);
      const bool Calls = Direct
                             ? !isDecidedByArgument(G, *Call)
                             : Between && Between != &G && !Between->Trusted &&
                                   callBlock(*Between, Depth - 1);
      if (Calls && isCalledAnyway(G, B))
        return B;
    }
  return std::nullopt;
}

/// Whether \p G calls F and then comes to \p At, if nothing decides that did
/// not decide about the call.
bool CallersOnWay::follows(const Function &G, std::optional<std::uint32_t> At) {
  const auto Call = At ? callBlock(G, Limits::WayCallDepth) : std::nullopt;
  if (!Call || (*Call != *At && !comesTo(G, *Call, *At)))
    return false;
  const Deciders &D = decidersOf(G);
  const llvm::BitVector OfCall = deciding(D, *Call);
  return llvm::all_of(deciding(D, *At).set_bits(), [&](std::uint32_t By) {
    const std::optional<BranchTest> &Test = G.Blocks[By].Test;
    return OfCall.test(By) || (D.repeats(By, *At) && !D.isOnData(By) &&
                               !(Test && isOnNumber(*Test)));
  });
}

bool CallersOnWay::follows(const Violation &V) {
  const auto At = blockOf(*V.In, V.At, V.Cause);
  if (follows(*V.In, At))
    return true;
  // Of a kernel's threads, some come to each of its places.
  return At && (V.In->IsKernel || isReachedAnyway(*V.In, *At)) &&
         llvm::any_of(V.CalledFrom, [&](const Site &S) {
           return follows(*S.In, blockOf(*S.In, S.At, nullptr));
         });
}

} // namespace spmd::rules::inference

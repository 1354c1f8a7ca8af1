//===- Engine.cpp - Driving the analysis of a module ----------------------===//

#include "Engine.h"

#include "domain/Causes.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

Engine::Engine(const Module &M, const InferenceOptions &Options,
               llvm::function_ref<void(const TypedSlot &)> OnType,
               AnalyseFunction Run, const SharedMemory *Shared)
    : M(M), Options(Options), OnType(OnType), Run(Run), Axes(M, Options.Mesh),
      Kept(Shared ? Shared->With : std::make_shared<Memory>()),
      Except(Shared ? Shared->Except : llvm::StringSet<>()),
      Number(++Kept->Analyses) {
  for (const auto &F : M.Functions)
    BySymbol.try_emplace(F->Symbol, F.get());
}

InferenceResult Engine::run() {
  if (const Function *F = Axes.overfull())
    giveUp({F, PlaceId::None, Limit::Axes});
  // Without an axis nothing can be said, and nothing is.
  if (Axes.size() == 0)
    return std::move(Result);
  for (AxisId A = 0; A != Axes.size(); ++A)
    Result.Axes.push_back(Axes.name(A));
  // What others call and no annotation describes is analysed in their context:
  // by itself it would have to assume that no one called anything before.
  for (const auto &F : M.Functions)
    for (const Block &B : F->Blocks)
      for (const Fact &X : B.Facts)
        if (const auto *Call = std::get_if<CallFact>(&X);
            Call && Call->Callee != F->Symbol)
          Called.insert(Call->Callee);
  if (Options.Only)
    analyse(*Options.Only);
  const std::vector<Function *> Functions = functionsInOrder(M);
  for (const Function *F : Functions)
    if (!Options.Only && (F->hasContract() || !Called.contains(F->Symbol)))
      analyse(*F);
  // Those whose callers call each other, or were given up: all of them, so that
  // it does not matter which is the first.
  std::vector<const Function *> Left;
  for (const Function *F : Functions)
    if (!Options.Only && !Analysed.contains(F->Symbol))
      Left.push_back(F);
  for (const Function *F : Left)
    analyse(*F);
  noteOtherCalls();
  dropReduced();
  dropHooked();
  dropAverages();
  dropUnlikely();
  dropExplained();
  Kept->OfStrict = Options.Strict;
  Result.Remembered = Kept;
  return std::move(Result);
}

llvm::SmallSetVector<const Function *, 16>
Engine::calledFrom(const Function &F) const {
  llvm::SmallSetVector<const Function *, 16> Out;
  Out.insert(&F);
  for (std::size_t I = 0; I != Out.size(); ++I)
    for (const CallFact &Call : factsOf<CallFact>(*Out[I]))
      if (const Function *Callee = find(Call.Callee))
        Out.insert(Callee);
  return Out;
}

void Engine::reportUnlessReduced(Violation V, AxisId A, bool IsOthers) {
  const std::string Key = keyOf(V);
  report(std::move(V));
  if (const auto At = Seen.find(Key); At != Seen.end())
    OfLosses.push_back({At->second, A, Stack.front().F, IsOthers});
}

/// Whether the gradients themselves are found to be pending on \p Axis: that is
/// what is to be mended.
bool Engine::findsGradients(llvm::StringRef Axis) const {
  return llvm::any_of(Result.Violations, [&](const Violation &V) {
    return V.Axis == Axis && !V.isPossible() &&
           llvm::any_of(V.Operands, [](const ViolationOperand &O) {
             return O.IsGradient && O.Type.Set == TypeSet(LocalType::P);
           });
  });
}

/// Whether all gradients that anybody asks for are those of what differs
/// between ranks: a Jacobian, say.
bool Engine::isOfInputs(const OfLoss &L) const {
  const AskedGradients Asked = AskedUnder.lookup(L.Root);
  return (Asked.OfVarying & ~Asked.OfOthers) & 1u << L.Axis;
}

/// Whether \p F is a closure that nobody is seen to call: who does, may call
/// others as well.
static bool isHandedOn(const Function &F) { return F.DisplayName == "lambda"; }

void Engine::dropReduced() {
  llvm::DenseMap<std::size_t, bool> Holds;
  for (const OfLoss &L : OfLosses)
    Holds[L.Violation] |= !(ReducedUnder.lookup(L.Root) & 1u << L.Axis) &&
                          !isHandedOn(*L.Root) && !isOfInputs(L) &&
                          (!L.IsOthers || AskedUnder.lookup(L.Root).Used) &&
                          !findsGradients(Axes.name(L.Axis));
  for (const auto &[Violation, Held] : Holds)
    if (!Held)
      Occurrences[Violation].clear();
}

/// Empty if \p F is no method.
static llvm::StringRef classOf(const Function &F) {
  return F.ThisSlot == SlotId::None
             ? llvm::StringRef()
             : llvm::StringRef(F.DisplayName).rsplit("::").first;
}

void Engine::noteHook(const Function &In) {
  Hooked.insert(Stack.front().F);
  if (const llvm::StringRef Class = classOf(In); !Class.empty())
    HookedClasses.insert(Class);
}

bool Engine::mayBeHooked(const Violation &V, const Occurrence &O) const {
  const auto IsHooked = [this](const Function *F) {
    return Hooked.contains(F) || HookedClasses.contains(classOf(*F));
  };
  return IsHooked(V.In) || llvm::any_of(O.CalledFrom, [&](const Site &S) {
           return IsHooked(S.In);
         });
}

void Engine::dropHooked() {
  for (std::size_t I = 0; I != Occurrences.size(); ++I)
    if (const Violation &V = Result.Violations[I];
        V.as<LossType>() ||
        llvm::any_of(V.Operands, [](const ViolationOperand &O) {
          return O.IsGradient && O.Type.Set.contains(LocalType::P);
        }))
      llvm::erase_if(Occurrences[I],
                     [&](const Occurrence &O) { return mayBeHooked(V, O); });
}

void Engine::dropAverages() {
  for (std::size_t I = 0; I != Occurrences.size(); ++I) {
    const Violation &V = Result.Violations[I];
    const auto *Add = V.as<PartialAdd>();
    const Site Sum = Add ? Add->Summed : Site{V.In, V.At};
    if (!Sum.In || (Add ? Add->OfSum : !V.as<SrcType>()))
      continue;
    for (AxisId A = 0; A != Axes.size(); ++A) {
      const auto Sums = SumsOfReplicas.find({Sum.In, {index(Sum.At), A}});
      if (V.Axis == Axes.name(A) && Sums != SumsOfReplicas.end() &&
          llvm::any_of(Sums->second, [&](const TransferFact *T) {
            return Divided.contains({T, A}) || (Add && Scaled.contains({T, A}));
          })) {
        Occurrences[I].clear();
        Result.Averaged.push_back(V);
      }
    }
  }
}

void Engine::noteOtherCalls() {
  for (const auto &[Number, Calls] : WrongCalls)
    for (const Site &Call : Calls) {
      std::vector<Site> &Also = Result.Violations[Number].AlsoFrom;
      if (llvm::none_of(Also, [&](const Site &X) { return X.isSame(Call); }))
        Also.push_back(Call);
    }
}

/// What a virtual call may reach is called with the types of all calls: where
/// it is right in some of them, the others will have meant another method.
void Engine::dropUnlikely() {
  std::size_t Kept = 0;
  for (std::size_t I = 0; I != Occurrences.size(); ++I) {
    auto Likely = llvm::find_if(Occurrences[I], [&](const Occurrence &O) {
      return llvm::none_of(
          O.Choices, [&](const Function *F) { return Right.contains(F); });
    });
    if (Likely == Occurrences[I].end())
      continue;
    Violation V = std::move(Result.Violations[I]);
    V.CalledFrom = std::move(Likely->CalledFrom);
    if (V.CalledFrom.empty())
      V.AlsoFrom.clear();
    else
      llvm::erase_if(V.AlsoFrom, [&](const Site &Other) {
        return Other.isSame(V.CalledFrom.front());
      });
    Result.Violations[Kept++] = std::move(V);
  }
  Result.Violations.erase(Result.Violations.begin() + Kept,
                          Result.Violations.end());
}

void Engine::dropExplained() {
  Causes Became;
  const auto Is = [](const Violation &V, Annotated On) {
    const auto *Clash = V.as<ContractClash>();
    return Clash && Clash->On == On;
  };
  llvm::DenseSet<const Function *> WriteNothing; ///< to what they overwrite
  for (const Violation &V : Result.Violations) {
    if (!Causes::isOfRead(V))
      Became.add(V);
    if (Is(V, Annotated::OutputOnExit))
      WriteNothing.insert(V.In);
  }
  llvm::erase_if(Result.Violations, [&](const Violation &V) {
    if (Is(V, Annotated::Unwritten) &&
        (WriteNothing.contains(V.In) ||
         llvm::any_of(V.CalledFrom, [&](const Site &From) {
           return WriteNothing.contains(From.In);
         })))
      return true;
    const bool Out = Became.explains(V);
    Became.add(V);
    return Out;
  });
}

void Engine::analyse(const Function &F) {
  if (!F.Blocks.empty() && !F.Trusted)
    summarise(F, Context(), /*Report=*/true, Site());
}

const Function *Engine::find(llvm::StringRef Symbol) const {
  return BySymbol.lookup(Symbol);
}

const MeshMap *Engine::meshMap(const MeshSpec *From, const MeshSpec *To) {
  if (!From || !To || From == To)
    return nullptr;
  const auto [It, New] = MeshMaps.try_emplace({From, To});
  if (New)
    It->second = MeshMap::between(*From, *To, Axes);
  return It->second.get();
}

const BodyFacts &Engine::factsOf(const Function &F) {
  std::unique_ptr<const BodyFacts> &Of = Facts[&F];
  if (!Of)
    Of = std::make_unique<const BodyFacts>(F);
  return *Of;
}

bool Engine::overwrites(const Function &F, std::size_t I) {
  // Who calls itself is taken to read.
  if (Overwritten.try_emplace(&F).second && !F.Trusted) {
    llvm::BitVector Found =
        findOverwritten(F, [&](const CallFact &Call, std::size_t Argument) {
          const Function *Callee = find(Call.Callee);
          return Callee && Argument < Callee->NumParameters &&
                 overwrites(*Callee, Argument);
        });
    Overwritten[&F] = std::move(Found);
  }
  const llvm::BitVector &Of = Overwritten[&F];
  return I < Of.size() && Of[static_cast<unsigned>(I)];
}

static bool namesAxesItself(const Function &F) {
  const auto InFact = [](const Fact &X) {
    if (const auto *D = std::get_if<DefineFact>(&X))
      return D->Type || !D->AxisNames.empty();
    if (const auto *T = std::get_if<TransferFact>(&X))
      return T->FromType || T->ToType;
    return std::holds_alternative<AssertFact>(X);
  };
  return F.Result || !F.ResultAxes.empty() ||
         llvm::any_of(F.Slots,
                      [](const Slot &S) {
                        return S.Declared || !S.DeclaredAxes.empty();
                      }) ||
         llvm::any_of(F.Blocks, [&](const Block &B) {
           return llvm::any_of(B.Facts, InFact);
         });
}

bool Engine::namesAxes(const Function &F) {
  const auto [It, New] = NamesAxes.try_emplace(&F);
  if (New)
    It->second = namesAxesItself(F);
  return It->second;
}

const Summary *Engine::summarise(const Function &F, const Context &C,
                                 bool Report, Site From) {
  const auto Outer =
      llvm::find_if(Stack, [&](const Frame &Fr) { return Fr.F == &F; });
  if (Outer != Stack.end()) {
    dependOn(Outer - Stack.begin());
    return nullptr;
  }
  if (Stack.size() > Options.Caps.CallDepth) {
    dependOn(0);
    giveUp({From.In, From.At, Limit::CallDepth});
    return nullptr;
  }
  Case Key(&F, C);
  MemoMap &Memos = memosOf(Key);
  auto At = Memos.find(Key);
  if (At == Memos.end()) {
    if (NumContexts >= Options.Caps.Contexts && !Stack.empty()) {
      dependOn(0);
      giveUp({From.In, From.At, Limit::Contexts});
      return nullptr;
    }
    ++NumContexts;
    At = Memos.try_emplace(std::move(Key)).first;
  }
  Memo &Entry = At->second;
  if (Entry.GivenUp)
    return nullptr;
  if (Entry.Valid && (!Report || Entry.isReported(Number))) {
    dependOn(Entry.DependsOn);
    if (Report)
      noteReported(F, Entry, From);
    return &Entry.S;
  }
  const unsigned FoundBefore = NumFound;
  Stack.push_back({&F, From, Memo::Nothing, {}, {}});
  std::optional<Summary> S = Run(*this, F, C, Report);
  Entry.Found = std::move(Stack.back().Found);
  popFrame(Memos, *At);
  Entry.GivenUp = !S;
  if (!S)
    return nullptr;
  Entry.S = std::move(*S);
  Entry.Valid = true;
  if (Report) {
    Entry.ReportedBy = Number;
    Entry.Wrong = NumFound != FoundBefore;
    NumFound = FoundBefore;
    noteReported(F, Entry, From);
  }
  return &Entry.S;
}

/// What \p Of says of \p F is said, by this analysis or by one before.
void Engine::noteReported(const Function &F, const Memo &Of, Site From) {
  Analysed.insert(F.Symbol);
  NumFound += Of.Wrong;
  if (!From.In)
    return;
  if (!Of.Wrong)
    Right.insert(&F);
  else
    for (const std::size_t I : Of.Found)
      WrongCalls[I].push_back(From);
}

/// What a function does by itself is asked once; a sum of the caller's may be
/// of blocks that only this analysis has.
MemoMap &Engine::memosOf(const Case &Of) {
  const auto HasSum = [](const AbstractValue &V) {
    return llvm::any_of(
        V.Axes, [](const AxisState &A) { return A.SumOfReplicas != nullptr; });
  };
  return Stack.empty() || Except.contains(Of.first->Symbol) ||
                 llvm::any_of(Of.second.Cells, HasSum)
             ? OfExcept
             : Kept->Memos;
}

void Engine::dependOn(std::size_t Outer) {
  for (std::size_t I = Outer; I < Stack.size(); ++I)
    Stack[I].DependsOn = std::min(Stack[I].DependsOn, Outer);
}

void Engine::popFrame(MemoMap &Memos, MemoMap::value_type &Of) {
  const Frame Done = Stack.pop_back_val();
  for (const auto &[From, Inner] : Done.Dependent)
    From->erase(From->find(*Inner));
  if (Done.DependsOn >= Stack.size())
    return;
  if (Of.second.DependsOn == Memo::Nothing)
    Stack[Done.DependsOn].Dependent.emplace_back(&Memos, &Of.first);
  Of.second.DependsOn = Done.DependsOn;
}

std::string Engine::keyOf(const Violation &V) {
  std::string Key = V.In->Symbol;
  Key += '\0';
  if (V.At != PlaceId::None) {
    const Place &At = V.In->Places[index(V.At)];
    Key += std::to_string(At.Line) + ':' + std::to_string(At.Column);
  }
  Key += ':' + std::to_string(static_cast<int>(V.kind())) + ':' + V.Axis + ':' +
         V.Op + (V.isPossible() ? "?" : "");
  return Key;
}

void Engine::report(Violation V) {
  const std::string Key = keyOf(V);
  ++NumFound;
  Occurrence O;
  O.CalledFrom = V.CalledFrom;
  for (const Frame &Fr : llvm::reverse(Stack))
    if (Fr.From.In) {
      O.CalledFrom.push_back(Fr.From);
      if (Fr.From.In->IsChoice)
        O.Choices.push_back(Fr.F);
    }
  if (Options.OnlyDoubts) {
    if (!V.isPossible() || InDoubt.contains(V.In))
      return;
    if (O.Choices.empty())
      InDoubt.insert(V.In);
  }
  auto [It, New] = Seen.try_emplace(Key, Occurrences.size());
  if (!Stack.empty() && Stack.back().F == V.In)
    Stack.back().Found.push_back(It->second);
  if (New) {
    Result.Violations.push_back(std::move(V));
    Occurrences.emplace_back();
  } else if (O.Choices.empty() &&
             Occurrences[It->second].front().Choices.empty()) {
    return;
  }
  Occurrences[It->second].push_back(std::move(O));
}

void Engine::giveUp(GiveUp Where) {
  if (Where.At == PlaceId::None && !Where.In->Blocks.empty())
    for (const Fact &X : Where.In->Blocks.front().Facts)
      if (Where.At == PlaceId::None)
        Where.At = placeOf(X);
  if (!llvm::is_contained(Result.GivenUp, Where))
    Result.GivenUp.push_back(Where);
}

} // namespace spmd::rules::inference

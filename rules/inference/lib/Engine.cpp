//===- Engine.cpp - Driving the analysis of a module ----------------------===//

#include "Engine.h"

#include "FunctionAnalysis.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules {

std::string printAxisType(const AxisType &T) {
  if (T.Set.isAll())
    return "?";
  std::string Out;
  for (LocalType L : AllLocalTypes) {
    if (!T.Set.contains(L))
      continue;
    if (!Out.empty())
      Out += '|';
    if (L == LocalType::V && T.ShardDim)
      Out += "S(" + std::to_string(*T.ShardDim) + ")";
    else
      Out += letter(L);
  }
  return Out;
}

InferenceResult
inferModule(const Module &M, const InferenceOptions &Options,
            llvm::function_ref<void(const TypedSlot &)> OnType) {
  return inference::Engine(M, Options, OnType).run();
}

namespace inference {

std::string Context::key() const {
  std::string Key;
  auto Put = [&Key](std::uint32_t N) {
    Key.append(reinterpret_cast<const char *>(&N), sizeof(N));
  };
  std::vector<std::pair<std::uint32_t, unsigned>> Slots(CellOf.begin(),
                                                        CellOf.end());
  llvm::sort(Slots);
  for (auto [Slot, Index] : Slots) {
    Put(Slot);
    Put(Index);
  }
  for (const Cell &C : Cells) {
    for (const AxisState &A : C.Axes)
      Put(A.Set.bits() | A.Doubt.bits() << 4 |
          (A.Dim ? 0x100u + static_cast<std::uint8_t>(*A.Dim) : 0u));
    Put(C.Undefined + 2u * C.Wrong);
    Put(C.Torn);
    Put(C.Stray);
    Put(C.Split);
    Put(C.RankOver);
    Put(C.Counts);
    Put(C.TrueOnOne);
    Put(C.FalseOnOne);
    for (AxisId A : C.Span)
      Put(A + 1);
    Put(~0u);
    if (C.Spec)
      for (const ShardedDim &D : C.Spec->Dims) {
        Key += D.Size.str();
        for (AxisId A : D.Axes)
          Put(A + 1);
        Put(0);
      }
  }
  for (AxisId A : Global)
    Put(A);
  Put(~0u);
  const auto At = reinterpret_cast<std::uintptr_t>(Mesh);
  Key.append(reinterpret_cast<const char *>(&At), sizeof(At));
  return Key;
}

Engine::Engine(const Module &M, const InferenceOptions &Options,
               llvm::function_ref<void(const TypedSlot &)> OnType)
    : M(M), Options(Options), OnType(OnType), Axes(M, Options.Mesh) {
  for (const auto &F : M.Functions)
    BySymbol.try_emplace(F->Symbol, F.get());
}

InferenceResult Engine::run() {
  // Without an axis nothing can be said, and nothing is.
  if (Axes.size() == 0)
    return std::move(Result);
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
  for (const auto &F : M.Functions)
    if (!Options.Only && (F->hasContract() || !Called.contains(F->Symbol)))
      analyse(*F);
  // Those whose callers call each other, or were given up.
  for (const auto &F : M.Functions)
    if (!Options.Only && !Analysed.contains(F->Symbol))
      analyse(*F);
  dropUnlikely();
  return std::move(Result);
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
    Result.Violations[Kept++] = std::move(V);
  }
  Result.Violations.erase(Result.Violations.begin() + Kept,
                          Result.Violations.end());
}

void Engine::analyse(const Function &F) {
  if (!F.Blocks.empty() && !F.Trusted)
    summarise(F, Context(), /*Report=*/true, CallSite());
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
                                 bool Report, CallSite From) {
  const bool Recursive =
      llvm::any_of(Stack, [&](const Frame &Fr) { return Fr.F == &F; });
  if (Recursive || Stack.size() > Options.MaxCallDepth)
    return nullptr;
  std::string Key = F.Symbol;
  Key += '\0';
  Key += C.key();
  auto &Slot = Memos[Key];
  if (!Slot) {
    if (Memos.size() > Options.MaxContexts && !Stack.empty()) {
      Memos.erase(Key);
      return nullptr;
    }
    Slot = std::make_unique<Memo>();
  }
  Memo &Entry = *Slot;
  if (Entry.Valid && (Entry.Reported || !Report)) {
    NumFound += Report && Entry.Wrong;
    return &Entry.S;
  }
  const unsigned FoundBefore = NumFound;
  Stack.push_back({&F, From});
  FunctionAnalysis Analysis(*this, F, C);
  std::optional<Summary> S = Analysis.run(Report);
  Stack.pop_back();
  if (!S)
    return nullptr;
  Entry.S = std::move(*S);
  Entry.Valid = true;
  Entry.Reported |= Report;
  if (Report) {
    Analysed.insert(F.Symbol);
    Entry.Wrong = NumFound != FoundBefore;
    if (!Entry.Wrong && From.In)
      Right.insert(&F);
  }
  return &Entry.S;
}

void Engine::report(Violation V) {
  std::string Key = V.In->Symbol;
  Key += '\0';
  Key += std::to_string(index(V.At)) + ':' +
         std::to_string(static_cast<int>(V.Kind)) + ':' + V.Axis + ':' + V.Op +
         (V.Possible ? "?" : "");
  ++NumFound;
  Occurrence O;
  for (const Frame &Fr : llvm::reverse(Stack))
    if (Fr.From.In) {
      O.CalledFrom.push_back(Fr.From);
      if (Fr.From.In->IsChoice)
        O.Choices.push_back(Fr.F);
    }
  auto [It, New] = Seen.try_emplace(Key, Occurrences.size());
  if (New) {
    Result.Violations.push_back(std::move(V));
    Occurrences.emplace_back();
  } else if (O.Choices.empty() &&
             Occurrences[It->second].front().Choices.empty()) {
    return;
  }
  Occurrences[It->second].push_back(std::move(O));
}

void Engine::giveUp(const Function &F) {
  if (!llvm::is_contained(Result.NotAnalysed, &F))
    Result.NotAnalysed.push_back(&F);
}

} // namespace inference
} // namespace spmd::rules

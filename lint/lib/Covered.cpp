//===- Covered.cpp - How much of a program is understood ------------------===//
//
// A run without findings says as much as is known of the code: of which tensor
// expressions there is a type, what collectives are given, and what to annotate
// so that the most is known besides.
//
//===----------------------------------------------------------------------===//

#include "Covered.h"
#include "FollowedGradients.h"
#include "NamedAxes.h"
#include "Reached.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace spmd::lint {

using namespace rules;

namespace {

/// The data that nobody described of which \p F computes something.
class Origins {
public:
  Origins(const Function &F, const ProgramText &Text)
      : F(F), Of(F.Slots.size()), IsData(F.Slots.size()) {
    for (const Fact &X : factsOf(F))
      forEachOperand(X, [&](const Operand &O) {
        if (O.Slot != SlotId::None && !IsData[index(O.Slot)])
          IsData[index(O.Slot)] = Text.dataAt(&F, O.At) >= DataKind::Number;
      });
  }

  /// Facts in the order of blocks; what comes round a loop is left out.
  void
  run(llvm::function_ref<void(PlaceId, SlotId, llvm::ArrayRef<SlotId>)> Visit) {
    for (const Fact &X : factsOf(F)) {
      Slots From;
      SlotId To = SlotId::None;
      forEachSlot(X, [&](SlotId S, SlotAccess How) {
        if (How.Defines || How.Writes)
          To = S;
        if (How.Reads || !How.Defines)
          add(From, S);
      });
      if (std::holds_alternative<DefineFact>(X))
        From.clear();
      if (!isUnwritten(X))
        Visit(placeOf(X), To, From.getArrayRef());
      if (To != SlotId::None)
        Of[index(To)] = std::move(From);
    }
  }

private:
  using Slots = llvm::SmallSetVector<SlotId, 4>;
  static constexpr std::size_t Most = 16;

  /// Of memory that nobody has written yet there is nothing to know.
  static bool isUnwritten(const Fact &X) {
    const auto *Of = std::get_if<OpFact>(&X);
    return Of && Of->Rule && Of->Rule->Term.is(SourceKind::Unwritten);
  }

  void add(Slots &Out, SlotId S) const {
    const Slot &Named = F.slot(S);
    const bool IsRoot = Named.Kind == SlotKind::Parameter ||
                        Named.Kind == SlotKind::Field ||
                        Named.Kind == SlotKind::Global;
    if (IsRoot && IsData[index(S)] && !Named.Declared &&
        Named.DeclaredAxes.empty() && !Named.Name.empty())
      Out.insert(S);
    for (SlotId Root : Of[index(S)])
      if (Out.size() < Most)
        Out.insert(Root);
  }

  const Function &F;
  std::vector<Slots> Of;
  std::vector<bool> IsData; ///< sizes need no type
};

std::string describe(const Function &F, const Slot &S) {
  const std::string Name = "'" + S.Name + "'";
  switch (S.Kind) {
  case SlotKind::Parameter:
    return "parameter " + Name + " of '" + F.DisplayName + "'";
  case SlotKind::Field:
    return "member " + Name;
  default:
    return "variable " + Name;
  }
}

/// The functions that the files are about: not what a file that they include
/// has besides, as a reference on one device, that nothing here calls or says
/// anything of.
llvm::DenseSet<const Function *> functionsInUse(const Module &M,
                                                const ProgramText &Text) {
  llvm::StringMap<const Function *> BySymbol;
  llvm::SmallVector<const Function *, 32> ToVisit;
  for (const auto &F : M.Functions) {
    BySymbol.try_emplace(F->Symbol, F.get());
    const bool IsAnnotated =
        F->Result || llvm::any_of(F->Slots, [](const Slot &S) {
          return S.Declared || !S.DeclaredAxes.empty();
        });
    if (IsAnnotated || !Text.isIncluded(F.get()))
      ToVisit.push_back(F.get());
  }
  llvm::DenseSet<const Function *> Out;
  while (!ToVisit.empty()) {
    const Function *F = ToVisit.pop_back_val();
    if (!Out.insert(F).second)
      continue;
    for (const CallFact &Call : factsOf<CallFact>(*F))
      if (const Function *Callee = BySymbol.lookup(Call.Callee))
        ToVisit.push_back(Callee);
  }
  return Out;
}

/// What to annotate, and what hangs on it.
struct Candidate {
  Uncovered Of;
  std::vector<std::pair<Function *, SlotId>> Slots; ///< that it is
};

class Counter {
public:
  Counter(Module &M, const InferenceResult &Found, const ProgramText &Text)
      : M(M), Found(Found), Text(Text), Tensors(M, Text),
        InUse(functionsInUse(M, Text)), Axes(M) {}

  Coverage run() {
    for (const auto &F : M.Functions)
      count(*F);
    return std::move(Out);
  }
  /// Those on which the most seems to hang, first.
  std::vector<Candidate> candidates() {
    std::vector<Candidate> All;
    for (auto &[Key, Of] : Missing)
      All.push_back(std::move(Of));
    llvm::sort(All, [](const Candidate &A, const Candidate &B) {
      return A.Of < B.Of;
    });
    return All;
  }
  std::vector<Uncovered> unnamedRanks() {
    std::vector<Uncovered> All;
    for (auto &[Key, Of] : Unnamed)
      All.push_back(std::move(Of));
    llvm::sort(All);
    return All;
  }
  /// The expressions of which something is known, on some axis.
  unsigned typedIn(const InferenceResult &Result) const {
    return llvm::count_if(Counted, [&](const Expression &X) {
      const KnownTypes *Known = knownAt(Result, X.In, X.At);
      return Known && (Known->Typed & X.On);
    });
  }

private:
  struct Expression {
    const Function *In;
    PlaceId At;
    std::uint32_t On;
  };

  static const KnownTypes *knownAt(const InferenceResult &Result,
                                   const Function *In, PlaceId At) {
    const auto It = Result.Known.find({In, index(At)});
    return It == Result.Known.end() ? nullptr : &It->second;
  }

  void count(Function &F) {
    if (!InUse.contains(&F))
      return;
    FunctionCoverage Here;
    const std::uint32_t On = Axes.of(F, Found.Axes);
    for (const std::string &Axis : Found.Axes)
      Here.Typed.push_back({Axis, 0, 0});
    countCollectives(F, Here);
    const GradientCount Gradients = gradientsIn(F, Found, Text, On);
    Here.Updates = Gradients.Updates;
    Here.Followed = Gradients.Followed;
    Here.GivenUp = llvm::count_if(Found.GivenUp,
                                  [&F](const GiveUp &G) { return G.In == &F; });
    llvm::SmallDenseSet<PlaceId, 16> Seen;
    Origins(F, Text).run(
        [&](PlaceId At, SlotId Made, llvm::ArrayRef<SlotId> From) {
          const KnownTypes *Known = knownAt(Found, &F, At);
          if (!Known || !Seen.insert(At).second)
            return;
          const DataKind Kind = Text.dataAt(&F, At);
          if (Known->IsNumber || Kind < DataKind::Number ||
              (Kind == DataKind::Number && Made != SlotId::None &&
               !Tensors.contains(F, Made)))
            return;
          ++Here.Expressions;
          Counted.push_back({&F, At, On});
          for (std::size_t A = 0; A != Found.Axes.size(); ++A) {
            Here.Typed[A].Of += (On >> A) & 1;
            Here.Typed[A].Typed += (Known->Typed & On) >> A & 1;
          }
          if ((Known->Typed & On) == 0)
            for (SlotId S : From)
              miss(F, S);
        });
    if (!Here.Expressions && !Here.Collectives && !Here.GivenUp)
      return;
    Here.Function = F.DisplayName;
    for (const Fact &X : factsOf(F))
      if (!Here.Where.Line)
        Here.Where = Text.place(&F, placeOf(X));
    Out.Functions.push_back(std::move(Here));
  }

  /// A collective over ranks that nobody names is given what nobody knows.
  void countCollectives(const Function &F, FunctionCoverage &Here) {
    llvm::SmallDenseSet<PlaceId, 16> Seen;
    for (const TransferFact &T : factsOf<TransferFact>(F)) {
      const KnownTypes *Known = knownAt(Found, &F, T.At);
      if (!Known || Text.dataAt(&F, T.Src.At) == DataKind::Opaque)
        continue;
      const bool IsUnnamed = !Known->Over && communicates(T.K) && !T.FromType &&
                             !isOfOneRank(F, T.Axis.Slot);
      if ((!Known->Over && !IsUnnamed) || !Seen.insert(T.At).second)
        continue;
      ++Here.Collectives;
      Here.Given += Known->Over && Known->Over == Known->Given;
      if (const SlotId Ranks = namedRanks(F, T.Axis.Slot);
          IsUnnamed && Ranks != SlotId::None)
        unnamed(F, Ranks);
    }
  }

  void unnamed(const Function &F, SlotId S) {
    const Slot &Named = F.slot(S);
    const bool IsOwn =
        Named.Kind != SlotKind::Field && Named.Kind != SlotKind::Global;
    Uncovered &Of =
        Unnamed[{IsOwn ? &F : nullptr, IsOwn ? Named.Name : Named.Member}];
    if (!Of.Collectives++) {
      Of.What = describe(F, Named);
      Of.Where = Text.place(&F, Named.DeclaredAt);
    }
  }

  /// A parameter is its function's, other names are everyone's.
  void miss(Function &F, SlotId S) {
    const Slot &Named = F.slot(S);
    const bool IsOwn = Named.Kind == SlotKind::Parameter;
    Candidate &Of =
        Missing[{IsOwn ? &F : nullptr, IsOwn ? Named.Name : Named.Member}];
    if (Of.Of.Expressions++)
      return;
    Of.Of.What = describe(F, Named);
    Of.Of.Where = Text.place(&F, Named.DeclaredAt);
    if (IsOwn)
      Of.Slots.emplace_back(&F, S);
    for (const auto &G : M.Functions)
      for (std::uint32_t I = 0; !IsOwn && I != G->Slots.size(); ++I)
        if (const Slot &Same = G->Slots[I]; Same.Kind == Named.Kind &&
                                            Same.Member == Named.Member &&
                                            !Same.Declared)
          Of.Slots.emplace_back(G.get(), SlotId(I));
  }

  Module &M;
  const InferenceResult &Found;
  const ProgramText &Text;
  const Reached Tensors;
  const llvm::DenseSet<const Function *> InUse;
  const NamedAxes Axes;
  std::vector<Expression> Counted;
  std::map<std::pair<const Function *, std::string>, Candidate> Missing;
  /// The communicators of which no axis is known.
  std::map<std::pair<const Function *, std::string>, Uncovered> Unnamed;
  Coverage Out;
};

/// Slots of \p Of that are \p As on all axes while it lives.
class TrialAnnotation {
public:
  TrialAnnotation(const Candidate &Of, llvm::ArrayRef<std::string> Axes,
                  LocalType As)
      : Of(Of) {
    TypeAnnotation Trial;
    for (const std::string &Axis : Axes)
      Trial.Entry.Axes.push_back({Axis, Atom{As, std::nullopt}});
    const auto Shared = std::make_shared<const TypeAnnotation>(Trial);
    for (const auto &[F, S] : Of.Slots)
      F->Slots[index(S)].Declared = Shared;
  }
  TrialAnnotation(const TrialAnnotation &) = delete;
  ~TrialAnnotation() {
    for (const auto &[F, S] : Of.Slots)
      F->Slots[index(S)].Declared = nullptr;
  }

private:
  const Candidate &Of;
};

/// Annotates one after the other, and keeps those that help most.
std::vector<Uncovered> adviceOf(const Module &M, Counter &Of,
                                const InferenceResult &Found,
                                InferenceOptions Options) {
  constexpr std::size_t Tried = 8, Most = 3;
  Options.Strict = Options.FindRedundant = false;
  const unsigned Before = Of.typedIn(Found);
  const auto Gain = [&](const Candidate &C, LocalType As) {
    const TrialAnnotation Annotated(C, Found.Axes, As);
    return std::max(Of.typedIn(inferModule(M, Options)), Before) - Before;
  };
  std::vector<Candidate> Candidates = Of.candidates();
  std::vector<Uncovered> Unnamed = Of.unnamedRanks();
  std::vector<Uncovered> Out;
  for (Candidate &C : llvm::MutableArrayRef(Candidates)
                          .take_front(std::min(Tried, Candidates.size()))) {
    // What meets another unknown value says nothing, unless each rank has its
    // own: then so has it what is made of both.
    C.Of.Expressions = Gain(C, LocalType::R);
    if (!C.Of.Expressions)
      C.Of.Expressions = Gain(C, LocalType::V);
    if (C.Of.Expressions)
      Out.push_back(std::move(C.Of));
  }
  llvm::sort(Out);
  Out.resize(std::min(Most, Out.size()));
  for (Uncovered &U : llvm::MutableArrayRef(Unnamed).take_front(
           std::min(Most, Unnamed.size())))
    Out.push_back(std::move(U));
  return Out;
}

} // namespace

Coverage coverageOf(Module &M, const InferenceResult &Found,
                    const ProgramText &Text, const InferenceOptions *Advise) {
  if (Found.Axes.empty())
    return {};
  Counter Of(M, Found, Text);
  Coverage Out = Of.run();
  if (Advise)
    Out.Missing = adviceOf(M, Of, Found, *Advise);
  return Out;
}

} // namespace spmd::lint

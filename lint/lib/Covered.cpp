//===- Covered.cpp - How much of a program is understood ------------------===//
//
// A run without findings says as much as is known of the code: of which tensor
// expressions there is a type, what collectives are given, and what to annotate
// so that the most is known besides.
//
//===----------------------------------------------------------------------===//

#include "Covered.h"
#include "Reached.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

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

/// A bit per axis that there is in \p F: what is named like some parameter is
/// that parameter's axis, in its own function alone, which is on no others.
std::uint32_t axesOf(const Function &F, const InferenceResult &Found,
                     const llvm::StringSet<> &Formal) {
  std::uint32_t Own = 0, Others = 0;
  const auto Parameters = llvm::ArrayRef(F.Slots).take_front(F.NumParameters);
  for (std::size_t A = 0; A != Found.Axes.size(); ++A) {
    const llvm::StringRef Axis = Found.Axes[A];
    // Code on one mesh says nothing of the axes of another.
    const MeshAxis *OfMesh = F.Mesh ? F.Mesh->find(Axis) : nullptr;
    if (F.Mesh && !Formal.contains(Axis) && (!OfMesh || OfMesh->Size == 1))
      continue;
    if (!Formal.contains(Axis) || OfMesh)
      Others |= 1u << A;
    else if (llvm::any_of(Parameters,
                          [&](const Slot &S) { return S.Name == Axis; }))
      Own |= 1u << A;
  }
  return Own ? Own : Others;
}

bool isInHeader(const Function &F, const ProgramText &Text) {
  for (const Fact &X : factsOf(F))
    if (const Place At = Text.place(&F, placeOf(X)); At.Line) {
      const llvm::StringRef Ends = llvm::sys::path::extension(At.File);
      return Ends.starts_with_insensitive(".h") || Ends == ".cuh";
    }
  return false;
}

/// The functions that the files are about: not what a header has besides, as a
/// reference on one device, that nothing here calls or says anything of.
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
    if (IsAnnotated || !isInHeader(*F, Text))
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
        InUse(functionsInUse(M, Text)) {
    for (const auto &F : M.Functions)
      for (unsigned I = 0; I != F->NumParameters; ++I)
        if (!isStruct(*F, SlotId(I)))
          Formal.insert(F->Slots[I].Name);
  }

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

  /// A struct that has a communicator's name is none.
  static bool isStruct(const Function &F, SlotId S) {
    return llvm::any_of(F.Slots,
                        [S](const Slot &Field) { return Field.Base == S; });
  }

  static const KnownTypes *knownAt(const InferenceResult &Result,
                                   const Function *In, PlaceId At) {
    const auto It = Result.Known.find({In, index(At)});
    return It == Result.Known.end() ? nullptr : &It->second;
  }

  void count(Function &F) {
    if (!InUse.contains(&F))
      return;
    FunctionCoverage Here;
    const std::uint32_t On = axesOf(F, Found, Formal);
    for (const std::string &Axis : Found.Axes)
      Here.Typed.push_back({Axis, 0, 0});
    llvm::SmallDenseSet<PlaceId, 16> Seen, Identifiers;
    for (const TransferFact &T : factsOf<TransferFact>(F))
      if (Text.dataAt(&F, T.Src.At) == DataKind::Opaque)
        Identifiers.insert(T.At);
    Origins(F, Text).run(
        [&](PlaceId At, SlotId Made, llvm::ArrayRef<SlotId> From) {
          const KnownTypes *Known = knownAt(Found, &F, At);
          if (!Known || !Seen.insert(At).second)
            return;
          if (Known->Over && !Identifiers.contains(At)) {
            ++Here.Collectives;
            Here.Given += Known->Over == Known->Given;
          }
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
    if (!Here.Expressions && !Here.Collectives)
      return;
    Here.Function = F.DisplayName;
    for (const Fact &X : factsOf(F))
      if (!Here.Where.Line)
        Here.Where = Text.place(&F, placeOf(X));
    Out.Functions.push_back(std::move(Here));
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
  llvm::StringSet<> Formal;
  std::vector<Expression> Counted;
  std::map<std::pair<const Function *, std::string>, Candidate> Missing;
  Coverage Out;
};

/// Slots of \p Of that are the same on all ranks while it lives.
class TrialAnnotation {
public:
  TrialAnnotation(const Candidate &Of, llvm::ArrayRef<std::string> Axes)
      : Of(Of) {
    TypeAnnotation Same;
    for (const std::string &Axis : Axes)
      Same.Entry.Axes.push_back({Axis, Atom{LocalType::R, std::nullopt}});
    const auto Shared = std::make_shared<const TypeAnnotation>(Same);
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
  std::vector<Candidate> Candidates = Of.candidates();
  std::vector<Uncovered> Out;
  for (Candidate &C : llvm::MutableArrayRef(Candidates)
                          .take_front(std::min(Tried, Candidates.size()))) {
    const TrialAnnotation Annotated(C, Found.Axes);
    const unsigned After = Of.typedIn(inferModule(M, Options));
    C.Of.Expressions = std::max(After, Before) - Before;
    if (C.Of.Expressions)
      Out.push_back(std::move(C.Of));
  }
  llvm::sort(Out);
  Out.resize(std::min(Most, Out.size()));
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

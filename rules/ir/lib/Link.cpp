//===- Link.cpp - Several modules as one program --------------------------===//

#include "spmd/ir/Link.h"

#include "spmd/ir/CallerSlot.h"
#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace spmd::rules {

namespace {

const Linkage External;

/// A function of a unit, and the symbol that it has in the program.
struct Candidate {
  const Function *F = nullptr;
  const Linkage *How = &External;
  unsigned Unit = 0;
  std::string Symbol;

  bool isDefinition() const { return !How->Assumed && !F->Blocks.empty(); }
  /// Better than assuming anything.
  bool isKnown() const { return isDefinition() || F->hasContract(); }
};

std::string localName(llvm::StringRef Symbol, unsigned Unit) {
  return (Symbol + "@" + llvm::Twine(Unit)).str();
}

class Linker {
public:
  explicit Linker(llvm::ArrayRef<LinkUnit> Units)
      : Units(Units), NameOf(Units.size()) {}
  Program link();

private:
  void collect();
  void choose();
  void copyChosen();
  void resolveCalls(Function &F, unsigned Unit);
  void resolve(CallFact Call, unsigned Unit, std::vector<Fact> &Into);
  bool makeDispatch(const Candidate &Of);
  ClassFamilies classes() const;

  llvm::ArrayRef<LinkUnit> Units;
  std::vector<Candidate> Candidates; ///< in the order of the units
  /// By unit, then by the symbol there: the symbol in the program.
  std::vector<llvm::StringMap<std::string>> NameOf;
  llvm::StringMap<const Candidate *> Chosen; ///< by symbol in the program
  llvm::StringMap<llvm::SmallVector<const Candidate *, 2>> Implementations;
  llvm::StringMap<bool> Dispatches; ///< those tried, and whether there are any
  Program Out;
};

} // namespace

/// Names every function; those with several definitions are local to each.
void Linker::collect() {
  llvm::StringMap<unsigned> Definitions;
  for (unsigned U = 0; U != Units.size(); ++U)
    for (const auto &F : Units[U].M->Functions) {
      Candidate C{F.get(), &External, U, F->Symbol};
      if (Units[U].Symbols)
        if (auto It = Units[U].Symbols->find(F->Symbol);
            It != Units[U].Symbols->end())
          C.How = &It->second;
      if (C.isDefinition() && C.How->K == Linkage::Kind::External)
        ++Definitions[F->Symbol];
      Candidates.push_back(std::move(C));
    }
  for (Candidate &C : Candidates) {
    if (C.How->K == Linkage::Kind::Local ||
        (C.isDefinition() && Definitions.lookup(C.F->Symbol) > 1))
      C.Symbol = localName(C.F->Symbol, C.Unit);
    NameOf[C.Unit][C.F->Symbol] = C.Symbol;
  }
}

/// A definition before a contract before what has to be assumed.
void Linker::choose() {
  const auto Worth = [](const Candidate &C) {
    return C.isDefinition() ? 2 : C.isKnown() ? 1 : 0;
  };
  for (const Candidate &C : Candidates) {
    const Candidate *&Best = Chosen[C.Symbol];
    if (!Best || Worth(C) > Worth(*Best))
      Best = &C;
  }
  for (const Candidate &C : Candidates) {
    if (Chosen.lookup(C.Symbol) != &C || !C.How->DispatchOf.empty())
      continue;
    if (C.isKnown())
      Implementations[C.Symbol].push_back(&C);
    for (const std::string &Base : C.How->Overrides) {
      Implementations[Base].push_back(&C);
      Implementations[localName(Base, C.Unit)].push_back(&C);
    }
  }
}

void Linker::copyChosen() {
  for (const Candidate &C : Candidates) {
    if (Chosen.lookup(C.Symbol) != &C || !C.isKnown())
      continue;
    auto Copy = std::make_unique<Function>(*C.F);
    Copy->Symbol = C.Symbol;
    auto &Places = Out.Places[Copy.get()];
    for (std::uint32_t I = 0; I != C.F->Places.size(); ++I)
      Places.push_back({C.F, PlaceId(I)});
    Out.M.Functions.push_back(std::move(Copy));
  }
}

void Linker::resolveCalls(Function &F, unsigned Unit) {
  for (Block &B : F.Blocks) {
    std::vector<Fact> Facts;
    Facts.reserve(B.Facts.size());
    for (Fact &X : B.Facts)
      if (auto *Call = std::get_if<CallFact>(&X))
        resolve(std::move(*Call), Unit, Facts);
      else
        Facts.push_back(std::move(X));
    B.Facts = std::move(Facts);
  }
}

/// The call of what the program knows, or what unknown code may do instead.
void Linker::resolve(CallFact Call, unsigned Unit, std::vector<Fact> &Into) {
  const auto Name = NameOf[Unit].find(Call.Callee);
  if (Name != NameOf[Unit].end())
    Call.Callee = Name->second;
  const Candidate *C = Chosen.lookup(Call.Callee);
  if (!C || C->isKnown() || makeDispatch(*C)) {
    Into.push_back(std::move(Call));
    return;
  }
  for (const HavocFact &H : factsOf<HavocFact>(*C->F)) {
    const SlotId Mine = callerSlot(
        Call, *C->F, H.Slot, [](SlotId, const Slot &) { return SlotId::None; },
        [](const Slot &) { return SlotId::None; });
    if (Mine != SlotId::None)
      Into.push_back(HavocFact{Mine, H.Rebinds, Call.At, H.Gradients});
  }
  if (Call.Dst != SlotId::None) {
    DefineFact D;
    D.Dst = Call.Dst;
    D.At = Call.At;
    Into.push_back(std::move(D));
  }
}

/// A body that calls one of the methods that a virtual call may reach. False
/// when the program has none.
bool Linker::makeDispatch(const Candidate &Of) {
  if (Of.How->DispatchOf.empty())
    return false;
  auto [Tried, New] = Dispatches.try_emplace(Of.Symbol, false);
  if (!New)
    return Tried->second;
  const bool Local = Of.How->K == Linkage::Kind::Local;
  const auto Found = Implementations.find(
      Local ? localName(Of.How->DispatchOf, Of.Unit) : Of.How->DispatchOf);
  // One that nobody has seen may do anything.
  if (Found == Implementations.end() ||
      !llvm::all_of(Found->second,
                    [](const Candidate *C) { return C->isKnown(); }))
    return false;

  auto F = std::make_unique<Function>(*Of.F);
  F->Symbol = Of.Symbol;
  std::vector<std::string> Methods;
  for (const Candidate *C : Found->second)
    Methods.push_back(C->Symbol);
  callOneOf(*F, Methods);
  Out.Places[F.get()].resize(F->Places.size());
  Out.M.Functions.push_back(std::move(F));
  return Tried->second = true;
}

ClassFamilies Linker::classes() const {
  ClassFamilies All;
  for (const LinkUnit &U : Units)
    if (U.Classes)
      for (const auto &Entry : U.Classes->Bases)
        All.Bases.try_emplace(Entry.getKey(), Entry.second);
  for (const Candidate &C : Candidates)
    if (const ClassFamilies *Of = Units[C.Unit].Classes)
      if (const auto It = Of->ByMethod.find(C.F->Symbol);
          It != Of->ByMethod.end())
        All.ByMethod.try_emplace(C.Symbol, It->second);
  return All;
}

Program Linker::link() {
  collect();
  choose();
  copyChosen();
  const std::size_t Copied = Out.M.Functions.size();
  for (std::size_t I = 0; I != Copied; ++I) {
    Function &F = *Out.M.Functions[I];
    resolveCalls(F, Chosen.lookup(F.Symbol)->Unit);
  }
  addCalleeFields(
      Out.M, [this](Function &Caller, const Function &Callee, PlaceId Old) {
        Out.Places[&Caller].push_back(Out.original(&Callee, Old));
      });
  keepClassesApart(Out.M, classes());
  return std::move(Out);
}

OriginalPlace Program::original(const Function *F, PlaceId At) const {
  const auto It = Places.find(F);
  return It == Places.end() || index(At) >= It->second.size()
             ? OriginalPlace()
             : It->second[index(At)];
}

Program linkModules(std::vector<LinkUnit> Units) {
  std::multimap<std::string, LinkUnit> ByFile;
  for (LinkUnit &U : Units)
    ByFile.emplace(U.File, U);
  Units.clear();
  for (const auto &[File, U] : ByFile)
    Units.push_back(U);
  return Linker(Units).link();
}

} // namespace spmd::rules

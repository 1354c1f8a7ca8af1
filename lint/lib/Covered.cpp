//===- Covered.cpp - How much of a program is understood ------------------===//
//
// A run without findings says as much as is known of the code: of which tensor
// expressions there is a type, what collectives are given, and what to annotate
// so that the most is known besides.
//
//===----------------------------------------------------------------------===//

#include "Covered.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

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
          IsData[index(O.Slot)] = Text.isData(&F, O.At);
      });
  }

  /// Facts in the order of blocks; what comes round a loop is left out.
  void run(llvm::function_ref<void(PlaceId, llvm::ArrayRef<SlotId>)> Visit) {
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
      Visit(placeOf(X), From.getArrayRef());
      if (To != SlotId::None)
        Of[index(To)] = std::move(From);
    }
  }

private:
  using Slots = llvm::SmallSetVector<SlotId, 4>;
  static constexpr std::size_t Most = 16;

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
    if (!Formal.contains(Axis) || (F.Mesh && F.Mesh->find(Axis)))
      Others |= 1u << A;
    else if (llvm::any_of(Parameters,
                          [&](const Slot &S) { return S.Name == Axis; }))
      Own |= 1u << A;
  }
  return Own ? Own : Others;
}

} // namespace

Coverage coverageOf(const Module &M, const InferenceResult &Found,
                    const ProgramText &Text) {
  Coverage Out;
  if (Found.Axes.empty())
    return Out;
  llvm::StringSet<> Formal;
  for (const auto &F : M.Functions)
    for (const Slot &S : llvm::ArrayRef(F->Slots).take_front(F->NumParameters))
      Formal.insert(S.Name);
  std::map<std::pair<std::size_t, std::string>, Uncovered> Missing;
  for (const auto &[I, F] : llvm::enumerate(M.Functions)) {
    FunctionCoverage Here;
    const std::uint32_t On = axesOf(*F, Found, Formal);
    for (const std::string &Axis : Found.Axes)
      Here.Typed.push_back({Axis, 0, 0});
    const auto KnownAt = [&](PlaceId At) {
      const auto It = Found.Known.find({F.get(), index(At)});
      return It == Found.Known.end() ? nullptr : &It->second;
    };
    llvm::SmallDenseSet<PlaceId, 16> Seen;
    Origins(*F, Text).run([&](PlaceId At, llvm::ArrayRef<SlotId> From) {
      const KnownTypes *Known = KnownAt(At);
      if (!Known || !Seen.insert(At).second)
        return;
      if (Known->Over) {
        ++Here.Collectives;
        Here.Given += Known->Over == Known->Given;
      }
      if (Known->IsNumber || !Text.isData(F.get(), At))
        return;
      ++Here.Expressions;
      for (std::size_t A = 0; A != Found.Axes.size(); ++A) {
        Here.Typed[A].Of += (On >> A) & 1;
        Here.Typed[A].Typed += (Known->Typed & On) >> A & 1;
      }
      if ((Known->Typed & On) == 0)
        for (SlotId S : From) {
          // A parameter is its function's, other names are everyone's.
          const Slot &Named = F->slot(S);
          const std::size_t Whose =
              Named.Kind == SlotKind::Parameter ? I + 1 : 0;
          Uncovered &Of = Missing[{Whose, describe(*F, Named)}];
          if (!Of.Expressions++)
            Of.Where = Text.place(F.get(), Named.DeclaredAt);
        }
    });
    if (!Here.Expressions && !Here.Collectives)
      continue;
    Here.Function = F->DisplayName;
    for (const Fact &X : factsOf(*F))
      if (!Here.Where.Line)
        Here.Where = Text.place(F.get(), placeOf(X));
    Out.Functions.push_back(std::move(Here));
  }
  for (auto &[Of, Here] : Missing) {
    Here.What = Of.second;
    Out.Missing.push_back(std::move(Here));
  }
  llvm::sort(Out.Missing);
  constexpr std::size_t Most = 3;
  if (Out.Missing.size() > Most)
    Out.Missing.resize(Most);
  return Out;
}

} // namespace spmd::lint

//===- FollowedGradients.cpp - Gradients that updates read ----------------===//

#include "FollowedGradients.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace spmd::lint {

using namespace rules;

namespace {

class Updates {
public:
  Updates(const Function &F, const InferenceResult &Found,
          const ProgramText &Text, std::uint32_t On)
      : F(F), Found(Found), Text(Text), On(On), MadeAt(F.Slots.size()),
        From(F.Slots.size(), SlotId::None) {
    for (const Fact &X : factsOf(F)) {
      if (const auto *O = std::get_if<OpFact>(&X);
          O && O->Dst != SlotId::None) {
        MadeAt[index(O->Dst)] = O->At;
        if (O->Rule->is(OpRole::Copies) && O->Operands.size() == 1)
          From[index(O->Dst)] = O->Operands[0].Slot;
      } else if (const auto *V = std::get_if<ViewFact>(&X)) {
        From[index(V->Dst)] = V->Src.Slot;
      }
    }
    for (const TransferFact &T : factsOf<TransferFact>(F))
      Collectives.insert(T.At);
  }

  GradientCount count() {
    GradientCount Out;
    llvm::DenseSet<PlaceId> Seen;
    for (const OpFact &O : factsOf<OpFact>(F)) {
      const std::optional<std::uint32_t> Known = gradientOf(O);
      if (!Known || !Seen.insert(O.At).second)
        continue;
      ++Out.Updates;
      Out.Followed += On && (*Known & On) == On;
    }
    // One that nobody sees is not followed.
    Out.Updates += !Out.Updates && isHandedOn();
    return Out;
  }

private:
  /// Whether behind a backward pass code is called that nobody sees and that
  /// has tensors: an optimizer of an unknown class, say.
  bool isHandedOn() const {
    bool HasGradients = false;
    for (const Fact &X : factsOf(F)) {
      HasGradients |= std::holds_alternative<BackwardFact>(X);
      const auto *Unseen = std::get_if<HavocFact>(&X);
      if (HasGradients && Unseen &&
          llvm::any_of(F.Slots, [&](const Slot &Field) {
            return Field.IsTensor && Field.Base == Unseen->Slot &&
                   Field.Base != SlotId::None;
          }))
        return true;
    }
    return false;
  }

  const KnownTypes *knownAt(PlaceId At) const {
    const auto It = Found.Known.find({&F, index(At)});
    return It == Found.Known.end() ? nullptr : &It->second;
  }

  /// The axes on which the gradient that \p O updates something by is known;
  /// none if it is no update.
  std::optional<std::uint32_t> gradientOf(const OpFact &O) const {
    // Inference has seen it come from a backward pass.
    if (const KnownTypes *Known = knownAt(O.At);
        Known && Known->Over && !Collectives.contains(O.At))
      return Known->Given;
    if (!O.Rule->is(OpRole::Subtracts) || O.Operands.size() != 2 ||
        O.Dst == SlotId::None || O.Operands[0].Slot == SlotId::None ||
        O.Operands[1].Slot == SlotId::None || !isUpdated(O))
      return std::nullopt;
    const PlaceId At = MadeAt[index(O.Operands[1].Slot)];
    const KnownTypes *Known = knownAt(At);
    return Known && Text.dataAt(&F, At) >= DataKind::Number
               ? std::optional(Known->Typed)
               : std::nullopt;
  }

  SlotId storageOf(SlotId S) const {
    // A pointer that moves on is a part of itself.
    for (std::size_t I = 0; I != F.Slots.size(); ++I)
      if (From[index(S)] != SlotId::None)
        S = From[index(S)];
    return S;
  }

  /// Whether \p O subtracts from an element of a replica, and that is where the
  /// difference is stored.
  bool isUpdated(const OpFact &O) const {
    const SlotId Read = O.Operands[0].Slot, Of = storageOf(Read);
    const KnownTypes *Known = knownAt(MadeAt[index(Read)]);
    if (Of == Read || !Known || !(Known->Typed & ~Known->Differs & On))
      return false;
    return llvm::any_of(factsOf<OpFact>(F), [&](const OpFact &X) {
      return X.WritesTo != SlotId::None && X.WritesTo != Of &&
             X.Operands.size() == 1 && X.Operands[0].Slot == O.Dst &&
             X.Rule->is(OpRole::Copies) && storageOf(X.WritesTo) == Of;
    });
  }

  const Function &F;
  const InferenceResult &Found;
  const ProgramText &Text;
  const std::uint32_t On;
  std::vector<PlaceId> MadeAt; ///< by slot: of the op that makes it
  std::vector<SlotId> From;    ///< by slot: what it is a copy or element of
  llvm::DenseSet<PlaceId> Collectives;
};

} // namespace

GradientCount gradientsIn(const Function &F, const InferenceResult &Found,
                          const ProgramText &Text, std::uint32_t On) {
  return Updates(F, Found, Text, On).count();
}

} // namespace spmd::lint

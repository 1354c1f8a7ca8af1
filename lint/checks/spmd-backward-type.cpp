//===- spmd-backward-type.cpp - See spmd-backward-type.md -----------------===//

#include "spmd/lint/Render.h"

using namespace spmd::rules;

namespace spmd::lint {

static const CheckRegistration
    Register({"spmd-backward-type", Severity::Error,
              "a backward pass that leaves another gradient than its input's"});

static std::string consequence(TypeSet Input, TypeSet Left) {
  constexpr TypeSet Alike = LocalType::R | LocalType::I;
  if (Input == TypeSet(LocalType::R))
    return "every rank leaves the whole gradient, which is that of an I; as "
           "one "
           "of R it counts once per rank";
  if (Left == TypeSet(LocalType::P))
    return "nothing has added up the ranks' parts of it";
  if (Input.subsetOf(Alike))
    return "each rank leaves a gradient of its own for what is the same on all";
  return "each rank leaves a gradient of its own for what is summed over them";
}

static std::string message(const Violation &V,
                           const fixits::SourceEnvironment &Source) {
  const auto &Given = *V.as<GivenGradient>();
  const ViolationOperand &O = V.Operands.front();
  const std::string Input =
      Given.Input.empty() ? "its input" : "'" + Given.Input + "'";
  return "'" + V.Op + "' leaves " + fixits::nameOf(O, V.In, Source) +
         ", which is " + fixits::inWords(O.Type) + " on '" + V.Axis +
         "', as the gradient of " + Input + ", which is " +
         fixits::inWords(Given.InputType) + ": " +
         consequence(Given.InputType.Set, O.Type.Set);
}

static const ViolationTextRegistration Text({ViolationKind::GivenGradient,
                                             "spmd-backward-type", message});

static std::string messageOfLost(const Violation &V,
                                 const fixits::SourceEnvironment &Source) {
  const std::string Updated = fixits::nameOf(V.Operands[0], V.In, Source);
  if (V.Operands[1].At == PlaceId::None) // of an optimizer
    return "this '" + V.Op + "' updates " + Updated +
           " by gradients that are nothing but zeros, on every rank: they were "
           "cleared behind the backward pass";
  const std::string Updates =
      fixits::nameOf(V.Operands[1], V.In, Source) + " updates " + Updated;
  if (V.as<LostGradient>()->IsForShard)
    return Updates + ", of which each rank on '" + V.Axis +
           "' has a shard, and is what each of them alone has computed: nobody "
           "adds what the other ranks have for that shard, as a "
           "reduce_scatter does";
  if (!V.as<LostGradient>()->IsZero)
    return Updates + " and is each rank's part, by its place on '" + V.Axis +
           "', of what it alone has computed: nobody adds what the other ranks "
           "have for that part, as a reduce_scatter does";
  return Updates +
         " and holds nothing but zeros here, or nothing at all, on every rank: "
         "the gradient was never put there, or was cleared before its use";
}

static const ViolationTextRegistration
    OfLost({ViolationKind::LostGradient, "spmd-backward-type", messageOfLost});

} // namespace spmd::lint

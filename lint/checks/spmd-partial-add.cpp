//===- spmd-partial-add.cpp - See spmd-partial-add.md ---------------------===//

#include "spmd/lint/Render.h"

using namespace spmd::rules;

namespace spmd::lint {

static const CheckRegistration
    Register({"spmd-partial-add", Severity::Error,
              "a pending sum is added to something that is none"});

/// \p Added, which the next sum counts once more for each rank.
static std::string sumOfSum(const Violation &V, const ViolationOperand &Added,
                            const fixits::SourceEnvironment &Source) {
  const auto Term = llvm::find_if(V.Operands, [&](const auto &O) {
    return &O != &Added && !(O.Written && O.At == V.At);
  });
  return fixits::nameOf(Added, V.In, Source) + ", which a sum over '" + V.Axis +
         "' has left, is added to " +
         (Term == V.Operands.end() ? "terms"
                                   : fixits::nameOf(*Term, V.In, Source)) +
         " in '" + V.Op +
         "', and the next sum counts it once per rank: reduce once, when all "
         "terms are added, or average each time";
}

/// "'b' is R and is added to ": what it is was decided elsewhere, or is a
/// number of the program's.
static std::string added(const ViolationOperand &O, const Violation &V,
                         const fixits::SourceEnvironment &Source) {
  if (O.Type.Set.isSingle())
    return nameAndType(O, V, Source) + " and is added to ";
  return (O.From.K == Origin::Kind::Constant ? "the constant " : "") +
         fixits::nameOf(O, V.In, Source) + " is added to ";
}

static std::string message(const Violation &V,
                           const fixits::SourceEnvironment &Source) {
  if (V.as<PartialAdd>()->OfSum && !V.Operands.empty())
    return sumOfSum(V, V.Operands.front(), Source);
  const ViolationOperand *P = operandOfType(V, LocalType::P);
  const ViolationOperand *Other = operandBeside(V, P);
  if (!P && !V.Operands.empty()) {
    const ViolationOperand *Term = operandOfType(V, LocalType::V);
    const ViolationOperand &Added = V.Operands.front();
    if (Term && Term != &Added)
      return added(Added, V, Source) + fixits::nameOf(*Term, V.In, Source) +
             ", which is each rank's term of a sum over '" + V.Axis +
             "', in '" + V.Op + "': the sum would count it once per rank";
  }
  if (!P || !Other)
    return "a pending sum on '" + V.Axis +
           "' is added to something that is none";
  const std::string Pending = fixits::nameOf(*P, V.In, Source) +
                              ", which is P on '" + V.Axis + "', in '" + V.Op +
                              "'";
  if (Other->Type.Set == TypeSet(LocalType::V))
    return nameAndType(*Other, V, Source) + " and is added to " + Pending +
           ": it would silently join the pending sum over the ranks";
  return added(*Other, V, Source) + Pending +
         ": the pending sum would count it once per rank";
}

static const ViolationTextRegistration Text({ViolationKind::PartialAdd,
                                             "spmd-partial-add", message});

} // namespace spmd::lint

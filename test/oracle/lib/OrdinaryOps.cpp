//===- OrdinaryOps.cpp - Ops that random programs are made of -------------===//

#include "OrdinaryOps.h"

#include "spmd/ops/DimsOnly.h"
#include "spmd/ops/OpCatalogue.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::oracle {

/// Whether a stand-in says all that the rule does: not for random numbers, nor
/// for what depends on shapes or on how a sum is divided into parts.
static bool isFunction(const RuleTerm &T) {
  if (T.isUnknown())
    return false;
  if (T.K == RuleTerm::Kind::Apply &&
      (T.Class == OpClass::Random || T.Class == OpClass::ShapeOnly ||
       T.Class == OpClass::OwnPart))
    return false;
  return llvm::all_of(T.Children, isFunction);
}

bool isPlain(const RuleTerm &T) {
  const bool Opaque =
      T.K == RuleTerm::Kind::Source ||
      (T.K == RuleTerm::Kind::Apply &&
       (T.Class == OpClass::Selector || T.Class == OpClass::StopGradient));
  return !Opaque && llvm::all_of(T.Children, isPlain);
}

const std::vector<const OpRule *> &ordinaryOps() {
  static const std::vector<const OpRule *> Ops = [] {
    std::vector<const OpRule *> Out;
    for (const OpRule &R : OpCatalogue::builtin().rules())
      if (!R.Formals.empty() && R.Formals.size() <= 4 && isFunction(R.Term) &&
          readsValue(R.Term, 0))
        Out.push_back(&R);
    return Out;
  }();
  return Ops;
}

} // namespace spmd::oracle

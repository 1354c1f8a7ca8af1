//===- Checks.cpp - All checks of one function ----------------------------===//

#include "Checks.h"

namespace spmd::rules::inference {

Checks::Checks(Body &In) : In(In) { In.Listening = this; }

Checks::~Checks() { In.Listening = nullptr; }

template <typename Check, typename Seen>
static void runIfItHears(Check &C, const Seen &X) {
  if constexpr (requires { C.run(X); })
    C.run(X);
}

void Checks::hear(const Observation &What) {
  std::visit(
      [this](const auto &X) {
        const auto Each = [&](auto &...C) { (runIfItHears(C, X), ...); };
        Each(Ops, Sums, Shards, OfLosses, OfBackwards, Lost, Types, Chains,
             OfContracts, Unfit);
      },
      What);
}

void Checks::finish() {
  if (In.E.options().FindRedundant)
    Chains.finish();
}

} // namespace spmd::rules::inference

//===- CheckPropagation.cpp - How Reduced could spread through ops --------===//

#include "spmd/oracle/CheckPropagation.h"

#include "spmd/ir/IRText.h"
#include "spmd/oracle/CheckOpClasses.h"
#include "spmd/oracle/Execute.h"
#include "spmd/types/Traffic.h"

using namespace spmd::rules;

namespace spmd::oracle {

LocalType PropagationCase::result() const {
  const bool Any = A == LocalType::R || B == LocalType::R;
  const bool All = A == LocalType::R && B == LocalType::R;
  return (Rule == PropagationRule::AnyInput ? Any : All) ? LocalType::R
                                                         : LocalType::I;
}

std::string PropagationCase::counterexample() const {
  return findCounterexample(ClassCell{Class, {A, B}, result(), false});
}

std::vector<PropagationCase> propagationCases() {
  std::vector<PropagationCase> Out;
  for (const auto Rule :
       {PropagationRule::AnyInput, PropagationRule::AllInputs})
    for (const OpClass Class : {OpClass::Linear, OpClass::Multilinear,
                                OpClass::Quotient, OpClass::Nonlinear})
      for (const LocalType A : {LocalType::R, LocalType::I})
        for (const LocalType B : {LocalType::R, LocalType::I})
          Out.push_back({Rule, Class, A, B});
  return Out;
}

namespace {

/// A gathered weight meets what varies, as in fully sharded data parallelism.
constexpr const char *ToReduced = R"ir(
func @f(%w: "dp: S(0)", %x: "dp: V", %dp axis "dp") -> "dp: V" {
b0:
  %3 = all_gather %w on %dp from S(0) to R
  %4 = op mul(self=%3, other=%x)
  return %4
  ->
})ir";
constexpr const char *ToReplicate = R"ir(
func @f(%w: "dp: S(0)", %x: "dp: V", %dp axis "dp") -> "dp: V" {
b0:
  %3 = all_gather %w on %dp from S(0) to I
  %4 = reinterpret %3 on %dp from I to R
  %5 = op mul(self=%4, other=%x)
  return %5
  ->
})ir";

Module program(const char *Text) {
  return llvm::cantFail(parseModule(Text, OpCatalogue::builtin()));
}

Outcome run(const char *Text, int N, unsigned Seed) {
  const Module M = program(Text);
  const Mesh On{{{"dp", N}}};
  return runOnRanks(traceFunction(M, *M.Functions[0], On, 0), On, Seed);
}

double sentBackward(const char *Text, int Elements, int N) {
  double Out = 0;
  const Module M = program(Text);
  for (const Fact &F : M.Functions[0]->Blocks[0].Facts)
    if (const auto *T = std::get_if<TransferFact>(&F))
      Out +=
          elementsSent(roundTripOf(*findTransition(*operatorOf(T->K),
                                                   T->From->Type, T->To->Type))
                           .Backward,
                       Elements, N);
  return Out;
}

} // namespace

GatherCost backwardOfGather(int Elements, int N) {
  return {sentBackward(ToReduced, Elements, N),
          sentBackward(ToReplicate, Elements, N)};
}

std::string compareGathers(int N, unsigned Seed) {
  return difference(run(ToReduced, N, Seed), run(ToReplicate, N, Seed));
}

} // namespace spmd::oracle

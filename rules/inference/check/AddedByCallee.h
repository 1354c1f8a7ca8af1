//===- AddedByCallee.h - A callee adds replicas to terms --------*- C++ -*-===//

#ifndef SPMD_INFERENCE_CHECK_ADDEDBYCALLEE_H
#define SPMD_INFERENCE_CHECK_ADDEDBYCALLEE_H

#include "OpFindings.h"
#include "body/SummedTerms.h"

namespace spmd::rules::inference {

/// What a callee, such as a kernel, adds to an argument that is each rank's
/// term of a sum of the caller: found at the call, where both are known.
class AddedByCallee {
public:
  AddedByCallee(Body &In, OpFindings &Findings)
      : In(In), Findings(Findings), Terms(In) {}

  void check(const CallFact &Call);

private:
  void check(const OpFact &O, const SummedTerms::SumList &Sums);

  Body &In;
  OpFindings &Findings;
  SummedTerms Terms;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_CHECK_ADDEDBYCALLEE_H

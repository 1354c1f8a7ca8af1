//===- Summarise.h - What a body does to its context ------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_DATAFLOW_SUMMARISE_H
#define SPMD_INFERENCE_DATAFLOW_SUMMARISE_H

#include "body/Body.h"

namespace spmd::rules::inference {

Summary summarise(Body &In, const State &Exit);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_DATAFLOW_SUMMARISE_H

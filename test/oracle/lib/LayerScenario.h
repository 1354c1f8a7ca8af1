//===- LayerScenario.h - Calls of layers and losses -------------*- C++ -*-===//

#ifndef SPMD_ORACLE_LIB_LAYERSCENARIO_H
#define SPMD_ORACLE_LIB_LAYERSCENARIO_H

#include "spmd/oracle/SpecScenario.h"

namespace spmd::oracle {

/// Whether the shapes of the operands depend on each other and on arguments in
/// a way of the term's own.
bool isLayer(const rules::ShapeRule &S);
/// \p Rule has one alternative, which isLayer().
std::vector<SpecScenario> layerScenariosOf(const rules::OpRule &Rule,
                                           int Ranks);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_LIB_LAYERSCENARIO_H

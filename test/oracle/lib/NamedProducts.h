//===- NamedProducts.h - Products and windows, by their names ---*- C++ -*-===//

#ifndef SPMD_ORACLE_LIB_NAMEDPRODUCTS_H
#define SPMD_ORACLE_LIB_NAMEDPRODUCTS_H

#include "spmd/oracle/SpecCall.h"

namespace spmd::oracle {

struct NamedProduct {
  llvm::StringLiteral Ops; ///< separated by blanks
  SpecFunction *Computes;
};
llvm::ArrayRef<NamedProduct> namedProducts();

} // namespace spmd::oracle

#endif // SPMD_ORACLE_LIB_NAMEDPRODUCTS_H

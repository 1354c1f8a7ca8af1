//===- ConfigKeys.h - The keys of `.spmd-tidy` ------------------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_CONFIG_CONFIGKEYS_H
#define SPMD_LINT_LIB_CONFIG_CONFIGKEYS_H

#include "ConfigReader.h"

namespace spmd::lint {

llvm::ArrayRef<ConfigKey> configKeyTable(); ///< sorted by name

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_CONFIG_CONFIGKEYS_H

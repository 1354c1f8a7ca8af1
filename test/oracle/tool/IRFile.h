//===- IRFile.h - Modules from files ----------------------------*- C++ -*-===//

#ifndef SPMD_ORACLE_TOOL_IRFILE_H
#define SPMD_ORACLE_TOOL_IRFILE_H

#include "spmd/ir/IR.h"

namespace spmd::oracle {

/// Errors name the file: it cannot be read, or parsed.
llvm::Expected<rules::Module> readIRFile(const std::string &Path);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_TOOL_IRFILE_H

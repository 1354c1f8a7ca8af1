//===- IRFile.cpp - Modules from files ------------------------------------===//

#include "IRFile.h"

#include "spmd/ir/IRText.h"

#include "llvm/Support/MemoryBuffer.h"

namespace spmd::oracle {

llvm::Expected<rules::Module> readIRFile(const std::string &Path) {
  const auto Buffer = llvm::MemoryBuffer::getFile(Path);
  if (!Buffer)
    return llvm::createFileError(Path, Buffer.getError());
  llvm::Expected<rules::Module> M =
      rules::parseModule((*Buffer)->getBuffer(), rules::OpCatalogue::builtin());
  if (!M)
    return llvm::createFileError(Path, M.takeError());
  return M;
}

} // namespace spmd::oracle

//===- EmbeddedFiles.h - Files compiled into the binary ---------*- C++ -*-===//

#ifndef SPMD_OPS_EMBEDDEDFILES_H
#define SPMD_OPS_EMBEDDEDFILES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace spmd::rules {

/// A source file whose text is part of the binary, so that an installed tool
/// needs no data directory.
struct EmbeddedFile {
  llvm::StringRef Name;
  llvm::StringRef Text;
};

/// The files of rules/ops, sorted by name.
llvm::ArrayRef<EmbeddedFile> embeddedOpFiles();
/// The files of rules/ops/layers.
llvm::ArrayRef<EmbeddedFile> embeddedLayerFiles();
/// The files of rules/ops/apis, sorted by name.
llvm::ArrayRef<EmbeddedFile> embeddedApiFiles();

} // namespace spmd::rules

#endif // SPMD_OPS_EMBEDDEDFILES_H

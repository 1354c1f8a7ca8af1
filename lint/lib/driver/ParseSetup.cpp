//===- ParseSetup.cpp - Clang, set up for one of our parses ---------------===//

#include "ParseSetup.h"

#include "clang/Basic/DiagnosticLex.h"
#include "clang/Driver/CreateInvocationFromArgs.h"
#include "clang/Serialization/PCHContainerOperations.h"

using namespace llvm;
using namespace spmd::lint;

IntrusiveRefCntPtr<vfs::FileSystem>
spmd::lint::fileSystem(StringRef Directory, const FileOverlay &Overlay) {
  IntrusiveRefCntPtr<vfs::FileSystem> Disk = vfs::createPhysicalFileSystem();
  // A folder that is gone leaves the absolute paths of the command usable.
  (void)Disk->setCurrentWorkingDirectory(Directory);
  if (Overlay.empty())
    return Disk;
  auto Both = makeIntrusiveRefCnt<vfs::OverlayFileSystem>(Disk);
  auto Memory = makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  for (const auto &[Path, Text] : Overlay)
    Memory->addFile(Path, 0, MemoryBuffer::getMemBuffer(Text, Path));
  Both->pushOverlay(Memory);
  return Both;
}

std::unique_ptr<clang::CompilerInstance>
spmd::lint::compilerFor(ArrayRef<std::string> Args,
                        IntrusiveRefCntPtr<vfs::FileSystem> FS,
                        clang::DiagnosticConsumer &Errors) {
  clang::DiagnosticOptions DiagOptions;
  std::vector<const char *> Words;
  for (const std::string &A : Args)
    Words.push_back(A.c_str());
  clang::CreateInvocationOptions InvocationOptions;
  InvocationOptions.Diags = clang::CompilerInstance::createDiagnostics(
      *FS, DiagOptions, &Errors, /*ShouldOwnClient=*/false);
  InvocationOptions.VFS = FS;
  InvocationOptions.RecoverOnError = true;
  std::shared_ptr<clang::CompilerInvocation> Invocation =
      clang::createInvocation(Words, InvocationOptions);
  if (!Invocation)
    return nullptr;
  Invocation->getFrontendOpts().DisableFree = false;
  Invocation->getFrontendOpts().SkipFunctionBodies = true;
  Invocation->getDiagnosticOpts().IgnoreWarnings = true;
  Invocation->getDiagnosticOpts().ShowCarets = false; // no "1 error generated"
  Invocation->getDiagnosticOpts().ErrorLimit = 0;

  auto Compiler = std::make_unique<clang::CompilerInstance>(
      std::move(Invocation), std::make_shared<clang::PCHContainerOperations>());
  Compiler->setVirtualFileSystem(std::move(FS));
  Compiler->createDiagnostics(&Errors, /*ShouldOwnClient=*/false);
  // A missing header must not keep templates from being instantiated.
  Compiler->getDiagnostics().setSeverity(clang::diag::err_pp_file_not_found,
                                         clang::diag::Severity::Error,
                                         clang::SourceLocation());
  return Compiler;
}

std::vector<std::string> spmd::lint::filesRead(clang::FileManager &Files) {
  std::vector<std::string> Out;
  SmallVector<clang::OptionalFileEntryRef> Read;
  Files.GetUniqueIDMapping(Read);
  for (const clang::OptionalFileEntryRef &File : Read) {
    if (!File)
      continue;
    // With its `..`: after a symbolic link they do not cancel out.
    SmallString<256> Path(File->getName());
    Files.makeAbsolutePath(Path);
    Out.push_back(Path.str().str());
  }
  return Out;
}

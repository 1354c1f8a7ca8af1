//===- LinkNames.cpp - What tells functions of several files apart --------===//

#include "cxx/LinkNames.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Index/USRGeneration.h"

using namespace clang;

namespace spmd::lint {

std::string usrOf(const FunctionDecl *FD) {
  llvm::SmallString<128> USR;
  return index::generateUSRForDecl(FD->getCanonicalDecl(), USR)
             ? std::string()
             : USR.str().str();
}

std::string homeOf(const FunctionDecl *FD) {
  const Decl *D = FD;
  if (const auto *MD = dyn_cast<CXXMethodDecl>(FD)) {
    const CXXRecordDecl *RD = MD->getParent();
    if (const CXXRecordDecl *Pattern = RD->getTemplateInstantiationPattern())
      RD = Pattern;
    D = RD->getDefinition() ? RD->getDefinition() : RD;
  } else {
    if (const FunctionDecl *Pattern = FD->getTemplateInstantiationPattern())
      FD = Pattern;
    if (!FD->isInlined() && !FD->getDescribedFunctionTemplate())
      return {};
    D = FD->getCanonicalDecl();
  }
  const SourceManager &SM = D->getASTContext().getSourceManager();
  const auto [File, Offset] =
      SM.getDecomposedLoc(SM.getExpansionLoc(D->getLocation()));
  const OptionalFileEntryRef Ref = SM.getFileEntryRefForID(File);
  return Ref ? (" in " + SM.getFileManager().getCanonicalName(*Ref) + ":" +
                llvm::Twine(Offset))
                   .str()
             : std::string();
}

} // namespace spmd::lint

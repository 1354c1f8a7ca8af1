//===- UserFiles.cpp - Whose code a file is -------------------------------===//

#include "spmd/lint/UserFiles.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace spmd::lint;

static std::string repositoryOf(StringRef File) {
  StringRef Folder = sys::path::parent_path(File);
  for (StringRef At = Folder; !At.empty(); At = sys::path::parent_path(At)) {
    SmallString<128> Git(At);
    sys::path::append(Git, ".git");
    if (sys::fs::exists(Git))
      return At.str();
  }
  return Folder.str();
}

UserFiles::UserFiles(const Config &Cfg, StringRef MainFile)
    : Root(Cfg.ProjectRoot.empty() ? repositoryOf(MainFile) : Cfg.ProjectRoot),
      Filter(Cfg.HeaderFilter.Value),
      HasFilter(!Cfg.HeaderFilter.Value.empty()) {
  if (!StringRef(Root).ends_with("/"))
    Root += '/';
}

static bool isVendored(StringRef BelowRoot) {
  for (StringRef Part :
       llvm::make_range(sys::path::begin(BelowRoot), sys::path::end(BelowRoot)))
    if (Part == "third_party" || Part == "third-party" || Part == "external" ||
        Part == "vendor" || Part == "_deps" || Part == "node_modules")
      return true;
  return false;
}

bool UserFiles::contains(StringRef Path) const {
  if (HasFilter && Filter.match(Path))
    return true;
  return Path.starts_with(Root) && !isVendored(Path.substr(Root.size()));
}

bool OwnFiles::contains(const clang::SourceManager &SM, clang::FileID File) {
  auto [It, New] = Known.try_emplace(File, File == SM.getMainFileID());
  if (!New || It->second || !IsUserHeader || File.isInvalid())
    return It->second;
  const clang::OptionalFileEntryRef Entry = SM.getFileEntryRefForID(File);
  if (!Entry || clang::SrcMgr::isSystem(
                    SM.getFileCharacteristic(SM.getLocForStartOfFile(File))))
    return false;
  return It->second =
             IsUserHeader(absolutePath(SM.getFileManager(), Entry->getName()));
}

bool OwnFiles::contains(const clang::SourceManager &SM,
                        clang::SourceLocation Loc) {
  return Loc.isValid() && contains(SM, SM.getFileID(SM.getExpansionLoc(Loc)));
}

void spmd::lint::forEachOwnDecl(clang::ASTContext &Ctx, OwnFiles &Own,
                                llvm::function_ref<void(clang::Decl *)> Visit) {
  const auto VisitOwn = [&](clang::Decl *D) {
    if (Own.contains(Ctx.getSourceManager(), D->getLocation()))
      Visit(D);
  };
  for (clang::Decl *D : Ctx.getTraversalScope())
    if (auto *TU = dyn_cast<clang::TranslationUnitDecl>(D))
      for (clang::Decl *Child : TU->decls())
        VisitOwn(Child);
    else
      VisitOwn(D);
}

std::string spmd::lint::absolutePath(const clang::FileManager &Files,
                                     StringRef Name) {
  SmallString<256> Path(Name);
  Files.makeAbsolutePath(Path);
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Path.str().str();
}

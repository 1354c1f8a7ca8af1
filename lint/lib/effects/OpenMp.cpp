//===- OpenMp.cpp - Statements that several threads run -------------------===//

#include "OpenMp.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace spmd::lint::effects {

/// Whether the line above \p S, apart from comments, begins a region or a loop
/// for threads. Directives that go on over lines are read from their last.
static bool followsDirective(const clang::Stmt *S, const ASTContext &Ctx) {
  const SourceManager &SM = Ctx.getSourceManager();
  if (S->getBeginLoc().isMacroID())
    return false;
  const auto [File, Offset] = SM.getDecomposedLoc(S->getBeginLoc());
  llvm::StringRef Above = SM.getBufferData(File).take_front(Offset);
  Above = Above.take_front(Above.rfind('\n') + 1);
  std::string Directive;
  while (!Above.empty()) {
    Above = Above.drop_back();
    const std::size_t Begin = Above.rfind('\n') + 1;
    const llvm::StringRef Line = Above.drop_front(Begin).trim();
    Above = Above.take_front(Begin);
    const bool GoesOn = Line.ends_with("\\");
    if (!Directive.empty() && !GoesOn)
      break;
    if (Line.empty() || Line.starts_with("//"))
      continue;
    if (Line.starts_with("#") || GoesOn || Directive.empty())
      Directive = (Line.rtrim('\\') + " " + Directive).str();
    if (Line.starts_with("#"))
      break;
  }
  llvm::StringRef Text = llvm::StringRef(Directive).ltrim("# \t");
  if (!Text.consume_front("pragma"))
    return false;
  Text = Text.ltrim();
  if (!Text.consume_front("omp"))
    return false;
  const llvm::StringRef Name =
      Text.ltrim().take_while([](char C) { return llvm::isAlpha(C); });
  return Name == "parallel" || Name == "for" || Name == "sections" ||
         Name == "section" || Name == "task" || Name == "taskloop" ||
         Name == "target" || Name == "teams" || Name == "distribute" ||
         Name == "loop";
}

bool OpenMp::isForThreads(const clang::Stmt *S) {
  if (Ctx.getLangOpts().OpenMP)
    return false; // it is part of a directive, then
  const SourceManager &SM = Ctx.getSourceManager();
  const FileID File = SM.getFileID(SM.getExpansionLoc(S->getBeginLoc()));
  const auto [At, New] = HasDirectives.try_emplace(File, false);
  if (New)
    At->second = SM.getBufferData(File).contains("omp ");
  return At->second && followsDirective(S, Ctx);
}

bool mayCommunicate(const Stmt *S) {
  if (S->Kind == Kind::Event)
    return S->What.Call->Kind != rules::CallKind::Local;
  return S->Kind == Kind::Call || S->Kind == Kind::GiveUp ||
         llvm::any_of(S->Body, [](const Stmt *Inner) {
           return Inner && mayCommunicate(Inner);
         });
}

} // namespace spmd::lint::effects

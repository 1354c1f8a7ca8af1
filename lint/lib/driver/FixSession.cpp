//===- FixSession.cpp - --fix and --fix-dry-run ---------------------------===//

#include "FixSession.h"

#include "Programs.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace spmd::lint;

/// Each op of a long function may need its own.
static constexpr unsigned MaxRounds = 64;

void FixSession::run(Findings Now) {
  const Findings Before = Now;
  for (unsigned I = 0; I != MaxRounds && round(Now); ++I)
    Now = mergeResults(Jobs, Results, Configs);
  if (OnlyGlobal)
    takeBackUseless(Before, Now);
}

static std::size_t numFound(const Findings &F, StringRef File) {
  return llvm::count_if(F.Found.Diagnostics, [&](const Diagnostic &D) {
    return D.Where.File == File;
  });
}

/// A repair may show what was hidden behind the mistake; all of them together
/// must have left less.
void FixSession::takeBackUseless(const Findings &Before, const Findings &Now) {
  for (const auto &[File, Text] : Originals)
    if (numFound(Now, File) >= numFound(Before, File))
      Useless.insert(File);
  if (Useless.empty())
    return;
  takeBack(Useless);
}

void FixSession::takeBack(std::set<std::string> Files) {
  const auto Touches = [&](const std::pair<Place, Fix> &M) {
    return llvm::any_of(M.second.Edits,
                        [&](const Edit &E) { return Files.contains(E.File); });
  };
  // Half a repair is none.
  for (std::size_t Before = 0; Before != Files.size();) {
    Before = Files.size();
    for (const auto &M : Made)
      if (Touches(M))
        for (const Edit &E : M.second.Edits)
          Files.insert(E.File);
  }
  llvm::erase_if(Made, Touches);
  for (const std::string &File : Files)
    if (auto It = Originals.find(File); It != Originals.end()) {
      Overlay[File] = It->second;
      Originals.erase(It);
    }
  lintAgain(Files);
}

bool FixSession::lintAgain(const std::set<std::string> &Changed) {
  std::vector<std::size_t> Again;
  std::vector<LintJob> AgainJobs;
  for (std::size_t I = 0; I != Jobs.size(); ++I)
    if (llvm::any_of(Changed, [&](const std::string &F) {
          return Results[I].UserFiles.contains(F);
        })) {
      Again.push_back(I);
      AgainJobs.push_back(Jobs[I]);
    }
  std::vector<FileResult> New =
      lintAll(AgainJobs, Overlay, Request, Threads, Prefixes);
  const bool Broken = llvm::any_of(llvm::zip(Again, New), [&](auto Pair) {
    const auto &[I, R] = Pair;
    return R.Crashed || R.ParseErrors.size() > Results[I].ParseErrors.size();
  });
  if (Broken)
    return false;
  for (auto [I, R] : llvm::zip(Again, New))
    Results[I] = std::move(R);
  lintPrograms(Jobs, Results, Request);
  return true;
}

/// Whether \p Text is what was analysed: offsets fit no other text.
bool FixSession::isUnchanged(StringRef File, StringRef Text) const {
  for (const FileResult &R : Results)
    if (auto It = R.UserFiles.find(File.str()); It != R.UserFiles.end())
      return It->second.Hash == hashContents(Text);
  return false; // not the user's file
}

std::set<std::string> FixSession::apply(const FixSelection &Selection) {
  std::set<std::string> Changed;
  SourceTexts Texts(Overlay);
  std::vector<std::pair<std::string, std::string>> NewTexts;
  for (const auto &[File, Edits] : Selection.Edits) {
    StringRef Old = Texts.text(File);
    std::string New = applyEdits(Old, Edits);
    if (New == Old)
      continue;
    Originals.try_emplace(File, Old.str());
    NewTexts.emplace_back(File, std::move(New));
    Changed.insert(File);
  }
  for (auto &[File, New] : NewTexts)
    Overlay[File] = std::move(New);
  return Changed;
}

bool FixSession::isWanted(const Diagnostic &D, const SourceTexts &Texts) const {
  const auto Preferred = llvm::find_if(D.Fixes, [&](const Fix &F) {
    return F.Preferred && (F.Safe || Unsafe) && !F.Edits.empty();
  });
  return Preferred != D.Fixes.end() &&
         !Refused.contains(identify(*Preferred, Texts)) &&
         (!Wants || Wants(D, *Preferred, Texts));
}

/// What an edit makes of its line: offsets move when other repairs are made.
static std::string lineAfter(const Edit &E, StringRef Text) {
  const std::size_t From = Text.take_front(E.Offset).rfind('\n') + 1;
  const StringRef Rest =
      Text.substr(E.Offset + E.Length).take_until([](char C) {
        return C == '\n';
      });
  return (Text.slice(From, E.Offset) + E.Text + Rest).str();
}

FixSession::Identity FixSession::identify(const Fix &F,
                                          const SourceTexts &Texts) {
  Identity Of;
  for (const Edit &E : F.Edits)
    Of.emplace_back(E.File, lineAfter(E, Texts.text(E.File)));
  return Of;
}

bool FixSession::make(ArrayRef<Diagnostic> Wanted) {
  SourceTexts Texts(Overlay);
  const FixSelection Selection =
      selectFixes(Wanted, Unsafe, [&](StringRef File) {
        return isUnchanged(File, Texts.text(File));
      });
  const FileOverlay OverlayBefore = Overlay;
  const FileOverlay OriginalsBefore = Originals;
  const std::set<std::string> Changed = apply(Selection);
  if (Changed.empty())
    return false;
  if (lintAgain(Changed)) {
    llvm::append_range(Made, Selection.Fixes);
    return true;
  }
  Overlay = OverlayBefore;
  Originals = OriginalsBefore;
  if (Selection.Fixes.size() == 1) {
    Refused.insert(identify(Selection.Fixes.front().second, Texts));
    RefusedIn.insert(Changed.begin(), Changed.end());
    return false;
  }
  // One that does not parse holds back none of the others.
  const std::size_t Half = Wanted.size() / 2;
  return make(Wanted.take_front(Half)) || make(Wanted.drop_front(Half));
}

bool FixSession::round(const Findings &Now) {
  SourceTexts Texts(Overlay);
  std::vector<Diagnostic> Wanted;
  llvm::copy_if(Now.Found.Diagnostics, std::back_inserter(Wanted),
                [&](const Diagnostic &D) {
                  return (!OnlyGlobal || D.Global) && isWanted(D, Texts);
                });
  const std::size_t Before = Refused.size();
  return !Wanted.empty() && (make(Wanted) || Refused.size() > Before);
}

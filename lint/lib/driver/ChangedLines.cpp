//===- ChangedLines.cpp - Since a revision -----------------------------===//

#include "ChangedLines.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

#include <limits>

using namespace llvm;
using namespace spmd::lint;

/// What `git \p Args` prints; its own words where it fails.
static Expected<std::string> git(ArrayRef<StringRef> Args) {
  const ErrorOr<std::string> Program = sys::findProgramByName("git");
  if (!Program)
    return createStringError("--diff needs git, which is not on PATH");
  SmallString<128> Out, Err;
  if (sys::fs::createTemporaryFile("spmd-tidy", "out", Out) ||
      sys::fs::createTemporaryFile("spmd-tidy", "err", Err))
    return createStringError("cannot write a temporary file for git's answer");
  const FileRemover RemoveOut(Out), RemoveErr(Err);
  std::vector<StringRef> All{*Program};
  llvm::append_range(All, Args);
  const std::optional<StringRef> Redirects[] = {"", Out.str(), Err.str()};
  const int Code = sys::ExecuteAndWait(*Program, All, std::nullopt, Redirects);
  auto Text = MemoryBuffer::getFile(Code ? Err : Out);
  const std::string Said = Text ? (*Text)->getBuffer().str() : "";
  if (Code)
    return createStringError("git says: " +
                             StringRef(Said).split('\n').first.str());
  return Said;
}

/// A path as Git writes it behind "+++ ": quoted where it has odd characters.
static std::string pathOf(StringRef Text) {
  Text = Text.rtrim('\t');
  if (!Text.consume_front("\""))
    return Text.str();
  Text.consume_back("\"");
  std::string Out;
  for (std::size_t I = 0; I < Text.size(); ++I) {
    if (Text[I] != '\\' || I + 1 == Text.size()) {
      Out += Text[I];
      continue;
    }
    const char C = Text[++I];
    unsigned Octal = 0;
    if (isDigit(C) && !Text.substr(I, 3).getAsInteger(8, Octal)) {
      Out += static_cast<char>(Octal);
      I += 2;
    } else {
      Out += C == 't' ? '\t' : C == 'n' ? '\n' : C;
    }
  }
  return Out;
}

Error ChangedLines::readDiff(StringRef Diff, StringRef Root) {
  std::vector<Range> *Into = nullptr;
  for (StringRef Line : llvm::split(Diff, '\n')) {
    if (Line.consume_front("+++ ")) {
      Into =
          Line == "/dev/null" ? nullptr : &Ranges[(Root + pathOf(Line)).str()];
      continue;
    }
    // "@@ -12,2 +14,3 @@": a removed line has no place in the new text.
    if (!Line.consume_front("@@ -") || !Into)
      continue;
    StringRef New = Line.split('+').second.split(' ').first;
    const auto [First, Count] = New.split(',');
    unsigned From = 0, Lines = 1;
    if (First.getAsInteger(10, From) ||
        (!Count.empty() && Count.getAsInteger(10, Lines)))
      return createStringError("cannot read git's diff: " + Line);
    if (Lines)
      Into->push_back({From, From + Lines - 1});
  }
  return Error::success();
}

Expected<ChangedLines> ChangedLines::since(StringRef Revision,
                                           StringRef WorkingDirectory) {
  if (Revision.starts_with("-"))
    return createStringError("--diff takes a revision, not '" + Revision + "'");
  const std::string Base = Revision.empty() ? "HEAD" : Revision.str();
  Expected<std::string> Prefix = git({"rev-parse", "--show-prefix"});
  if (!Prefix)
    return Prefix.takeError();
  // The working directory may be named through a link; files are, too.
  StringRef Root = WorkingDirectory;
  Root.consume_back(("/" + StringRef(*Prefix).rtrim("/\n")).str());
  const std::string Folder = (Root + "/").str();
  Expected<std::string> Diff =
      git({"diff", "--merge-base", "--unified=0", "--no-color", "--no-ext-diff",
           "--no-prefix", "--no-renames", Base, "--"});
  if (!Diff)
    return createStringError("cannot compare with '" + Base +
                             "': " + toString(Diff.takeError()));
  ChangedLines Out;
  if (Error E = Out.readDiff(*Diff, Folder))
    return std::move(E);
  Expected<std::string> New = git({"ls-files", "--others", "--exclude-standard",
                                   "--full-name", "-z", ":/"});
  if (!New)
    return New.takeError();
  for (StringRef File : llvm::split(*New, '\0'))
    if (!File.empty())
      Out.Ranges[(Folder + File).str()] = {
          {1, std::numeric_limits<unsigned>::max()}};
  return Out;
}

bool ChangedLines::contain(const Place &Where, const SourceTexts &Texts) const {
  const auto It = Ranges.find(Where.File);
  if (It == Ranges.end())
    return false;
  const StringRef Text =
      Texts.text(Where.File).substr(Where.Offset, Where.Length);
  const unsigned Last = Where.Line + Text.count('\n');
  return llvm::any_of(It->second, [&](const Range &R) {
    return R.First <= Last && Where.Line <= R.Last;
  });
}

std::vector<std::string> ChangedLines::files() const {
  std::vector<std::string> Out;
  for (const auto &[File, Lines] : Ranges)
    if (sys::fs::exists(File))
      Out.push_back(File);
  return Out;
}

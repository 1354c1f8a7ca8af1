//===- Baseline.cpp - Findings that are known already ---------------------===//

#include "Baseline.h"

#include "CacheEntry.h"

#include "report/Fingerprint.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace spmd::lint;

static constexpr int FormatVersion = 1;

static Error broken(StringRef Path, const Twine &Why) {
  return createStringError(Path + ": " + Why +
                           ": delete it and run with --update-baseline");
}

/// Each line's fingerprints are told apart by their numbers in one report; here
/// they are counted.
static StringRef withoutNumber(StringRef Print) {
  return Print.rsplit(':').first;
}

Expected<Baseline> Baseline::load(StringRef Path, bool MayBeNew) {
  Baseline Out;
  SmallString<256> Absolute(Path);
  sys::fs::make_absolute(Absolute);
  sys::path::remove_dots(Absolute, /*remove_dot_dot=*/true);
  Out.Path = Path.str();
  Out.Folder = sys::path::parent_path(Absolute).str();
  auto Text = MemoryBuffer::getFile(Path);
  if (!Text) {
    if (Text.getError() != std::errc::no_such_file_or_directory)
      return createStringError("cannot read " + Path + ": " +
                               Text.getError().message());
    if (!MayBeNew)
      return createStringError("there is no baseline " + Path +
                               ": --update-baseline writes it");
    Out.IsNew = true;
    return Out;
  }
  Expected<json::Value> Root = json::parse((*Text)->getBuffer());
  if (!Root) {
    consumeError(Root.takeError());
    return broken(Path, "not a baseline");
  }
  const json::Object *Object = Root->getAsObject();
  const std::optional<int64_t> Version =
      Object ? Object->getInteger("version") : std::nullopt;
  const json::Array *Findings = Object ? Object->getArray("findings") : nullptr;
  if (!Version || !Findings)
    return broken(Path, "not a baseline");
  if (*Version != FormatVersion)
    return broken(Path, "a baseline of version " + Twine(*Version) +
                            ", which this spmd-tidy does not read");
  for (const json::Value &V : *Findings) {
    const json::Object *F = V.getAsObject();
    Entry E;
    for (const auto &[Key, Into] : {std::pair{"fingerprint", &E.Print},
                                    {"check", &E.Check},
                                    {"file", &E.File},
                                    {"message", &E.Message}}) {
      const std::optional<StringRef> Field =
          F ? F->getString(Key) : std::nullopt;
      if (!Field)
        return broken(Path, Twine("a finding without '") + Key + "'");
      *Into = Field->str();
    }
    Out.Entries.push_back(std::move(E));
  }
  return Out;
}

Baseline::Entry Baseline::entryOf(const Diagnostic &D, StringRef Print) const {
  return {withoutNumber(Print).str(), D.Check,
          pathFrom(Folder, D.Where.File).str(), json::fixUTF8(D.Message), true};
}

/// An entry of the same file; else one of a file that is gone, which was
/// renamed then.
Baseline::Entry *Baseline::match(const Entry &Wanted) {
  const auto Fits = [&](const Entry &E) {
    return !E.Found && E.Print == Wanted.Print;
  };
  auto It = llvm::find_if(Entries, [&](const Entry &E) {
    return Fits(E) && E.File == Wanted.File;
  });
  if (It == Entries.end())
    It = llvm::find_if(Entries, [&](const Entry &E) {
      return Fits(E) && !sys::fs::exists(pathBelow(Folder, E.File));
    });
  return It == Entries.end() ? nullptr : &*It;
}

void Baseline::apply(Report &R, const SourceTexts &Texts,
                     function_ref<bool(StringRef)> IsAnalysed) {
  const std::vector<std::string> Prints = fingerprints(R.Diagnostics, Texts);
  std::vector<Diagnostic> New;
  for (const auto &[D, Print] : llvm::zip(R.Diagnostics, Prints)) {
    Entry Here = entryOf(D, Print);
    if (Entry *Known = match(Here)) {
      *Known = std::move(Here);
      ++R.InBaseline;
    } else {
      New.push_back(D);
    }
  }
  R.Diagnostics = std::move(New);
  const std::size_t Before = Entries.size();
  llvm::erase_if(Entries, [&](const Entry &E) {
    const std::string File = pathBelow(Folder, E.File);
    return !E.Found && (IsAnalysed(File) || !sys::fs::exists(File));
  });
  Gone = Before - Entries.size();
}

Error Baseline::update(Report &R, const SourceTexts &Texts) {
  if (IsNew) {
    for (const auto &[D, Print] :
         llvm::zip(R.Diagnostics, fingerprints(R.Diagnostics, Texts)))
      Entries.push_back(entryOf(D, Print));
    R.InBaseline += R.Diagnostics.size();
    R.Diagnostics.clear();
  } else if (!Gone) {
    return Error::success();
  }
  llvm::sort(Entries, [](const Entry &A, const Entry &B) {
    return std::tie(A.File, A.Check, A.Print) <
           std::tie(B.File, B.Check, B.Print);
  });
  std::string Text;
  raw_string_ostream OS(Text);
  json::OStream J(OS, /*IndentSize=*/2);
  J.object([&] {
    J.attribute("version", FormatVersion);
    J.attributeArray("findings", [&] {
      for (const Entry &E : Entries)
        J.object([&] {
          J.attribute("check", E.Check);
          J.attribute("file", json::fixUTF8(E.File));
          J.attribute("message", E.Message);
          J.attribute("fingerprint", E.Print);
        });
    });
  });
  J.flush();
  OS << '\n';
  std::error_code EC;
  raw_fd_ostream Out(Path, EC);
  if (!EC) {
    Out << Text;
    Out.flush();
    EC = Out.error();
    Out.clear_error();
  }
  if (EC)
    return createStringError("cannot write " + Path + ": " + EC.message());
  return Error::success();
}

//===- ReadingCalls.cpp - What unseen code is there for, by its name ------===//

#include "ReadingCalls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace spmd::lint::lower {

/// `saveBest_model`: save, best, model.
static llvm::SmallVector<std::string, 4> wordsOf(llvm::StringRef Name) {
  llvm::SmallVector<std::string, 4> Out;
  bool Begins = true;
  char Last = 0;
  for (const char C : Name) {
    Begins |= llvm::isUpper(C) && llvm::isLower(Last);
    if (llvm::isAlpha(C)) {
      if (std::exchange(Begins, false))
        Out.emplace_back();
      Out.back() += llvm::toLower(C);
    } else {
      Begins = true;
    }
    Last = C;
  }
  return Out;
}

static bool isAny(llvm::StringRef Word, llvm::ArrayRef<const char *> Stems) {
  return llvm::any_of(Stems,
                      [&](const char *Stem) { return Word.starts_with(Stem); });
}

static bool reads(llvm::StringRef Word) {
  return Word == "log" || Word == "logs" || Word == "test" || Word == "show" ||
         isAny(Word, {"eval",  "valid",   "testing", "predict", "infer",
                      "print", "logging", "report",  "sav",     "dump",
                      "writ",  "export",  "plot",    "visual",  "accurac",
                      "scor",  "measur",  "summar",  "metric",  "checksum",
                      "verif", "assert",  "compar",  "display"});
}

static bool writes(llvm::StringRef Word) {
  return Word == "set" || Word == "read" ||
         isAny(Word, {"load", "restor", "init", "resum", "train", "updat",
                      "fill", "reset", "import", "sync", "broadcast", "reduc",
                      "gather", "averag", "step", "apply"});
}

bool readsByName(const CallSite &C) {
  const llvm::SmallVector<std::string, 4> Words = wordsOf(C.base());
  return llvm::any_of(Words, reads) && llvm::none_of(Words, writes);
}

} // namespace spmd::lint::lower
